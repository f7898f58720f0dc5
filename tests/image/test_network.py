# SPDX-License-Identifier: BSD-2-Clause
"""Boot over the network, and send results to a server."""
import collections
import contextlib
import os
import re
import shutil
import string
import subprocess

import conftest
from machine import network
from machine import variables as firmware_variables
from machine import qemu
import net_servers
import own_kernels
import pytest
import results
import run_schema
from machine import stick as sticks
from conftest import SHORT, TOP
from levels import in_full

UUID = "5ba2ecf7-7e94-4a0c-9d0f-3b1d0c1de001"
OTHER_MAC = "52:54:00:bc:00:02"
SENT_AT_ONCE = 65536  # the most bytes that boot/net/http.c sends with one call
QEMU_S = 30
NETBOOT = TOP / "scripts/make-netboot"
TABLE = TOP / "build/events/skylakex.csv"  # the events of the machine's CPU
INDEX = TOP / "build/events/index.csv"
# in the order in which they are sent
FILES = ("results.csv", "summary.txt", "summary.html", "samples.csv", "journal.bin", "run.json")
MENU = r"^R run again"
EVENT = "[events mine]\nMEM_INST_RETIRED.ALL_LOADS\n"


def plan(server, at_end="shutdown", more=""):
    text = SHORT.replace("shutdown", at_end) + more
    return text + (f"[results]\nserver={server}\n" if server else "")


def netboot_folder(folder, content):
    subprocess.run([NETBOOT, TOP / "build/BOOTX64.EFI", "-o", folder], check=True)
    (folder / "barecount/plan.cfg").write_text(content)
    shutil.copy(TABLE, folder / "barecount/events")
    index = INDEX.read_text().splitlines(True)
    kept = [line for line in index if line.startswith(("barecount", "#", TABLE.name))]
    (folder / "barecount/events/index.csv").write_text("".join(kept))
    (folder / "barecount/kernels/Mine.bin").write_bytes(own_kernels.loop("mine"))
    subprocess.run([NETBOOT, "--list", folder], check=True)


def boot_from_network(keys=(), timeout_s=conftest.BOOT_S, **spec):
    what = qemu.Spec(disk=None, cpus=1, **spec)
    with qemu.Machine(what) as running:
        conftest.follow(running, keys, None, timeout_s)
        print(running.console)
        return running.console


def sent(folder, number, tmp_path, name=UUID):
    target = tmp_path / f"sent-{number:04}"
    target.mkdir()
    for file in FILES:
        shutil.copy(folder / f"{name}-{number:04}-{file}", target / file)
    return run_schema.read(target)


def assert_exact(found, kernels):
    assert {row["kernel"] for row in found.rows} == set(kernels)
    known = [row for row in found.rows if row["expected"]]
    assert known and all(row["verdict"] == "exact" for row in known)
    assert found.status == results.PASSED
    assert not found.missing


@in_full("two runs sent by TFTP")
def test_pxe_boot_and_tftp_upload(tmp_path):
    """PXE boots the program, which sends two runs by TFTP.

    Number 2 was taken before. Another client takes number 1 just before the program sends its
    first file.
    """
    (tmp_path / "in").mkdir()
    taken, had = (f"{UUID}-{number:04}-{FILES[0]}" for number in (1, 2))
    (tmp_path / "in" / had).write_text("somebody else's")
    with net_servers.TftpServer(tmp_path / "in", made_meanwhile=[taken]) as server:
        text = plan(server.url, "menu", EVENT).replace("empty,nops", "empty,mine")
        netboot_folder(tmp_path / "out", text)
        offer = f"user,tftp={tmp_path}/out,bootfile=BOOTX64.EFI"
        console = boot_from_network([(MENU, b"r"), (rf"{MENU}[\s\S]*{MENU}[\s\S]*Leaves", b"s")],
                                    more=(*network.nic(backend=offer), "-uuid", UUID))
    assert "plan, events and kernels come from tftp://10.0.2.2/" in console
    files = [taken, *(f"{UUID}-{number:04}-{file}" for number in (3, 4) for file in FILES)]
    assert sorted(os.listdir(tmp_path / "in")) == sorted([had, *files])
    assert {(tmp_path / "in" / name).read_text() for name in (taken, had)} == {"somebody else's"}
    assert [name for what, name in server.asked if what == "WRQ"] == files
    shown = collections.Counter(re.findall(r"Sending (\S+): (\d+) of", console))
    # Up to three transfers of results.csv begin: under number 1, which another client takes first,
    # and under numbers 3 and 4.
    assert max(shown.values(), default=0) <= 3, "progress is shown again where nothing moved"
    assert "was not sent" not in console
    for number in (3, 4):
        found = sent(tmp_path / "in", number, tmp_path)
        assert_exact(found, ("empty", "mine"))
        assert "MEM_INST_RETIRED.ALL_LOADS" in {row["event"] for row in found.rows}
        assert found.run["machine"]["uuid"] == UUID


