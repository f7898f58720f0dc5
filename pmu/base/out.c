/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes text, with printf-style formatting. */
#include "pmu/base/out.h"

#define DIGITS_MAX 20u /* of a 64-bit number */

struct out out_buffer(char *buffer, size_t size)
{
    return (struct out){.buffer = buffer, .size = size};
}

struct out out_stream(char *buffer, size_t size,
                      bool (*drain)(void *context, const char *bytes, size_t count), void *context)
{
    return (struct out){.buffer = buffer, .size = size, .drain = drain, .context = context};
}

const char *out_end(struct out *o)
{
    if (o->used == o->size) {
        o->used--;
        o->failed = true;
    }
    o->buffer[o->used] = 0;
    return o->buffer;
}

bool out_flush(struct out *o)
{
    if (o->drain && o->used > 0 && !o->failed) {
        o->failed = !o->drain(o->context, o->buffer, o->used);
        o->used = 0;
    }
    return !o->failed;
}

void out_char(struct out *o, char c)
{
    if (o->used == o->size && o->drain)
        out_flush(o);
    if (o->used == o->size)
        o->failed = true;
    if (!o->failed)
        o->buffer[o->used++] = c;
}

void out_text(struct out *o, const char *text)
{
    while (*text && !o->failed) {
        char *to = o->buffer + o->used, *const end = o->buffer + o->size;

        while (*text && to < end)
            *to++ = *text++;
        o->used = (size_t)(to - o->buffer);
        if (*text)
            out_char(o, *text++);
    }
}

void out_hex(struct out *o, uint64_t value)
{
    int shift = 60;

    while (shift > 4 && value >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        out_char(o, "0123456789ABCDEF"[value >> shift & 15]);
    out_char(o, 'H');
}

void out_milli(struct out *o, int64_t thousandths)
{
    uint64_t value = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
    unsigned rest = (unsigned)(value % 1000);

    if (thousandths < 0)
        out_char(o, '-');
    out_printf(o, "%llu", (unsigned long long)(value / 1000));
    if (rest == 0)
        return;
    out_char(o, '.');
    out_char(o, (char)('0' + rest / 100));
    if (rest % 100 > 0)
        out_char(o, (char)('0' + rest / 10 % 10));
    if (rest % 10 > 0)
        out_char(o, (char)('0' + rest % 10));
}

const char *time_words(uint64_t us, bool tenths, char text[TIME_WORDS_BYTES])
{
    const unsigned long long s = us / 1000000, tenth = us / 100000 % 10;

    if (s >= 3600)
        return out_put(text, TIME_WORDS_BYTES, "%llu h %02llu min", s / 3600, s % 3600 / 60);
    if (s >= 120)
        return out_put(text, TIME_WORDS_BYTES, "%llu min %02llu s", s / 60, s % 60);
    if (tenths)
        return out_put(text, TIME_WORDS_BYTES, "%llu.%llu s", s, tenth);
    return out_put(text, TIME_WORDS_BYTES, "%llu s", s);
}

const char *counted(uint64_t count, const char *noun, char text[COUNTED_BYTES])
{
    char last = 0;

    for (const char *at = noun; *at; at++)
        last = *at;
    return out_put(text, COUNTED_BYTES, "%llu %s%s", (unsigned long long)count, noun,
                   count == 1    ? ""
                   : last == 's' ? "es"
                                 : "s");
}

void out_pad(struct out *o, size_t line, size_t column)
{
    while (!o->failed && o->used < line + column)
        out_char(o, ' ');
}

struct conversion {
    bool left;
    bool zeros;
    int width;
    int longs; /* number of l modifiers */
    char kind;
};

static const char *parse(const char *at, struct conversion *c, va_list *arguments)
{
    *c = (struct conversion){0};
    for (;; at++) {
        if (*at == '-')
            c->left = true;
        else if (*at == '0')
            c->zeros = true;
        else
            break;
    }
    if (*at == '*') {
        c->width = va_arg(*arguments, int);
        c->left |= c->width < 0;
        c->width = c->width < 0 ? -c->width : c->width;
        at++;
    }
    for (; *at >= '0' && *at <= '9'; at++)
        c->width = c->width * 10 + (*at - '0');
    for (; *at == 'l'; at++)
        c->longs++;
    c->kind = *at;
    return at;
}

static void put_padded(struct out *o, const struct conversion *c, bool negative, const char *body)
{
    int length = negative ? 1 : 0;

    for (const char *at = body; *at; at++)
        length++;
    if (negative && c->zeros)
        out_char(o, '-');
    for (int i = length; !c->left && i < c->width; i++)
        out_char(o, c->zeros ? '0' : ' ');
    if (negative && !c->zeros)
        out_char(o, '-');
    out_text(o, body);
    for (int i = length; c->left && i < c->width; i++)
        out_char(o, ' ');
}

static void put_number(struct out *o, const struct conversion *c, bool negative, uint64_t value)
{
    char digits[DIGITS_MAX + 1];
    unsigned at = DIGITS_MAX;
    unsigned base = c->kind == 'x' ? 16 : 10;

    digits[at] = 0;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    put_padded(o, c, negative, digits + at);
}

static uint64_t unsigned_argument(const struct conversion *c, va_list *arguments)
{
    if (c->longs >= 2)
        return va_arg(*arguments, unsigned long long);
    if (c->longs == 1)
        return va_arg(*arguments, unsigned long);
    return va_arg(*arguments, unsigned);
}

static int64_t signed_argument(const struct conversion *c, va_list *arguments)
{
    if (c->longs >= 2)
        return va_arg(*arguments, long long);
    if (c->longs == 1)
        return va_arg(*arguments, long);
    return va_arg(*arguments, int);
}

static void convert(struct out *o, const struct conversion *c, va_list *arguments)
{
    char one[2] = {0};

    if (c->kind == 'd') {
        int64_t value = signed_argument(c, arguments);
        put_number(o, c, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    } else if (c->kind == 'u' || c->kind == 'x') {
        put_number(o, c, false, unsigned_argument(c, arguments));
    } else if (c->kind == 's') {
        const char *text = va_arg(*arguments, const char *);
        put_padded(o, c, false, text ? text : "");
    } else {
        one[0] = c->kind == 'c' ? (char)va_arg(*arguments, int) : '%';
        put_padded(o, c, false, one);
    }
}

void out_vprintf(struct out *o, const char *format, va_list arguments)
{
    struct conversion c;
    va_list rest;

    va_copy(rest, arguments);
    for (; *format; format++) {
        if (*format != '%') {
            out_char(o, *format);
            continue;
        }
        format = parse(format + 1, &c, &rest);
        convert(o, &c, &rest);
    }
    va_end(rest);
}

void out_printf(struct out *o, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    out_vprintf(o, format, arguments);
    va_end(arguments);
}

const char *out_put(char *buffer, size_t size, const char *format, ...)
{
    OUT_FORMAT(buffer, size, format);
    return buffer;
}

void out_size(struct out *o, uint64_t bytes)
{
    static const char UNITS[] = {'K', 'M', 'G'};
    unsigned unit = 0;

    while (unit < sizeof(UNITS) && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    out_printf(o, "%llu", (unsigned long long)bytes);
    if (unit > 0)
        out_char(o, UNITS[unit - 1]);
}
