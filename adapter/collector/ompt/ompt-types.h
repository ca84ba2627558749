/*
 * ompt-types.h - OMPT as the OpenMP API Specification 5.1 defines it (chapter 4): what the collector uses of it. Compilers do not
 * always bring omp-tools.h. samples/ompt-double.c is compiled with the real header: a test shows that both agree on what it raises.
 */
#ifndef MPIDBG_OMPT_TYPES_H
#define MPIDBG_OMPT_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef union ompt_data_t { uint64_t value; void *ptr; } ompt_data_t;
typedef struct ompt_frame_t ompt_frame_t;
typedef uint64_t ompt_id_t, ompt_wait_id_t, ompt_device_time_t, ompt_buffer_cursor_t;
typedef void ompt_device_t, ompt_buffer_t;
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data);
typedef void (*ompt_finalize_t)(ompt_data_t *tool_data);
typedef struct ompt_start_tool_result_t {
    ompt_initialize_t initialize;
    ompt_finalize_t finalize;
    ompt_data_t tool_data;
} ompt_start_tool_result_t;
typedef int (*ompt_set_callback_t)(int event, ompt_interface_fn_t callback);

/* The name of each callback, and its number. */
#define OMPT_CALLBACKS(C)                                                                                                \
    C(thread_begin, 1) C(thread_end, 2) C(parallel_begin, 3) C(parallel_end, 4) C(task_create, 5) C(task_schedule, 6)    \
    C(implicit_task, 7) C(target, 8) C(target_data_op, 9) C(target_submit, 10) C(control_tool, 11)                       \
    C(device_initialize, 12) C(device_finalize, 13) C(device_load, 14) C(device_unload, 15) C(sync_region_wait, 16)      \
    C(mutex_released, 17) C(dependences, 18) C(task_dependence, 19) C(work, 20) C(masked, 21) C(target_map, 22)          \
    C(sync_region, 23) C(lock_init, 24) C(lock_destroy, 25) C(mutex_acquire, 26) C(mutex_acquired, 27) C(nest_lock, 28)  \
    C(flush, 29) C(cancel, 30) C(reduction, 31) C(dispatch, 32) C(target_emi, 33) C(target_data_op_emi, 34)              \
    C(target_submit_emi, 35) C(target_map_emi, 36) C(error, 37)
#define C(name, number) ompt_callback_##name = number,
enum { OMPT_CALLBACKS(C) };
#undef C

enum { ompt_scope_begin = 1, ompt_scope_end = 2, ompt_scope_beginend = 3 };
enum { ompt_task_complete = 1, ompt_task_cancel = 3, ompt_task_late_fulfill = 6, ompt_taskwait_complete = 8 };
enum { ompt_mutex_test_lock = 2, ompt_mutex_test_nest_lock = 4 };
enum { ompt_record_ompt = 1 };
enum { omp_control_tool_ignored = 1 };

/* Since OpenMP 5.2. */
enum { ompt_dispatch_ws_loop_chunk = 3, ompt_dispatch_taskloop_chunk, ompt_dispatch_distribute_chunk };
typedef struct ompt_dispatch_chunk_t { uint64_t start, iterations; } ompt_dispatch_chunk_t;

typedef struct ompt_dependence_t {
    ompt_data_t variable;
    int dependence_type;
} ompt_dependence_t;

/* What a device traces. */
typedef void (*ompt_callback_buffer_request_t)(int device_num, ompt_buffer_t **buffer, size_t *bytes);
typedef void (*ompt_callback_buffer_complete_t)(int device_num, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin,
                                                int buffer_owned);
typedef ompt_device_time_t (*ompt_get_device_time_t)(ompt_device_t *device);
typedef double (*ompt_translate_time_t)(ompt_device_t *device, ompt_device_time_t time);
typedef int (*ompt_set_trace_ompt_t)(ompt_device_t *device, unsigned int enable, unsigned int etype);
typedef int (*ompt_start_trace_t)(ompt_device_t *device, ompt_callback_buffer_request_t request,
                                  ompt_callback_buffer_complete_t complete);
typedef int (*ompt_stop_trace_t)(ompt_device_t *device);
typedef int (*ompt_advance_buffer_cursor_t)(ompt_device_t *device, ompt_buffer_t *buffer, size_t size, ompt_buffer_cursor_t current,
                                            ompt_buffer_cursor_t *next);
typedef int (*ompt_get_record_type_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);

typedef struct ompt_record_ompt_t {
    int type; /* the callback's number */
    ompt_device_time_t time;
    ompt_id_t thread_id, target_id;
    union {
        struct { int thread_type; } thread_begin;
        struct { ompt_id_t encountering_task_id, parallel_id; unsigned requested_parallelism; int flags; const void *codeptr_ra; } parallel_begin;
        struct { ompt_id_t parallel_id, encountering_task_id; int flags; const void *codeptr_ra; } parallel_end;
        struct { int wstype, endpoint; ompt_id_t parallel_id, task_id; uint64_t count; const void *codeptr_ra; } work;
        struct { ompt_id_t parallel_id, task_id; int kind; ompt_data_t instance; } dispatch;
        struct { ompt_id_t encountering_task_id, new_task_id; int flags, has_dependences; const void *codeptr_ra; } task_create;
        struct { ompt_id_t task_id; ompt_dependence_t dep; int ndeps; } dependences;
        struct { ompt_id_t src_task_id, sink_task_id; } task_dependence;
        struct { ompt_id_t prior_task_id; int prior_task_status; ompt_id_t next_task_id; } task_schedule;
        struct { int endpoint; ompt_id_t parallel_id, task_id; unsigned actual_parallelism, index; int flags; } implicit_task;
        struct { int endpoint; ompt_id_t parallel_id, task_id; const void *codeptr_ra; } masked;
        struct { int kind, endpoint; ompt_id_t parallel_id, task_id; const void *codeptr_ra; } sync_region;
        struct { int kind; unsigned hint, impl; ompt_wait_id_t wait_id; const void *codeptr_ra; } mutex_acquire;
        struct { int kind; ompt_wait_id_t wait_id; const void *codeptr_ra; } mutex;
        struct { int endpoint; ompt_wait_id_t wait_id; const void *codeptr_ra; } nest_lock;
        struct { const void *codeptr_ra; } flush;
        struct { ompt_id_t task_id; int flags; const void *codeptr_ra; } cancel;
        struct { int kind, endpoint, device_num; ompt_id_t task_id, target_id; const void *codeptr_ra; } target;
        struct { ompt_id_t host_op_id; int optype; void *src_addr; int src_device_num; void *dest_addr; int dest_device_num; size_t bytes;
                 ompt_device_time_t end_time; const void *codeptr_ra; } target_data_op;
        struct { ompt_id_t target_id; unsigned nitems; void **host_addr, **device_addr; size_t *bytes; unsigned *mapping_flags;
                 const void *codeptr_ra; } target_map;
        struct { ompt_id_t host_op_id; unsigned requested_num_teams, granted_num_teams; ompt_device_time_t end_time; } target_kernel;
        struct { uint64_t command, modifier; const void *codeptr_ra; } control_tool;
    } record;
} ompt_record_ompt_t;
typedef ompt_record_ompt_t *(*ompt_get_record_ompt_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);

#endif
