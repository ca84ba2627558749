/*
 * callbacks.c - one function for each callback of OMPT: it counts, keeps what the thread is doing, and writes a record with its
 * arguments in their order, without the endpoint, and with ids instead of data.
 */
#include <string.h>
#include "callback.h"

static void thread_begin(int thread_type, ompt_data_t *thread_data)
{
    (void)thread_data;
    BEGIN(thread_begin);
    CHANGE(thread->type = (uint8_t)thread_type);
    RECORD(thread_begin, WORD(thread_type));
}

static void thread_end(ompt_data_t *thread_data)
{
    (void)thread_data;
    BEGIN(thread_end);
    RECORD(thread_end, 0);
    CHANGE(thread->type = 0; thread->levels = thread->waits = 0; thread->task = 0);
}

static uint64_t enclosing_parallel(const struct omp_thread_entry *thread)
{
    return thread == NULL || thread->levels == 0 || thread->levels > MAX_LEVELS ? 0 : thread->level[thread->levels - 1].parallel;
}

static void parallel_begin(ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *parallel,
                           unsigned int requested, int flags, const void *code)
{
    (void)frame;
    BEGIN(parallel_begin);
    const struct omp_scope scope = {.enclosing = enclosing_parallel(thread), .task = id_of(encountering_task), .code = ADDRESS(code),
                                    .flags = (uint32_t)flags, .requested = requested};
    parallel->value = new_parallel();
    scope_begins(PARALLELS, &scope, parallel->value);
    CHANGE(thread->flags |= OMP_FORKS);
    RECORD(parallel_begin, id_of(encountering_task), parallel->value, requested, (uint32_t)flags, ADDRESS(code));
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *encountering_task, int flags, const void *code)
{
    BEGIN(parallel_end);
    scope_ends(PARALLELS, id_of(parallel));
    CHANGE(thread->flags &= (uint8_t)~OMP_FORKS; thread->task = id_of(encountering_task));
    RECORD(parallel_end, id_of(parallel), id_of(encountering_task), (uint32_t)flags, ADDRESS(code));
}

static void implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int actual_parallelism, unsigned int index,
                          int flags)
{
    BEGIN(implicit_task);
    if (endpoint == ompt_scope_begin && task != NULL)
        task->value = new_task();
    CHANGE(if (endpoint == ompt_scope_begin)
               thread_enters(thread, id_of(parallel), id_of(task), actual_parallelism, index, (uint32_t)flags);
           else
               thread_leaves(thread, id_of(task)));
    RECORD_AT(implicit_task, endpoint, id_of(parallel), id_of(task), actual_parallelism, index, (uint32_t)flags);
}

static void task_create(ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_dependences,
                        const void *code)
{
    (void)frame;
    BEGIN(task_create);
    const struct omp_scope scope = {.enclosing = enclosing_parallel(thread), .task = id_of(encountering_task), .code = ADDRESS(code),
                                    .flags = (uint32_t)flags};
    if (task != NULL) {
        task->value = new_task();
        scope_begins(TASKS, &scope, task->value);
    }
    RECORD(task_create, id_of(encountering_task), id_of(task), (uint32_t)flags, WORD(has_dependences), ADDRESS(code));
}

static void task_schedule(ompt_data_t *prior, int status, ompt_data_t *next)
{
    BEGIN(task_schedule);
    if (next != NULL)
        CHANGE(thread->task = next->value);
    if (status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_late_fulfill || status == ompt_taskwait_complete)
        scope_ends(TASKS, id_of(prior));
    RECORD(task_schedule, id_of(prior), WORD(status), id_of(next));
}

static void dependences(ompt_data_t *task, const ompt_dependence_t *deps, int ndeps)
{
    BEGIN(dependences);
    enum { MOST = 40 };
    uint64_t words[2 + 2 * MOST] = {id_of(task), WORD(ndeps)};
    uint32_t used = 2;
    for (int i = 0; deps != NULL && i < ndeps && i < MOST; i++) {
        words[used++] = deps[i].variable.value;
        words[used++] = WORD(deps[i].dependence_type);
    }
    mpidbg_record(RECORD_OMPT, ompt_callback_dependences, time, words, used);
}

static void task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
    BEGIN(task_dependence);
    RECORD(task_dependence, id_of(source), id_of(sink));
}

static void work(int type, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t iterations, const void *code)
{
    BEGIN(work);
    RECORD_AT(work, endpoint, WORD(type), id_of(parallel), id_of(task), iterations, ADDRESS(code));
}

static void dispatch(ompt_data_t *parallel, ompt_data_t *task, int kind, ompt_data_t instance)
{
    BEGIN(dispatch);
    uint64_t words[] = {id_of(parallel), id_of(task), WORD(kind), instance.value, 0, 0};
    uint32_t used = 4;
    /* The runtime passes the chunk of a loop as a description. */
    if (kind >= ompt_dispatch_ws_loop_chunk && kind <= ompt_dispatch_distribute_chunk && instance.ptr != NULL) {
        const ompt_dispatch_chunk_t *chunk = instance.ptr;
        words[used++] = chunk->start;
        words[used++] = chunk->iterations;
    }
    mpidbg_record(RECORD_OMPT, ompt_callback_dispatch, time, words, used);
}

static void masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
    BEGIN(masked);
    RECORD_AT(masked, endpoint, id_of(parallel), id_of(task), ADDRESS(code));
}

static void sync_region(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
    BEGIN(sync_region);
    RECORD_AT(sync_region, endpoint, WORD(kind), id_of(parallel), id_of(task), ADDRESS(code));
}

