/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that a kernel runs in, and checks of what the kernel must preserve. */
#ifndef BARECOUNT_LINUX_CHILD_SPACE_H
#define BARECOUNT_LINUX_CHILD_SPACE_H

#include "scripts/linux/child.h"
#include "scripts/linux/window.h"

/* The flags with which mmap() allocates pages of 2 MiB or 1 GiB; 0 for any other `page_bytes`. */
int space_page_flags(uint32_t page_bytes);

/* Sets up a task's code, buffer and stack, once in a process. */
enum status space_load(const struct child_task *task);

/* Before a run: sets the kernel's initial registers and runs its `prepare`. */
void space_prepare(uint64_t n);

/* Selects the kernel's entry point for the next windows; with `twice`, for samples at 2n. */
void space_aim(bool twice);

/* After a run: bits of CHANGED_LIST for what the kernel changed but should have preserved. */
uint32_t space_changed(void);

/* The part of the kernel's memory that an address is in or near. */
struct nearby space_nearby(uint64_t address);

/* Finds the offset of an address in the kernel's record. False if the address is outside it. */
bool space_offset(uint64_t address, uint64_t *offset);

#endif
