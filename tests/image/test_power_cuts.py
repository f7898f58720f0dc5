# SPDX-License-Identifier: BSD-2-Clause
"""Power cuts during a run, while its last files are written, and during the recovery after a cut.

A test replays QEMU's log of writes up to the cut (block_log.py). Some of the firmware's drivers
pass flushes on to the medium. On the USB stick, each completed write is on the medium at once. To
repeat some cuts, set BARECOUNT_SEED to the printed seed, and BARECOUNT_CUTS to the printed names,
separated by commas.
"""
import os
import random
import re

import pytest

import block_log
import expect
import power_cuts
import results
from machine import stick as sticks
from conftest import SEED, SHORT, plan_text
from levels import FULL, SOAK, in_full, in_soak
from power_cuts import FIRST, RUN, TEXTS

CUTS, CUTS_OF_OTHERS, CUTS_OF_RECOVERY = 200 if FULL else 20, 60, 20
BOOTS, BOOTS_OF_RECOVERY = (CUTS, CUTS_OF_RECOVERY) if SOAK else (6 if FULL else 1, 3)
CPUS = 2
KERNELS = "empty,nops,load,loop_dec_jnz,branch_alternating,rep_movsb"
PLAN_BYTES = 200  # the length of both plans, so that one can overwrite the other
PLAN = plan_text(kernels=KERNELS).ljust(PLAN_BYTES)
PLAN_TOGETHER = plan_text(kernels=KERNELS, mode="parallel").ljust(PLAN_BYTES)
PLAN_AFTER = SHORT.ljust(PLAN_BYTES)
NEXT_RUN = "0003"
# fsck.vfat's message
SHARED = re.compile(r"(/barecount/\S*)\s+and\s+(/barecount/\S*)\s+share clusters", re.I)


def named(cuts):
    """The cuts that BARECOUNT_CUTS names, by default all."""
    names = os.environ.get("BARECOUNT_CUTS")
    return [one for one in cuts if not names or one.name in names.split(",")]


def logged_boot(boot, folder, stick, plan, **spec):
    base, log = folder / "base.img", folder / "log"
    sticks.Stick.copy_of(stick.path, base)
    log.touch()
    left = boot(stick=stick, plan=None, cpus=CPUS, block_log=log, **spec)
    return power_cuts.Logged(folder, base, log, left.stick, plan), left


@pytest.fixture(scope="module")
def used_stick(boot_shared, tmp_path_factory):
    """A stick with a run. Deleted copies of the run's journal fill the stick's free space."""
    folder = tmp_path_factory.mktemp("used")
    stick = power_cuts.small_stick(folder / "stick.img")
    boot_shared(stick=stick, cpus=CPUS, plan=PLAN, media="virtio")
    journal = stick.read(f"barecount/results/{FIRST}/journal.bin")
    power_cuts.litter(stick, folder, journal)
    return stick


@pytest.fixture(scope="module")
def logged_run(boot_shared, used_stick, tmp_path_factory):
    def call(media, plan=PLAN):
        folder = tmp_path_factory.mktemp(media)
        stick = sticks.Stick.copy_of(used_stick.path, folder / "stick.img")
        power_cuts.write_over(stick, PLAN, plan)
        return logged_boot(boot_shared, folder, stick, plan, media=media)[0]
    return call


@pytest.fixture(scope="module")
def logged(logged_run):
    return logged_run("virtio")


def check_cuts(logged, cuts):
    """Check the medium after each cut. Returns the journals that survived the cuts."""
    medium, journals = logged.medium(), {}
    for one in sorted(named(cuts), key=lambda one: one.durable):
        with logged.explaining(one):
            if one.durable not in journals:
                medium.forward(one.durable)
                content = medium.volume.read(f"barecount/results/{RUN}/journal.bin")
                journals[one.durable] = power_cuts.read_journal(content or b"")
            power_cuts.check_after(logged, one, medium, journals[one.durable])
    medium.close()
    return journals.values()


def test_a_run_that_is_cut(logged):
    cuts = block_log.cuts(logged.log, f"{SEED}-run", CUTS)
    finished = {len(journal.done) for journal in check_cuts(logged, cuts)}
    kernels = set(range(CPUS * (KERNELS.count(",") + 1) + 1))
    is_all = FULL and len(named(cuts)) == CUTS
    assert finished == kernels if is_all else finished <= kernels
    assert len(finished) > 1 or os.environ.get("BARECOUNT_CUTS")


@in_full("each write lost in turn")
def test_a_medium_that_loses_any_one_write(logged):
    check_cuts(logged, block_log.dropping(logged.log))


@in_full("power cuts while all CPUs measure at once")
@pytest.mark.parametrize("media", [
    "virtio", pytest.param("nvme", marks=in_soak("power cuts with an NVMe disk"))])
