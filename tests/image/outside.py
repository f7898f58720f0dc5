# SPDX-License-Identifier: BSD-2-Clause
"""Machines with uncore PMUs, plans for these machines, and a check of the energy in results."""
from conftest import plan_text

# A server CPU's PCI functions, at the addresses in its manual.
SERVER = ("pmu-ubox,addr=08.0", "pmu-capid6,addr=1e.3", "pmu-imc,addr=0a.2,channel=0",
          "pmu-imc,addr=0a.6,channel=1", "pmu-imc,addr=0c.2,channel=3")
MACHINES = {"Nehalem": (), "Haswell": (),
            "Skylake-Server": tuple(word for what in SERVER for word in ("-device", what))}

# The second package's functions are on a bus behind a bridge.
TWO_PACKAGES = "4,sockets=2,cores=2,threads=1"
SECOND = ("i82801b11-bridge,id=second,bus=pcie.0,addr=10.0",
          *(f"{what},bus=second" + ("" if "capid6" in what else ",package=1") for what in SERVER))
TWO = {**MACHINES, "Skylake-Server": tuple(word for what in (*SERVER, *SECOND)
                                           for word in ("-device", what))}

# For each machine: {event: the name of its count in formulas.traffic()}.
EVENTS = {
    "Nehalem": {"llc_lookups": "lookups", "llc_misses": "misses",
                "dram_read_bytes": "lines_read", "dram_write_bytes": "lines_written"},
    "Haswell": {"llc_lookups": "lookups", "llc_misses": "misses"},
    "Skylake-Server": {"llc_lookups": "lookups", "llc_misses": "misses",
                       "dram_read_bytes": "lines_read", "dram_write_bytes": "lines_written"},
}


def events(names):
    return "[events outside]\n" + "".join(f"{name}\n" for name in names)


def rows_of(found, event):
    return [row for row in found.rows if row["event"] == event]


# ---- Energy ----

ENERGY = "package_energy_uJ"
POWER_UNITS, POWER_INFO = 0x606, 0x614
LONG, LONG_N = "loop_dec_jnz", 4000000
OVERHEAD_S = 0.0005  # the time between two readings of energy may exceed the window by this much


def energy_plan(n=LONG_N):
    """A plan to which events can be appended. Only its first kernel runs long enough for a
    measurement of energy.
    """
    return plan_text(noise_ms=0) + f"[kernels]\n{LONG} n={n}\nnops\n" + \
        f"[msr before]\nread {POWER_UNITS:#x}\nread {POWER_INFO:#x}\n" + events([ENERGY])


def energy_is_right(found):
    """Check that the energy is power times time, to within two counter steps and OVERHEAD_S."""
    msrs = {row["event"]: int(row["min"]) for row in found.rows if row["event"].startswith("msr:")}
    power = next(value for name, value in msrs.items() if f"{POWER_INFO:x}" in name)
    units = next(value for name, value in msrs.items() if f"{POWER_UNITS:x}" in name)
    watts = (power & 0x7fff) / (1 << (units & 0xf))
    step_j = 1 / (1 << (units >> 8 & 0x1f))
    long, = [row for row in rows_of(found, ENERGY) if row["kernel"] == LONG]
    samples = [s for s in found.samples if s["event"] == ENERGY and s["kernel"] == LONG and
               s["n"] == str(LONG_N)]
    assert len(samples) >= 3 and watts > 0
    for sample in samples:
        seconds = int(sample["tsc"]) / found.run["machine"]["tsc_hz"]
        joules = int(sample["raw"]) * step_j
        assert seconds >= 0.1
        assert watts * seconds - 2 * step_j <= joules, (sample, watts)
        assert joules <= watts * (seconds + OVERHEAD_S) + 2 * step_j, (sample, watts)
    assert long["verdict"] == "measured" and long["unit"] == "uJ", long
    assert long["rate_unit"] == "W" and abs(float(long["rate"]) / watts - 1) < 0.01, (long, watts)
