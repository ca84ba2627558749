/* truth-win.h - what MPI itself and the program tell about a window; see truth.h. */
#ifndef TRUTH_WIN_H
#define TRUTH_WIN_H

#include "truth-refs.h"

/* What the program has done with a window: MPI has no call that tells. */
struct truth_win {
    MPI_Comm comm;         /* that it was made of */
    const char *access;    /* "none", "fence", "start", "lock", "lockAll": the default is "none" */
    const char *exposure;  /* "none", "fence", "post" */
    const char *last_sync; /* "none", "fence", "lock", "unlock", "start", "complete", "post", "wait" */
    int has_no_locks;      /* made with the info no_locks */
};

static void *truth_win_attribute(MPI_Win win, int keyval)
{
    void *value;
    int found;
    MPI_Win_get_attr(win, keyval, &value, &found);
    return found ? value : NULL;
}

static const char *truth_flavor(int flavor)
{
    return flavor == MPI_WIN_FLAVOR_CREATE     ? "create"
           : flavor == MPI_WIN_FLAVOR_ALLOCATE ? "allocate"
           : flavor == MPI_WIN_FLAVOR_DYNAMIC  ? "dynamic"
                                               : "shared";
}

__attribute__((unused)) static void truth_win(const char *expression, MPI_Win win, struct truth_win known)
{
    if (!truth_is_wanted)
        return;
    truth_begin_line(NULL, expression);
    truth_add(",\"kind\":\"win\",\"info\":{\"handle\":\"0x%lx\",\"fortranHandle\":%d", TRUTH_HANDLE(win), (int)MPI_Win_c2f(win));
    if (win == MPI_WIN_NULL) {
        truth_add(",\"name\":\"MPI_WIN_NULL\",\"flags\":[\"predefined\",\"winNull\"]}}");
        truth_print();
        return;
    }
    char name[MPI_MAX_OBJECT_NAME];
    int name_length, size;
    MPI_Group group;
    MPI_Errhandler handler;
    MPI_Win_get_name(win, name, &name_length);
    truth_add(",\"name\":");
    truth_add_string(name);
    truth_add(",\"flags\":[%s]", known.has_no_locks ? "\"noLocks\"" : "");
    truth_add(",\"base\":\"0x%lx\",\"bytes\":%ld,\"dispUnit\":%d",
              (unsigned long)(uintptr_t)truth_win_attribute(win, MPI_WIN_BASE),
              (long)*(MPI_Aint *)truth_win_attribute(win, MPI_WIN_SIZE),
              *(int *)truth_win_attribute(win, MPI_WIN_DISP_UNIT));
    truth_add(",\"flavor\":\"%s\",\"model\":\"%s\"",
              truth_flavor(*(int *)truth_win_attribute(win, MPI_WIN_CREATE_FLAVOR)),
              *(int *)truth_win_attribute(win, MPI_WIN_MODEL) == MPI_WIN_UNIFIED ? "unified" : "separate");
    truth_add_comm_ref("comm", known.comm);
    MPI_Win_get_group(win, &group);
    MPI_Group_size(group, &size);
    truth_add_ref("group", "group", TRUTH_HANDLE(group), "");
    truth_add(",\"size\":%d", size);
    MPI_Group_free(&group);
    MPI_Win_get_errhandler(win, &handler);
    truth_add_errhandler_ref(handler);
    truth_add(",\"epoch\":{\"access\":\"%s\",\"exposure\":\"%s\"},\"lastSync\":\"%s\"}}",
              known.access == NULL ? "none" : known.access, known.exposure == NULL ? "none" : known.exposure,
              known.last_sync == NULL ? "none" : known.last_sync);
    truth_print();
}

#endif
