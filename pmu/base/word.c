/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/base/word.h"

struct piece word_next(struct piece *rest)
{
    struct piece line = piece_trim(*rest);
    size_t size = 0;

    while (size < line.size && line.at[size] != ' ' && line.at[size] != '\t')
        size++;
    *rest = size < line.size ? piece_trim((struct piece){line.at + size, line.size - size})
                             : (struct piece){0};
    return (struct piece){line.at, size};
}
