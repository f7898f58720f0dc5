/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the plan's file. Under Secure Boot, lets the firmware verify a signed plan. */
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/efi/secure_boot.h"
#include "boot/net/remote.h"
#include "boot/plan/run.h"
#include "pmu/base/text.h"
#include "pmu/plan/signed.h"

struct found {
    struct piece file;
    const char *error;   /* null: the file was read */
    const char *refused; /* null: the file is not refused */
    bool is_missing;
    bool may_run_code;
};

char *run_plan_memory(void)
{
    return firmware_memory(PLAN_SIGNED_BYTES_MAX);
}

/* Why a file must not be run; null: it may be run. */
static const char *refusal(struct piece file)
{
    bool is_image = plan_is_image(file);

    if (is_image && plan_of_image(file).size == 0)
        return "expected a plan, found a program";
    if (!secure_boot_refuses_unsigned())
        return 0;
    if (is_image)
        return secure_boot_fault(file.at, file.size);
    return remote_is_read()
               ? "Secure Boot is on, and a plan from a server must be signed; " PLAN_SIGN_IT
               : 0;
}

static struct found read_file(struct run *run)
{
    const char *path = run->request->plan_path;
    int64_t size = files_read(path, run->plan_file, PLAN_SIGNED_BYTES_MAX);
    struct found found = {.file = {run->plan_file, size > 0 ? (size_t)size : 0}};

    if (size < 0) {
        found.error = files_error();
        found.is_missing = files_missing() && !files_exists(path) && text_same(path, PLAN_PATH);
        return found;
    }
    secure_boot_measure(path, found.file.at, found.file.size);
    found.refused = refusal(found.file);
    found.may_run_code = plan_is_image(found.file) || !secure_boot_refuses_unsigned();
    return found;
}

void run_read_plan(struct run *run)
{
    struct found found = {.is_missing = true, .error = ""};
    struct piece text = {run->plan_file, 0};

    if (run->machine->has_files)
        found = read_file(run);
    run->has_plan_file = !found.error && !found.refused;
    if (run->has_plan_file)
        text = plan_parse_file(found.file, &run->plan, firmware_plan_memory);
    else
        plan_default(&run->plan, firmware_plan_memory);
    run->plan_text = text.at;
    run->plan_bytes = text.size;
    if (run->has_plan_file && !found.may_run_code)
        plan_refuse_unsigned(&run->plan);
    if (found.refused)
        plan_add_error(&run->plan, 0, "the plan is refused: %s; the built-in plan is run",
                       found.refused);
    else if (found.error && !found.is_missing)
        plan_add_error(&run->plan, 0, "the plan cannot be read: %s; the built-in plan is run",
                       found.error);
    else if (found.error && !run->machine->has_all_volumes)
        plan_add_error(&run->plan, 0,
                       "no plan was found, but a volume that may have it cannot be read; the "
                       "built-in plan is run");
    if (run->request->cpus[0])
        plan_override(&run->plan, run->request->cpus);
}
