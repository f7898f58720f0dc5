/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses lists and ranges of values. */
#include "pmu/plan/sweep.h"

void sweep_begin(struct sweep *sweep, const struct sweep_parameter *parameter, struct piece values)
{
    *sweep = (struct sweep){.parameter = parameter, .rest = piece_trim(values), .comma = true};
}

static bool read_value(const struct sweep_parameter *parameter, struct piece piece, uint64_t *value,
                       struct out *why)
{
    char shown[PIECE_SHOW_BYTES];

    if (parameter->read(piece, value) && *value >= parameter->low && *value <= parameter->high)
        return true;
    piece_show(piece, shown);
    if (parameter->expected)
        out_printf(why, "%s: expected %s, found '%s'", parameter->name, parameter->expected, shown);
    else
        out_printf(why, "%s: expected a number from %llu to %llu, found '%s'", parameter->name,
                   (unsigned long long)parameter->low, (unsigned long long)parameter->high, shown);
    if (!parameter->expected)
        piece_say_endings(piece, why);
    return false;
}

static bool cut_range(struct piece piece, struct piece *first, struct piece *behind)
{
    for (size_t i = 0; i + 1 < piece.size; i++)
        if (piece.at[i] == '.' && piece.at[i + 1] == '.') {
            *first = piece_trim((struct piece){piece.at, i});
            *behind = piece_trim((struct piece){piece.at + i + 2, piece.size - i - 2});
            return true;
        }
    return false;
}

/* `behind`, the part after "..", is last*factor or last+step. */
static bool begin_range(struct sweep *sweep, struct piece element, struct piece first,
                        struct piece behind, struct out *why)
{
    const struct sweep_parameter *parameter = sweep->parameter;
    char shown[PIECE_SHOW_BYTES];
    struct piece step;
    struct piece last = piece_cut(behind, '*', &step);

    sweep->multiply = last.size < behind.size;
    if (!sweep->multiply)
        last = piece_cut(behind, '+', &step);
    if (last.size == behind.size) {
        out_printf(why, "%s: expected first..last*factor or first..last+step, found '%s'",
                   parameter->name, piece_show(element, shown));
        return false;
    }
    if (!read_value(parameter, first, &sweep->next, why) ||
        !read_value(parameter, last, &sweep->last, why))
        return false;
    if (sweep->last < sweep->next) {
        out_printf(why, "%s: expected a sweep that ends at or above its start, found '%s'",
                   parameter->name, piece_show(element, shown));
        return false;
    }
    if (parameter->read(step, &sweep->step) && sweep->step > sweep->multiply)
        return true;
    out_printf(why, "%s: expected *2 or more, or +1 or more, found '%s'", parameter->name,
               piece_show(element, shown));
    return false;
}

static bool begin_element(struct sweep *sweep, struct out *why)
{
    size_t before = sweep->rest.size;
    struct piece element = piece_cut(sweep->rest, ',', &sweep->rest);
    struct piece first, behind;

    sweep->comma = element.size < before;
    if (!sweep->parameter->expected && cut_range(element, &first, &behind))
        return begin_range(sweep, element, first, behind, why);
    if (!read_value(sweep->parameter, element, &sweep->next, why))
        return false;
    sweep->last = sweep->next;
    sweep->multiply = false;
    sweep->step = 1;
    return true;
}

bool sweep_next(struct sweep *sweep, uint64_t *value, struct out *why)
{
    if (!sweep->going) {
        if (!sweep->comma || !begin_element(sweep, why))
            return false;
        sweep->going = true;
    }
    *value = sweep->next;
    if (sweep->multiply ? sweep->next > sweep->last / sweep->step
                        : sweep->step > sweep->last - sweep->next)
        sweep->going = false; /* the next value would exceed the last */
    else if (sweep->multiply)
        sweep->next *= sweep->step;
    else
        sweep->next += sweep->step;
    return true;
}
