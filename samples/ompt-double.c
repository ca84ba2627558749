/*
 * ompt-double.c - a test double: it plays an OpenMP runtime and a device that traces, and calls every callback of OMPT once, with
 * what it tells. No released runtime calls them all, and none of LLVM traces devices. With --truth, for each record in its order:
 *
 *     OMPT {"type":"work","endpoint":"begin","fields":{"wstype":"loop",...}}
 *     TRACED {"type":"target_submit","fields":{"host_op_id":7,...}}
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <string.h>
#include "truth.h"

enum { CALLBACKS = 40, DEVICE = 1 };
/* ompt_dispatch_ws_loop_chunk, which the header of LLVM 14 does not have. */
enum { WS_LOOP_CHUNK = 3 };
static ompt_callback_t callbacks[CALLBACKS];
#define RAISE(name, ...) ((ompt_callback_##name##_t)callbacks[ompt_callback_##name])(__VA_ARGS__)
/* Where the types are shared. */
#define RAISE_AS(name, type, ...) ((ompt_callback_##type##_t)callbacks[ompt_callback_##name])(__VA_ARGS__)
#define TELL(...) (truth_is_wanted ? (truth_add("OMPT " __VA_ARGS__), truth_print()) : (void)0)
#define TELL_TRACED(...) (truth_is_wanted ? (truth_add("TRACED " __VA_ARGS__), truth_print()) : (void)0)
#define CODE ((const void *)0x1234)
#define TOLD_CODE "\"codeptr_ra\":\"0x1234\""

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    callbacks[event] = callback;
    return event == ompt_callback_flush ? ompt_set_sometimes : event == ompt_callback_cancel ? ompt_set_never
         : event == ompt_callback_error ? ompt_set_impossible : event == ompt_callback_work ? ompt_set_sometimes_paired : ompt_set_always;
}

static ompt_interface_fn_t lookup(const char *name)
{
    return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}

/* The device: a buffer of records, one behind the other. */
static ompt_callback_buffer_request_t request;
static ompt_callback_buffer_complete_t complete;
static ompt_record_ompt_t traced[] = {
    {ompt_callback_target, 1000, 3, 4, {.target = {ompt_target_enter_data, ompt_scope_begin, DEVICE, 5, 4, CODE}}},
    {ompt_callback_target_data_op, 2000, 3, 4,
     {.target_data_op = {7, ompt_target_data_transfer_to_device, (void *)0x10, 0, (void *)0x20, DEVICE, 64, 2500, CODE}}},
    {ompt_callback_target_submit, 3000, 3, 4, {.target_kernel = {8, 16, 12, 3500}}},
    {ompt_callback_parallel_begin, 4000, 9, 4, {.parallel_begin = {1, 2, 32, ompt_parallel_team, CODE}}},
    {ompt_callback_implicit_task, 5000, 9, 4, {.implicit_task = {ompt_scope_end, 2, 6, 32, 11, ompt_task_implicit}}},
    {ompt_callback_task_schedule, 6000, 9, 4, {.task_schedule = {6, ompt_task_yield, 7}}},
    {ompt_callback_dependences, 7000, 9, 4, {.dependences = {6, {{.value = 0x40}, ompt_dependence_type_sink}, 1}}},
    {ompt_callback_cancel, 8000, 9, 4, {.cancel = {6, ompt_cancel_loop | ompt_cancel_detected, CODE}}},
};

static int start_trace(ompt_device_t *device, ompt_callback_buffer_request_t asks, ompt_callback_buffer_complete_t answers)
{
    (void)device;
    request = asks;
    complete = answers;
    return 1;
}

static int stop_trace(ompt_device_t *device)
{
    (void)device;
    return 1;
}

static int advance(ompt_device_t *device, ompt_buffer_t *buffer, size_t size, ompt_buffer_cursor_t at, ompt_buffer_cursor_t *next)
{
    (void)device, (void)buffer;
    *next = at + sizeof *traced;
    return *next < size;
}

static ompt_record_t type_of(ompt_buffer_t *buffer, ompt_buffer_cursor_t at)
{
    (void)buffer, (void)at;
    return ompt_record_ompt;
}

static ompt_record_ompt_t *record_of(ompt_buffer_t *buffer, ompt_buffer_cursor_t at)
{
    return (ompt_record_ompt_t *)((char *)buffer + at);
}

