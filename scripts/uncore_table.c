/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the program's tables of the uncore, for docs/uncore-models.md. */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>

#include "pmu/uncore/models.h"
#include "pmu/uncore/names.h"

static const char *const SPACES[] = {
    [SPACE_MSR] = "MSR", [SPACE_PCI] = "PCI function", [SPACE_MMIO] = "MMIO base"};

static const char *vendor_name(uint32_t vendor, uint32_t family)
{
    if (vendor == VENDOR_INTEL)
        return "Intel";
    return family == FAMILY_HYGON ? "Hygon" : "AMD";
}

/* "family 6H, models 1AH, 1EH" */
static void print_models(uint32_t family, const uint8_t *model, unsigned count)
{
    printf("family %" PRIX32 "H", family);
    for (unsigned i = 0; i < count && model[i]; i++)
        printf("%s %02XH", i == 0 ? ", models" : ",", model[i]);
}

/*
 * Prints a register of unit u and counter i: "MSR 700H + 10H u + i". If only the machine knows the
 * unit's address, prints the offset: "PCI function + D8H + 4H i".
 */
static void print_register(const struct uncore_units *units, int32_t offset, int32_t step)
{
    printf("%s ", SPACES[units->type.space]);
    if (units->first || units->type.space == SPACE_MSR)
        printf("%" PRIX64 "H", units->first + (uint64_t)(int64_t)offset);
    else
        printf("+ %" PRIX32 "H", (uint32_t)offset);
    if (units->step && units->units > 1)
        printf(" + %" PRIX64 "H u", units->step);
    if (step == 1)
        printf(" + i");
    else if (step)
        printf(" + %" PRIX32 "H i", (uint32_t)step);
}

/* "15:0, 18, 31:23" */
static void print_bits(uint64_t bits)
{
    const char *between = "";

    if (bits == 0)
        printf("-");
    for (unsigned low = 0; low < 64; low++) {
        unsigned high = low;

        if (!(bits >> low & 1))
            continue;
        while (high < 63 && bits >> (high + 1) & 1)
            high++;
        printf(high == low ? "%s%u" : "%s%u:%u", between, high, low);
        between = ", ";
        low = high;
    }
}

static void print_counters(const struct uncore_units *units)
{
    const struct uncore_type *type = &units->type;

    if (type->counters == 0) {
        printf(" from the machine's discovery table | | | |");
        return;
    }
    printf(" %s%u × %u, %u bits |", units->find && units->units > 1 ? "up to " : "", units->units,
           type->counters, type->width_bits);
    if (type->style == STYLE_FREE) {
        printf(" - |");
    } else {
        printf(" ");
        print_register(units, type->select, type->counters > 1 ? type->select_step : 0);
        printf(" |");
    }
    printf(" ");
    print_register(units, type->counter, type->counters > 1 ? type->counter_step : 0);
    printf(" |");
    if (type->has_box) {
        printf(" ");
        print_register(units, type->box, 0);
    }
    for (unsigned i = 0; i < 2; i++)
        if (type->extra[i]) {
            printf("%s", type->has_box || i > 0 ? "; filter " : " filter ");
            print_register(units, type->extra[i], 0);
        }
    printf(" |");
}

static void print_units(const struct uncore_units *units)
{
    const struct uncore_type *type = &units->type;

    printf("| `%s` (%s) |", uncore_kind_name(type->kind), type->unit);
    print_counters(units);
    printf(" ");
    print_bits(type->fields);
    if (type->enable) {
        printf("; EN ");
        print_bits(type->enable);
    }
    printf(" | %s |\n", type->source);
}

/* Prints a link to a heading, by the anchor that GitHub and GitLab make for it. */
static void print_link(const char *heading)
{
    printf("[%s](#", heading);
    for (; *heading; heading++)
        if (isalnum((unsigned char)*heading) || *heading == '-')
            putchar(tolower((unsigned char)*heading));
        else if (*heading == ' ')
            putchar('-');
    printf(")");
}

static void print_also(const char *what, uint64_t bits)
{
    if (bits == 0)
        return;
    printf("%s", what);
    print_bits(bits);
}

static void print_global(const struct uncore_global *global)
{
    uint64_t bits = global->all ? global->all : global->general * 0xff | global->fixed;

    printf("MSR %" PRIX32 "H, %s ", global->msr, bits & (bits - 1) ? "bits" : "bit");
    print_bits(bits);
    if (global->status_msr)
        printf("; overflow status: MSR %" PRIX32 "H, cleared by MSR %" PRIX32 "H",
               global->status_msr, global->clear_msr);
    print_also("; freeze: bit ", global->pmi_freeze);
    print_also("; PMI to cores: bits ", global->pmi_core);
    printf(" | %s |\n", global->source);
}

static void print_model(const struct uncore_model *model)
{
    printf("| ");
    if (model->units[0])
        print_link(model->name);
    else
        printf("%s", model->name);
    printf(" | %s, ", vendor_name(model->vendor, model->family));
    print_models(model->family, model->model, UNCORE_MODELS_OF_ONE);
    printf(" | ");
    if (!model->units[0])
        printf("nothing is counted, nothing is touched | - |\n");
    else if (model->global.msr)
        print_global(&model->global);
    else
        printf("none: each unit or counter has its own | - |\n");
}