def test_a_run_on_all_cpus_at_once_is_cut(logged_run, media):
    logged = logged_run(media, PLAN_TOGETHER)
    check_cuts(logged, block_log.cuts(logged.log, f"{SEED}-{media}-together", CUTS_OF_OTHERS))
    whole = power_cuts.read_journal(logged.uncut[f"{RUN}/journal.bin"])
    assert whole.announced == KERNELS.count(",") + 1


@in_full("power cuts with a USB stick")
def test_a_stick_whose_driver_passes_no_flush_on(logged_run):
    """A completed write is on the stick, so a cut can only tear the last write."""
    logged = logged_run("usb")
    assert logged.log.flushes in ([], [len(logged.log.entries) - 1])  # QEMU flushes at its exit
    check_cuts(logged, block_log.cuts(logged.log, f"{SEED}-usb", CUTS_OF_OTHERS, cached=False))


def test_each_result_is_flushed_by_itself_and_allocates_nothing(logged):
    """Between the first record and the last, no write goes to the FAT."""
    medium, seen = logged.medium(), []
    for _, end in logged.log.periods():
        medium.forward(end)
        content = medium.volume.read(f"barecount/results/{RUN}/journal.bin") or b""
        seen.append((power_cuts.read_journal(content), logged.is_allocating(end)))
    medium.close()
    finished = [len(journal.done) for journal, _ in seen]
    of_cpu = KERNELS.count(",") + 1
    assert finished[-1] == CPUS * of_cpu
    assert {of_cpu * (cpu + 1) for cpu in range(CPUS)} <= {
        len(journal.done) for journal, _ in seen if journal.last == power_cuts.PHASE}
    assert all(after - before in (0, 1) for before, after in zip(finished, finished[1:]))
    recording = [allocates for (before, _), (journal, allocates) in zip(seen, seen[1:])
                 if journal.records and not before.ended]
    assert len(recording) >= finished[-1] and not any(recording)


def boot_after(boot, logged, one, folder):
    folder.mkdir()
    stick = block_log.stick_after(logged.base, folder / "stick.img", logged.log, one)
    power_cuts.write_over(stick, logged.plan, PLAN_AFTER)
    before = power_cuts.files_of(power_cuts.get_results(stick, folder / "before"))
    left = boot(stick=stick, plan=None, cpus=CPUS, media="virtio", new_runs=None)
    after = power_cuts.files_of(power_cuts.get_results(stick, folder / "after"))
    return left, before, after


def recovered(folder, before):
    """The files that scripts/recover makes from the cut run; None if its journal has no record."""
    run = folder / "before/results" / RUN
    journal = power_cuts.read_journal(before.get(f"{RUN}/journal.bin", b""))
    if not journal.records:
        return None
    assert power_cuts.recover(run)
    return {f"{RUN}/{name}": (run / name).read_bytes() for name in TEXTS}


def check_next_boot(logged, left, folder, before, after):
    power_cuts.check_before(logged, after)
    expected = recovered(folder, before)
    for name, content in (expected or {}).items():
        assert after[name] == content, name
    new = left.stick.runs()[-1]
    assert expected or new == RUN or f"{RUN}/results.csv" not in after
    assert left.verdict == "PASS" and left.run(new).status == results.PASSED
    lines = after["index.csv"].decode("ascii", "replace").splitlines()
    numbers = [line.split(",")[0] for line in lines[1:]]
    listed = [FIRST, new] if "index.csv" in logged.before else [new]
    assert [numbers.count(number) for number in listed] == [1] * len(listed), lines
    assert not expected or numbers.count(RUN) == 1, lines
    deaths = left.stick.read("barecount/skipped.csv") or b""
    cut_off = expected and (
        b",fault," in expected[f"{RUN}/results.csv"] or
        power_cuts.read_journal(before[f"{RUN}/journal.bin"]).last == power_cuts.PHASE)
    assert deaths.count(f",{RUN},".encode()) == bool(cut_off), deaths
    volume = block_log.Volume(folder / "volume")
    block_log.take_out(left.stick.path, volume.path)
    shared = {path for pair in SHARED.findall(volume.faults()) for path in pair}
    kept = (f"/{FIRST}", f"/{new}", ".csv", *([f"/{RUN}"] if expected else []))
    assert not any(name in path.lower() for name in kept for path in shared), shared
    volume.mend()
    for name in (*logged.before, *(expected or ()), *(n for n in after if n.startswith(new))):
        mended = volume.read(f"barecount/results/{name}")
        assert mended == after[name], f"{name} after fsck.vfat -a"
    volume.path.unlink()


def check_boots(boot, logged, cuts, folder):
    for number, one in enumerate(named(cuts)):
        with logged.explaining(one):
            place = folder / str(number)
            left, before, after = boot_after(boot, logged, one, place)
            check_next_boot(logged, left, place, before, after)
            left.stick.path.unlink()


