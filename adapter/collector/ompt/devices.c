/* devices.c - devices, and what they trace where the runtime lets us ask for it: a record of ours for each of theirs. */
#include <stdlib.h>
#include "ompt.h"

enum { MAX_DEVICES = 64, BUFFER_BYTES = 64 * 1024 };

/* A device that traces. Its clock beside ours: at `reference` of its ticks it was `at`. */
static struct tracer {
    struct device_entry *entry;
    ompt_device_t *device;
    ompt_stop_trace_t stop;
    ompt_advance_buffer_cursor_t advance;
    ompt_get_record_type_t type_of;
    ompt_get_record_ompt_t record_of;
    ompt_translate_time_t translate;
    ompt_device_time_t reference;
    uint64_t at;
} tracers[MAX_DEVICES];

static struct tracer *tracer_of(int number)
{
    return number >= 0 && number < MAX_DEVICES && tracers[number].entry != NULL ? &tracers[number] : NULL;
}

static void request_buffer(int number, ompt_buffer_t **buffer, size_t *bytes)
{
    struct tracer *tracer = tracer_of(number);
    *buffer = malloc(BUFFER_BYTES);
    *bytes = *buffer == NULL ? 0 : BUFFER_BYTES;
    if (*buffer == NULL && tracer != NULL && mpidbg_region_is_ours())
        atomic_fetch_add(&tracer->entry->buffers_lost, 1);
}

static uint64_t host_time(const struct tracer *tracer, ompt_device_time_t time)
{
    if (tracer->translate == NULL || tracer->reference == 0)
        return now();
    const double passed = tracer->translate(tracer->device, time) - tracer->translate(tracer->device, tracer->reference);
    return tracer->at + (uint64_t)(int64_t)(passed * 1e9);
}

/* The fields in their order. Lists of addresses are where only the device knows. */
static uint32_t fields_of(const ompt_record_ompt_t *traced, uint64_t *words)
{
    uint32_t used = 0;
#define FIELDS(...)                                                          \
    do {                                                                     \
        const uint64_t fields_[] = {__VA_ARGS__};                            \
        for (; used < sizeof fields_ / sizeof *fields_; used++)              \
            words[used] = fields_[used];                                     \
    } while (0)
#define R(kind, field) WORD(traced->record.kind.field)
    switch (traced->type) {
    case ompt_callback_thread_begin: FIELDS(R(thread_begin, thread_type)); break;
    case ompt_callback_parallel_begin:
        FIELDS(R(parallel_begin, encountering_task_id), R(parallel_begin, parallel_id), R(parallel_begin, requested_parallelism),
               (uint32_t)R(parallel_begin, flags), R(parallel_begin, codeptr_ra));
        break;
    case ompt_callback_parallel_end:
        FIELDS(R(parallel_end, parallel_id), R(parallel_end, encountering_task_id), (uint32_t)R(parallel_end, flags), R(parallel_end, codeptr_ra));
        break;
    case ompt_callback_work:
        FIELDS(R(work, wstype), R(work, endpoint), R(work, parallel_id), R(work, task_id), R(work, count), R(work, codeptr_ra));
        break;
    case ompt_callback_dispatch:
        FIELDS(R(dispatch, parallel_id), R(dispatch, task_id), R(dispatch, kind), traced->record.dispatch.instance.value);
        break;
    case ompt_callback_task_create:
        FIELDS(R(task_create, encountering_task_id), R(task_create, new_task_id), (uint32_t)R(task_create, flags),
               R(task_create, has_dependences), R(task_create, codeptr_ra));
        break;
    case ompt_callback_dependences:
        FIELDS(R(dependences, task_id), R(dependences, ndeps), traced->record.dependences.dep.variable.value,
               WORD(traced->record.dependences.dep.dependence_type));
        break;
    case ompt_callback_task_dependence: FIELDS(R(task_dependence, src_task_id), R(task_dependence, sink_task_id)); break;
    case ompt_callback_task_schedule:
        FIELDS(R(task_schedule, prior_task_id), R(task_schedule, prior_task_status), R(task_schedule, next_task_id));
        break;
    case ompt_callback_implicit_task:
        FIELDS(R(implicit_task, endpoint), R(implicit_task, parallel_id), R(implicit_task, task_id), R(implicit_task, actual_parallelism),
               R(implicit_task, index), (uint32_t)R(implicit_task, flags));
        break;
    case ompt_callback_masked: FIELDS(R(masked, endpoint), R(masked, parallel_id), R(masked, task_id), R(masked, codeptr_ra)); break;
    case ompt_callback_sync_region: case ompt_callback_sync_region_wait: case ompt_callback_reduction:
        FIELDS(R(sync_region, kind), R(sync_region, endpoint), R(sync_region, parallel_id), R(sync_region, task_id), R(sync_region, codeptr_ra));
        break;
    case ompt_callback_mutex_acquire: case ompt_callback_lock_init:
        FIELDS(R(mutex_acquire, kind), R(mutex_acquire, hint), R(mutex_acquire, impl), R(mutex_acquire, wait_id), R(mutex_acquire, codeptr_ra));
        break;
    case ompt_callback_mutex_acquired: case ompt_callback_mutex_released: case ompt_callback_lock_destroy:
        FIELDS(R(mutex, kind), R(mutex, wait_id), R(mutex, codeptr_ra));
        break;
    case ompt_callback_nest_lock: FIELDS(R(nest_lock, endpoint), R(nest_lock, wait_id), R(nest_lock, codeptr_ra)); break;
    case ompt_callback_flush: FIELDS(R(flush, codeptr_ra)); break;
    case ompt_callback_cancel: FIELDS(R(cancel, task_id), (uint32_t)R(cancel, flags), R(cancel, codeptr_ra)); break;
    case ompt_callback_target: case ompt_callback_target_emi:
        FIELDS(R(target, kind), R(target, endpoint), R(target, device_num), R(target, task_id), R(target, target_id), R(target, codeptr_ra));
        break;
    case ompt_callback_target_data_op: case ompt_callback_target_data_op_emi:
        FIELDS(R(target_data_op, host_op_id), R(target_data_op, optype), R(target_data_op, src_addr), R(target_data_op, src_device_num),
               R(target_data_op, dest_addr), R(target_data_op, dest_device_num), R(target_data_op, bytes), R(target_data_op, end_time),
               R(target_data_op, codeptr_ra));
        break;
    case ompt_callback_target_map: case ompt_callback_target_map_emi:
        FIELDS(R(target_map, target_id), R(target_map, nitems), R(target_map, codeptr_ra));
        break;
    case ompt_callback_target_submit: case ompt_callback_target_submit_emi:
        FIELDS(R(target_kernel, host_op_id), R(target_kernel, requested_num_teams), R(target_kernel, granted_num_teams),
               R(target_kernel, end_time));
        break;
    case ompt_callback_control_tool: FIELDS(R(control_tool, command), R(control_tool, modifier), R(control_tool, codeptr_ra)); break;
    }
#undef R
#undef FIELDS
    return used;
}

