/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Special instructions, printing, and checks. */
#include "conform.h"

#include <stdarg.h>

#define DEBUG_PORT 0xe9
#define EXIT_PORT  0xf4
#define TSC_PER_US 3000 /* a guess, since QEMU's TSC runs at the host's rate */
#define APIC_BASE  0xfee00000u

static unsigned passed, failed;

struct leaf cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct leaf r = {leaf, 0, subleaf, 0};

    __asm__ volatile("cpuid" : "+a"(r.eax), "=b"(r.ebx), "+c"(r.ecx), "=d"(r.edx));
    return r;
}

uint64_t rdmsr(uint32_t msr)
{
    uint64_t value;

    __asm__ volatile("rdmsr" : "=A"(value) : "c"(msr) : "memory");
    return value;
}

void wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "A"(value) : "memory");
}

void io_write(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "d"(port) : "memory");
}

uint32_t apic_read(uint32_t offset)
{
    return *(volatile uint32_t *)(APIC_BASE + offset);
}

void apic_write(uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(APIC_BASE + offset) = value;
}

void pause_us(unsigned us)
{
    uint64_t start = __builtin_ia32_rdtsc();

    while (__builtin_ia32_rdtsc() - start < (uint64_t)us * TSC_PER_US) {
        __asm__ volatile("pause");
    }
}

static void put(char c)
{
    io_write(DEBUG_PORT, (uint8_t)c);
}

static void put_hex(uint64_t value, unsigned digits)
{
    while (digits < 16 && value >> 4 * digits) {
        digits++;
    }
    while (digits--) {
        put("0123456789abcdef"[value >> 4 * digits & 15]);
    }
}

static void put_decimal(uint32_t value)
{
    if (value >= 10) {
        put_decimal(value / 10);
    }
    put((char)('0' + value % 10));
}

static void put_text(const char *text)
{
    while (*text) {
        put(*text++);
    }
}

static void put_all(const char *format, va_list arguments)
{
    for (; *format; format++) {
        unsigned digits = 1;
        bool wide = false;

        if (*format != '%') {
            put(*format);
            continue;
        }
        for (format++; (*format >= '0' && *format <= '9') || *format == 'l'; format++) {
            wide |= *format == 'l';
            digits = *format == 'l' ? digits : (unsigned)(*format - '0');
        }
        if (*format == 's') {
            put_text(va_arg(arguments, const char *));
        } else if (*format == 'u') {
            put_decimal(va_arg(arguments, unsigned));
        } else {
            put_hex(wide ? va_arg(arguments, uint64_t) : va_arg(arguments, uint32_t), digits);
        }
    }
}

void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_all(format, arguments);
    va_end(arguments);
}

void expect(uint64_t got, uint64_t want, const char *format, ...)
{
    va_list arguments;

    put_text(got == want ? "ok " : "FAIL ");
    va_start(arguments, format);
    put_all(format, arguments);
    va_end(arguments);
    if (got == want) {
        passed++;
    } else {
        failed++;
        say(": got %llx not %llx (hex)", got, want);
    }
    put('\n');
}

void end_all(void)
{
    say("%u passed, %u failed\n", passed, failed);
    io_write(EXIT_PORT, failed || !passed);
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}

void give_up(const char *why)
{
    say("FAIL %s\n", why);
    failed++;
    end_all();
}

/* Called by the handlers of #GP and #UD. */
_Noreturn void on_unexpected(uint32_t eip);

void on_unexpected(uint32_t eip)
{
    say("FAIL fault at %08x\n", eip);
    failed++;
    end_all();
}
