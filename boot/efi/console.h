/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's console: CONSOLE_COLUMNS columns of ASCII, on the screen and on serial terminals.
 * The functions do nothing if there is no console or if it fails. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_CONSOLE_H
#define BARECOUNT_BOOT_EFI_CONSOLE_H

#include "pmu/report/report.h"

#define CONSOLE_COLUMNS REPORT_COLUMNS

#define KEY_NONE 0
#define KEY_ESC  27

/* Drops earlier keys. */
void console_forget_keys(void);

/* Discards earlier keys, clears the screen and hides the cursor. */
void console_start(void);

/* Time stamp ticks spent on showing text. */
uint64_t console_ticks(void);

/*
 * Prints formatted text. Text after the last '\n' is shown when the program next looks for a key or
 * shows progress.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A stream that prints on the console; flush it after whole lines. */
struct out *console_out(void);

/* Prints a sentence, wrapped; rows after the first are indented. */
void say_wrapped(const char *sentence, unsigned indent);

/*
 * Rewrites the current line, except on a slow console. The next say() must start with '\n' or come
 * after console_progress_end().
 */
void console_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like console_progress(), but also on a slow console. */
void console_progress_start(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes a progress line. */
void console_progress_end(void);

/* A serial line counts as neither screen nor keyboard. */
bool console_has_screen(void);
bool console_has_keyboard(void);

/* Whether Esc or Q was pressed since the last call; all other keys are dropped. */
bool console_stop_asked(void);

/*
 * Returns the next key without waiting: a character, KEY_ESC or KEY_NONE. A capital letter is
 * returned as the small letter.
 */
int console_key(void);

#endif
