/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the events that libpfm4 knows for Intel's and AMD's core PMUs and for Intel's uncore.
 * Prints lines of fields, with tabs between the fields:
 *
 *   pmu     NAME, DESCRIPTION, number of fixed counters
 *   uncore  the same fields as `pmu`, for a unit outside the cores; units of one kind share a line
 *   event   EVENT, UMASK, codes separated by blanks, "p" for a precise event, its description,
 *           description of UMASK
 *
 * An event line belongs to the last PMU line above it. Codes are hexadecimal. The first code is the
 * encoding for all rings (pfm_get_os_event_encoding(3), PFM_OS_NONE); further codes are the values
 * of extra registers. "-" in place of the codes means that libpfm4 cannot encode the event. UMASK
 * is empty in an event's first line, which is for the event without a unit mask.
 */
#include <inttypes.h>
#include <perfmon/pfmlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 512
#define RINGS      (PFM_PLM0 | PFM_PLM3)

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* In libpfm4, units of one kind are PMUs whose names differ in the last number. */
static bool is_first_unit(const pfm_pmu_info_t *pmu)
{
    size_t end = strlen(pmu->name);
    size_t digits = end - strcspn(pmu->name, "0123456789");

    return pmu->type == PFM_PMU_TYPE_UNCORE && starts_with(pmu->desc, "Intel ") &&
           (digits == 0 || strcmp(pmu->name + end - digits, "0") == 0);
}

/*
 * libpfm4 does not export a PMU's architecture. The descriptions of x86 core PMUs begin with one of
 * these three texts.
 */
static bool is_core(const pfm_pmu_info_t *pmu)
{
    return pmu->type == PFM_PMU_TYPE_CORE && !starts_with(pmu->name, "ix86arch") &&
           (starts_with(pmu->desc, "Intel ") || starts_with(pmu->desc, "AMD64 ") ||
            starts_with(pmu->desc, "Pentium"));
}

static void print_text(const char *text)
{
    for (; text && *text; text++)
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
}

static void print_codes(const char *name)
{
    pfm_pmu_encode_arg_t arg = {.size = sizeof(arg)};
    if (pfm_get_os_event_encoding(name, RINGS, PFM_OS_NONE, &arg) != PFM_SUCCESS) {
        printf("-");
        return;
    }
    for (int i = 0; i < arg.count; i++)
        printf("%s%" PRIx64, i == 0 ? "" : " ", arg.codes[i]);
    free(arg.codes);
}

static void print_event(const pfm_pmu_info_t *pmu, const pfm_event_info_t *event,
                        const pfm_event_attr_info_t *umask)
{
    char name[NAME_BYTES];
    const char *umask_name = umask ? umask->name : "";
    snprintf(name, sizeof(name), "%s::%s%s%s", pmu->name, event->name, umask ? ":" : "",
             umask_name);
    bool precise = umask ? umask->is_precise : event->is_precise;
    printf("event\t%s\t%s\t", event->name, umask_name);
    print_codes(name);
    printf("\t%s\t", precise ? "p" : "");
    print_text(event->desc);
    printf("\t");
    print_text(umask ? umask->desc : "");
    printf("\n");
}

static void list_event(const pfm_pmu_info_t *pmu, int index)
{
    pfm_event_info_t event = {.size = sizeof(event)};
    if (pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS)
        return;
    print_event(pmu, &event, NULL);
    for (int i = 0; i < event.nattrs; i++) {
        pfm_event_attr_info_t attr = {.size = sizeof(attr)};
        if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
            attr.type == PFM_ATTR_UMASK)
            print_event(pmu, &event, &attr);
    }
}

static int list_pmu(pfm_pmu_t id)
{
    pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
    if (pfm_get_pmu_info(id, &pmu) != PFM_SUCCESS || (!is_core(&pmu) && !is_first_unit(&pmu)))
        return 0;
    printf("%s\t%s\t%s\t%d\n", is_core(&pmu) ? "pmu" : "uncore", pmu.name, pmu.desc,
           pmu.num_fixed_cntrs);
    for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
        list_event(&pmu, i);
    return 1;
}

int main(void)
{
    int pmus = 0;

    /* Lets libpfm4 encode events that this CPU lacks: libpfm(3), ENVIRONMENT VARIABLES. */
    if (setenv("LIBPFM_ENCODE_INACTIVE", "1", 1) != 0 || pfm_initialize() != PFM_SUCCESS) {
        fprintf(stderr, "libpfm4_events: libpfm4 cannot be initialized\n");
        return 1;
    }
    for (pfm_pmu_t id = PFM_PMU_NONE; id < PFM_PMU_MAX; id++)
        pmus += list_pmu(id);
    pfm_terminate();
    if (pmus == 0 || fflush(stdout) != 0) {
        fprintf(stderr, "libpfm4_events: no Intel or AMD PMU found, or nothing could be written\n");
        return 1;
    }
    return 0;
}
