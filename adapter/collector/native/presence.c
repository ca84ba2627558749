/*
 * presence.c - a function of ours stands before another library's only where there is that other one.
 *
 * The names of ours are hidden (names.h): no lookup finds them, neither the dynamic linker's nor dlsym()'s, so that what a process
 * lacks stays absent. When the process starts, the names of what its libraries define are shown; from then on they are found as
 * those of any preloaded library. References that were bound before, and all to a library that dlopen() loads later, are pointed to
 * ours one by one. dlopen() is not noticed, but the next dlsym() is, which programs need to enter what they have loaded.
 */
#define _GNU_SOURCE
#include "presence.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "loaded-object.h"
#include "names.h"

/*
 * By this the libraries are found that have hidden names. Not 0: those of this one may be shown; another library of ours, which
 * shows its own, leaves them hidden where this one is not wanted, since nothing in it has been prepared then.
 */
static char is_wanted_here;
/* By an alias: the name means the first library's. */
extern __attribute__((visibility("default"), alias("is_wanted_here"))) char mpidbg_stands_before;

/* In the order in which names are looked up; those behind the last are left alone. */
enum { MAX_OBJECTS = 1024 };
static struct object objects[MAX_OBJECTS], objects_before[MAX_OBJECTS];
static unsigned count, count_before;
static unsigned long long times_loaded, times_unloaded;

static struct object *object_with(const void *address)
{
    for (unsigned i = 0; i < count; i++)
        if ((uintptr_t)address >= objects[i].base && (uintptr_t)address < objects[i].end)
            return &objects[i];
    return NULL;
}

static bool is_wanted(const struct object *object)
{
    return object->is_ours && *object->stands_before != 0;
}

/* The first function of this name behind `before` that is not ours; 0: there is none. */
static uintptr_t function_behind(const struct object *before, const char *name, uint32_t hash)
{
    for (const struct object *each = before + 1; each < objects + count; each++) {
        const uint32_t index = each->is_ours ? 0 : symbol_in(each, name, hash);
        if (index != 0 && is_function(each, index) && !is_hidden(each, index))
            return address_of(each, index);
    }
    return 0;
}

/* A function of ours, and the one that it stands before. */
struct pair { const struct object *object; uint32_t index; uintptr_t ours, other; };

static struct pair pair_of(const char *name)
{
    const uint32_t hash = hash_of(name);
    for (const struct object *each = objects; each < objects + count; each++) {
        const uint32_t index = is_wanted(each) ? symbol_in(each, name, hash) : 0;
        const uintptr_t other = index == 0 ? 0 : function_behind(each, name, hash);
        if (other != 0)
            return (struct pair){each, index, address_of(each, index), other};
    }
    return (struct pair){.ours = 0};
}

/* Whether a lookup can find nothing else. */
static bool is_only_one(const char *name)
{
    const uint32_t hash = hash_of(name);
    unsigned found = 0;
    for (const struct object *each = objects; each < objects + count; each++)
        found += !each->is_ours && symbol_in(each, name, hash) != 0;
    return found == 1;
}

/*
 * The dynamic linker makes some of these places read-only when it has bound an object, and may be about to do so for another thread:
 * the kernel tries, and only what is read-only already becomes so again.
 */
static void write_place(uintptr_t place, uintptr_t value)
{
    const struct iovec from = {&value, sizeof value}, to = {(void *)place, sizeof value};
    const int of_program = errno;
    if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof value)
        return;
    const uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)(place & ~(page_size - 1));
    const bool is_read_only = errno == EFAULT;
    errno = of_program;
    if (mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0)
        return;
    *(volatile uintptr_t *)place = value;
    if (is_read_only)
        mprotect(page, page_size, PROT_READ);
}

static void point_to_ours(const struct object *object, const ElfW(Rela) *relocation)
{
    const uint64_t symbol = ELF64_R_SYM(relocation->r_info), type = ELF64_R_TYPE(relocation->r_info);
    if (symbol == 0 || relocation->r_addend != 0 || (type != BIND_CALL && type != BIND_ADDRESS && type != BIND_DATA))
        return;
    const char *name = object->texts + object->symbols[symbol].st_name;
    if (!presence_covers(name))
        return;
    const struct pair pair = pair_of(name);
    if (pair.ours == 0)
        return;
    const uintptr_t place = object->base + relocation->r_offset, value = *(const uintptr_t *)place;
    /* Calls are bound when they are made for the first time, and would then miss a name that stays hidden. */
    const bool is_unbound = type == BIND_CALL && value >= object->base && value < object->end;
    if (value == pair.other || (is_unbound && is_hidden(pair.object, pair.index) && is_only_one(name)))
        write_place(place, pair.ours);
}

static void point_all_to_ours(const struct object *object)
{
    for (size_t i = 0; i < object->relocation_count; i++)
        point_to_ours(object, &object->relocations[i]);
    for (size_t i = 0; i < object->call_count; i++)
        point_to_ours(object, &object->calls[i]);
}

static bool defines_any_of_ours(const struct object *object)
{
    const uint32_t symbols = symbol_count(object);
    for (uint32_t index = 1; index < symbols; index++) {
        const char *name = object->texts + object->symbols[index].st_name;
        if (is_function(object, index) && presence_covers(name) && pair_of(name).ours != 0)
            return true;
    }
    return false;
}

/* Only what is loaded with the program: whoever asks by name can find all of it. */
static void show_names(struct object *object)
{
    const uint32_t symbols = symbol_count(object);
    const uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)object->versions & ~(page_size - 1);
    const size_t length = (uintptr_t)(object->versions + symbols) - start;
    if (mprotect((void *)start, length, PROT_READ | PROT_WRITE) != 0)
        return;
    for (uint32_t index = 1; index < symbols; index++) {
        const char *name = object->texts + object->symbols[index].st_name;
        if (is_hidden(object, index) && function_behind(object, name, hash_of(name)) != 0)
            object->versions[index] = VER_NDX_GLOBAL;
    }
    mprotect((void *)start, length, PROT_READ);
}

