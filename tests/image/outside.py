# SPDX-License-Identifier: BSD-2-Clause
"""Machines that count outside their cores, and plans for them."""

# A server's functions stand where its manual has them: channels 0, 1 and 3, which have memory.
SERVER = ("pmu-ubox,addr=08.0", "pmu-capid6,addr=1e.3", "pmu-imc,addr=0a.2,channel=0",
          "pmu-imc,addr=0a.6,channel=1", "pmu-imc,addr=0c.2,channel=3")
MACHINES = {"Nehalem": (), "Haswell": (),
            "Skylake-Server": tuple(word for what in SERVER for word in ("-device", what))}

# Two packages of two cores. The second one's functions are on a bus of its own, behind a bridge.
TWO_PACKAGES = "4,sockets=2,cores=2,threads=1"
SECOND = ("i82801b11-bridge,id=second,bus=pcie.0,addr=10.0",
          *(f"{what},bus=second" + ("" if "capid6" in what else ",package=1") for what in SERVER))
TWO = {**MACHINES, "Skylake-Server": tuple(word for what in (*SERVER, *SECOND)
                                           for word in ("-device", what))}

# The events of each machine, and what of formulas.traffic() each counts.
EVENTS = {
    "Nehalem": {"llc_misses": "misses", "dram_read_bytes": "lines_read",
                "dram_write_bytes": "lines_written"},
    "Haswell": {"llc_lookups": "lookups", "llc_misses": "misses"},
    "Skylake-Server": {"llc_lookups": "lookups", "llc_misses": "misses",
                       "dram_read_bytes": "lines_read", "dram_write_bytes": "lines_written"},
}


def events(names):
    return "[events outside]\n" + "".join(f"{name}\n" for name in names)


def rows_of(found, event):
    return [row for row in found.rows if row["event"] == event]
