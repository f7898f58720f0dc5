-- SPDX-License-Identifier: BSD-2-Clause
-- The tables of scripts/query. Their descriptions are inside the statements, because SQLite stores
-- a statement with its comments, so `scripts/query DB schema` can print them from the database.
-- Increment SCHEMA in db.py if a table or the meaning of a column changes.

CREATE TABLE machines (
-- A machine; its runs may be from the image and from Linux.
machine_id INTEGER PRIMARY KEY,
name       TEXT UNIQUE, -- from `import --machine NAME`, or NULL
uuid       TEXT UNIQUE, -- from SMBIOS; NULL if there is none, or if all boards of a maker share it;
                        -- then runs with the same values in the columns below share a machine
maker      TEXT,
product    TEXT,
brand      TEXT,        -- brand of its first CPU
cpus_found INTEGER,
called     TEXT AS (coalesce(name, uuid, 'machine ' || machine_id ||
                             coalesce(', ' || nullif(product, ''), ''))) -- its name in views
) STRICT;

CREATE TABLE runs (
-- A run, imported from a folder of results. Times are UTC or local, like the machine's clock.
run_id           INTEGER PRIMARY KEY,
machine_id       INTEGER NOT NULL REFERENCES machines,
identity         TEXT NOT NULL UNIQUE, -- source|UUID as written|number|started|id of the journal,
                                       -- or content|checksum if it has no time and no journal
content          TEXT NOT NULL UNIQUE, -- SHA-256 of run.json and results.csv
folder           TEXT NOT NULL, -- the folder from which it was imported
source           TEXT NOT NULL, -- 'bare metal' or 'linux'
number           INTEGER,
run              TEXT,    -- the column run of results.csv, and run in run.json; NULL if an older
                          -- version did not write it
label            TEXT,
started          TEXT,    -- ISO 8601; '' if the clock was not set
complete         INTEGER NOT NULL, -- 0: the run was cut off, so some of its results are missing
stopped_by_user  INTEGER,
verdict          TEXT,    -- PASS, FAIL and a number, or NOT MEASURED and the reason
plan_errors      INTEGER, -- number of errors in the plan; NULL if an older version did not write it
elapsed_us       INTEGER,
schema           INTEGER, -- version of the format of run.json
program          TEXT,
version          TEXT,
firmware_vendor  TEXT,
firmware_version TEXT,
uefi             TEXT,
tsc_hz           INTEGER,
tsc_source       TEXT,
tsc_measured_hz  INTEGER,
cpus_found       INTEGER,
cpus_usable      INTEGER,
cpus_planned     INTEGER,
emulated         TEXT,    -- 'by formula' if cycles and times were emulated; NULL for hardware
timer_stopped    INTEGER, -- 1: the firmware's timer was stopped while the boot CPU measured
parked           TEXT,    -- how CPUs waited that did not measure
plan_file        TEXT,
plan_text        TEXT,
runs_planned     INTEGER, -- number of clean samples to take of each kernel, CPU and pass
runs_asked       INTEGER, -- runs= in the plan; larger than runs_planned if reduced to save time
warmup           INTEGER,
memory_bytes     INTEGER,
linux_kernel     TEXT,    -- the columns linux_… are NULL unless source is 'linux'
linux_read_by    TEXT,    -- 'ioctl' or 'rdpmc'
linux_paranoid   INTEGER, -- perf_event_paranoid
linux_watchdog   INTEGER, -- 1: the NMI watchdog was on and used a counter
linux_governor   TEXT,
linux_isolated   TEXT,    -- isolated CPUs
sample_lines     INTEGER, -- number of lines imported from samples.csv; NULL if it was not imported
imported         TEXT NOT NULL DEFAULT (datetime()), -- UTC
run_json         TEXT NOT NULL  -- the whole run.json, for fields without a column:
                                -- run_json ->> '$.noise.smis'
) STRICT;
CREATE INDEX runs_of_machine ON runs (machine_id);

