-- SPDX-License-Identifier: BSD-2-Clause
-- The tables of scripts/query. Their descriptions are inside the statements, where SQLite
-- keeps it: `scripts/query DB schema` prints it from the database itself.
-- A change of a table or of what a column means raises SCHEMA in db.py.

CREATE TABLE machines (
-- A machine; its runs may be the image's and Linux'.
machine_id INTEGER PRIMARY KEY,
name       TEXT UNIQUE, -- what `import --machine NAME` called it, or NULL
uuid       TEXT UNIQUE, -- of SMBIOS; NULL: none, or one that makers leave alike in all boards;
                        -- then runs are one machine's when all below is alike
maker      TEXT,
product    TEXT,
brand      TEXT,        -- of its first CPU
cpus_found INTEGER,
called     TEXT AS (coalesce(name, uuid, 'machine ' || machine_id ||
                             coalesce(', ' || nullif(product, ''), ''))) -- in views
) STRICT;

CREATE TABLE runs (
-- A folder of results: a run. A time is UTC or local, as the machine's clock has it.
run_id           INTEGER PRIMARY KEY,
machine_id       INTEGER NOT NULL REFERENCES machines,
identity         TEXT NOT NULL UNIQUE, -- source|UUID as written|number|started|id of the journal;
                                       -- of a run with neither time nor journal, content|checksum
content          TEXT NOT NULL UNIQUE, -- SHA-256 of run.json and results.csv
folder           TEXT NOT NULL, -- where it was imported from
source           TEXT NOT NULL, -- 'bare metal' or 'linux'
number           INTEGER,
run              TEXT,    -- as run.json and the column run of results.csv have it; NULL: an older
                          -- version did not write it
label            TEXT,
started          TEXT,    -- ISO 8601, '' when the clock was not set
complete         INTEGER NOT NULL, -- 0: it was cut off; what it has is true, but it is not all
stopped_by_user  INTEGER,
verdict          TEXT,    -- PASS, FAIL n, or NOT MEASURED and why
plan_errors      INTEGER, -- errors in the plan; NULL: an older version did not write it
elapsed_us       INTEGER,
schema           INTEGER, -- of run.json
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
emulated         TEXT,    -- how its cycles and times were obtained: 'by formula'; NULL: by hardware
timer_stopped    INTEGER, -- 1: the firmware's timer stood still meanwhile
parked           TEXT,    -- where CPUs waited that did not measure
plan_file        TEXT,
plan_text        TEXT,
runs_planned     INTEGER, -- clean samples of each kernel, CPU and pass
runs_asked       INTEGER,
warmup           INTEGER,
memory_bytes     INTEGER,
linux_kernel     TEXT,    -- the columns linux_… are NULL unless the source is 'linux'
linux_read_by    TEXT,    -- 'ioctl' or 'rdpmc'
linux_paranoid   INTEGER, -- perf_event_paranoid
linux_watchdog   INTEGER, -- 1: the NMI watchdog was on and held a counter
linux_governor   TEXT,
linux_isolated   TEXT,    -- isolated CPUs
sample_lines     INTEGER, -- of samples.csv; NULL: they were not imported
imported         TEXT NOT NULL DEFAULT (datetime()), -- UTC
run_json         TEXT NOT NULL  -- whole: run_json ->> '$.noise.smis' has what has no column here
) STRICT;
CREATE INDEX runs_of_machine ON runs (machine_id);

CREATE TABLE cpus (
-- A CPU in a run. One that run.json does not describe (the run was cut off) has its number only.
run_id           INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
cpu              INTEGER NOT NULL, -- its number in the firmware's, or Linux', list
apic_id          INTEGER,
boot_cpu         INTEGER,
package          INTEGER,
core             INTEGER,
thread           INTEGER,
siblings         INTEGER, -- other listed threads of its core
vendor           TEXT,
brand            TEXT,
family           INTEGER,
model            INTEGER,
stepping         INTEGER,
signature        TEXT,    -- CPUID.1:EAX
core_type        TEXT,    -- '' where all cores are of one type
microcode        TEXT,
invariant_tsc    INTEGER,
pmu_version      INTEGER, -- 0: none
general_counters INTEGER,
general_width_bits INTEGER,
fixed_counters   TEXT,    -- a bit for each
counter_test     TEXT,    -- 'ok', or why the counters were not tested
wrmsr_counted    INTEGER, -- WRMSRs of the window that the CPU counts as instructions
mhz              REAL,    -- its clock over its kernels, by the fixed counters
base_mhz         REAL,
tsc_mhz          REAL,    -- NULL if it is not known
nominal_mhz      REAL,    -- what the CPU calls its base frequency
reference_mhz    REAL,    -- MPERF's, over the noise certificates
core_mhz         REAL,    -- by APERF and MPERF, over the noise certificates
PRIMARY KEY (run_id, cpu)
) STRICT, WITHOUT ROWID;

