/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel runs in: its code, buffer and stack, and what it must leave alone. */
#ifndef BARECOUNT_LINUX_CHILD_SPACE_H
#define BARECOUNT_LINUX_CHILD_SPACE_H

#include "scripts/linux/child.h"
#include "scripts/linux/window.h"

/* What mmap() is told beside for pages of a size; 0: nothing, they are small or as they come. */
int space_page_flags(uint32_t page_bytes);

/* Makes it, once in a process. Returns why not, or STATUS_OK. */
enum status space_load(const struct child_task *task);

/* Before a run: what the kernel starts with; its prepare is run. */
void space_prepare(uint64_t n);

/* Where the next window goes: the kernel's entry, or that of twice as many copies. */
void space_aim(bool twice);

/* Behind a run: what was changed that must be left alone, bits of CHANGED_LIST. */
uint32_t space_changed(void);

/* What of the kernel's an address is near. */
struct nearby space_nearby(uint64_t address);

/* Where an address lies in the kernel's record. False: outside. */
bool space_offset(uint64_t address, uint64_t *offset);

#endif
