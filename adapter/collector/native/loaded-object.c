/* loaded-object.c - lookups in one object, as the dynamic linker does them. */
#define _GNU_SOURCE
#include "loaded-object.h"
#include <string.h>

static void read_dynamic(struct object *object, const ElfW(Dyn) *entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        /* The dynamic linker adds the base where it can write to this section. */
        const uintptr_t told = entry->d_un.d_ptr, at = told < object->base ? object->base + told : told;
        switch (entry->d_tag) {
        case DT_SYMTAB: object->symbols = (const void *)at; break;
        case DT_STRTAB: object->texts = (const void *)at; break;
        case DT_GNU_HASH: object->gnu_hash = (const void *)at; break;
        case DT_HASH: object->hash = (const void *)at; break;
        case DT_VERSYM: object->versions = (void *)at; break;
        case DT_RELA: object->relocations = (const void *)at; break;
        case DT_JMPREL: object->calls = (const void *)at; break;
        case DT_RELASZ: object->relocation_count = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        case DT_PLTRELSZ: object->call_count = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        }
    }
}

bool object_of(const struct dl_phdr_info *info, struct object *object)
{
    *object = (struct object){.base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        if (part->p_type == PT_LOAD && end > object->end)
            object->end = end;
        if (part->p_type == PT_DYNAMIC)
            read_dynamic(object, (const void *)(info->dlpi_addr + part->p_vaddr));
    }
    if (object->relocations == NULL)
        object->relocation_count = 0;
    if (object->calls == NULL)
        object->call_count = 0;
    return object->symbols != NULL && object->texts != NULL && (object->gnu_hash != NULL || object->hash != NULL);
}

uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static uint32_t old_hash_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name != '\0'; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return hash;
}

/* DT_GNU_HASH. `chain` counts from the first symbol of the table, which may have undefined ones before those that it lists. */
struct gnu_hash { uint32_t buckets, first, words, shift; const uint64_t *bloom; const uint32_t *bucket, *chain; };

static struct gnu_hash gnu_hash_of(const struct object *object)
{
    const uint32_t *head = object->gnu_hash;
    const uint64_t *bloom = (const uint64_t *)(head + 4);
    const uint32_t *bucket = (const uint32_t *)(bloom + head[2]);
    return (struct gnu_hash){head[0], head[1], head[2], head[3], bloom, bucket, bucket + head[0] - head[1]};
}

static bool is_defined(const struct object *object, uint32_t index)
{
    return object->symbols[index].st_shndx != SHN_UNDEF && object->symbols[index].st_value != 0;
}

static bool defines(const struct object *object, uint32_t index, const char *name)
{
    return is_defined(object, index) && strcmp(object->texts + object->symbols[index].st_name, name) == 0;
}

static uint32_t in_gnu_hash(const struct object *object, const char *name, uint32_t hash)
{
    const struct gnu_hash table = gnu_hash_of(object);
    if (table.buckets == 0 || table.words == 0)
        return 0;
    const uint64_t word = table.bloom[hash / 64 % table.words];
    if (!(word >> hash % 64 & word >> (hash >> table.shift) % 64 & 1))
        return 0;
    uint32_t index = table.bucket[hash % table.buckets], hidden = 0;
    if (index == 0)
        return 0;
    for (;; index++) {
        if ((table.chain[index] | 1) == (hash | 1) && defines(object, index, name)) {
            if (!is_hidden(object, index))
                return index;
            hidden = index;
        }
        if (table.chain[index] & 1)
            return hidden;
    }
}

uint32_t symbol_in(const struct object *object, const char *name, uint32_t hash)
{
    if (object->gnu_hash != NULL)
        return in_gnu_hash(object, name, hash);
    const uint32_t buckets = object->hash[0], *bucket = object->hash + 2, *chain = bucket + buckets;
    if (buckets == 0)
        return 0;
    uint32_t hidden = 0;
    for (uint32_t index = bucket[old_hash_of(name) % buckets]; index != 0; index = chain[index]) {
        if (!defines(object, index, name))
            continue;
        if (!is_hidden(object, index))
            return index;
        hidden = index;
    }
    return hidden;
}

uint32_t symbol_count(const struct object *object)
{
    if (object->gnu_hash == NULL)
        return object->hash[1];
    const struct gnu_hash table = gnu_hash_of(object);
    uint32_t last = 0;
    for (uint32_t i = 0; i < table.buckets; i++)
        if (table.bucket[i] > last)
            last = table.bucket[i];
    if (last == 0)
        return 0;
    while (!(table.chain[last] & 1))
        last++;
    return last + 1;
}

bool is_function(const struct object *object, uint32_t index)
{
    return is_defined(object, index) && ELF64_ST_TYPE(object->symbols[index].st_info) == STT_FUNC;
}

bool is_hidden(const struct object *object, uint32_t index)
{
    return object->versions != NULL && object->versions[index] & 0x8000;
}

uintptr_t address_of(const struct object *object, uint32_t index)
{
    return object->base + object->symbols[index].st_value;
}
