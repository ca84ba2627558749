/* hooks.c - how a call goes through a hook, and where it goes on. */
#define _GNU_SOURCE
#include "hooks.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "../native/loaded-object.h"
#include "../native/presence.h"
#include "deaths.h"

/* Names by their hashes: nearly all names that libraries refer to are none of ours. */
enum { BUCKETS = 4096 };
static bool is_bucket_used[BUCKETS];

bool presence_covers(const char *name)
{
    const uint32_t bucket = hash_of(name) % BUCKETS;
    return is_bucket_used[bucket] || strcmp(name, "dlsym") == 0;
}

bool presence_is_wanted(void)
{
    if (!deaths_begin())
        return false;
    for (const struct hook *hook = __start_hooks; hook < __stop_hooks; hook++)
        is_bucket_used[hash_of(hook->name) % BUCKETS] = true;
    return true;
}

/* Never without the one of libc meanwhile: other threads call it. */
void presence_has_lost(void)
{
    for (struct hook *hook = __start_hooks; hook < __stop_hooks; hook++)
        hook->next = next_symbol(hook->name);
}

void *next_of(struct hook *hook)
{
    if (hook->next == NULL)
        hook->next = next_symbol(hook->name);
    return hook->next;
}

void hooks_find(void)
{
    for (struct hook *hook = __start_hooks; hook < __stop_hooks; hook++)
        next_of(hook);
}

/* The function that the call goes on to. */
__attribute__((used)) static void *hook_entered(struct hook *hook, struct call *call)
{
    const int error = errno;
    void *next = next_of(hook);
    if (deaths_is_own_process())
        hook->seen(call);
    errno = error;
    return hook->instead != NULL ? hook->instead : next;
}

_Static_assert(offsetof(struct call, rax) == 48 && offsetof(struct call, hook) == 104 && offsetof(struct call, pc) == 120, "as below");

/* All registers that may hold arguments are kept, those of vectors too. 264: the stack is aligned for the call. */
__asm__(".text\n.globl deaths_hook\n.hidden deaths_hook\n.type deaths_hook, @function\ndeaths_hook:\n.cfi_startproc\n"
        "sub $264, %rsp\n.cfi_adjust_cfa_offset 264\n"
        "mov %rdi, (%rsp)\nmov %rsi, 8(%rsp)\nmov %rdx, 16(%rsp)\nmov %rcx, 24(%rsp)\nmov %r8, 32(%rsp)\nmov %r9, 40(%rsp)\n"
        "mov %rax, 48(%rsp)\nmov %rbx, 56(%rsp)\nmov %rbp, 64(%rsp)\n"
        "mov %r12, 72(%rsp)\nmov %r13, 80(%rsp)\nmov %r14, 88(%rsp)\nmov %r15, 96(%rsp)\nmov %r11, 104(%rsp)\n"
        "lea 272(%rsp), %rax\nmov %rax, 112(%rsp)\nmov 264(%rsp), %rax\nmov %rax, 120(%rsp)\n"
        "movaps %xmm0, 128(%rsp)\nmovaps %xmm1, 144(%rsp)\nmovaps %xmm2, 160(%rsp)\nmovaps %xmm3, 176(%rsp)\n"
        "movaps %xmm4, 192(%rsp)\nmovaps %xmm5, 208(%rsp)\nmovaps %xmm6, 224(%rsp)\nmovaps %xmm7, 240(%rsp)\n"
        "mov %r11, %rdi\nmov %rsp, %rsi\ncall hook_entered\nmov %rax, %r11\n"
        "movaps 128(%rsp), %xmm0\nmovaps 144(%rsp), %xmm1\nmovaps 160(%rsp), %xmm2\nmovaps 176(%rsp), %xmm3\n"
        "movaps 192(%rsp), %xmm4\nmovaps 208(%rsp), %xmm5\nmovaps 224(%rsp), %xmm6\nmovaps 240(%rsp), %xmm7\n"
        "mov (%rsp), %rdi\nmov 8(%rsp), %rsi\nmov 16(%rsp), %rdx\nmov 24(%rsp), %rcx\nmov 32(%rsp), %r8\nmov 40(%rsp), %r9\n"
        "mov 48(%rsp), %rax\n"
        "add $264, %rsp\n.cfi_adjust_cfa_offset -264\n"
        "jmp *%r11\n.cfi_endproc\n.size deaths_hook, . - deaths_hook\n");