def test_the_next_boot_works(boot_shared, logged, tmp_path):
    """From a cut run, the next boot makes the same files as scripts/recover. `make soak` boots
    after each cut of test_a_run_that_is_cut.
    """
    cuts = block_log.cuts(logged.log, f"{SEED}-run", CUTS)
    check_boots(boot_shared, logged, random.Random(SEED).sample(cuts, BOOTS), tmp_path)


@in_full("boots after lost writes to the FAT")
def test_the_next_boot_works_where_the_table_of_clusters_was_lost(boot_shared, logged, tmp_path):
    """Other files do not get the clusters of the lost entries."""
    check_boots(boot_shared, logged, logged.without_tables(), tmp_path)


@in_full("boots after lost contents of files")
def test_the_next_boot_works_where_contents_were_lost(boot_shared, logged, tmp_path):
    """The new folder and the new journal contain older data.

    In `make soak`, further cuts also lose the contents of the text files.
    """
    cuts = logged.without_contents()
    check_boots(boot_shared, logged, cuts if SOAK else cuts[:2], tmp_path)


@pytest.fixture(scope="module")
def logged_recovery(boot_shared, logged, tmp_path_factory):
    """A logged boot that recovers a run, and the index of the log entry at which the recovery ends.

    The recovery makes index.csv and skipped.csv anew.
    """
    folder = tmp_path_factory.mktemp("recovery")
    medium, in_kernels = logged.medium(), []
    for at in logged.log.flushes:
        medium.forward(at)
        content = medium.volume.read(f"barecount/results/{RUN}/journal.bin") or b""
        journal = power_cuts.read_journal(content)
        if journal.done and not journal.ended:
            in_kernels.append(at)
    medium.close()
    at = random.Random(SEED).choice(in_kernels)
    one = block_log.Cut(f"{SEED}-recovered", at, at, ())
    stick = block_log.stick_after(logged.base, folder / "stick.img", logged.log, one)
    stick.remove("barecount/results/index.csv")
    power_cuts.write_over(stick, PLAN, PLAN_AFTER)
    found, left = logged_boot(boot_shared, folder, stick, PLAN_AFTER, media="virtio")
    assert left.stick.runs() == [FIRST, RUN, NEXT_RUN]
    assert found.uncut[f"{RUN}/journal.bin"] == found.before[f"{RUN}/journal.bin"]
    found.before = {name: content for name, content in found.before.items()
                    if not name.startswith(f"{RUN}/")}
    medium = found.medium()
    for first, end in found.log.periods():
        medium.forward(end)
        if NEXT_RUN in medium.volume.runs():
            break
    medium.close()
    return found, first


@in_full("a recovery that is cut")
def test_a_recovery_is_cut(logged_recovery):
    """The recovery can be repeated, since the journal is unchanged. If run.json is complete, all
    other files are complete too.
    """
    logged, end = logged_recovery
    medium, cut_run = logged.medium(), {f"{RUN}/{name}" for name in TEXTS}
    cuts = block_log.cuts(logged.log, f"{SEED}-recovery", CUTS_OF_RECOVERY, 0, end)
    for one in sorted(named(cuts), key=lambda one: one.durable):
        with logged.explaining(one), medium.after(one) as volume:
            faults = volume.faults()
            assert logged.is_allocating(one.moment) or not faults, faults
            found = power_cuts.files_of(power_cuts.get_results(volume, logged.folder / "cut"))
            power_cuts.check_before(logged, found)
            assert found[f"{RUN}/journal.bin"] == logged.uncut[f"{RUN}/journal.bin"]
            if found.get(f"{RUN}/run.json", b"").endswith(power_cuts.RUN_JSON_END):
                assert {name: found[name] for name in cut_run} == {
                    name: logged.uncut[name] for name in cut_run}
    medium.close()


@in_full("a boot after a recovery that was cut")
def test_the_boot_after_a_recovery_that_was_cut(boot_shared, logged_recovery, tmp_path):
    logged, end = logged_recovery
    cuts = block_log.cuts(logged.log, f"{SEED}-recovery", CUTS_OF_RECOVERY, 0, end)
    check_boots(boot_shared, logged, random.Random(SEED).sample(cuts, BOOTS_OF_RECOVERY), tmp_path)


@in_full("boots after lost writes to the FAT")
def test_the_boot_after_a_recovery_that_lost_the_table_of_clusters(boot_shared, logged_recovery,
                                                                   tmp_path):
    """The next boot's files share no clusters with those of a recovery that lost writes to the FAT.
    """
    logged, end = logged_recovery
    cuts = [one for one in logged.without_tables() if one.moment <= end]
    check_boots(boot_shared, logged, cuts, tmp_path)


