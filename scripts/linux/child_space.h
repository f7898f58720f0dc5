/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that a kernel runs in: its code, buffer and stack, and what it must preserve. */
#ifndef BARECOUNT_LINUX_CHILD_SPACE_H
#define BARECOUNT_LINUX_CHILD_SPACE_H

#include "scripts/linux/child.h"
#include "scripts/linux/window.h"

/* Flags with which mmap() gives pages of this size; 0 for small pages, and for any size. */
int space_page_flags(uint32_t page_bytes);

/* Sets up that memory; call it once in a process. Returns STATUS_OK, or why it could not. */
enum status space_load(const struct child_task *task);

/* Before a run: sets the kernel's initial registers and runs its `prepare`. */
void space_prepare(uint64_t n);

/* Selects the entry for the next windows: the kernel's, or that of twice as many copies. */
void space_aim(bool twice);

/* After a run: what the kernel changed but must preserve, as bits of CHANGED_LIST. */
uint32_t space_changed(void);

/* The part of the kernel that an address is in or near. */
struct nearby space_nearby(uint64_t address);

/* The offset of an address in the kernel's record. False: outside of it. */
bool space_offset(uint64_t address, uint64_t *offset);

#endif