static void take(const struct tracer *tracer, const ompt_record_ompt_t *traced)
{
    enum { HEAD = 4 };
    uint64_t words[HEAD + 12] = {(uint64_t)(int64_t)tracer->entry->number, traced->time, traced->thread_id, traced->target_id};
    const uint32_t used = HEAD + fields_of(traced, words + HEAD);
    mpidbg_record(RECORD_DEVICE, (uint16_t)traced->type, host_time(tracer, traced->time), words, used);
}

static void complete_buffer(int number, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin, int is_owned)
{
    const struct tracer *tracer = tracer_of(number);
    if (buffer == NULL)
        return;
    if (tracer != NULL && mpidbg_region_is_ours() && bytes > 0) {
        ompt_buffer_cursor_t at = begin;
        do
            if (tracer->type_of(buffer, at) == ompt_record_ompt) {
                const ompt_record_ompt_t *traced = tracer->record_of(buffer, at);
                if (traced != NULL)
                    take(tracer, traced);
            }
        while (tracer->advance(tracer->device, buffer, bytes, at, &at) != 0);
    }
    if (is_owned)
        free(buffer);
}

static enum device_tracing start(struct tracer *tracer, ompt_function_lookup_t lookup)
{
    if (lookup == NULL)
        return TRACING_ABSENT;
    const ompt_start_trace_t start_trace = (ompt_start_trace_t)lookup("ompt_start_trace");
    const ompt_set_trace_ompt_t choose = (ompt_set_trace_ompt_t)lookup("ompt_set_trace_ompt");
    const ompt_get_device_time_t time_of = (ompt_get_device_time_t)lookup("ompt_get_device_time");
    tracer->stop = (ompt_stop_trace_t)lookup("ompt_stop_trace");
    tracer->advance = (ompt_advance_buffer_cursor_t)lookup("ompt_advance_buffer_cursor");
    tracer->type_of = (ompt_get_record_type_t)lookup("ompt_get_record_type");
    tracer->record_of = (ompt_get_record_ompt_t)lookup("ompt_get_record_ompt");
    tracer->translate = (ompt_translate_time_t)lookup("ompt_translate_time");
    if (start_trace == NULL || tracer->advance == NULL || tracer->type_of == NULL || tracer->record_of == NULL)
        return TRACING_ABSENT;
    tracer->at = now();
    tracer->reference = time_of == NULL ? 0 : time_of(tracer->device);
    if (choose != NULL)
        choose(tracer->device, 1, 0);
    return start_trace(tracer->device, request_buffer, complete_buffer) != 0 ? TRACING_ON : TRACING_REFUSED;
}

void device_begins(int number, const char *type, ompt_device_t *device, ompt_function_lookup_t lookup, const char *documentation)
{
    const struct device_entry entry = {.number = number, .type = mpidbg_text(type == NULL ? "" : type),
                                       .documentation = mpidbg_text(documentation == NULL ? "" : documentation)};
    struct device_entry *added = mpidbg_add(DEVICES, &entry);
    if (added == NULL || number < 0 || number >= MAX_DEVICES)
        return;
    tracers[number] = (struct tracer){.entry = added, .device = device};
    atomic_store(&added->tracing, start(&tracers[number], lookup));
}

/* What is still in its buffers comes while the trace is stopped. */
void device_ends(int number)
{
    struct tracer *tracer = tracer_of(number);
    if (tracer == NULL || atomic_load(&tracer->entry->tracing) != TRACING_ON)
        return;
    if (tracer->stop != NULL)
        tracer->stop(tracer->device);
    atomic_store(&tracer->entry->tracing, TRACING_ENDED);
}

void image_is_unloaded(int device, uint64_t module)
{
    struct image_entry *images = mpidbg_entry(IMAGES, 0);
    for (uint32_t i = 0; i < mpidbg_count(IMAGES); i++)
        if (images[i].device == device && images[i].module == module)
            atomic_store(&images[i].is_unloaded, 1);
}
