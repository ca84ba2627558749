/* texts.c - texts of fixed size, without libc's formats. */
#include <string.h>
#include "deaths.h"

void copy_bytes(char *to, size_t size, const char *from, size_t length)
{
    const size_t kept = length < size ? length : size - 1;
    memcpy(to, from, kept);
    to[kept] = '\0';
}

void append_text(char *to, size_t size, const char *from)
{
    const size_t length = strnlen(to, size - 1);
    if (from != NULL)
        copy_bytes(to + length, size - length, from, strnlen(from, size));
}

void append_number(char *to, size_t size, uint64_t number)
{
    char digits[24];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    append_text(to, size, first);
}
