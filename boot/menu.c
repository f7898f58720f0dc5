/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks before a long run; ends a run as the plan says, or shows the menu. */
#include "boot/efi/console.h"
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/net/remote.h"
#include "boot/screen/screen.h"
#include "boot/send/send.h"
#include "boot/main.h"
#include "pmu/base/text.h"

#define WAIT_S       30u
#define PAUSE_S      10u
#define LONG_RUN_S   3600u
#define POLL_US      20000u
#define US_PER_S     1000000u
#define PLANS_FOLDER "barecount\\plans"
#define CHECK_PLAN   PLANS_FOLDER "\\check.cfg"
#define PLANS_SHOWN  35u /* keys 1 to 9, then a to z; 0 selects plan.cfg */

struct plans {
    unsigned count;
    char name[PLANS_SHOWN][FILE_PATH_BYTES];
};

/* KEY_NONE: no key was pressed within `seconds`. */
static int wait_for_key(unsigned seconds, const char *what)
{
    for (unsigned left = seconds; left > 0; left--) {
        if (what && left == seconds)
            console_progress_start("%s in %u s", what, left);
        else if (what)
            console_progress("%s in %u s", what, left);
        for (unsigned us = 0; us < US_PER_S; us += POLL_US) {
            int key = console_key();

            if (key != KEY_NONE)
                return key;
            firmware_wait_us(POLL_US);
        }
    }
    return KEY_NONE;
}

static void add_plan(void *context, const char *name, bool is_folder)
{
    struct plans *plans = context;
    size_t length = text_length(name);
    struct out out;

    if (is_folder || length < 5 || plans->count == PLANS_SHOWN ||
        (!text_same(name + length - 4, ".cfg") && !text_same(name + length - 4, ".CFG")))
        return;
    out = out_buffer(plans->name[plans->count], FILE_PATH_BYTES);
    out_printf(&out, PLANS_FOLDER "\\%s", name);
    out_end(&out);
    plans->count++;
}

/* 0 to 9, then a to z. */
static char key_of(unsigned number)
{
    return (char)(number < 10 ? '0' + number : 'a' + number - 10);
}

static bool choose_plan(struct request *request)
{
    static struct plans plans; /* too large for the firmware's stack */
    unsigned number = 0;
    struct out path = out_buffer(request->plan_path, sizeof(request->plan_path));
    int key;

    plans.count = 0;
    files_list(PLANS_FOLDER, add_plan, &plans);
    console_progress_end();
    say("\n  0  barecount\\plan.cfg\n");
    for (unsigned i = 0; i < plans.count; i++)
        say("  %c  %s\n", key_of(i + 1), plans.name[i]);
    say("Press a plan's digit or letter; any other key goes back.\n");
    key = wait_for_key(WAIT_S, 0);
    while (number <= plans.count && key != key_of(number))
        number++;
    if (number > plans.count)
        return false;
    out_text(&path, number == 0 ? PLAN_PATH : plans.name[number - 1]);
    out_end(&path);
    return true;
}

/*
 * A machine that was booted over the network or from a CD is not shut down, because nobody may be
 * near it to switch it on again.
 */
static enum plan_at_end end_alone(const struct run *run)
{
    if (run->plan.at_end != AT_END_MENU)
        return run->plan.at_end;
    return remote_is_open() || files_program_on_cd() ? AT_END_LEAVE : AT_END_SHUTDOWN;
}

static bool ask(const struct run *run, struct request *request)
{
    static const struct {
        const char *what;
        int key;
    } ALONE[] = {
        [AT_END_SHUTDOWN] = {"Shuts down", 's'},
        [AT_END_REBOOT] = {"Reboots", 'b'},
        [AT_END_LEAVE] = {"Leaves", 'l'},
    };

    const enum plan_at_end alone = end_alone(run);
    const bool has_check = files_exists(CHECK_PLAN);

    for (;;) {
        int key;

        say("\nR run again  P choose a plan  %sF frames  S shut down  B reboot  L leave\n",
            has_check ? "C check  " : "");
        key = wait_for_key(WAIT_S, ALONE[alone].what);
        switch (key == KEY_NONE ? ALONE[alone].key : key) {
        case 'r':
            return true;
        case 'p':
            if (choose_plan(request))
                return true;
            break;
        case 'c':
            if (has_check) {
                text_copy(request->plan_path, sizeof(request->plan_path), CHECK_PLAN);
                return true;
            }
            break;
        case 'f':
            console_progress_end();
            frames_again(run);
            break;
        case 'b':
            firmware_reboot();
            break;
        case 'l':
            console_progress_end();
            return false;
        case 's':
            firmware_shut_down();
            say("\nThe firmware cannot shut the machine down.\n");
            break;
        default:
            break;
        }
    }
}

void menu_pause(void)
{
    wait_for_key(PAUSE_S, "Returns to the firmware at a key press, or");
    console_progress_end();
}

bool menu_before(const struct run *run)
{
    int key;

    if (run->expected_us <= LONG_RUN_S * (uint64_t)US_PER_S || run_is_refused(run) != REFUSED_NOT ||
        !console_has_screen() || !console_has_keyboard())
        return true;
    while (console_key() != KEY_NONE)
        ; /* ignores earlier keys */
    say("\n");
    screen_plan(run);
    say("          any key starts the run now; Esc or Q goes %s\n",
        run->request->arguments.given ? "back to the shell" : "to the menu");
    key = wait_for_key(PAUSE_S, "Starts");
    console_progress_end();
    return key != KEY_ESC && key != 'q';
}

bool menu_after(const struct run *run, bool is_wanted, struct request *request)
{
    switch (is_wanted ? run->plan.at_end : AT_END_MENU) {
    case AT_END_SHUTDOWN:
        firmware_shut_down();
        break;
    case AT_END_REBOOT:
        firmware_reboot();
        break;
    case AT_END_LEAVE:
        return false;
    case AT_END_MENU:
        break;
    }
    return !request->arguments.given && ask(run, request);
}
