# SPDX-License-Identifier: BSD-2-Clause
"""Check the fields of run.json that the report reads, and describe a deviation."""

NUMBER = (int, float)
WORDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number",
         NUMBER: "a number", bool: "true or false"}

# {key: shape} describes an object, in which keys with `!` are required; [shape] describes an array.
RUN = {
    "label": str, "source": str, "version": str, "started": str, "elapsed_us": NUMBER,
    "!machine": {"maker": str, "product": str, "tsc_hz": NUMBER, "tsc_source": str, "parked": str,
                 "emulated": str},
    "!plan": {"file": str, "text": str, "!cpus": int, "strict": bool, "errors": int},
    "!kernels": [{"!name": str, "!param": str, "!n": int, "title": str, "family": str,
                 "argument": int, "buffer_bytes": int}],
    "cpus": [{"cpu": int, "vendor": str, "brand": str, "family": int, "model": int,
              "core_type": str, "core_name": str,
              "pmu": {"fixed_counters": str},
              "caches": [{"!level": int, "!type": str, "!bytes": int}],
              "clock": {"mhz": NUMBER, "nominal_mhz": NUMBER},
              "passes": [[{"event": str, "counter": str, "means": str, "erratum": str,
                          "erratum_name": str, "erratum_source": str, "erratum_effect": str}]]}],
    "packages": [{"cpu": int, "package": int, "model": str, "status": str, "error": str,
                  "left_running": int, "groups": [
                      {"kind": str, "units": int, "counters": int, "width_bits": int, "test": str,
                       "status": str}]}],
    "state": [{"cpu": int}],
    "noise": {},
    "sums": [{"!what": str, "!agrees": int, "!differs": int, "differences": [
        {"!cpu": int, "!kernel": str, "param": str, "n": int, "sum": int, "total": int,
         "tolerance": int, "verdict": str}]}],
    "sums_left_out": bool,
    "noise_certificates": [{
        "!cpu": int, "!when": str, "status": str, "threshold_ns": NUMBER, "runtime_us": NUMBER,
        "noise_us": NUMBER, "max_single_us": NUMBER, "available_percent": NUMBER, "gaps": int,
        "hw": int, "nmis": int, "smis": int, "unexplained": int,
        "histogram": [{"!from_ns": NUMBER, "!gaps": int}]}],
    "verdict": {"line": str}, "errors": [str], "remarks": [str], "not_restored": [str],
    "linux": {}, "complete": bool,
}


def _is(found, kind):
    """Python's bool is an int, but JSON's true is not a number."""
    return isinstance(found, kind) and (kind is bool or not isinstance(found, bool))


def misfit(found, shape, place="it"):
    """A sentence that describes the first deviation from the shape; "" if there is none."""
    kind = type(shape) if isinstance(shape, (dict, list)) else shape
    if not _is(found, kind):
        return f"{place}: expected {WORDS[kind]}, found {type(found).__name__} {str(found)[:40]}"
    if isinstance(shape, list):
        told = (misfit(item, shape[0], f"{place}[{number}]") for number, item in enumerate(found))
        return next(filter(None, told), "")
    if isinstance(shape, dict):
        for key, inner in shape.items():
            name = key.removeprefix("!")
            if name in found:
                told = misfit(found[name], inner, f"{place}.{name}" if place != "it" else name)
            else:
                told = f"{place}: '{name}' is missing" if key != name else ""
            if told:
                return told
    return ""