def test_http_boot_and_upload(tmp_path):
    """The program fetches its files from the folder of the URI that the firmware booted from.

    Five runs exist, so the search for a free number tries 1, 2, 4, 8, and then numbers between 4
    and 8.
    """
    taken = [tmp_path / f"{UUID}-{number:04}-results.csv" for number in range(1, 6)]
    for file in taken:
        file.write_text("somebody else's")
    with net_servers.http_server(tmp_path) as server:
        netboot_folder(tmp_path / "boot", plan(server.url))
        (tmp_path / "boot/barecount/files.txt").open("a").write("kernels/none.bin\n../up.cfg\n")
        variables = tmp_path / "vars.fd"
        shutil.copyfile(qemu.OVMF_VARS, variables)
        firmware_variables.boot_first_from(variables, server.url + "boot/BOOTX64.EFI")
        console = boot_from_network(variables=variables, more=(*network.nic(), "-uuid", UUID))
    assert f"plan, events and kernels come from {server.url}boot/" in console
    flat = re.sub(r"\s+", " ", console)
    assert "kernels/none.bin: HTTP 404 Not Found" in flat
    assert "expected a path such as plan.cfg or events/index.csv, found '../up.cfg'" in flat
    assert {file.read_text() for file in taken} == {"somebody else's"}
    found = sent(tmp_path, 6, tmp_path)
    assert_exact(found, ("empty", "nops"))
    assert len(found.run["errors"]) == 2, found.run["errors"]
    assert [name for what, name in server.asked if what == "PUT"] == [
        f"/{UUID}-0006-{file}" for file in FILES]


@in_full("network boot by iPXE")
def test_ipxe_without_files(tmp_path):
    """The server has no file except the program, so the built-in plan runs."""
    shutil.copy(TOP / "build/BOOTX64.EFI", tmp_path)
    offer = f"user,tftp={tmp_path},bootfile=BOOTX64.EFI"
    more = network.nic("e1000,bootindex=1", offer)
    console = boot_from_network([(r"^CPU 0, boot CPU", b"q"), (MENU, b"s")], more=more)
    flat = re.sub(r"\s+", " ", console)
    assert "barecount/files.txt: TFTP error 1, File not found" in flat
    assert "Without this list only plan.cfg is fetched" in flat
    assert "barecount/plan.cfg: TFTP error 1, File not found" in flat
    assert "Plan built in" in flat


DIGITS = string.digits + string.ascii_lowercase  # key_of() of boot/menu.c

FAULTS = {  # the server's fault: the console's message
    403: "HTTP 403 Forbidden; let the server write to its folder",
    412: "nothing was sent: the server has files under every number that was tried",
    "closes": "results.csv was not sent: HTTP: ",
    "silent": "results.csv was not sent: HTTP: ",
    "nobody": "of the server refuses connections: check the port, and that the server runs",
    "no name": "nobody.invalid: check the",  # a name that never exists (RFC 2606)
    "tftp refuses": "TFTP error 2, Access violation; let the server write to its folder",
    "tftp silent": "results.csv was not sent: TFTP: no answer in time: check the server's address",
    "tftp leaves": "nothing was sent: TFTP: no answer in time: check the server's address",
}


@pytest.fixture(scope="module")
def faulty_servers(tmp_path_factory):
    """{fault: address}."""
    folder, urls = tmp_path_factory.mktemp("faults"), {}
    with contextlib.ExitStack() as stack:
        for fault in FAULTS:
            if fault == "nobody":
                urls[fault] = stack.enter_context(net_servers.nobody())
            elif fault == "no name":
                urls[fault] = "http://nobody.invalid/"
            elif isinstance(fault, str) and fault.startswith("tftp"):
                code = net_servers.ACCESS if fault == "tftp refuses" else fault.split()[1]
                urls[fault] = stack.enter_context(net_servers.TftpServer(folder, code)).url
            else:
                urls[fault] = stack.enter_context(net_servers.http_server(folder, fault)).url
        yield urls
    assert not os.listdir(folder)


def choose(number, before, p=b"p"):
    return (rf"({MENU}[\s\S]*){{{before}}}", p), \
        (rf"(^Press a plan's digit or letter[\s\S]*){{{before}}}", DIGITS[number].encode())


