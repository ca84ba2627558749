/* system.c - system calls that are no libc's. */
#include <sys/syscall.h>
#include <time.h>
#include "deaths.h"

long system_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

int thread_number(void)
{
    return (int)SYSTEM(SYS_gettid);
}

uint64_t monotonic(void)
{
    struct timespec now = {0, 0};
    SYSTEM(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
