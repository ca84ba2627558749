/* truth-refs.h - one handle that belongs to another, as {"kind":...,"handle":...,"name":...}; see truth.h. */
#ifndef TRUTH_REFS_H
#define TRUTH_REFS_H

#include "truth.h"

/* An MPI_File is a pointer in MPICH, too. */
#define TRUTH_FILE(file) ((unsigned long)(uintptr_t)(file))

/* A function of the program, as a debugger shows it. */
#define TRUTH_CALLBACK(function) \
    truth_add(",\"callback\":{\"address\":\"0x%lx\",\"symbol\":\"" #function "\",\"language\":\"c\"}", \
              (unsigned long)(uintptr_t)(function))

__attribute__((unused)) static void truth_add_ref(const char *field, const char *kind, unsigned long handle, const char *name)
{
    truth_add(",\"%s\":{\"kind\":\"%s\",\"handle\":\"0x%lx\"", field, kind, handle);
    if (*name != '\0') {
        truth_add(",\"name\":");
        truth_add_string(name);
    }
    truth_add("}");
}

__attribute__((unused)) static void truth_add_comm_ref(const char *field, MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(comm, name, &length);
    truth_add_ref(field, "comm", TRUTH_HANDLE(comm), name);
}

__attribute__((unused)) static void truth_add_datatype_ref(const char *field, MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(type, name, &length);
    truth_add_ref(field, "datatype", TRUTH_HANDLE(type), name);
}

__attribute__((unused)) static void truth_add_win_ref(const char *field, MPI_Win win)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Win_get_name(win, name, &length);
    truth_add_ref(field, "win", TRUTH_HANDLE(win), name);
}

#endif
