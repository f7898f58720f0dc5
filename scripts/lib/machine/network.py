# SPDX-License-Identifier: BSD-2-Clause
"""Boot a machine over TFTP (`net`, PXE) or HTTP (`net-http`), and receive its results."""
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
    """`romfile=` removes the option ROM, which contains iPXE. The firmware has a virtio driver.

    If the backend is a hub, the NIC has a link, but nothing answers.
    """
    return ("-netdev", f"{backend},id={name}", "-device", f"{device},netdev={name},mac={mac}")


def _offer(folder, image_program, plan, kernels):
    subprocess.run([NETBOOT, image_program, "-o", folder, "--events", EVENTS], check=True,
                   timeout=MAKE_S)
    (folder / "barecount/plan.cfg").write_text(plan, "utf-8")
    for kernel in kernels:
        shutil.copy(kernel, folder / "barecount/kernels")
    subprocess.run([NETBOOT, "--list", folder], check=True, timeout=MAKE_S)


@contextlib.contextmanager
def offered(folder, media, image_program, plan, kernels=()):
    """Serve the subfolder boot/ of a new folder; the results arrive in the subfolder in/.

    Yields the fields of qemu.Spec for a diskless machine.
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
        print(f"The server offers {boot}; results go to {url}, and arrive in {came}")
        yield more
