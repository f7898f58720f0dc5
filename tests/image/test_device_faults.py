# SPDX-License-Identifier: BSD-2-Clause
"""Messages about networks and devices that seem to fail because the liar lies (liar.h)."""
import itertools
import re

import expect
from machine import servers
import net_servers
import pytest
import results
from conftest import plan_text
from levels import FULL, thinned
from liars import KERNELS, SUCCESS, check_order, told

MAC = "52:54:00:bc:00:01"
# All starts use one machine.
MORE = ("-netdev", "user,id=n0", "-device", f"virtio-net-pci,romfile=,netdev=n0,mac={MAC}",
        "-device", "virtio-rng-pci,addr=8")
NAME = "results.test"  # RFC 6761: never registered; each lie defines the answer of DNS
BY_ADDRESS = "; or give its address in place of its name"

# Error at the end of a request (UEFI specification, "Status Codes") -> words of the message.
ERRORS = {
    3: "this firmware cannot do it (EFI_UNSUPPORTED)",
    7: "EFI_DEVICE_ERROR (EFI status 7)",
    12: "no link",
    16: "no answer",
    17: "there is no address",
    18: "no answer in time: check the server's address, and that it is up",
    100: "the network cannot be reached: check the server's address and the gateway",
    101: "the server cannot be reached: check its address, and that it is up",
    102: "the server does not speak this protocol",
    103: "nothing listens on this port there: check the port, and that the server runs",
    104: "the server closed the connection",
    105: "the server reset the connection",
    106: "the server refuses connections: check the port, and that the server runs",
}
# Status of a server's first answer (RFC 9110) -> words of the message.
ANSWERS = {
    301: "Moved; give the new address",
    302: "Found elsewhere; give the new address",
    307: "Temporary Redirect; give the new address",
    308: "Permanent Redirect; give the new address",
    400: "Bad Request",
    401: "Unauthorized; the folder must not require a password",
    405: "Method Not Allowed; the server must accept PUT there",
    409: "Conflict; make the folder on the server",
    411: "Length Required",
    413: "Content Too Large; raise the server's limit on file sizes",
    500: "Internal Server Error; see the server's log",
    501: "Not Implemented; the server must accept PUT",
    503: "Service Unavailable; try again later",
}
HERE = "dns_host"
# Each row: the lies, the statuses of the server's answers, the message.
NETWORK = [
    ("dns=18", (), f"DNS: no answer for {NAME}: check the DNS server{BY_ADDRESS}"),
    ("dns=14", (), f"DNS has no address for {NAME}: check the name{BY_ADDRESS}"),
    ("no_dns", (), f"this firmware cannot ask DNS for {NAME}: give its address"),
    ("no_server", (), f"DHCP names no DNS server to ask for {NAME}: let it name one{BY_ADDRESS}"),
    (f"{HERE} no_http", (), "this firmware has no HTTP on this NIC"),
    (f"{HERE} http_call=9", (), "HTTP: EFI_OUT_OF_RESOURCES (EFI status 9)"),
    *((f"{HERE} http={error}", (), f"HTTP: {words}") for error, words in ERRORS.items()),
    *((HERE, (status,), f"HTTP {status} {words}") for status, words in ANSWERS.items()),
    (HERE, (502,), "HTTP 502; see the server's log"),
    (HERE, (410, 410), "HTTP 410 Gone; check the folder's path"),  # the first 410: number 1 is free
    (HERE, itertools.repeat(200), "the server has runs of this machine up to number 9999; "
                                  "give server= another folder"),
]
EVERY_DAY = {23}
TOLD = [row for number, row in enumerate(NETWORK) if FULL or number in EVERY_DAY]


def check_measured(start):
    check_order(start)
    assert start.status == SUCCESS and start.verdict == "PASS"
    expect.check_rows(start.found, 1, expect.default_counts(), names=KERNELS.split(","))
    assert start.found.run["complete"] is True and start.found.status == results.PASSED


@pytest.fixture(scope="module")
def network(boot_shared, tmp_path_factory):
    answers = itertools.chain.from_iterable(statuses for _, statuses, _ in TOLD)
    folder = tmp_path_factory.mktemp("network")
    with net_servers.http_server(folder, answers=answers) as server:
        url = server.url.replace(servers.HOST, NAME)
        plan = plan_text(cpus="boot", kernels=KERNELS, runs=2, at_end="leave")
        _, starts = told(boot_shared, folder, [lies for lies, *_ in TOLD], cpus=1, more=MORE,
                         plan=f"{plan}[results]\nserver={url}\n")
    return {said: start for start, (_, _, said) in zip(starts, TOLD)}


@pytest.mark.parametrize("said", thinned(
    [said for *_, said in NETWORK], EVERY_DAY, "network failures"))
def test_a_network_that_fails(network, said):
    start = network[said]
    check_measured(start)
    assert re.sub(r"\s+", " ", start.text).count(f": {said} ! The server does not have") == 1, start
    assert [error for error in start.found.run["errors"] if error.endswith(said)]


# Each row: the lies, the message, and the key of run.json that lists the message.
DEVICES = (
    ("tick=1+", "the firmware's timer could not be stopped while the boot CPU measured",
     "remarks"),
    ("tick=3", "the firmware's timer could no longer be stopped during this run; "
     "firmware_timer_stopped in run.json describes the time before", "remarks"),
    ("tick=2+", "the firmware's timer did not start again after it was stopped", "not_restored"),
    ("bus_master=1", "bus mastering cannot be switched off; it stays on", "remarks"),
    ("bus_master=2", "bus mastering could not be switched on again", "not_restored"),
    ("mtrr=1", " is not write-back according to the MTRRs", "remarks"),
)


# Lies about a NIC's class, and whether bus_masters=off switches off its bus mastering.
NICS = (("nic_class=512", True), ("nic_class=256", True),  # network, SCSI
        ("nic_class=260", False), ("nic_class=263", False))  # RAID, SAS


@pytest.fixture(scope="module")
def devices(boot_shared, tmp_path_factory):
    plan = plan_text(cpus="boot", kernels=KERNELS, runs=2, at_end="leave") + \
        "[state]\nbus_masters=off\n"
    _, starts = told(boot_shared, tmp_path_factory.mktemp("devices"),
                     [lies for lies, *_ in DEVICES + NICS], plan=plan, cpus=1, more=MORE)
    return {start.lies: start for start in starts}


@pytest.mark.parametrize("lies, said, where", DEVICES)
def test_a_device_that_fails(devices, lies, said, where):
    start = devices[lies]
    check_order(start)
    assert said in start.text, start.text
    assert [text for text in start.found.run[where] if said in text]


@pytest.mark.parametrize("lies, is_off", NICS)
def test_a_device_that_stays_on(devices, lies, is_off):
    """1AF4H:1000H is virtio's NIC"""
    start = devices[lies]
    check_order(start)
    remarks = [text for text in start.found.run["remarks"] if "bus mastering off" in text]
    assert any("1af4:1000" in text for text in remarks) == is_off, remarks
    assert start.verdict == "PASS"
