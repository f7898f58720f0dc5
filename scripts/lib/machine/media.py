# SPDX-License-Identifier: BSD-2-Clause
"""The media from which a QEMU machine can boot the image."""
import pathlib

# Debian's OVMF has no driver for an SD controller; this option ROM contains one.
SD_ROM = pathlib.Path(__file__).resolve().parents[3] / "build/sd/sd.rom"
MEDIA = {
    "usb": ["-device", "qemu-xhci", "-device", "usb-storage,drive=stick"],
    "ahci": ["-device", "ahci,id=ahci", "-device", "ide-hd,bus=ahci.0,drive=stick"],
    "nvme": ["-device", "nvme,serial=barecount,drive=stick"],
    "virtio": ["-device", "virtio-blk-pci,drive=stick"],
    "sd": ["-device", f"sdhci-pci,romfile={SD_ROM}", "-device", "sd-card,drive=stick"],
    "cd": ["-device", "ide-cd,bus=ide.0,drive=stick"],
    "usb-cd": ["-device", "qemu-xhci", "-device", "usb-bot,id=bot", "-device",
               "scsi-cd,bus=bot.0,drive=stick"],
}
CDS = ("cd", "usb-cd")  # they boot the ISO image and cannot be written to


def drive_arguments(disk, media, read_only, block_log=None):
    fixed = ",readonly=on" if read_only or media in CDS else ""
    file = f"format=raw,file={disk}"
    if block_log:
        file = (f"driver=blklogwrites,file.driver=file,file.filename={disk},log.driver=file,"
                f"log.filename={block_log},log-super-update-interval=1")
    return ["-drive", f"if=none,id=stick,{file}{fixed}", *MEDIA[media]]
