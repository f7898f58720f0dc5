/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a program that was booted over the network: the folder barecount beside it on its
 * server. All that barecount/files.txt lists, a path a line from there, is fetched once at the
 * start and kept; without that file, plan.cfg alone. Paths as in boot/efi/files.h. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_NET_REMOTE_H
#define BARECOUNT_BOOT_NET_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fetches them. False: the program did not come over the network. */
bool remote_open(void);
bool remote_is_open(void);

/*
 * What has the plan, the events and the kernels: the server, if it has that list or that plan; else
 * a volume with our folder, if there is one. Whether it is the server.
 */
void remote_choose(bool has_volume);
bool remote_is_read(void);

/* The folder that they came from: "http://192.168.1.1/boot/". */
const char *remote_name(void);

/* As files_read(). */
int64_t remote_read(const char *path, void *to, size_t size);

/* Bytes of a file, or -1. */
int64_t remote_size(const char *path);

void remote_list(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                 void *context);

#endif
