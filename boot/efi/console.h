/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's console: 80 columns of ASCII, on screen and serial as the firmware has it. Without
 * one, or with one that fails, all of this goes nowhere. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_CONSOLE_H
#define BARECOUNT_BOOT_EFI_CONSOLE_H

#include "pmu/report/report.h"

#define CONSOLE_COLUMNS REPORT_COLUMNS

#define KEY_NONE 0
#define KEY_ESC  27

/* Clears the screen. */
void console_start(void);

/* Ticks of the time stamp that went into showing text so far. */
uint64_t console_ticks(void);

/*
 * Prints; lines end with '\n' and are shown whole. One without an end is shown when a key or
 * progress is asked for.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as a stream, to be flushed after whole lines. */
struct out *console_out(void);

/* Prints a sentence and ends the line; where it is too long it goes on below, `indent` columns in.
 */
void say_wrapped(const char *sentence, unsigned indent);

/*
 * Rewrites the line that the cursor is in; the next say() must start with '\n' or follow it. A slow
 * console is left in peace.
 */
void console_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes a progress line. */
void console_progress_end(void);

/*
 * Whether somebody may be there to see and to type: there are a screen and a keyboard. A serial
 * line is neither.
 */
bool console_has_screen(void);
bool console_has_keyboard(void);

/* A key pressed since the last call, in lower case, KEY_ESC, or KEY_NONE. Does not wait. */
int console_key(void);

#endif
