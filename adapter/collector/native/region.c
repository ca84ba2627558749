/* region.c - makes the region and fills its tables. Its memory is reserved at the start: later writes cannot fail. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/memfd.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "collector.h"

struct region *region;

__attribute__((visibility("default"))) struct descriptor mpidbg_collector = {{REGION_MAGIC}, REGION_VERSION, 0, 0, 0, ""};

static const struct { uint32_t stride, capacity; } shapes[TABLES] = {
    [TEXTS] = {1, 1536 * 1024},
    [VALUES] = {8, 256 * 1024},
    [ENUMS] = {sizeof(struct enum_entry), 2048},
    [ENUM_ITEMS] = {sizeof(struct enum_item), 16 * 1024},
    [PVARS] = {sizeof(struct pvar_entry), 4096},
    [INSTANCES] = {sizeof(struct instance_entry), 16 * 1024},
    [CVARS] = {sizeof(struct cvar_entry), 8192},
    [CATEGORIES] = {sizeof(struct category_entry), 4096},
    [MEMBERS] = {sizeof(uint32_t), 64 * 1024},
    [DENIED] = {sizeof(struct denied_entry), 512},
    [HINTS] = {sizeof(struct hint_entry), 1024},
    [SOURCES] = {sizeof(struct source_entry), 64},
    [EVENT_TYPES] = {sizeof(struct event_type_entry), 1024},
    [ELEMENTS] = {sizeof(struct element_entry), 8192},
    [REGISTRATIONS] = {sizeof(struct registration_entry), 8192},
    [RINGS] = {sizeof(struct ring_entry), 2 * MAX_RINGS},
    [SLOTS] = {sizeof(struct slot), RING_SLOTS + OMPT_SLOTS},
    [REQUESTS] = {sizeof(struct request_entry), 1},
    [FUNCTIONS] = {sizeof(struct function_entry), MAX_FUNCTIONS},
    [CALLING] = {sizeof(struct calling_entry), MAX_RINGS},
    [COMMS] = {sizeof(struct comm_entry), 8192},
    [LIVES] = {sizeof(struct life_entry), MAX_LIVES},
    [OPENMP] = {sizeof(struct openmp_entry), 1},
    [CALLBACKS] = {sizeof(struct callback_entry), MAX_CALLBACKS},
    [OMP_THREADS] = {sizeof(struct omp_thread_entry), MAX_RINGS},
    [PARALLELS] = {sizeof(struct omp_scope), 1024},
    [TASKS] = {sizeof(struct omp_scope), 2048},
    [DEVICES] = {sizeof(struct device_entry), 64},
    [IMAGES] = {sizeof(struct image_entry), 256},
};

static uint64_t clock_now(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

uint64_t now(void)
{
    return clock_now(CLOCK_MONOTONIC);
}

/* When the library was loaded: what a call that makes the region has done before is on the region's clock, too. */
static uint64_t loaded;

static void __attribute__((constructor)) note_time(void)
{
    loaded = now();
}

static uint64_t aligned(uint64_t offset)
{
    return (offset + 63) & ~(uint64_t)63;
}

/* Without anything to record there are no rings. */
static uint32_t capacity_of(int table, uint32_t collects)
{
    const bool is_of_calls = table == FUNCTIONS || table == CALLING || table == COMMS || table == LIVES;
    if (table == RINGS)
        return MAX_RINGS * rings_wanted(collects);
    if (table == SLOTS)
        return slots_wanted(collects);
    if (table >= OPENMP)
        return (collects & COLLECT_OMPT) == 0 ? 0 : shapes[table].capacity;
    return is_of_calls && (collects & COLLECT_CALLS) == 0 ? 0 : shapes[table].capacity;
}

static uint64_t size_of_all(uint32_t collects)
{
    uint64_t size = aligned(sizeof(struct region));
    for (int i = 0; i < TABLES; i++)
        size = aligned(size + (uint64_t)shapes[i].stride * capacity_of(i, collects));
    return (size + 4095) & ~(uint64_t)4095;
}

static bool off(const char *problem)
{
    snprintf(mpidbg_collector.problem, sizeof mpidbg_collector.problem, "%s", problem);
    return false;
}

/* Beyond this limit the kernel does not only refuse, it sends a signal. */
static bool file_may_have(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size;
}

/* Its file, by which a debugger keeps the region when the process is killed; -1: none. */
static int descriptor = -1;

/* Programs expect the numbers of their own files to be as they always are. */
#define FIRST_DESCRIPTOR 500

static void close_in_child(void)
{
    close(descriptor);
    descriptor = -1;
}

