/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a program that was booted over the network: the folder barecount beside it on its
 * server. All that barecount/files.txt lists, a path a line from there, is fetched once at the
 * start and kept; without that file, plan.cfg alone. Paths as in boot/efi/files.h. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_NET_REMOTE_H
#define BARECOUNT_BOOT_NET_REMOTE_H

#include "boot/efi/files.h"

extern const struct files_server REMOTE_FILES;

bool remote_is_open(void);
bool remote_is_read(void);

/* The folder that they came from: "http://192.168.1.1/boot/". */
const char *remote_name(void);

#endif