def boot_with_plans(stick, urls):
    """Do a run without a server, and then a run with each server.

    Returns the machine, and two readings of the PCI command registers. Both are taken while the
    menu waits: one before anything is sent, and one after everything is sent.
    """
    commands = []

    def looking(typed):
        def look(_):
            commands.append(running.pci_commands())
            return typed
        return look
    keys = [*choose(1, 1, looking(b"p")),
            *(key for number in range(2, len(urls) + 1) for key in choose(number, number)),
            (rf"({MENU}[\s\S]*){{{len(urls) + 1}}}", looking(b"s"))]
    spec = qemu.Spec(disk=stick.path, cpus=1, more=(*network.nic(), "-uuid", UUID))
    with qemu.Machine(spec) as running:
        conftest.follow(running, keys, None, conftest.BOOT_S)
        print(running.console)
    return running, commands


@in_full("a server with every kind of failure")
def test_stick_and_server(faulty_servers, tmp_path):
    """If a server fails, the files are on the stick. The NIC is left as found."""
    stick = sticks.Stick.copy_of(conftest.IMAGE, tmp_path / "stick.img")
    for name in stick.names("barecount/plans"):
        stick.remove(f"barecount/plans/{name}")
    (tmp_path / "in").mkdir()
    with net_servers.http_server(tmp_path / "in") as server:
        urls = [server.url, *faulty_servers.values()]
        plans = [plan(url, "menu") for url in urls]
        plans[0] = plans[0].replace("runs=2", "runs=60")
        conftest.put_files(stick, tmp_path, {"barecount/plan.cfg": plan("", "menu"), **{
            f"barecount/plans/{number}.cfg": text for number, text in enumerate(plans, 1)}})
        running, commands = boot_with_plans(stick, urls)
    left = conftest.Boot(tmp_path, stick)
    assert commands[0] == commands[1]
    assert (tmp_path / f"in/{UUID}-0002-samples.csv").stat().st_size > 2 * SENT_AT_ONCE
    for file in FILES:
        on_server = (tmp_path / f"in/{UUID}-0002-{file}").read_bytes()
        on_stick = (left.run("0002").folder / file).read_bytes()
        assert on_server == on_stick[:len(on_server)]
        assert not on_stick[len(on_server):].strip(b"\0"), file  # reserved space in journal.bin
    runs = running.console.split("Sending the results to ")[1:]
    assert len(runs) == len(urls)
    for number, (fault, says) in enumerate(FAULTS.items(), 3):
        flat, found = re.sub(r"\s+", " ", runs[number - 2]), left.run(f"{number:04}")
        assert says in flat, fault
        assert "The server does not have all of this run: files sent: 0" in flat
        assert f"Results \\barecount\\results\\{number:04} on volume" in flat
        assert_exact(found, ("empty", "nops"))
        assert [error for error in found.run["errors"] if says in error], fault


def pulled(running, name):
    """Pull a NIC's cable as soon as QEMU's monitor listens."""
    def is_pulled():
        try:
            running.qmp("set_link", name=name, up=False)
        except qemu.HostError:
            return False
        return True
    assert net_servers.wait_until(is_pulled, QEMU_S)


@in_full("time-outs without a network")
def test_no_network(tmp_path):
    """One NIC has no cable, and the other NIC gets no address by DHCP in 15 s."""
    stick = sticks.Stick.copy_of(conftest.IMAGE, tmp_path / "stick.img")
    conftest.put_files(stick, tmp_path, {"barecount/plan.cfg": plan("http://10.0.2.2:9/")})
    alone = network.nic(backend="hubport,hubid=1", mac=OTHER_MAC, name="n1")
    what = qemu.Spec(disk=stick.path, cpus=1, more=(*network.nic(), *alone))
    with qemu.Machine(what) as running:
        pulled(running, "n0")
        conftest.follow(running, [], None, conftest.BOOT_S)
    left = conftest.Boot(tmp_path, stick)
    flat = re.sub(r"\s+", " ", running.console)
    assert f"! NIC {network.MAC}: no link: check the NIC's cable and the switch" in flat
    assert f"! NIC {OTHER_MAC}: no address by DHCP in 15 s" in flat
    assert_exact(left.results, ("empty", "nops"))


def test_no_nic(boot):
    left = boot(plan=plan("tftp://10.0.2.2/"), cpus=1)
    assert "the firmware drives no NIC: check that there is one" in left.console
    assert_exact(left.results, ("empty", "nops"))
