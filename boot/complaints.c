/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/complaints.h"

#include "pmu/out.h"
#include "pmu/record.h"
#include "pmu/text.h"

static char sentences[COMPLAINTS_MAX][sizeof(((struct note *)0)->text)];
static unsigned used;

void complaints_add(const char *format, ...)
{
    struct out out;
    va_list arguments;

    if (used == COMPLAINTS_MAX) {
        text_copy(sentences[used - 1], sizeof(sentences[0]), "more is wrong than is listed");
        return;
    }
    out = out_buffer(sentences[used++], sizeof(sentences[0]));
    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    out_end(&out);
}

unsigned complaints(void)
{
    return used;
}

const char *complaint(unsigned index)
{
    return sentences[index];
}