static ompt_interface_fn_t lookup_of_device(const char *name)
{
    const struct { const char *name; ompt_interface_fn_t function; } known[] = {
        {"ompt_start_trace", (ompt_interface_fn_t)start_trace}, {"ompt_stop_trace", (ompt_interface_fn_t)stop_trace},
        {"ompt_advance_buffer_cursor", (ompt_interface_fn_t)advance}, {"ompt_get_record_type", (ompt_interface_fn_t)type_of},
        {"ompt_get_record_ompt", (ompt_interface_fn_t)record_of}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].function;
    return NULL;
}

static void trace(void)
{
    ompt_buffer_t *buffer = NULL;
    size_t bytes = 0;
    if (request == NULL)
        return;
    request(DEVICE, &buffer, &bytes);
    memcpy(buffer, traced, sizeof traced);
    complete(DEVICE, buffer, sizeof traced, 0, 1);
    TELL_TRACED("{\"type\":\"target\",\"fields\":{\"kind\":\"enter_data\",\"endpoint\":\"begin\",\"device_num\":1,\"task_id\":5,\"target_id\":4," TOLD_CODE "}}");
    TELL_TRACED("{\"type\":\"target_data_op\",\"fields\":{\"host_op_id\":7,\"optype\":\"transfer_to_device\",\"src_addr\":\"0x10\",\"src_device_num\":0,"
                "\"dest_addr\":\"0x20\",\"dest_device_num\":1,\"bytes\":64,\"end_time\":2500," TOLD_CODE "}}");
    TELL_TRACED("{\"type\":\"target_submit\",\"fields\":{\"host_op_id\":8,\"requested_num_teams\":16,\"granted_num_teams\":12,\"end_time\":3500}}");
    TELL_TRACED("{\"type\":\"parallel_begin\",\"fields\":{\"encountering_task_id\":1,\"parallel_id\":2,\"requested_parallelism\":32,\"flags\":[\"team\"]," TOLD_CODE "}}");
    TELL_TRACED("{\"type\":\"implicit_task\",\"fields\":{\"endpoint\":\"end\",\"parallel_id\":2,\"task_id\":6,\"actual_parallelism\":32,\"index\":11,\"flags\":[\"implicit\"]}}");
    TELL_TRACED("{\"type\":\"task_schedule\",\"fields\":{\"prior_task_id\":6,\"prior_task_status\":\"yield\",\"next_task_id\":7}}");
    TELL_TRACED("{\"type\":\"dependences\",\"fields\":{\"task_id\":6,\"ndeps\":1,\"dep\":[{\"variable\":\"0x40\",\"dependence_type\":\"sink\"}]}}");
    TELL_TRACED("{\"type\":\"cancel\",\"fields\":{\"task_id\":6,\"flags\":[\"loop\",\"detected\"]," TOLD_CODE "}}");
}

/* Ids are what the tool has written into our data. */
static ompt_data_t thread, parallel, task, explicit_task, target_data, target_task;
#define ID(data) (unsigned long)(data).value