static void sync_region_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
    BEGIN(sync_region_wait);
    const struct omp_waiting wait = {.task = id_of(task), .code = ADDRESS(code), .since = time, .what = WAIT_SYNC, .kind = (uint32_t)kind};
    if (endpoint == ompt_scope_begin)
        CHANGE(wait_begins(thread, &wait));
    else if (endpoint == ompt_scope_end)
        CHANGE(wait_ends(thread, WAIT_SYNC));
    RECORD_AT(sync_region_wait, endpoint, WORD(kind), id_of(parallel), id_of(task), ADDRESS(code));
}

static void reduction(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
    BEGIN(reduction);
    CHANGE(thread->flags = (uint8_t)(endpoint == ompt_scope_begin ? thread->flags | OMP_REDUCES : thread->flags & ~OMP_REDUCES));
    RECORD_AT(reduction, endpoint, WORD(kind), id_of(parallel), id_of(task), ADDRESS(code));
}

static void lock_init(int kind, unsigned int hint, unsigned int impl, ompt_wait_id_t wait_id, const void *code)
{
    BEGIN(lock_init);
    RECORD(lock_init, WORD(kind), hint, impl, wait_id, ADDRESS(code));
}

static void lock_destroy(int kind, ompt_wait_id_t wait_id, const void *code)
{
    BEGIN(lock_destroy);
    RECORD(lock_destroy, WORD(kind), wait_id, ADDRESS(code));
}

/* A test that fails says nothing more: it does not wait. */
static void mutex_acquire(int kind, unsigned int hint, unsigned int impl, ompt_wait_id_t wait_id, const void *code)
{
    BEGIN(mutex_acquire);
    const struct omp_waiting wait = {.task = thread == NULL ? 0 : thread->task, .wait_id = wait_id, .code = ADDRESS(code), .since = time,
                                     .what = WAIT_MUTEX, .kind = (uint32_t)kind, .impl = impl, .hint = hint};
    if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock)
        CHANGE(wait_begins(thread, &wait));
    RECORD(mutex_acquire, WORD(kind), hint, impl, wait_id, ADDRESS(code));
}

static bool waits_for(const struct omp_thread_entry *thread, uint64_t wait_id)
{
    return thread->waits > 0 && thread->waits <= MAX_WAITS && thread->wait[thread->waits - 1].what == WAIT_MUTEX &&
           thread->wait[thread->waits - 1].wait_id == wait_id;
}

static void mutex_acquired(int kind, ompt_wait_id_t wait_id, const void *code)
{
    BEGIN(mutex_acquired);
    CHANGE(if (waits_for(thread, wait_id)) wait_ends(thread, WAIT_MUTEX);
           mutex_is_held(thread, wait_id, (uint32_t)kind, ADDRESS(code), time));
    RECORD(mutex_acquired, WORD(kind), wait_id, ADDRESS(code));
}

static void mutex_released(int kind, ompt_wait_id_t wait_id, const void *code)
{
    BEGIN(mutex_released);
    mutex_is_free(thread, wait_id);
    RECORD(mutex_released, WORD(kind), wait_id, ADDRESS(code));
}

/* For a lock that the task has already. */
static void nest_lock(int endpoint, ompt_wait_id_t wait_id, const void *code)
{
    BEGIN(nest_lock);
    CHANGE(if (endpoint == ompt_scope_begin && waits_for(thread, wait_id)) wait_ends(thread, WAIT_MUTEX));
    RECORD_AT(nest_lock, endpoint, wait_id, ADDRESS(code));
}

static void flush(ompt_data_t *thread_data, const void *code)
{
    (void)thread_data;
    BEGIN(flush);
    RECORD(flush, ADDRESS(code));
}

static void cancel(ompt_data_t *task, int flags, const void *code)
{
    BEGIN(cancel);
    RECORD(cancel, id_of(task), (uint32_t)flags, ADDRESS(code));
}

static int control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
    (void)argument;
    if (mpidbg_region_is_ours()) {
        const uint64_t time = now();
        count(ompt_callback_control_tool, own_thread());
        RECORD(control_tool, command, modifier, ADDRESS(code));
    }
    return omp_control_tool_ignored;
}

/* With the begin of its message behind the arguments. */
static void error(int severity, const char *message, size_t length, const void *code)
{
    BEGIN(error);
    enum { MOST = 512 };
    uint64_t words[3 + MOST / 8] = {WORD(severity), length, ADDRESS(code)};
    const size_t kept = message == NULL ? 0 : length < MOST ? length : MOST;
    memcpy(words + 3, message == NULL ? "" : message, kept);
    mpidbg_record(RECORD_OMPT, ompt_callback_error, time, words, 3 + (uint32_t)(kept + 7) / 8);
}

ompt_interface_fn_t callback_of(int number)
{
#define C(name) [ompt_callback_##name] = (ompt_interface_fn_t)name,
    static const ompt_interface_fn_t callbacks[MAX_CALLBACKS] = {
        C(thread_begin) C(thread_end) C(parallel_begin) C(parallel_end) C(task_create) C(task_schedule) C(implicit_task)
        C(control_tool) C(sync_region_wait) C(mutex_released) C(dependences) C(task_dependence) C(work) C(masked) C(sync_region)
        C(lock_init) C(lock_destroy) C(mutex_acquire) C(mutex_acquired) C(nest_lock) C(flush) C(cancel) C(reduction) C(dispatch)
        C(error)
    };
#undef C
    return callbacks[number] != NULL ? callbacks[number] : target_callback_of(number);
}
