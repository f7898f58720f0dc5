# SPDX-License-Identifier: BSD-2-Clause
"""Machines that resume from a saved state behave like machines that start at power-on."""
import pathlib
import shlex

from machine import qemu
import pytest
import warm
from conftest import plan_text
from levels import in_full

# The resumed machine has these properties of the PMU model. The saved machine had none of them.
PROPS = "pmu-gp=2,pmu-off-by-one=1,pmu-lie-cpu=1"
SAID = ("cpu", "kernel", "event", "counter", "pass", "verdict", "reason", "expected")


def told(left):
    """The parts of a result that do not depend on the host's time."""
    rows = [[row[key] for key in SAID + (("min", "max") if row["expected"] else ())]
            for row in left.results.rows]
    cpus = [{key: value for key, value in cpu.items() if key != "clock"}
            for cpu in left.results.run["cpus"]]
    return rows, cpus, left.verdict


@in_full("a warm boot compared with a cold one")
def test_as_from_power_on(boot):
    plan = plan_text(kernels="empty,load_store", runs=3)
    one, other = (boot(cpus=2, plan=plan, props=PROPS, traced=True, cold=cold)
                  for cold in (True, False))
    assert told(one) == told(other)
    assert other.trace.stat().st_size < one.trace.stat().st_size  # without the firmware's part


@pytest.mark.parametrize("change, same", [
    ({"props": "pmu-gp=2"}, True), ({"more": ("-trace", "serial_write")}, True),
    ({"trace": pathlib.Path("trace")}, True), ({"reboots": True}, True),
    ({"cpus": 2}, False), ({"cpu": "Haswell"}, False), ({"memory_mib": 256}, False),
    ({"props": "+monitor,pmu-gp=2"}, False), ({"media": "ahci"}, False)])
def test_kinds(tmp_path, change, same):
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(512))
    kinds = [warm.kind_of(qemu.Spec(disk=disk, **what)) for what in ({}, change)]
    assert None not in kinds and (kinds[0] == kinds[1]) == same


def test_drives_are_not_of_the_kind(tmp_path):
    """Machines are of one kind even if drives differ in contents, size or write protection."""
    disks = [tmp_path / name for name in ("one", "other")]
    for size, disk in enumerate(disks, 1):
        disk.write_bytes(bytes(512 * size))
    beside, plugged = ([one(disk) for disk in disks] for one in (
        lambda disk: ("-drive", f"if=none,id=other,file={disk}", "-device", "nvme,drive=other"),
        lambda disk: ("-blockdev", f"driver=file,filename={disk}", "-device", "usb-storage")))
    for specs in ([{"disk": disk} for disk in disks], [{"disk": disks[0], "read_only": read_only}
                  for read_only in (True, False)], [{"disk": disks[0], "more": more}
                  for more in beside], [{"disk": None, "more": more} for more in plugged]):
        one, other = (warm.kind_of(qemu.Spec(**spec)) for spec in specs)
        assert one == other is not None
    assert len({warm.kind_of(qemu.Spec(disk=disk, more=more)) for disk, more in (
        (disks[0], ()), (disks[0], beside[0]), (None, beside[0]))}) == 3
    assert warm.kind_of(qemu.Spec(disk=None)) is None


@pytest.mark.parametrize("change", [
    {"firmware": "u-boot"}, {"firmware": "ovmf-smm"}, {"machine": "stock"}, {"icount": 3},
    {"media": "sd"}, {"more": ("-numa", "node")},
    {"props": "pmu-left-running=on"}])
def test_these_start_at_power_on(tmp_path, change):
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(512))
    assert warm.kind_of(qemu.Spec(disk=disk, **change)) is None


class Saved:
    """Replaces qemu.Machine. `status` says whether the state has been saved."""

    begun = 0

    def __init__(self, stats, status):
        self._answers = {"stop": {}, "query-blockstats": [{"stats": one} for one in stats],
                         "query-migrate": {"status": status}}

    def __call__(self, _):
        self.begun += 1
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def wait_for(self, _pattern, _timeout_s):
        return True

    def qmp(self, execute, uri=None, capabilities=()):
        if capabilities:
            return {}
        if execute != "migrate":
            return self._answers[execute]
        pathlib.Path(shlex.split(uri.removeprefix("exec:cat >"))[0]).touch()
        return {}


UNTOUCHED = {"rd_operations": 0, "wr_operations": 0}


@pytest.mark.parametrize("stats, status, begun, saved", [
    ([UNTOUCHED, UNTOUCHED], "completed", 1, True),
    ([UNTOUCHED, UNTOUCHED], "failed", 1, False),
    ([UNTOUCHED, {**UNTOUCHED, "rd_operations": 1}], "completed", warm.TRIES, False),
    ([{**UNTOUCHED, "wr_operations": 1}, UNTOUCHED], "completed", warm.TRIES, False)])
def test_a_state_is_saved_once_if_no_drive_was_touched(tmp_path, monkeypatch, stats, status,
                                                       begun, saved):
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(512))
    fake = Saved(stats, status)
    monkeypatch.setattr(qemu, "Machine", fake)
    for _ in range(2):
        state = warm.state_of(qemu.Spec(disk=disk), tmp_path)
        assert (state is not None) == saved and fake.begun == begun