static void threads_and_tasks(void)
{
    RAISE(thread_begin, ompt_thread_initial, &thread);
    TELL("{\"type\":\"thread_begin\",\"fields\":{\"thread_type\":\"initial\"}}");
    ompt_data_t brief = {.value = 0};
    RAISE(parallel_begin, &task, NULL, &brief, 0, ompt_parallel_team, NULL);
    TELL("{\"type\":\"parallel_begin\",\"fields\":{\"encountering_task_id\":0,\"parallel_id\":%lu,\"requested_parallelism\":0,"
         "\"flags\":[\"team\"],\"codeptr_ra\":null}}", ID(brief));
    RAISE(parallel_end, &brief, &task, ompt_parallel_team, CODE);
    TELL("{\"type\":\"parallel_end\",\"fields\":{\"parallel_id\":%lu,\"encountering_task_id\":0,\"flags\":[\"team\"]," TOLD_CODE "}}", ID(brief));
    RAISE(parallel_begin, &task, NULL, &parallel, 3, ompt_parallel_invoker_runtime | ompt_parallel_league, CODE);
    TELL("{\"type\":\"parallel_begin\",\"fields\":{\"encountering_task_id\":0,\"parallel_id\":%lu,\"requested_parallelism\":3,"
         "\"flags\":[\"invoker_runtime\",\"league\"]," TOLD_CODE "}}", ID(parallel));
    RAISE(implicit_task, ompt_scope_begin, &parallel, &task, 3, 0, ompt_task_implicit);
    TELL("{\"type\":\"implicit_task\",\"endpoint\":\"begin\",\"fields\":{\"endpoint\":\"begin\",\"parallel_id\":%lu,\"task_id\":%lu,"
         "\"actual_parallelism\":3,\"index\":0,\"flags\":[\"implicit\"]}}", ID(parallel), ID(task));
    RAISE(task_create, &task, NULL, &explicit_task, ompt_task_explicit | ompt_task_untied, 1, CODE);
    TELL("{\"type\":\"task_create\",\"fields\":{\"encountering_task_id\":%lu,\"new_task_id\":%lu,\"flags\":[\"explicit\",\"untied\"],"
         "\"has_dependences\":1," TOLD_CODE "}}", ID(task), ID(explicit_task));
    const ompt_dependence_t depends[] = {{{.ptr = (void *)0x50}, ompt_dependence_type_in}, {{.ptr = (void *)0x60}, ompt_dependence_type_inoutset}};
    RAISE(dependences, &explicit_task, depends, 2);
    TELL("{\"type\":\"dependences\",\"fields\":{\"task_id\":%lu,\"ndeps\":2,\"dep\":[{\"variable\":\"0x50\",\"dependence_type\":\"in\"},"
         "{\"variable\":\"0x60\",\"dependence_type\":\"inoutset\"}]}}", ID(explicit_task));
    RAISE(task_dependence, &task, &explicit_task);
    TELL("{\"type\":\"task_dependence\",\"fields\":{\"src_task_id\":%lu,\"sink_task_id\":%lu}}", ID(task), ID(explicit_task));
    RAISE(task_schedule, &task, ompt_task_switch, &explicit_task);
    TELL("{\"type\":\"task_schedule\",\"fields\":{\"prior_task_id\":%lu,\"prior_task_status\":\"switch\",\"next_task_id\":%lu}}", ID(task), ID(explicit_task));
    RAISE(work, ompt_work_taskloop, ompt_scope_begin, &parallel, &task, 1l << 60, CODE);
    TELL("{\"type\":\"work\",\"endpoint\":\"begin\",\"fields\":{\"wstype\":\"taskloop\",\"endpoint\":\"begin\",\"parallel_id\":%lu,\"task_id\":%lu,"
         "\"count\":\"1152921504606846976\"," TOLD_CODE "}}", ID(parallel), ID(task));
    RAISE(dispatch, &parallel, &task, ompt_dispatch_iteration, (ompt_data_t){.value = 99});
    TELL("{\"type\":\"dispatch\",\"fields\":{\"parallel_id\":%lu,\"task_id\":%lu,\"kind\":\"iteration\",\"instance\":99}}", ID(parallel), ID(task));
    const struct { uint64_t start, iterations; } chunk = {4096, 7};
    RAISE(dispatch, &parallel, &task, (ompt_dispatch_t)WS_LOOP_CHUNK, (ompt_data_t){.ptr = (void *)&chunk});
    TELL("{\"type\":\"dispatch\",\"fields\":{\"parallel_id\":%lu,\"task_id\":%lu,\"kind\":\"ws_loop_chunk\",\"instance\":%lu,"
         "\"start\":4096,\"iterations\":7}}", ID(parallel), ID(task), (unsigned long)(uintptr_t)&chunk);
    RAISE(masked, ompt_scope_end, &parallel, &task, CODE);
    TELL("{\"type\":\"masked\",\"endpoint\":\"end\",\"fields\":{\"endpoint\":\"end\",\"parallel_id\":%lu,\"task_id\":%lu," TOLD_CODE "}}", ID(parallel), ID(task));
}

