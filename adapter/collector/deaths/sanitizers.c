/*
 * sanitizers.c - processes that a compiler sanitizer ends (-fsanitize=address, undefined, …). It exits by its own system call, which nothing can
 * hook, but first calls a death callback: ours. Where the program sets its own instead, only the status is known.
 */
#include "../native/presence.h"
#include <string.h>
#include "deaths.h"

/* The last error that it has printed. It prints under its own lock, so one at a time. */
static char words[sizeof ((struct mpidbg_death *)0)->words];

/* Without the escape sequences that color it, and up to `end`. */
static void keep(const char *text, const char *end)
{
    size_t length = strlen(words);
    while (text < end && *text != '\n' && length + 1 < sizeof words) {
        if (*text == '\033') {
            while (text < end && *text != 'm')
                text++;
        } else
            words[length++] = *text;
        text += text < end;
    }
    while (length > 0 && words[length - 1] == ':')
        length--;
    words[length] = '\0';
}

/* "WRITE of size 8 at 0x602000000020 thread T0": a line of its own, after the error. */
static void keep_access(const char *text)
{
    const char *end = strstr(text, " at 0x");
    if (*words == '\0' || end == NULL || strstr(words, " of size ") != NULL)
        return;
    append_text(words, sizeof words, ": ");
    keep(text, end);
}

static void seen_print(struct call *call)
{
    static const char of_undefined[] = "runtime error: ", of_others[] = "Sanitizer: ";
    const char *text = (const char *)call->arguments[0], *found, *end;
    if (text == NULL || strstr(text, "SUMMARY: ") != NULL)
        return;
    if ((found = strstr(text, of_undefined)) != NULL) {
        strcpy(words, "UndefinedBehaviorSanitizer: ");
        keep(found + sizeof of_undefined - 1, text + strlen(text));
    } else if ((found = strstr(text, of_others)) != NULL) {
        while (found > text && found[-1] != ' ')
            found--;
        end = strstr(found, " at pc ");
        *words = '\0';
        keep(found, end != NULL ? end : text + strlen(text));
    } else if (strncmp(text, "READ of size ", 13) == 0 || strncmp(text, "WRITE of size ", 14) == 0)
        keep_access(text);
}

HOOK(__sanitizer_on_print, seen_print)

static void fill_fault_alone(struct mpidbg_death *death, const void *unused)
{
    (void)unused;
    fill_from_fault(death);
}

static void fill(struct mpidbg_death *death, const void *what)
{
    fill_place(death, what);
    append_text(death->words, sizeof death->words, words);
}

static void seen_end(struct call *call)
{
    if (fault_stands(call->sp))
        report(DEATH_SIGNAL, fill_fault_alone, NULL);
    else if (exits_have_begun())
        exits_end(); /* a leak that is found at exit is not what ended the process */
    else
        report(DEATH_SANITIZER, fill, call);
}

static void nothing(void)
{
}

/* Called through its address, not by its name. */
__attribute__((used)) static struct hook hook_of_end = {"", seen_end, (void *)nothing, NULL};
__asm__(".text\n.type sanitizer_ends, @function\nsanitizer_ends:\n.cfi_startproc\n"
        "lea hook_of_end(%rip), %r11\njmp deaths_hook\n.cfi_endproc\n.size sanitizer_ends, . - sanitizer_ends\n");
extern void sanitizer_ends(void) __attribute__((visibility("hidden")));

void sanitizers_begin(void)
{
    static const char name[] = "__sanitizer_set_death_callback";
    /* Each sanitizer is a library of its own. */
    for (void *found = first_symbol(name); found != NULL; found = symbol_behind(name, found)) {
        void (*set)(void (*)(void));
        *(void **)&set = found;
        set(sanitizer_ends);
    }
}
