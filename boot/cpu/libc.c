/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that compilers call implicitly; the image has no C library. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

/* The linker requires this symbol in programs that use floating point. */
extern const int _fltused;
const int _fltused = 1;

void *memcpy(void *to, const void *from, size_t count)
{
    void *start = to;

    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
    return start;
}

/* Copies backwards without STD, because interrupt handlers rely on DF being clear. */
void *memmove(void *to, const void *from, size_t count)
{
    if ((char *)to <= (const char *)from)
        return memcpy(to, from, count);
    while (count-- > 0) {
        ((char *)to)[count] = ((const char *)from)[count];
        /* keeps the compiler from replacing this loop by a call of memmove() */
        __asm__ volatile("" : : : "memory");
    }
    return to;
}

void *memset(void *to, int value, size_t count)
{
    void *start = to;

    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(value) : "memory");
    return start;
}