static void synchronisation(void)
{
    const struct { int number; const char *name; } syncs[] = {{ompt_callback_sync_region, "sync_region"},
        {ompt_callback_sync_region_wait, "sync_region_wait"}, {ompt_callback_reduction, "reduction"}};
    for (int i = 0; i < 3; i++) {
        ((ompt_callback_sync_region_t)callbacks[syncs[i].number])(ompt_sync_region_taskgroup, ompt_scope_beginend, &parallel, &task, CODE);
        TELL("{\"type\":\"%s\",\"endpoint\":\"beginend\",\"fields\":{\"kind\":\"taskgroup\",\"endpoint\":\"beginend\",\"parallel_id\":%lu,\"task_id\":%lu,"
             TOLD_CODE "}}", syncs[i].name, ID(parallel), ID(task));
    }
    RAISE_AS(lock_init, mutex_acquire, ompt_mutex_nest_lock, 4, 1, 0x70, CODE);
    TELL("{\"type\":\"lock_init\",\"fields\":{\"kind\":\"nest_lock\",\"hint\":4,\"impl\":1,\"wait_id\":\"0x70\"," TOLD_CODE "}}");
    RAISE(mutex_acquire, ompt_mutex_nest_lock, 4, 1, 0x70, CODE);
    TELL("{\"type\":\"mutex_acquire\",\"fields\":{\"kind\":\"nest_lock\",\"hint\":4,\"impl\":1,\"wait_id\":\"0x70\"," TOLD_CODE "}}");
    RAISE_AS(mutex_acquired, mutex, ompt_mutex_nest_lock, 0x70, CODE);
    TELL("{\"type\":\"mutex_acquired\",\"fields\":{\"kind\":\"nest_lock\",\"wait_id\":\"0x70\"," TOLD_CODE "}}");
    RAISE(nest_lock, ompt_scope_begin, 0x70, CODE);
    TELL("{\"type\":\"nest_lock\",\"endpoint\":\"begin\",\"fields\":{\"endpoint\":\"begin\",\"wait_id\":\"0x70\"," TOLD_CODE "}}");
    RAISE_AS(mutex_released, mutex, ompt_mutex_nest_lock, 0x70, CODE);
    TELL("{\"type\":\"mutex_released\",\"fields\":{\"kind\":\"nest_lock\",\"wait_id\":\"0x70\"," TOLD_CODE "}}");
    RAISE_AS(lock_destroy, mutex, ompt_mutex_lock, 0x80, CODE);
    TELL("{\"type\":\"lock_destroy\",\"fields\":{\"kind\":\"lock\",\"wait_id\":\"0x80\"," TOLD_CODE "}}");
    /* What is held and waited for when the debugger looks. */
    RAISE_AS(mutex_acquired, mutex, ompt_mutex_test_lock, 0x90, CODE);
    TELL("{\"type\":\"mutex_acquired\",\"fields\":{\"kind\":\"test_lock\",\"wait_id\":\"0x90\"," TOLD_CODE "}}");
    RAISE(flush, &thread, CODE);
    TELL("{\"type\":\"flush\",\"fields\":{" TOLD_CODE "}}");
    RAISE(cancel, &task, ompt_cancel_taskgroup | ompt_cancel_activated, CODE);
    TELL("{\"type\":\"cancel\",\"fields\":{\"task_id\":%lu,\"flags\":[\"taskgroup\",\"activated\"]," TOLD_CODE "}}", ID(task));
    if (RAISE(control_tool, 64, 3, NULL, CODE) < 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    TELL("{\"type\":\"control_tool\",\"fields\":{\"command\":64,\"modifier\":3," TOLD_CODE "}}");
    RAISE(error, ompt_fatal, "no more coffee", 14, CODE);
    TELL("{\"type\":\"error\",\"fields\":{\"severity\":\"fatal\",\"length\":14," TOLD_CODE ",\"message\":\"no more coffee\"}}");
}

static void targets(void)
{
    void *host[] = {(void *)0xa0, (void *)0xb0}, *device[] = {(void *)0xc0, (void *)0xd0};
    size_t bytes[] = {8, 16};
    unsigned int flags[] = {ompt_target_map_flag_to | ompt_target_map_flag_from, ompt_target_map_flag_alloc};
    ompt_id_t operation = 0;
    RAISE(device_initialize, DEVICE, "test double", (ompt_device_t *)0xe0, lookup_of_device, "not a device");
    TELL("{\"type\":\"device_initialize\",\"fields\":{\"device_num\":1,\"type\":\"test double\",\"device\":\"0xe0\",\"lookup\":\"0x%lx\","
         "\"documentation\":\"not a device\"}}", (unsigned long)lookup_of_device);
    RAISE(device_load, DEVICE, "x.o", -1, (void *)0xf0, 4096, (void *)0x100, (void *)0x110, 5);
    TELL("{\"type\":\"device_load\",\"fields\":{\"device_num\":1,\"filename\":\"x.o\",\"offset_in_file\":-1,\"vma_in_file\":\"0xf0\",\"bytes\":4096,"
         "\"host_addr\":\"0x100\",\"device_addr\":\"0x110\",\"module_id\":5}}");
    RAISE(device_unload, DEVICE, 6);
    TELL("{\"type\":\"device_unload\",\"fields\":{\"device_num\":1,\"module_id\":6}}");
    RAISE(target, ompt_target_nowait, ompt_scope_beginend, DEVICE, &task, 21, CODE);
    TELL("{\"type\":\"target\",\"endpoint\":\"beginend\",\"fields\":{\"kind\":\"nowait\",\"endpoint\":\"beginend\",\"device_num\":1,\"task_id\":%lu,"
         "\"target_id\":21," TOLD_CODE "}}", ID(task));
    RAISE(target_data_op, 21, 22, ompt_target_data_alloc_async, (void *)0x10, -1, (void *)0x20, DEVICE, 32, CODE);
    TELL("{\"type\":\"target_data_op\",\"fields\":{\"host_op_id\":22,\"optype\":\"alloc_async\",\"src_addr\":\"0x10\",\"src_device_num\":-1,"
         "\"dest_addr\":\"0x20\",\"dest_device_num\":1,\"bytes\":32," TOLD_CODE "}}");
    RAISE(target_submit, 21, 23, 4);
    TELL("{\"type\":\"target_submit\",\"fields\":{\"host_op_id\":23,\"requested_num_teams\":4}}");
    RAISE(target_map, 21, 2, host, device, bytes, flags, CODE);
    TELL("{\"type\":\"target_map\",\"fields\":{\"target_id\":21,\"nitems\":2," TOLD_CODE ",\"host_addr\":[\"0xa0\",\"0xb0\"],"
         "\"device_addr\":[\"0xc0\",\"0xd0\"],\"bytes\":[8,16],\"mapping_flags\":[\"to from\",\"alloc\"]}}");
    RAISE(target_emi, ompt_target_update, ompt_scope_begin, DEVICE, &task, &target_task, &target_data, CODE);
    TELL("{\"type\":\"target_emi\",\"endpoint\":\"begin\",\"fields\":{\"kind\":\"update\",\"endpoint\":\"begin\",\"device_num\":1,\"task_id\":%lu,"
         "\"target_id\":%lu," TOLD_CODE "}}", ID(task), ID(target_data));
    RAISE(target_data_op_emi, ompt_scope_begin, &target_task, &target_data, &operation, ompt_target_data_associate, NULL, 0, (void *)0x20, DEVICE, 8, CODE);
    TELL("{\"type\":\"target_data_op_emi\",\"endpoint\":\"begin\",\"fields\":{\"host_op_id\":%lu,\"optype\":\"associate\",\"src_addr\":null,"
         "\"src_device_num\":0,\"dest_addr\":\"0x20\",\"dest_device_num\":1,\"bytes\":8," TOLD_CODE "}}", (unsigned long)operation);
    RAISE(target_submit_emi, ompt_scope_end, &target_data, &operation, 2);
    TELL("{\"type\":\"target_submit_emi\",\"endpoint\":\"end\",\"fields\":{\"host_op_id\":%lu,\"requested_num_teams\":2}}", (unsigned long)operation);
    RAISE(target_map_emi, &target_data, 0, NULL, NULL, NULL, NULL, NULL);
    TELL("{\"type\":\"target_map_emi\",\"fields\":{\"target_id\":%lu,\"nitems\":0,\"codeptr_ra\":null,\"host_addr\":[],\"device_addr\":[],"
         "\"bytes\":[],\"mapping_flags\":[]}}", ID(target_data));
    trace();
}

int main(int argc, char **argv)
{
    int rank, size;
    ompt_start_tool_result_t *(*start)(unsigned int, const char *) = NULL;
    truth_start(&argc, &argv, &rank, &size);
    *(void **)&start = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    ompt_start_tool_result_t *tool = start == NULL ? NULL : start(202011, "test double of an OpenMP runtime");
    if (tool != NULL && tool->initialize(lookup, 0, &tool->tool_data)) {
        threads_and_tasks();
        synchronisation();
        targets();
    }
    wait_for_debugger(); /* stop: waiting */
    MPI_Finalize();
    return 0;
}
