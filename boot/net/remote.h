/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serves the files of a program that was booted over the network. The files are in the folder
 * barecount/ next to the program on its server. The file barecount/files.txt lists the files: each
 * line is a path relative to barecount/. All listed files are read into memory when the program
 * starts. Without a list, only plan.cfg is read. Paths are as in boot/efi/files.h. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_NET_REMOTE_H
#define BARECOUNT_BOOT_NET_REMOTE_H

#include "boot/efi/files.h"

extern const struct files_server REMOTE_FILES;

bool remote_is_open(void);
bool remote_is_read(void);

/* The folder on the server: "http://192.168.1.1/boot/". */
const char *remote_name(void);

#endif