static void print_units_of(const struct uncore_model *model)
{
    if (!model->units[0])
        return;
    printf("\n## %s\n\n"
           "| Kind (unit) | Units × counters | Select | Counter | Unit's control, filters | Bits "
           "of a select | Source |\n|---|---|---|---|---|---|---|\n",
           model->name);
    for (unsigned i = 0; i < UNCORE_GROUPS_MAX && model->units[i]; i++)
        print_units(model->units[i]);
}

static void print_energy(const struct uncore_energy_row *row)
{
    static const char *const UNITS[] = {
        [ENERGY_OF_UNIT] = "2^-ESU J",
        [ENERGY_DRAM_FIXED] = "2^-ESU J, DRAM 2^-16 J",
        [ENERGY_SILVERMONT] = "2^ESU µJ",
    };

    printf("| %s: %s, ", row->name, vendor_name(row->vendor, row->family));
    print_models(row->family, row->model, UNCORE_ENERGY_MODELS);
    printf(" |");
    for (unsigned i = 0; i < ENERGIES; i++)
        if (row->msr[i])
            printf(" %" PRIX32 "H |", row->msr[i]);
        else
            printf(" - |");
    printf(" %" PRIX32 "H, %s | %s |\n", row->unit_msr, UNITS[row->unit], row->source);
}

/* "34H/11H", "34H/FFH, extended 1FFFH" */
static void print_select(uint64_t select)
{
    printf("%02" PRIX64 "H/%02" PRIX64 "H", select & 0xff, select >> 8 & 0xff);
    if (select >> 32)
        printf(", extended %" PRIX64 "H", select >> 32);
}

static void print_ready(const struct uncore_ready_event *ready)
{
    printf("| `%s` | ", uncore_ready_name(ready->ready));
    if (ready->models)
        print_models(6, ready->models, UINT_MAX);
    else
        printf("all with this kind");
    printf(" | `%s` | ", uncore_kind_name(ready->kind));
    if (ready->select)
        print_select(ready->select);
    else
        printf("counter %d", ffs(ready->counters) - 1);
    if (ready->second) {
        printf(" + ");
        print_select(ready->second);
    }
    printf(" | ");
    if (ready->filter >= 0)
        printf("%d: %" PRIX64 "H", ready->filter, ready->extra);
    else
        printf("-");
    printf(" | %s | %s |\n", ready->name, ready->source);
}

int main(int count, char **arguments)
{
    static const struct option known[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int option = getopt_long(count, arguments, "h", known, NULL);

    if (option != -1 || optind < count) {
        fputs("usage: uncore_table\n\n"
              "Print docs/uncore-models.md.\n\n"
              "options:\n"
              "  -h, --help  show this help message and exit\n\n"
              "Exit status: 0; 1 the page cannot be written; 2 wrong usage.\n",
              option == 'h' ? stdout : stderr);
        return option == 'h' ? 0 : 2;
    }
    printf("# Uncore counters by CPU model\n\n"
           "This page lists the units and registers that the program uses on each CPU, and their "
           "manuals.\n\n"
           "`make uncore-table` prints this page from the tables in `pmu/uncore/`; change those, "
           "not this page.\n\n"
           "- u is the number of the unit, i the number of the counter.\n"
           "- If a CPU is not listed here, the program accesses none of its uncore registers.\n"
           "- If a machine's units of a kind differ from this list, or a register refuses an "
           "access, that kind\n  of unit is `unavailable`, with the reason.\n\n"
           "After the models: [energy](#energy), [ready names](#ready-names).\n\n"
           "## Models\n\n"
           "| Name | CPUs | Register that opens the counters | Source |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < uncore_models_count(); i++)
        print_model(uncore_model_at(i));
    for (unsigned i = 0; i < uncore_models_count(); i++)
        print_units_of(uncore_model_at(i));
    printf("\n## Energy\n\n"
           "Each register is 32 bits wide and is only read. ESU is bits 12:8 of the unit register. "
           "On AMD, the\nregister for Cores counts only the core that reads it.\n\n"
           "| CPUs | Package | DRAM | Cores | Graphics | Unit register, step | Source |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < UNCORE_ENERGY_ROWS; i++)
        print_energy(&UNCORE_ENERGY[i]);
    printf("\n## Ready names\n\n"
           "Each row says which event a ready name means: event and unit mask, and the value of a "
           "filter\nregister. If there are two events, each has a counter of its own, and the two "
           "counts are added. The\nready names for energy stand for the registers of the table in "
           "[Energy](#energy).\n\n"
           "| Name | Intel CPUs | Kind | Event | Filter | Name of the event | Source |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < UNCORE_READY_COUNT; i++)
        print_ready(&UNCORE_READY[i]);
    printf("\n[Back to README](../README.md)\n");
    return ferror(stdout) || fflush(stdout) != 0;
}
