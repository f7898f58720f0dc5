/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the counters outside the cores, from the tables that the program itself uses.
 * `make uncore-table` writes pmu/UNCORE.md of it; a test compares.
 */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>

#include "pmu/uncore/models.h"
#include "pmu/uncore/names.h"

static const char *const SPACES[] = {
    [SPACE_MSR] = "MSR", [SPACE_PCI] = "PCI function", [SPACE_MMIO] = "MMIO base"};

static const char *vendor_name(uint32_t vendor)
{
    return vendor == VENDOR_AMD ? "AMD" : "Intel";
}

/* "family 6H, models 1AH, 1EH" */
static void print_models(uint32_t family, const uint8_t *model, unsigned count)
{
    printf("family %" PRIX32 "H", family);
    for (unsigned i = 0; i < count && model[i]; i++)
        printf("%s %02XH", i == 0 ? ", models" : ",", model[i]);
}

/*
 * A register of a unit: "MSR 700H + 10H u + i". Units whose addresses the tables do not have are
 * found on the machine: "PCI function + D8H + 4H i".
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
        printf(" as the machine's table says | | | |");
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

static void print_model(const struct uncore_model *model)
{
    const struct uncore_global *global = &model->global;

    printf("\n## %s\n\n%s, ", model->name, vendor_name(model->vendor));
    print_models(model->family, model->model, UNCORE_MODELS_OF_ONE);
    if (!model->units[0]) {
        printf(". Known by name alone: nothing is counted, nothing is touched.\n");
        return;
    }
    printf(".");
    if (global->msr) {
        printf(" All are let go by MSR %" PRIX32 "H, bits ", global->msr);
        print_bits(global->all ? global->all : global->general * 0xff | global->fixed);
        if (global->status_msr)
            printf("; overflows are told by MSR %" PRIX32 "H and cleared by MSR %" PRIX32
                   "H; freeze bit ",
                   global->status_msr, global->clear_msr);
        if (global->pmi_freeze)
            print_bits(global->pmi_freeze);
        if (global->pmi_core) {
            printf(", cores that are told ");
            print_bits(global->pmi_core);
        }
        printf(" (%s).", global->source);
    }
    printf(
        "\n\n| Kind (unit) | Units × counters | Select | Counter | Unit's control, filters | Bits "
        "of a select | Source |\n|---|---|---|---|---|---|---|\n");
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

    printf("| %s: %s, ", row->name, vendor_name(row->vendor));
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

/* One of the names that need no table. */
static void print_ready(const struct uncore_ready_event *ready)
{
    printf("| `%s` | ", uncore_ready_name(ready->ready));
    if (ready->models)
        print_models(6, ready->models, UINT_MAX);
    else
        printf("all that have the kind");
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
        fputs("usage: uncore_table\nPrints pmu/UNCORE.md. Exit status: 0; 2 wrong usage.\n",
              option == 'h' ? stdout : stderr);
        return option == 'h' ? 0 : 2;
    }
    printf("<!-- SPDX-License-Identifier: BSD-2-Clause -->\n"
           "# What counts outside the cores\n\n"
           "Made by `make uncore-table` from the tables of `pmu/uncore/`: a change belongs "
           "there.\n\n"
           "u is the unit's number, i the counter's. A CPU that stands nowhere here is not "
           "touched. Where a machine has other\nunits, or a register refuses, its kind is "
           "`unavailable`, with the reason.\n");
    for (unsigned i = 0; i < uncore_models_count(); i++)
        print_model(uncore_model_at(i));
    printf("\n## Energy\n\n"
           "Read alone, 32 bits wide; ESU is bits 12:8 of the unit register. On AMD the cores' "
           "register is of the running core.\n\n"
           "| Models | Package | DRAM | Cores | Graphics | Unit register, step | Source |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < UNCORE_ENERGY_ROWS; i++)
        print_energy(&UNCORE_ENERGY[i]);
    printf("\n## Ready names\n\n"
           "Which event each is: event and unit mask, and what a filter register holds; of two, "
           "each on a counter of its own, the counts\nare added. Those of energy are the registers "
           "above.\n\n"
           "| Name | Intel's | Kind | Event | Filter | Called | Source |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < UNCORE_READY_COUNT; i++)
        print_ready(&UNCORE_READY[i]);
    return ferror(stdout) || fflush(stdout) != 0;
}
