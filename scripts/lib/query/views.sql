-- SPDX-License-Identifier: BSD-2-Clause
-- The ready views of scripts/query; every import replaces them with those of its version.
-- `scripts/query DB views` prints the comment at the head of each view. Only rows whose verdict is
-- exact, within or measured are averaged or compared. The views verdicts and failures show the
-- other rows.

CREATE VIEW overview AS
-- All runs, one per line.
SELECT u.run_id, m.called AS machine, u.source, u.number, u.started, u.label, u.verdict,
  u.plan_errors, iif(u.complete, 'yes', 'no') AS complete, count(c.cpu) AS cpus, u.version,
  u.folder, u.emulated, u.run
FROM runs u JOIN machines m USING (machine_id) LEFT JOIN cpus c USING (run_id)
GROUP BY u.run_id ORDER BY u.run_id;

CREATE VIEW verdicts AS
-- How the runs of each machine ended, and how many of its rows have each verdict.
WITH counted AS (
  SELECT u.run_id, u.machine_id, u.source, u.complete, u.verdict,
    count(r.line) FILTER (WHERE r.verdict = 'exact') AS exact,
    count(r.line) FILTER (WHERE r.verdict = 'within') AS within,
    count(r.line) FILTER (WHERE r.verdict = 'measured') AS measured,
    count(r.line) FILTER (WHERE r.verdict = 'off') AS off,
    count(r.line) FILTER (WHERE r.verdict = 'noisy') AS noisy,
    count(r.line) FILTER (WHERE r.verdict = 'unavailable') AS unavailable,
    count(r.line) FILTER (WHERE r.verdict = 'timeout') AS timeout,
    count(r.line) FILTER (WHERE r.verdict = 'fault') AS fault
  FROM runs u LEFT JOIN rows r USING (run_id) GROUP BY u.run_id)
SELECT m.called AS machine, m.brand, c.source, count(*) AS runs,
  sum(c.verdict = 'PASS' AND c.complete) AS passed, sum(NOT c.complete) AS incomplete,
  sum(exact) AS exact, sum(within) AS within, sum(measured) AS measured, sum(off) AS off,
  sum(noisy) AS noisy, sum(unavailable) AS unavailable, sum(timeout) AS timeout,
  sum(fault) AS fault
FROM counted c JOIN machines m USING (machine_id)
GROUP BY c.machine_id, c.source ORDER BY machine, c.source;

CREATE VIEW failures AS
-- The rows of each run with the verdict fault, timeout, noisy or off, except rows of time that only
-- heat, a limit or the clock made noisy. All rows of a kernel with the same verdict and reason, on
-- all CPUs, share a line; `rows` is their number, and `line` is the line of the first of them in
-- results.csv. Counts are shown only if all of these rows are of one event in one ring.
WITH failed AS (
  SELECT *, first_value(trim(event || ' ' || ring)) OVER (alike ORDER BY line) AS first_event,
    dense_rank() OVER (alike ORDER BY event, ring) AS event_no,
    cpu - dense_rank() OVER (alike ORDER BY cpu) AS island
  FROM rows WHERE verdict IN ('fault', 'timeout', 'noisy', 'off') AND noisy_by = ''
  WINDOW alike AS (PARTITION BY run_id, kernel_no, verdict, reason)),