static void keep_descriptor(int file)
{
    descriptor = fcntl(file, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    if (descriptor >= 0)
        pthread_atfork(NULL, NULL, close_in_child);
}

/* Memory without a name in any file system, of a size that nobody can change; a core has it by default, a fork has not. */
static void *map_memory(uint64_t size)
{
    const int file = (int)syscall(SYS_memfd_create, "mpidbg-collector", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return NULL;
    void *memory = MAP_FAILED;
    if (ftruncate(file, (off_t)size) == 0 && fallocate(file, 0, 0, (off_t)size) == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) {
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        madvise(memory, size, MADV_DONTFORK);
        keep_descriptor(file);
    }
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

/* A page that the kernel clears in every fork, however it is made. */
static atomic_bool *is_marked;

static bool mark_process(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *made = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return false;
    if (madvise(made, page, MADV_WIPEONFORK) != 0) {
        munmap(made, page);
        return false;
    }
    is_marked = made;
    atomic_store(is_marked, true);
    return true;
}

bool region_is_ours(void)
{
    return is_marked != NULL && atomic_load_explicit(is_marked, memory_order_relaxed);
}

bool region_create(uint32_t collects, uint32_t period)
{
    const uint64_t size = size_of_all(collects);
    if (!file_may_have(size))
        return off("the limit on the size of files (ulimit -f) leaves no room for its memory");
    struct region *made = map_memory(size);
    if (made == NULL || !mark_process())
        return off("there is no memory for it");
    memcpy(made->magic, (const char[]){REGION_MAGIC}, sizeof made->magic);
    made->version = REGION_VERSION;
    made->header_bytes = sizeof *made;
    made->size = size;
    made->pid = (uint32_t)getpid();
    const uint64_t time = now();
    /* 0: the constructor of another library, which comes first, calls this. */
    made->start = loaded != 0 ? loaded : time;
    made->sampled = time;
    made->start_real = clock_now(CLOCK_REALTIME) - (time - made->start);
    made->collects = collects;
    made->period = period;
    made->table_count = TABLES;
    uint64_t offset = aligned(sizeof *made);
    for (int i = 0; i < TABLES; i++) {
        made->tables[i].offset = offset;
        made->tables[i].stride = shapes[i].stride;
        made->tables[i].capacity = capacity_of(i, collects);
        offset = aligned(offset + (uint64_t)shapes[i].stride * made->tables[i].capacity);
    }
    made->tables[TEXTS].count = 1; /* the empty text */
    region = made;
    rings_lay_out();
    /* One for each ring; threads that have none yet are 0. */
    if (collects & COLLECT_CALLS)
        publish(CALLING, MAX_RINGS);
    publish(REQUESTS, 1);
    /* Places that threads take by themselves. */
    for (enum table i = OPENMP; i <= TASKS; i++)
        publish(i, made->tables[i].capacity);
    mpidbg_collector.size = size;
    atomic_store(&mpidbg_collector.address, (uint64_t)(uintptr_t)made);
    return true;
}

void *entry(enum table table, uint32_t index)
{
    const struct table_header *header = &region->tables[table];
    return (char *)region + header->offset + (uint64_t)header->stride * index;
}

uint32_t next_index(enum table table)
{
    return atomic_load(&region->tables[table].count);
}

void *reserve(enum table table, uint32_t entries)
{
    struct table_header *header = &region->tables[table];
    const uint32_t count = atomic_load(&header->count);
    if (entries > header->capacity - count) {
        atomic_fetch_add(&header->refused, entries);
        return NULL;
    }
    return entry(table, count);
}

void publish(enum table table, uint32_t entries)
{
    atomic_fetch_add(&region->tables[table].count, entries);
}

/* Texts that were just stored: datatypes and classes of objects come again and again. */
static uint32_t recent[64];

static uint32_t hash_of(const char *words)
{
    uint32_t hash = 2166136261u;
    for (; *words != '\0'; words++)
        hash = (hash ^ (unsigned char)*words) * 16777619u;
    return hash;
}

uint32_t text(const char *words)
{
    if (words[0] == '\0')
        return 0;
    uint32_t *known = &recent[hash_of(words) % 64];
    if (*known != 0 && strcmp(entry(TEXTS, *known), words) == 0)
        return *known;
    const uint32_t length = (uint32_t)strlen(words) + 1;
    char *to = reserve(TEXTS, length);
    if (to == NULL)
        return 0;
    memcpy(to, words, length);
    *known = next_index(TEXTS);
    publish(TEXTS, length);
    return *known;
}

void reason(_Atomic uint32_t *place, const char *words)
{
    if (strcmp(entry(TEXTS, atomic_load(place)), words) != 0)
        atomic_store(place, text(words));
}