CREATE TABLE cpus (
-- A CPU in a run. If run.json does not describe it, because the run was cut off, most columns are
-- NULL.
run_id           INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
cpu              INTEGER NOT NULL, -- its number in the list of the firmware or of Linux
apic_id          INTEGER,
boot_cpu         INTEGER,
package          INTEGER,
ccd              INTEGER, -- AMD: the number of its core die in the package
ccx              INTEGER, -- AMD: the number of its core complex (CPUs with one L3) in the package
core             INTEGER,
thread           INTEGER,
siblings         INTEGER, -- number of other threads of its core in the list
vendor           TEXT,
brand            TEXT,
family           INTEGER,
model            INTEGER,
stepping         INTEGER,
signature        TEXT,    -- CPUID.1:EAX
core_type        TEXT,    -- '' if all cores have the same type
core_name        TEXT,    -- AMD: for example 'Zen 4c'
microcode        TEXT,
invariant_tsc    INTEGER,
pmu_version      INTEGER, -- 0 if it has no PMU; on AMD, 2 is PerfMonV2
general_counters INTEGER,
general_width_bits INTEGER,
fixed_counters   TEXT,    -- a bitmap
counter_test     TEXT,    -- 'ok', or why the counters were not tested
wrmsr_counted    INTEGER, -- number of the window's WRMSRs that are counted as instructions
mhz              REAL,    -- its clock during its kernels, from the fixed counters
base_mhz         REAL,
tsc_mhz          REAL,    -- frequency of the time stamp; NULL if it is not known
nominal_mhz      REAL,    -- base frequency that the CPU reports
reference_mhz    REAL,    -- frequency of MPERF during the noise certificates
core_mhz         REAL,    -- its clock during the noise certificates, from APERF and MPERF
PRIMARY KEY (run_id, cpu)
) STRICT, WITHOUT ROWID;

