/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's console: CONSOLE_COLUMNS columns of ASCII, on the screen and on the firmware's
 * serial terminals. The functions do nothing if there is no console or if the console fails. Boot
 * CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_CONSOLE_H
#define BARECOUNT_BOOT_EFI_CONSOLE_H

#include "pmu/report/report.h"

#define CONSOLE_COLUMNS REPORT_COLUMNS

#define KEY_NONE 0
#define KEY_ESC  27

/* Discards keys that were pressed earlier, perhaps for the firmware's own screens. */
void console_forget_keys(void);

/* Calls console_forget_keys(), clears the screen and hides the cursor. */
void console_start(void);

/* Time stamp ticks spent on showing text. */
uint64_t console_ticks(void);

/*
 * Prints formatted text. A line is shown when it ends with '\n'. A line without '\n' is shown when
 * the program next looks for a key or shows progress.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A stream that prints on the console; flush it after whole lines. */
struct out *console_out(void);

/* Prints a sentence, wrapped. Rows after the first are indented by `indent` columns. */
void say_wrapped(const char *sentence, unsigned indent);

/*
 * Rewrites the current line; the next say() must start with '\n' or come after
 * console_progress_end(). Does nothing on a slow console.
 */
void console_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Like console_progress(), but shows the text even on a slow console; for the first line of a
 * series such as a countdown.
 */
void console_progress_start(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes a progress line. */
void console_progress_end(void);

/*
 * Whether there is a screen on which a user could see text, and a keyboard. A serial line counts as
 * neither screen nor keyboard.
 */
bool console_has_screen(void);
bool console_has_keyboard(void);

/* Whether Esc or Q was pressed since the last call; all other keys are dropped. */
bool console_stop_asked(void);

/*
 * Returns the next key that was pressed: a small letter (even if it was typed as a capital),
 * another character or KEY_ESC; KEY_NONE if none was pressed. Does not wait.
 */
int console_key(void);

#endif
