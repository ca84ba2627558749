/* start.c - the entry point that the OpenMP runtime looks up, and the callbacks that we register. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "ompt.h"

static struct openmp_entry *openmp;

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *data)
{
    (void)initial_device, (void)data;
    const ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    if (set_callback == NULL || !mpidbg_region_is_ours())
        return 0;
    for (int number = 1; number < MAX_CALLBACKS; number++)
        if (callback_of(number) != NULL) {
            struct callback_entry *callback = mpidbg_entry(CALLBACKS, (uint32_t)number);
            callback->answer = (uint32_t)set_callback(number, callback_of(number));
        }
    atomic_store(&openmp->state, OPENMP_STARTED);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    if (mpidbg_region_is_ours())
        atomic_store(&openmp->state, OPENMP_ENDED);
}

static void stand_back(const char *for_tool)
{
    atomic_store(&openmp->other, mpidbg_text(for_tool));
    atomic_store(&openmp->state, OPENMP_OTHER_TOOL);
}

/* The file that this function is in. */
static const char *file_of(void *function)
{
    Dl_info found;
    return dladdr(function, &found) != 0 && found.dli_fname != NULL ? found.dli_fname : "another library";
}

/* There can be only one: a tool of the user's comes first. */
__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t ours = {initialize, finalize, {0}};
    ompt_start_tool_result_t *(*next)(unsigned int, const char *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
    const bool is_told = mpidbg_openmp_is_told != NULL && mpidbg_openmp_is_told();
    ompt_start_tool_result_t *other = next == NULL ? NULL : next(version, runtime);
    if (!is_told)
        return other;
    openmp = mpidbg_entry(OPENMP, 0);
    openmp->version = version;
    atomic_store(&openmp->runtime, mpidbg_text(runtime == NULL ? "" : runtime));
    const char *tools = getenv("OMP_TOOL_LIBRARIES");
    if (other != NULL)
        stand_back(file_of(*(void **)&other->initialize));
    else if (tools != NULL && tools[0] != '\0')
        stand_back(tools);
    else
        return &ours;
    return other;
}