CREATE TABLE kernels (
-- A kernel of a run with its parameters, n and declared counts. The columns ..._low and ..._high
-- are equal if an exact count is declared, and NULL if no count is declared.
run_id       INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
kernel_no    INTEGER NOT NULL, -- from 0, as in run.json; kernels only in results.csv come last
name         TEXT NOT NULL,
param        TEXT NOT NULL,    -- key=value;key=value with sorted keys, and with sizes in bytes
n            INTEGER NOT NULL,
family       TEXT,
title        TEXT,
file         TEXT,             -- its file on the stick; '' for a built-in kernel
crc32        TEXT,             -- checksum of its bytes
argument     INTEGER,
buffer_bytes INTEGER,
instructions_low    INTEGER,
instructions_high   INTEGER,
branches_low        INTEGER,
branches_high       INTEGER,
taken_branches_low  INTEGER,
taken_branches_high INTEGER,
loads_low    INTEGER,
loads_high   INTEGER,
stores_low   INTEGER,
stores_high  INTEGER,
PRIMARY KEY (run_id, kernel_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE rows (
-- The whole results.csv: a row for each CPU, kernel and event. If a field is empty in the file, a
-- text is '' and a number is NULL. A column of type ANY holds an INTEGER if the number is whole,
-- else a REAL.
run_id        INTEGER NOT NULL,
line          INTEGER NOT NULL, -- 2 is the first after the header
kernel_no     INTEGER NOT NULL,
cpu           INTEGER NOT NULL,
apic_id       INTEGER,
core_type     TEXT NOT NULL,
kernel        TEXT NOT NULL,
param         TEXT NOT NULL,
event         TEXT NOT NULL,
encoding      TEXT NOT NULL, -- rUUEE for perf; Intel's r0100 to r0400 are fixed counters 0 to 3
runs          INTEGER NOT NULL, -- number of clean samples
rejected      INTEGER NOT NULL, -- number of rejected samples
min           INTEGER,       -- smallest count; NULL if there is none, or an MSR was read (value)
median        ANY,
mean          REAL,
max           INTEGER,
stddev        REAL,
per_iteration REAL,
expected_low  INTEGER,       -- declared count; NULL if none is declared
expected_high INTEGER,       -- expected_low if an exact count is declared; NULL: no upper bound
verdict       TEXT NOT NULL, -- fault, timeout, unavailable, noisy, off, within, exact or measured
ring          TEXT NOT NULL, -- ring in which the counter counted: os, usr or both
mode          TEXT NOT NULL, -- serial or parallel
counter       TEXT NOT NULL,
pass          INTEGER,
partner       INTEGER,       -- the other CPU of a pair
scope         TEXT NOT NULL, -- thread, or package if one CPU counted in the uncore
                             -- for its whole package
unit          TEXT NOT NULL,
n             INTEGER NOT NULL,
q1            ANY,
q3            ANY,
modes         INTEGER,
reason        TEXT NOT NULL,
noisy_by      TEXT NOT NULL, -- why a row of time is noisy without failing the run: heat,
                             -- clock limit, power limit or clock changes; '' for other rows
mad           REAL,          -- median absolute deviation
stable        TEXT NOT NULL, -- yes or no
differs       TEXT NOT NULL, -- passes or cpus, if these differ
mhz           REAL,
ns            REAL,
rate          REAL,          -- mean count / mean time, for bytes and uJ
rate_unit     TEXT NOT NULL, -- GB/s (10^9 bytes a second) or W
uncore_mhz_low  INTEGER,     -- lowest clock of the uncore after a pass; NULL if it is not known
uncore_mhz_high INTEGER,     -- highest clock of the uncore after a pass
trust           TEXT NOT NULL, -- kind of this event on this counter in an earlier run's trust map
cold          TEXT NOT NULL, -- yes if n was too small to go through the whole buffer or pattern
copies        INTEGER,       -- number of copies, per n, of the code that the kernel's title names
per_copy      REAL,          -- count of one copy: the median difference between 2n and n
per_copy_min  REAL,
per_copy_max  REAL,
value         TEXT,          -- content of an MSR: all 64 bits, in hexadecimal
more          TEXT,          -- columns that a later version added, as a JSON object
PRIMARY KEY (run_id, line),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE,
FOREIGN KEY (run_id, kernel_no) REFERENCES kernels ON DELETE CASCADE
) STRICT;

CREATE TABLE samples (
-- The whole samples.csv, if it was imported with `import --samples`: every attempt and counter. The
-- counts are raw, so they include what the window itself counts. Columns that an older version
-- lacked are NULL.
run_id             INTEGER NOT NULL,
line               INTEGER NOT NULL, -- 2 is the first after the header
cpu                INTEGER NOT NULL,
kernel             TEXT NOT NULL,
param              TEXT NOT NULL,
n                  INTEGER NOT NULL, -- twice the kernel's n in the samples at 2n
event              TEXT NOT NULL,
encoding           TEXT NOT NULL,    -- encoding in the event's rows on this CPU; '' without rows
pass               INTEGER NOT NULL,
attempt            INTEGER NOT NULL,
accepted           INTEGER NOT NULL, -- 1 if the sample is used for its row
evidence           TEXT NOT NULL,    -- the evidence that the sample was disturbed
smis               INTEGER,
nmis               INTEGER,
tsc                INTEGER,
raw                INTEGER,
overflowed         INTEGER,
reference          INTEGER, -- reference cycles
core_per_reference REAL,
mperf              INTEGER,
aperf              INTEGER,
thermal            TEXT,
package_thermal    TEXT,
limits             TEXT,
machine_checks     INTEGER,
gap_ticks          INTEGER,
partner            INTEGER,
more               TEXT,    -- columns that a later version added, as a JSON object
PRIMARY KEY (run_id, line),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT;

CREATE TABLE trust (
-- How a counter counts an event (docs/trust-map.md), if kernels declare the event's count.
run_id  INTEGER NOT NULL,
cpu     INTEGER NOT NULL,
event   TEXT NOT NULL, -- without the number of the counter that counters=each adds
counter TEXT NOT NULL,
kind    TEXT NOT NULL, -- 'exact', 'constant +1', 'unknown' and so on
PRIMARY KEY (run_id, cpu, event, counter),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE packages (
-- A package, if the plan has uncore events, and the CPU that counted for the package.
run_id       INTEGER NOT NULL,
item         INTEGER NOT NULL, -- from 0, as in run.json
cpu          INTEGER NOT NULL,
package      INTEGER,
model        TEXT,             -- '' if the uncore of this CPU is not known
status       TEXT,             -- 'ok', or the reason why nothing can be counted
error        TEXT,             -- the first register that refused a value, and how
left_running INTEGER,          -- number of counters that were found running
PRIMARY KEY (run_id, item),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE package_counters (
-- All units of one kind in the uncore of a package, and the result of their test.
run_id     INTEGER NOT NULL,
item       INTEGER NOT NULL, -- item of the package
kind       TEXT NOT NULL,    -- uncore, clock, cbox, arb, cha, imc, imc_free_running, energy, ...
units      INTEGER,
counters   INTEGER,          -- number of counters in each unit
width_bits INTEGER,
status     TEXT,             -- 'ok', or the reason why there are none
test       TEXT,             -- 'right', why there was no test, or the first counter's fault
PRIMARY KEY (run_id, item, kind),
FOREIGN KEY (run_id, item) REFERENCES packages ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE passes (
-- An event and its counter in a pass, and what the counter counted in the empty window.
run_id           INTEGER NOT NULL,
cpu              INTEGER NOT NULL,
pass             INTEGER NOT NULL,
slot             INTEGER NOT NULL,
event            TEXT NOT NULL,
counter          TEXT,
control          TEXT, -- value written to its control register, or to a field of a register
means            TEXT, -- the meaning of control in words
erratum          TEXT,
empty_window_min INTEGER,
empty_window_max INTEGER,
PRIMARY KEY (run_id, cpu, pass, slot),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
-- A setting of a CPU: the value found, the value in the plan, and the value read back.
run_id    INTEGER NOT NULL,
item      INTEGER NOT NULL, -- from 0, as in run.json
cpu       INTEGER NOT NULL,
setting   TEXT NOT NULL,
register  TEXT,
found     TEXT,
asked     TEXT,             -- the value of the register in the plan, or 'keep'
was_set   INTEGER,          -- 1 if the register was written
read_back TEXT,
status    TEXT,
PRIMARY KEY (run_id, item),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE noise (
-- A noise certificate: how long a CPU was watched for gaps in time, and the gaps found.
run_id            INTEGER NOT NULL,
item              INTEGER NOT NULL, -- from 0, as in run.json
cpu               INTEGER NOT NULL,
taken             TEXT NOT NULL,    -- before or after the CPU's kernels
status            TEXT NOT NULL,    -- 'ok', or the reason why the CPU was not watched
threshold_ns      INTEGER,
runtime_us        REAL,
noise_us          REAL,    -- total length of all gaps
max_single_us     REAL,
available_percent REAL,
gaps              INTEGER,
hw                INTEGER, -- number of gaps without an NMI
nmis              INTEGER,
smis              INTEGER, -- NULL if the CPU does not count SMIs
smi_gaps          INTEGER, -- number of gaps with an SMI
unexplained       INTEGER, -- number of gaps without an NMI or SMI
threshold_ticks   INTEGER,
runtime_ticks     INTEGER,
noise_ticks       INTEGER,
longest_ticks     INTEGER,
aperf             INTEGER,
mperf             INTEGER,
PRIMARY KEY (run_id, item),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE noise_gaps (
-- A bin of a certificate's histogram: the number of gaps from one length to twice that length.
run_id     INTEGER NOT NULL,
item       INTEGER NOT NULL,
from_ticks INTEGER NOT NULL,
from_ns    INTEGER,
gaps       INTEGER NOT NULL,
PRIMARY KEY (run_id, item, from_ticks),
FOREIGN KEY (run_id, item) REFERENCES noise ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
-- A note of a run.
run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
kind   TEXT NOT NULL, -- error, remark or not_restored
item   INTEGER NOT NULL,
text   TEXT NOT NULL,
PRIMARY KEY (run_id, kind, item)
) STRICT, WITHOUT ROWID;
