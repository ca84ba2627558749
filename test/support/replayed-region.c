/*
 * replayed-region.c - a stand-in: replays a recorded region. An ordinary MPI program that maps a region of the collector which was
 * recorded elsewhere, of a library that has MPI_T events, just as the collector maps its own (adapter/collector/native/region.c).
 *
 *     mpirun -n 2 replayed-region FOLDER COMM0 COMM1      FOLDER/region.RANK: the bytes of the region of a rank
 *
 * Two things are not as they were recorded. The region says that events alone are collected, since nothing else is in the
 * recording. And where an event names the communicator COMM (of each rank, hexadecimal), it names this program's "ocean"
 * instead, because the recorded one was in another process.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "region.h"

/* By this symbol a debugger finds the region. */
struct descriptor mpidbg_collector = {{REGION_MAGIC}, REGION_VERSION, 0, 0, 0, ""};

static FILE *region_of_rank(const char *folder, int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/region.%d", folder, rank);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return file;
}

static struct region *replay(FILE *recorded)
{
    fseek(recorded, 0, SEEK_END);
    const long size = ftell(recorded);
    rewind(recorded);
    const int file = (int)syscall(SYS_memfd_create, "mpidbg-collector", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, size) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    struct region *region = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (region == MAP_FAILED || fread(region, 1, (size_t)size, recorded) != (size_t)size)
        MPI_Abort(MPI_COMM_WORLD, 1);
    region->collects = COLLECT_EVENTS;
    mpidbg_collector.size = (uint64_t)size;
    atomic_store(&mpidbg_collector.address, (uint64_t)(uintptr_t)region);
    return region;
}

static void name_in_events(struct region *region, uint64_t recorded, MPI_Comm comm)
{
    uint64_t *words = (uint64_t *)((char *)region + region->tables[SLOTS].offset);
    const size_t count = (size_t)region->tables[SLOTS].count * sizeof(struct slot) / sizeof *words;
    for (size_t i = 0; i < count; i++)
        if (words[i] == recorded)
            words[i] = (uint64_t)(uintptr_t)comm;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    if (argc != 4 || rank > 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    FILE *recorded = region_of_rank(argv[1], rank);
    name_in_events(replay(recorded), strtoull(argv[2 + rank], NULL, 16), ocean);
    fclose(recorded);
    MPI_Barrier(MPI_COMM_WORLD);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause(); /* core files are made of it here */
}