/* ---- all that is loaded ---- */

static int add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (count == MAX_OBJECTS)
        return 1;
    struct object *object = &objects[count];
    if (!object_of(info, object))
        return 0;
    const uint32_t mark = symbol_in(object, "mpidbg_stands_before", hash_of("mpidbg_stands_before"));
    object->is_ours = mark != 0;
    object->stands_before = mark == 0 ? NULL : (const volatile char *)address_of(object, mark);
    /* What stays loaded keeps its place among the others. */
    for (const struct object *before = objects_before; !object->is_known && before < objects_before + count_before; before++)
        object->is_known = before->base == object->base && before->symbols == object->symbols;
    count++;
    return 0;
}

static void learn_objects(void)
{
    memcpy(objects_before, objects, count * sizeof *objects);
    count_before = count;
    count = 0;
    dl_iterate_phdr(add_object, NULL);
    const bool is_first_look = count_before == 0;
    bool has_more_to_bind = is_first_look;
    for (struct object *each = objects; is_first_look && each < objects + count; each++)
        if (is_wanted(each))
            show_names(each);
    for (const struct object *each = objects; !has_more_to_bind && each < objects + count; each++)
        has_more_to_bind = !each->is_known && !each->is_ours && defines_any_of_ours(each);
    for (const struct object *each = objects; each < objects + count; each++)
        if (!each->is_ours && (has_more_to_bind || !each->is_known))
            point_all_to_ours(each);
}

struct look { void (*then)(void *asked); void *asked; };

/* Inside this call nothing is loaded or unloaded, by whatever thread. */
static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    const struct look *look = argument;
    if (count == 0 || info->dlpi_adds != times_loaded || info->dlpi_subs != times_unloaded) {
        const bool is_less = info->dlpi_subs != times_unloaded;
        times_loaded = info->dlpi_adds;
        times_unloaded = info->dlpi_subs;
        learn_objects();
        if (is_less)
            presence_has_lost();
    }
    if (look->then != NULL)
        look->then(look->asked);
    return 1;
}

struct wanted { const char *name; const void *behind; void *found; };

static void find_next(void *asked)
{
    struct wanted *wanted = asked;
    const struct object *before = object_with(wanted->behind);
    const uint32_t hash = hash_of(wanted->name);
    if (before == NULL)
        return;
    for (const struct object *each = before + 1; each < objects + count && wanted->found == NULL; each++) {
        const uint32_t index = symbol_in(each, wanted->name, hash);
        const bool is_there = each->is_ours ? is_wanted(each) && function_behind(each, wanted->name, hash) != 0
                                            : index != 0 && !is_hidden(each, index);
        if (index != 0 && is_there)
            wanted->found = (void *)address_of(each, index);
    }
}

static void find_first(void *asked)
{
    struct wanted *wanted = asked;
    for (const struct object *each = objects; each < objects + count && wanted->found == NULL; each++) {
        const uint32_t index = symbol_in(each, wanted->name, hash_of(wanted->name));
        if (index != 0 && !is_hidden(each, index))
            wanted->found = (void *)address_of(each, index);
    }
}

static void *ask(void (*find)(void *), struct wanted wanted)
{
    struct look asking = {find, &wanted};
    dl_iterate_phdr(look, &asking);
    return wanted.found;
}

void *next_symbol(const char *name)
{
    return ask(find_next, (struct wanted){name, objects, NULL});
}

void *symbol_behind(const char *name, const void *behind)
{
    return ask(find_next, (struct wanted){name, behind, NULL});
}

void *first_symbol(const char *name)
{
    return ask(find_first, (struct wanted){name, NULL, NULL});
}

/* ---- when ---- */

static void __attribute__((constructor(101))) look_at_the_start(void)
{
    struct look asking = {NULL, NULL};
    if (!presence_is_wanted())
        return;
    is_wanted_here = 1;
    dl_iterate_phdr(look, &asking);
}

/* dlsym() answers by who calls it: the call goes on as it came. */
void *next_dlsym(void)
{
    static void *_Atomic next;
    if (next == NULL)
        next = next_symbol("dlsym");
    struct look asking = {NULL, NULL};
    dl_iterate_phdr(look, &asking);
    return next;
}

STANDS_BEFORE(dlsym)
#ifdef __x86_64__
__asm__(".text\n.globl before_dlsym\n.type before_dlsym, @function\nbefore_dlsym:\n.cfi_startproc\n"
        "push %rdi\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\nsub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "call next_dlsym\n"
        "add $8, %rsp\n.cfi_adjust_cfa_offset -8\npop %rsi\n.cfi_adjust_cfa_offset -8\npop %rdi\n.cfi_adjust_cfa_offset -8\n"
        "jmp *%rax\n.cfi_endproc\n.size before_dlsym, . - before_dlsym\n");
#else
__asm__(".text\n.globl before_dlsym\n.type before_dlsym, %function\nbefore_dlsym:\n.cfi_startproc\n"
        "stp x0, x1, [sp, #-32]!\n.cfi_adjust_cfa_offset 32\nstr x30, [sp, #16]\n.cfi_offset x30, -16\n"
        "bl next_dlsym\n"
        "mov x16, x0\nldr x30, [sp, #16]\nldp x0, x1, [sp], #32\n.cfi_adjust_cfa_offset -32\n.cfi_restore x30\n"
        "br x16\n.cfi_endproc\n.size before_dlsym, . - before_dlsym\n");
#endif