CREATE TABLE kernels (
-- A kernel of a run, with its parameters and n, and what it declares: from low to high, alike where
-- the count is exact, NULL where it is not declared.
run_id       INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
kernel_no    INTEGER NOT NULL, -- from 0, as in run.json; further ones have rows but no description
name         TEXT NOT NULL,
param        TEXT NOT NULL,    -- k=v;k=v, keys sorted, sizes in bytes
n            INTEGER NOT NULL,
family       TEXT,
title        TEXT,
file         TEXT,             -- of the stick; '' for a built-in one
crc32        TEXT,             -- of its bytes
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
-- results.csv whole: a row for each CPU, kernel and event. A text is '' and a number NULL where
-- the file has none. Columns of type ANY hold an integer where the number is whole, else a REAL.
run_id        INTEGER NOT NULL,
line          INTEGER NOT NULL, -- 2 is the first after the header
kernel_no     INTEGER NOT NULL,
cpu           INTEGER NOT NULL,
apic_id       INTEGER,
core_type     TEXT NOT NULL,
kernel        TEXT NOT NULL,
param         TEXT NOT NULL,
event         TEXT NOT NULL,
encoding      TEXT NOT NULL, -- rUUEE as perf takes it; r0100, r0200, r0300: fixed counters 0 to 2
runs          INTEGER NOT NULL, -- clean samples
rejected      INTEGER NOT NULL,
min           INTEGER,       -- of the counts; NULL for what was read from an MSR: see value
median        ANY,
mean          REAL,
max           INTEGER,
stddev        REAL,
per_iteration REAL,
expected_low  INTEGER,       -- alike where one number is declared; NULL: nothing is
expected_high INTEGER,
verdict       TEXT NOT NULL, -- fault, timeout, unavailable, noisy, off, within, exact, measured
ring          TEXT NOT NULL, -- os, usr, both: what the counter counted
mode          TEXT NOT NULL, -- serial, parallel
counter       TEXT NOT NULL,
pass          INTEGER,
partner       INTEGER,       -- the other CPU of a pair
scope         TEXT NOT NULL, -- thread; package: counted in the uncore, by one CPU
                             -- for its whole package
unit          TEXT NOT NULL,
n             INTEGER NOT NULL,
q1            ANY,
q3            ANY,
modes         INTEGER,
reason        TEXT NOT NULL,
noisy_by      TEXT NOT NULL, -- heat, clock limit, power limit, clock changes: what alone made a row
                             -- of time noisy, which then fails nothing; '': any other row
mad           REAL,
stable        TEXT NOT NULL, -- yes, no
differs       TEXT NOT NULL, -- passes, cpus
mhz           REAL,
ns            REAL,
rate          REAL,          -- mean value over mean time, of bytes and uJ
rate_unit     TEXT NOT NULL, -- GB/s (10^9 bytes a second), W
uncore_mhz_low  INTEGER,     -- the uncore's clock right after each pass; NULL: not known
uncore_mhz_high INTEGER,
cold          TEXT NOT NULL, -- yes: n went through a part of the buffer or pattern alone; no
copies        INTEGER,       -- how often each n does what the kernel's title names
per_copy      REAL,          -- of one of them: the median difference between 2n and n
per_copy_min  REAL,
per_copy_max  REAL,
value         TEXT,          -- of an MSR, all 64 bits, hexadecimal
more          TEXT,          -- columns that a later version added, as a JSON object
PRIMARY KEY (run_id, line),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE,
FOREIGN KEY (run_id, kernel_no) REFERENCES kernels ON DELETE CASCADE
) STRICT;

