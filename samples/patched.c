/*
 * patched.c - puts instructions of its own into the code of a function, as Open MPI and UCX do to be called first, with the byte
 * of a breakpoint among them. Ends with status 0 when they are as they were after a line on standard input, else with 1.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void __attribute__((noinline, aligned(64))) patched(void)
{
    __asm__ volatile(".fill 64, 1, 0x90");
}

int main(void)
{
    /* movabs $..., %r11; jmp *%r11 */
    static const unsigned char jump[] = {0x49, 0xbb, 0xcc, 0x10, 0xcc, 0xcc, 0x20, 0x7f, 0xcc, 0x00, 0x41, 0xff, 0xe3};
    const long page = sysconf(_SC_PAGESIZE);
    unsigned char *code = (unsigned char *)(uintptr_t)patched;
    if (mprotect((void *)((uintptr_t)code & ~(page - 1)), page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return 2;
    memcpy(code, jump, sizeof jump);
    if (mprotect((void *)((uintptr_t)code & ~(page - 1)), page, PROT_READ | PROT_EXEC) != 0)
        return 2;
    puts("ready");
    fflush(stdout);
    if (getchar() == EOF)
        return 2;
    return memcmp(code, jump, sizeof jump) == 0 ? 0 : 1;
}