islands AS (
  SELECT run_id, kernel_no, verdict, reason, kernel, param, n, first_event,
    max(event_no) AS last_event_no, count(*) AS rows, min(line) AS first_line, min(min) AS least,
    max(max) AS most, min(expected_low) AS low, max(expected_high) AS high,
    group_concat(iif(min(cpu) = max(cpu), min(cpu), min(cpu) || '-' || max(cpu)), ',') OVER
      (PARTITION BY run_id, kernel_no, verdict, reason ORDER BY min(cpu)
       ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS cpus
  FROM failed GROUP BY run_id, kernel_no, verdict, reason, island),
faults AS (
  SELECT run_id, cpus, kernel, param, n, first_event, max(last_event_no) AS events, verdict,
    sum(rows) AS rows, reason, min(least) AS least, max(most) AS most, min(low) AS low,
    max(high) AS high, min(first_line) AS first_line
  FROM islands GROUP BY run_id, kernel_no, verdict, reason)
SELECT m.called AS machine, u.source, f.run_id, u.started, f.cpus, f.kernel, f.param, f.n,
  f.first_event || iif(f.events = 1, '', ' and ' || (f.events - 1) || ' more') AS events,
  f.verdict, f.rows, f.reason, iif(f.events = 1, f.least, NULL) AS min,
  iif(f.events = 1, f.most, NULL) AS max, iif(f.events = 1, f.low, NULL) AS expected_low,
  iif(f.events = 1, f.high, NULL) AS expected_high, f.first_line AS line
FROM faults f JOIN runs u USING (run_id) JOIN machines m USING (machine_id)
ORDER BY machine, f.run_id, line;

CREATE VIEW reasons AS
-- Each reason why rows are not counted or not right, with the numbers of rows, runs and machines,
-- and with the kernels and events concerned. An event is followed by the ring that was counted.
SELECT r.verdict, r.reason, count(*) AS rows, count(DISTINCT r.run_id) AS runs,
  count(DISTINCT u.machine_id) AS machines, group_concat(DISTINCT r.kernel) AS kernels,
  group_concat(DISTINCT trim(r.event || ' ' || r.ring)) AS events
FROM rows r JOIN runs u USING (run_id) WHERE r.reason <> ''
GROUP BY r.verdict, r.reason ORDER BY count(*) DESC, r.verdict, r.reason;

CREATE VIEW averages AS
-- The counts of each machine, kernel and event, averaged over all runs, CPUs and samples.
SELECT m.called AS machine, u.source, r.kernel, r.param, r.n, k.crc32, r.event, r.ring, r.mode,
  r.scope, count(DISTINCT r.run_id) AS runs, count(DISTINCT r.cpu) AS cpus,
  sum(r.runs) AS samples, min(r.min) AS min, sum(r.mean * r.runs) / sum(r.runs) AS mean,
  max(r.max) AS max,
  sum(r.per_iteration * r.runs) / sum(r.runs) FILTER (WHERE r.per_iteration IS NOT NULL)
    AS per_iteration, r.unit
FROM rows r JOIN kernels k USING (run_id, kernel_no) JOIN runs u USING (run_id)
  JOIN machines m USING (machine_id)
WHERE r.verdict IN ('exact', 'within', 'measured') AND r.runs > 0 AND r.value IS NULL
GROUP BY u.machine_id, u.source, r.kernel, r.param, r.n, k.crc32, r.event, r.ring, r.mode, r.scope,
  r.unit
ORDER BY machine, u.source, r.kernel, r.param, r.n, r.event, r.ring;

CREATE VIEW mhz_by_run AS
-- The clock of each CPU in each run, and its lowest and highest clock in a kernel.
SELECT m.called AS machine, u.source, c.run_id, u.started, c.cpu, c.core_type, c.mhz,
  min(r.mhz) AS kernel_min_mhz, max(r.mhz) AS kernel_max_mhz, c.core_mhz, c.tsc_mhz, c.nominal_mhz
FROM cpus c JOIN runs u USING (run_id) JOIN machines m USING (machine_id)
  LEFT JOIN rows r ON r.run_id = c.run_id AND r.cpu = c.cpu AND r.unit = 'cycles'
    AND r.verdict IN ('exact', 'within', 'measured')
GROUP BY c.run_id, c.cpu ORDER BY machine, c.run_id, c.cpu;

CREATE VIEW encodings AS
-- The encodings of instructions and cycles on each CPU, for the views with such columns. If both a
-- fixed and a general counter can count them, `place` is 1 for the encoding of the fixed counter
-- and 2 for that of the general one. Hygon's encodings are AMD's.
WITH known(vendor, encoding, what, place) AS (VALUES
  ('Intel', 'r0100', 'instructions', 1), ('Intel', 'r00c0', 'instructions', 2),
  ('Intel', 'r0200', 'core_cycles', 1), ('Intel', 'r003c', 'core_cycles', 2),
  ('Intel', 'r0300', 'reference_cycles', 1),
  ('AMD', 'r00c0', 'instructions', 1), ('AMD', 'r0076', 'core_cycles', 1),
  ('AMD', 'r100000120', 'reference_cycles', 1))
SELECT c.run_id, c.cpu, k.encoding, k.what, k.place
FROM cpus c JOIN known k ON k.vendor = replace(c.vendor, 'Hygon', 'AMD')
ORDER BY c.run_id, c.cpu, k.what, k.place;

CREATE VIEW mhz_by_sample AS
-- The clock in each clean sample: MHz of the time stamp * core cycles / reference cycles. It needs
-- an import with --samples.
SELECT m.called AS machine, u.source, s.run_id, s.cpu, s.kernel, s.param, s.n, s.pass, s.attempt,
  s.raw AS core_cycles, s.reference AS reference_cycles, c.tsc_mhz * s.raw / s.reference AS mhz
FROM samples s JOIN cpus c USING (run_id, cpu) JOIN runs u USING (run_id)
  JOIN machines m USING (machine_id) JOIN encodings e USING (run_id, cpu, encoding)
WHERE e.what = 'core_cycles' AND e.place = 1 AND s.accepted AND s.core_per_reference IS NOT NULL
ORDER BY s.run_id, s.line;

CREATE VIEW preset_rows AS
-- A row for each event except instructions, cycles and time stamps, with the instructions, cycles
-- and MHz of the same kernel, CPU and ring.
WITH beside AS (
  SELECT *,
    coalesce(max(median) FILTER (WHERE what = 'instructions' AND place = 1) OVER alike,
             max(median) FILTER (WHERE what = 'instructions') OVER alike) AS instructions,
    coalesce(max(median) FILTER (WHERE what = 'core_cycles' AND place = 1) OVER alike,
             max(median) FILTER (WHERE what = 'core_cycles') OVER alike) AS core_cycles,
    max(median) FILTER (WHERE what = 'reference_cycles') OVER alike AS reference_cycles,
    max(mhz) FILTER (WHERE unit = 'cycles') OVER alike AS core_mhz
  FROM rows LEFT JOIN encodings USING (run_id, cpu, encoding)
  WHERE verdict IN ('exact', 'within', 'measured') AND scope <> 'package'
  WINDOW alike AS (PARTITION BY run_id, cpu, kernel_no, partner, ring))
SELECT m.called AS machine, u.source, b.run_id, b.cpu, b.kernel, b.param, b.n, b.event, b.ring,
  b.median AS count, b.per_iteration, b.instructions, b.core_cycles, b.reference_cycles,
  b.core_mhz AS mhz
FROM beside b JOIN runs u USING (run_id) JOIN machines m USING (machine_id)
WHERE b.what IS NULL AND b.encoding NOT IN ('rdtsc', 'rdmsr', 'wrmsr')
ORDER BY machine, b.run_id, b.line;

CREATE VIEW preset_samples AS
-- The raw counts of preset_rows, for each clean sample. It needs an import with --samples.
WITH beside AS (
  SELECT *, max(raw) FILTER (WHERE what = 'instructions' AND place = 1) OVER alike AS instructions,
    max(raw) FILTER (WHERE what = 'core_cycles' AND place = 1) OVER alike AS core_cycles
  FROM samples LEFT JOIN encodings USING (run_id, cpu, encoding)
  WINDOW alike AS (PARTITION BY run_id, cpu, kernel, param, n, partner, pass, attempt))
SELECT m.called AS machine, u.source, b.run_id, b.cpu, b.kernel, b.param, b.n, b.pass, b.attempt,
  b.event, b.raw AS count, b.instructions, b.core_cycles, b.reference AS reference_cycles,
  iif(b.core_per_reference IS NULL, NULL, c.tsc_mhz * b.core_cycles / b.reference) AS mhz
FROM beside b JOIN cpus c USING (run_id, cpu) JOIN runs u USING (run_id)
  JOIN machines m USING (machine_id)
WHERE b.accepted AND b.what IS NULL AND b.encoding <> 'rdtsc'
  AND (b.run_id, b.cpu, b.event) NOT IN
    (SELECT run_id, cpu, event FROM rows WHERE scope = 'package')
ORDER BY b.run_id, b.line;

CREATE VIEW kernel_times AS
-- The time that each kernel takes on each machine, from time stamps, including the window itself.
SELECT m.called AS machine, u.source, r.kernel, r.param, r.n, k.crc32, r.ring, r.mode,
  count(DISTINCT r.run_id) AS runs, count(DISTINCT r.cpu) AS cpus, min(r.ns) AS fastest_cpu_ns,
  avg(r.ns) AS ns, max(r.ns) AS slowest_cpu_ns
FROM rows r JOIN kernels k USING (run_id, kernel_no) JOIN runs u USING (run_id)
  JOIN machines m USING (machine_id)
WHERE r.event = 'TSC' AND r.verdict = 'measured' AND r.ns IS NOT NULL
GROUP BY u.machine_id, u.source, r.kernel, r.param, r.n, k.crc32, r.ring, r.mode
ORDER BY r.kernel, r.param, r.n, u.source, ns;

CREATE VIEW fastest_slowest AS
-- The fastest and the slowest machine for each kernel, among machines with the same kernel bytes.
SELECT source, kernel, param, n, crc32, ring, mode, count(*) AS machines,
  max(machine) FILTER (WHERE fast = 1) AS fastest, min(ns) AS fastest_ns,
  max(machine) FILTER (WHERE slow = 1) AS slowest, max(ns) AS slowest_ns,
  max(ns) / min(ns) AS ratio
FROM (SELECT *, row_number() OVER (alike ORDER BY ns, machine) AS fast,
        row_number() OVER (alike ORDER BY ns DESC, machine DESC) AS slow
      FROM kernel_times
      WINDOW alike AS (PARTITION BY source, kernel, param, n, crc32, ring, mode))
GROUP BY source, kernel, param, n, crc32, ring, mode ORDER BY kernel, param, n, source;

CREATE VIEW bandwidth AS
-- The rates of each machine's uncore, such as traffic and power, by kernel, averaged over all
-- packages and runs. The lowest and the highest rate are each of one package in one run.
SELECT m.called AS machine, u.source, r.kernel, r.param, r.n, k.crc32, r.mode, r.event,
  count(DISTINCT r.run_id) AS runs, count(DISTINCT c.package) AS packages,
  min(r.rate) AS lowest, sum(r.rate * r.runs) / sum(r.runs) AS rate, max(r.rate) AS highest,
  r.rate_unit
FROM rows r JOIN kernels k USING (run_id, kernel_no) JOIN cpus c USING (run_id, cpu)
  JOIN runs u USING (run_id) JOIN machines m USING (machine_id)
WHERE r.scope = 'package' AND r.verdict IN ('exact', 'within', 'measured') AND r.runs > 0
  AND r.rate IS NOT NULL
GROUP BY u.machine_id, u.source, r.kernel, r.param, r.n, k.crc32, r.mode, r.event, r.rate_unit
ORDER BY machine, u.source, r.kernel, r.param, r.n, r.event;

CREATE VIEW outside_cores AS
-- The uncore counters of each machine, the result of their test, and the number of runs.
SELECT m.called AS machine, p.package, p.model, g.kind, g.units, g.counters, g.width_bits,
  coalesce(nullif(nullif(p.status, 'ok'), ''), nullif(nullif(g.status, 'ok'), ''),
           nullif(g.test, 'right'), p.error, g.test, 'ok') AS found,
  count(DISTINCT p.run_id) AS runs
FROM packages p LEFT JOIN package_counters g USING (run_id, item) JOIN runs u USING (run_id)
  JOIN machines m USING (machine_id)
GROUP BY u.machine_id, p.package, p.model, g.kind, g.units, g.counters, g.width_bits, found
ORDER BY machine, p.package, g.kind;

CREATE VIEW trust_map AS
-- How each machine's counters count each event (docs/trust-map.md): the number of runs and of CPUs
-- that show each kind.
SELECT m.called AS machine, c.core_type, t.event, t.counter, t.kind,
  count(DISTINCT t.run_id) AS runs, count(DISTINCT t.cpu) AS cpus
FROM trust t JOIN cpus c USING (run_id, cpu) JOIN runs u USING (run_id)
  JOIN machines m USING (machine_id)
WHERE t.kind <> 'unknown'
GROUP BY u.machine_id, c.core_type, t.event, t.counter, t.kind
ORDER BY machine, c.core_type, t.event, t.counter, runs DESC, t.kind;

CREATE VIEW microcode AS
-- The microcode of each machine's CPUs, the number of runs with it, and when the first and the last
-- of these runs started.
SELECT m.called AS machine, c.brand, c.signature, c.core_type, c.microcode,
  count(DISTINCT c.run_id) AS runs, count(DISTINCT c.cpu) AS cpus,
  min(nullif(u.started, '')) AS first, max(nullif(u.started, '')) AS last
FROM cpus c JOIN runs u USING (run_id) JOIN machines m USING (machine_id)
WHERE c.microcode IS NOT NULL
GROUP BY u.machine_id, c.brand, c.signature, c.core_type, c.microcode
ORDER BY machine, first, c.microcode;

CREATE VIEW noise_by_cpu AS
-- The totals of all noise certificates of each CPU; smis is NULL if the CPU does not count SMIs.
SELECT m.called AS machine, u.source, x.cpu, count(*) AS certificates,
  sum(x.status <> 'ok') AS failed, sum(x.runtime_us) AS runtime_us, sum(x.noise_us) AS noise_us,
  100 - 100 * sum(x.noise_us) / sum(x.runtime_us) AS available_percent,
  max(x.max_single_us) AS max_single_us, sum(x.gaps) AS gaps, sum(x.hw) AS hw,
  sum(x.nmis) AS nmis, sum(x.smis) AS smis, sum(x.unexplained) AS unexplained
FROM noise x JOIN runs u USING (run_id) JOIN machines m USING (machine_id)
GROUP BY u.machine_id, u.source, x.cpu ORDER BY machine, u.source, x.cpu;