@in_full("boots after lost writes to the FAT")
def test_a_new_index_where_the_table_of_clusters_was_lost(boot_shared, used_stick, tmp_path):
    stick = sticks.Stick.copy_of(used_stick.path, tmp_path / "stick.img")
    stick.remove("barecount/results/index.csv")
    power_cuts.write_over(stick, PLAN, PLAN_AFTER)
    logged, _ = logged_boot(boot_shared, tmp_path, stick, PLAN_AFTER, media="virtio")
    new = [one for one in logged.without_tables()
           if any(b"INDEX   CSV" in write.data for write in one.kept)]
    assert new
    check_boots(boot_shared, logged, new, tmp_path)


@pytest.fixture
def in_kernels(logged, tmp_path):
    at = logged.log.flushes[len(logged.log.flushes) // 2]
    stick = block_log.stick_after(logged.base, tmp_path / "stick.img", logged.log,
                                  block_log.Cut("kernels", at, at, ()))
    power_cuts.write_over(stick, logged.plan, PLAN_AFTER)
    return stick


@in_full("an index with torn lines")
def test_an_index_with_torn_lines(boot_shared, logged, in_kernels, tmp_path):
    """Parts of the index read as zeros, as after lost writes."""
    torn = logged.before["index.csv"] + b"0002,a" + bytes(90)
    torn += b"\r\n0002,,,,,INTERRUPTED\r\n0003," + bytes(9)
    (tmp_path / "index").write_bytes(torn)
    in_kernels.put(tmp_path / "index", "barecount/results/index.csv")
    left = boot_shared(stick=in_kernels, plan=None, cpus=CPUS, media="virtio")
    assert left.run(RUN).status == results.INCOMPLETE
    after = in_kernels.read("barecount/results/index.csv")
    assert after.startswith(torn + b"\r\n")
    assert re.fullmatch(rb"0003,[^\0]*,PASS,0\r\n", after.removeprefix(torn + b"\r\n"))


def test_lists_that_have_no_line(boot_shared, in_kernels, tmp_path):
    """A file that is only as long as its header is made anew, whatever it contains."""
    headers = {"barecount/results/index.csv":
               b"number,label,time,model,uuid,verdict,plan_errors\r\n",
               "barecount/skipped.csv": b"kernel,crc32,file,cpu,run,started,uptime_s,ran_s\r\n"}
    for name, header in headers.items():
        (tmp_path / "old").write_bytes(b"x" * len(header))
        in_kernels.put(tmp_path / "old", name)
    left = boot_shared(stick=in_kernels, plan=None, cpus=CPUS, media="virtio")
    index, skipped = (in_kernels.read(name) for name in headers)
    assert index.startswith(headers["barecount/results/index.csv"] + b"0002,"), index
    assert re.fullmatch(headers["barecount/skipped.csv"] + rb"[^\r\n]+,0002,[^\r\n]+\r\n", skipped)
    assert left.run(NEXT_RUN).status == results.PASSED


@in_full("an index that is longer than its clusters")
def test_a_damaged_index(boot_shared, logged, in_kernels):
    """The folder entry of index.csv claims more bytes than the file's clusters contain."""
    power_cuts.lengthen(in_kernels, "INDEX   CSV", logged.before["index.csv"])
    left = boot_shared(stick=in_kernels, plan=None, cpus=CPUS, media="virtio")
    said = [text for text in expect.complaints(left) if "index.csv could not be written" in text]
    assert len(said) == 2 and all("fsck.vfat" in text for text in said), left.console
    assert left.run(RUN).status == results.INCOMPLETE and left.run(RUN).rows
    assert left.run(NEXT_RUN).status == results.PASSED
    assert any("index.csv" in text for text in left.run(NEXT_RUN).run["errors"])
    assert rf"Results   \barecount\results\{NEXT_RUN} on volume" in left.console
    assert "@BC" not in left.console


@in_full("an old run's journal in a new folder")
def test_an_old_journal_where_the_zeros_of_the_new_one_were_lost(boot_shared, logged, in_kernels,
                                                                 tmp_path):
    (tmp_path / "old").write_bytes(logged.before[f"{FIRST}/journal.bin"])
    in_kernels.put(tmp_path / "old", f"barecount/results/{RUN}/journal.bin")
    left = boot_shared(stick=in_kernels, plan=None, cpus=CPUS, media="virtio", new_runs=None)
    assert any("Run 0002 was cut off" in text and "first record is missing" in text
               for text in expect.complaints(left)), left.console
    assert in_kernels.names(f"barecount/results/{RUN}") == []
    new = in_kernels.runs()[-1]
    assert new == "0004" and left.run(new).status == results.PASSED
    assert in_kernels.names(f"barecount/results/{NEXT_RUN}") == []
