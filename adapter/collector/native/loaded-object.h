/* loaded-object.h - what an object that the dynamic linker has loaded defines and refers to, from its own tables. */
#ifndef MPIDBG_LOADED_OBJECT_H
#define MPIDBG_LOADED_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __x86_64__
enum { BIND_CALL = R_X86_64_JUMP_SLOT, BIND_ADDRESS = R_X86_64_GLOB_DAT, BIND_DATA = R_X86_64_64 };
#elif defined __aarch64__
enum { BIND_CALL = R_AARCH64_JUMP_SLOT, BIND_ADDRESS = R_AARCH64_GLOB_DAT, BIND_DATA = R_AARCH64_ABS64 };
#else
#error "the relocations of this processor are not known"
#endif

struct object {
    uintptr_t base, end;
    const ElfW(Sym) *symbols;
    const char *texts;
    const uint32_t *gnu_hash, *hash;
    uint16_t *versions;
    const ElfW(Rela) *relocations, *calls;
    size_t relocation_count, call_count;
    const volatile char *stands_before; /* of a library of ours: not 0 once it is wanted in this process */
    bool is_ours, is_known;
};

/* False: nothing can be looked up in it. */
bool object_of(const struct dl_phdr_info *info, struct object *object);
uint32_t hash_of(const char *name);
/* The symbol that it defines under this name, hidden only if there is no other; 0: none. */
uint32_t symbol_in(const struct object *object, const char *name, uint32_t hash);
/* One more than the last that it defines. */
uint32_t symbol_count(const struct object *object);
bool is_function(const struct object *object, uint32_t index);
/* From those who ask for no version. */
bool is_hidden(const struct object *object, uint32_t index);
uintptr_t address_of(const struct object *object, uint32_t index);

#endif
