/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serves the files of a program that was booted over the network. The files are in the folder
 * barecount/ next to the program on its server. Each line of barecount/files.txt is a path relative
 * to barecount/. The listed files are read into memory when the program starts. If there is no
 * files.txt, only plan.cfg is read. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_NET_REMOTE_H
#define BARECOUNT_BOOT_NET_REMOTE_H

#include "boot/efi/files.h"

extern const struct files_server REMOTE_FILES;

bool remote_is_open(void);
bool remote_is_read(void);

/* The URL of the program's folder on the server, such as "http://192.168.1.1/boot/". */
const char *remote_name(void);

#endif