CREATE TABLE samples (
-- samples.csv whole, with `import --samples`: every attempt and counter, raw: what frames the
-- kernel is in it. What an older version had no column for is NULL.
run_id             INTEGER NOT NULL,
line               INTEGER NOT NULL, -- 2 is the first after the header
cpu                INTEGER NOT NULL,
kernel             TEXT NOT NULL,
param              TEXT NOT NULL,
n                  INTEGER NOT NULL, -- twice the kernel's in the samples at 2n
event              TEXT NOT NULL,
encoding           TEXT NOT NULL,    -- of the event's rows on this CPU; '' without one
pass               INTEGER NOT NULL,
attempt            INTEGER NOT NULL,
accepted           INTEGER NOT NULL, -- 1: it counts for its row
evidence           TEXT NOT NULL,    -- what speaks against it
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

CREATE TABLE packages (
-- Packages whose uncore events the plan has, and which CPU counts for each.
run_id       INTEGER NOT NULL,
item         INTEGER NOT NULL, -- from 0, as in run.json
cpu          INTEGER NOT NULL,
package      INTEGER,
model        TEXT,             -- '' where it is not known what the CPU counts there
status       TEXT,             -- 'ok', or why nothing can be counted
error        TEXT,             -- which register refused when all were taken over, and how
left_running INTEGER,          -- counters that were found running
PRIMARY KEY (run_id, item),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE package_counters (
-- Units of the uncore: those of a kind together, and what their test found.
run_id     INTEGER NOT NULL,
item       INTEGER NOT NULL, -- of the package
kind       TEXT NOT NULL,    -- uncore, clock, cbox, arb, cha, imc, imc_free_running, energy, ...
units      INTEGER,
counters   INTEGER,          -- of each unit
width_bits INTEGER,
status     TEXT,             -- 'ok', or why there are none
test       TEXT,             -- 'right', or what is wrong with the first counter that failed
PRIMARY KEY (run_id, item, kind),
FOREIGN KEY (run_id, item) REFERENCES packages ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE passes (
-- Which counter counted what in which pass, and what it counted of the empty window.
run_id           INTEGER NOT NULL,
cpu              INTEGER NOT NULL,
pass             INTEGER NOT NULL,
slot             INTEGER NOT NULL,
event            TEXT NOT NULL,
counter          TEXT,
control          TEXT, -- what was written to its control register, or field of it
means            TEXT, -- the same in words
erratum          TEXT,
empty_window_min INTEGER,
empty_window_max INTEGER,
PRIMARY KEY (run_id, cpu, pass, slot),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
-- What was found, asked and set on each CPU, and what it read back.
run_id    INTEGER NOT NULL,
item      INTEGER NOT NULL, -- from 0, as in run.json
cpu       INTEGER NOT NULL,
setting   TEXT NOT NULL,
register  TEXT,
found     TEXT,
asked     TEXT,             -- 'keep', or a register's value
was_set   INTEGER,
read_back TEXT,
status    TEXT,
PRIMARY KEY (run_id, item),
FOREIGN KEY (run_id, cpu) REFERENCES cpus ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE noise (
-- Noise certificates: how long each CPU was watched for gaps in time, and what was found.
run_id            INTEGER NOT NULL,
item              INTEGER NOT NULL, -- from 0, as in run.json
cpu               INTEGER NOT NULL,
taken             TEXT NOT NULL,    -- before, after its kernels
status            TEXT NOT NULL,    -- 'ok', or why it was not watched
threshold_ns      INTEGER,
runtime_us        REAL,
noise_us          REAL,    -- all gaps together
max_single_us     REAL,
available_percent REAL,
gaps              INTEGER,
hw                INTEGER, -- gaps without an NMI
nmis              INTEGER,
smis              INTEGER, -- NULL where the CPU does not count them
smi_gaps          INTEGER,
unexplained       INTEGER,
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
-- The histogram of a certificate: how many gaps were from a length to twice that length.
run_id     INTEGER NOT NULL,
item       INTEGER NOT NULL,
from_ticks INTEGER NOT NULL,
from_ns    INTEGER,
gaps       INTEGER NOT NULL,
PRIMARY KEY (run_id, item, from_ticks),
FOREIGN KEY (run_id, item) REFERENCES noise ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
-- What a run says in words.
run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
kind   TEXT NOT NULL, -- error, remark, not_restored
item   INTEGER NOT NULL,
text   TEXT NOT NULL,
PRIMARY KEY (run_id, kind, item)
) STRICT, WITHOUT ROWID;
