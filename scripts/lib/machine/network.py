# SPDX-License-Identifier: BSD-2-Clause
"""A rehearsal of a boot over the network: what a server offers, and the servers themselves.

`net` is PXE: the firmware fetches all by TFTP, and the results go by TFTP. `net-http` is the
firmware's HTTP boot, and the results are PUT.
"""
import contextlib
import shutil
import subprocess

from machine import program
from machine import qemu
from machine import servers
from machine import variables

PXE, HTTP = "net", "net-http"
MEDIA = (PXE, HTTP)
NETBOOT = qemu.TOP / "scripts/make-netboot"
EVENTS = qemu.TOP / "build/events"
PROGRAM = "BOOTX64.EFI"
MAC = "52:54:00:bc:00:01"
MAKE_S = 60


def nic(device="virtio-net-pci,romfile=", backend="user", mac=MAC, name="n0"):
    """QEMU's arguments for a NIC; virtio without a ROM is driven by the firmware, others by iPXE.

    A NIC on a hub of its own has a link, and nobody answers there.
    """
    return ("-netdev", f"{backend},id={name}", "-device", f"{device},netdev={name},mac={mac}")


def _offer(folder, image_program, plan, kernels):
    """The server's folder, made by scripts/make-netboot, with a plan and kernels."""
    subprocess.run([NETBOOT, image_program, "-o", folder, "--events", EVENTS], check=True,
                   timeout=MAKE_S)
    (folder / "barecount/plan.cfg").write_text(plan, "utf-8")
    for kernel in kernels:
        shutil.copy(kernel, folder / "barecount/kernels")
    subprocess.run([NETBOOT, "--list", folder], check=True, timeout=MAKE_S)


@contextlib.contextmanager
def offered(folder, media, image_program, plan, kernels=()):
    """Servers of a folder that is made anew: boot/ is offered, results come into in/.

    What a machine without a disk takes to boot from them: fields of qemu.Spec. The plan's server=
    is theirs meanwhile.
    """
    shutil.rmtree(folder, ignore_errors=True)
    boot, came = folder / "boot", folder / "in"
    came.mkdir(parents=True)
    with contextlib.ExitStack() as stack:
        if media == PXE:
            server = stack.enter_context(servers.TftpServer(came))
            more = {"more": nic(backend=f"user,tftp={boot},bootfile={PROGRAM}")}
        else:
            server = stack.enter_context(servers.http_server(folder))
            changed = folder / "vars.fd"
            shutil.copyfile(qemu.OVMF_VARS, changed)
            variables.boot_first_from(changed, f"{server.url}boot/{PROGRAM}")
            more = {"more": nic(), "variables": changed}
        url = server.url if media == PXE else f"{server.url}in/"
        _offer(boot, image_program, program.with_key(plan, "results", "server", url), kernels)
        print(f"Servers: {boot} is offered, results go to {url}, which is {came}")
        yield more
