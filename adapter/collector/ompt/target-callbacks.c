/* target-callbacks.c - the callbacks of target regions, and of devices. Data of a target region are numbers of our own. */
#include "callback.h"

static uint64_t new_target(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static uint64_t new_operation(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* What the thread waits for from the begin of the region to its end. */
static void target_wait(struct omp_thread_entry *thread, int kind, int endpoint, uint64_t time, const void *code)
{
    const struct omp_waiting wait = {.task = thread == NULL ? 0 : thread->task, .code = ADDRESS(code), .since = time,
                                     .what = WAIT_TARGET, .kind = (uint32_t)kind};
    if (endpoint == ompt_scope_begin)
        CHANGE(wait_begins(thread, &wait));
    else if (endpoint == ompt_scope_end)
        CHANGE(wait_ends(thread, WAIT_TARGET));
}

static void target(int kind, int endpoint, int device, ompt_data_t *task, ompt_id_t target_id, const void *code)
{
    BEGIN(target);
    target_wait(thread, kind, endpoint, time, code);
    RECORD_AT(target, endpoint, WORD(kind), WORD(device), id_of(task), target_id, ADDRESS(code));
}

static void target_emi(int kind, int endpoint, int device, ompt_data_t *task, ompt_data_t *target_task, ompt_data_t *target_data,
                       const void *code)
{
    (void)target_task;
    BEGIN(target_emi);
    if (endpoint == ompt_scope_begin && target_data != NULL && target_data->value == 0)
        target_data->value = new_target();
    target_wait(thread, kind, endpoint, time, code);
    RECORD_AT(target_emi, endpoint, WORD(kind), WORD(device), id_of(task), id_of(target_data), ADDRESS(code));
}

static void target_data_op(ompt_id_t target_id, ompt_id_t operation, int type, void *source, int source_device, void *destination,
                           int destination_device, size_t bytes, const void *code)
{
    (void)target_id;
    BEGIN(target_data_op);
    RECORD(target_data_op, operation, WORD(type), ADDRESS(source), WORD(source_device), ADDRESS(destination), WORD(destination_device),
           bytes, ADDRESS(code));
}

static void target_data_op_emi(int endpoint, ompt_data_t *target_task, ompt_data_t *target_data, ompt_id_t *operation, int type,
                               void *source, int source_device, void *destination, int destination_device, size_t bytes,
                               const void *code)
{
    (void)target_task, (void)target_data;
    BEGIN(target_data_op_emi);
    if (endpoint != ompt_scope_end && operation != NULL)
        *operation = new_operation();
    RECORD_AT(target_data_op_emi, endpoint, operation == NULL ? 0 : *operation, WORD(type), ADDRESS(source), WORD(source_device),
              ADDRESS(destination), WORD(destination_device), bytes, ADDRESS(code));
}

static void target_submit(ompt_id_t target_id, ompt_id_t operation, unsigned int teams)
{
    (void)target_id;
    BEGIN(target_submit);
    RECORD(target_submit, operation, teams);
}

static void target_submit_emi(int endpoint, ompt_data_t *target_data, ompt_id_t *operation, unsigned int teams)
{
    (void)target_data;
    BEGIN(target_submit_emi);
    if (endpoint != ompt_scope_end && operation != NULL)
        *operation = new_operation();
    RECORD_AT(target_submit_emi, endpoint, operation == NULL ? 0 : *operation, teams);
}

/* Behind the target, how many there are and the code, four words for each, of as many as a record takes. */
enum { MOST_ITEMS = 20 };
static uint32_t map_words(uint64_t *words, uint64_t target_id, unsigned int items, void **host, void **device, size_t *bytes,
                          unsigned int *flags, const void *code)
{
    uint32_t used = 0;
    words[used++] = target_id;
    words[used++] = items;
    words[used++] = ADDRESS(code);
    for (unsigned int i = 0; i < items && i < MOST_ITEMS; i++) {
        words[used++] = host == NULL ? 0 : ADDRESS(host[i]);
        words[used++] = device == NULL ? 0 : ADDRESS(device[i]);
        words[used++] = bytes == NULL ? 0 : bytes[i];
        words[used++] = flags == NULL ? 0 : flags[i];
    }
    return used;
}

static void target_map(ompt_id_t target_id, unsigned int items, void **host, void **device, size_t *bytes, unsigned int *flags,
                       const void *code)
{
    BEGIN(target_map);
    uint64_t words[3 + 4 * MOST_ITEMS];
    const uint32_t used = map_words(words, target_id, items, host, device, bytes, flags, code);
    mpidbg_record(RECORD_OMPT, ompt_callback_target_map, time, words, used);
}

static void target_map_emi(ompt_data_t *target_data, unsigned int items, void **host, void **device, size_t *bytes,
                           unsigned int *flags, const void *code)
{
    BEGIN(target_map_emi);
    uint64_t words[3 + 4 * MOST_ITEMS];
    const uint32_t used = map_words(words, id_of(target_data), items, host, device, bytes, flags, code);
    mpidbg_record(RECORD_OMPT, ompt_callback_target_map_emi, time, words, used);
}

static void device_initialize(int number, const char *type, ompt_device_t *device, ompt_function_lookup_t lookup,
                              const char *documentation)
{
    BEGIN(device_initialize);
    RECORD(device_initialize, WORD(number), mpidbg_text(type == NULL ? "" : type), ADDRESS(device), ADDRESS(lookup),
           mpidbg_text(documentation == NULL ? "" : documentation));
    device_begins(number, type, device, lookup, documentation);
}

static void device_finalize(int number)
{
    BEGIN(device_finalize);
    device_ends(number);
    RECORD(device_finalize, WORD(number));
}

static void device_load(int number, const char *file, int64_t offset, void *address, size_t bytes, void *host, void *on_device,
                        uint64_t module)
{
    BEGIN(device_load);
    const uint32_t name = mpidbg_text(file == NULL ? "" : file);
    const uint64_t known = on_device != NULL && ADDRESS(on_device) != UINT64_MAX ? ADDRESS(on_device) : ADDRESS(host);
    const struct image_entry image = {.device = number, .module = module, .address = known, .bytes = bytes};
    mpidbg_add(IMAGES, &image);
    RECORD(device_load, WORD(number), name, (uint64_t)offset, ADDRESS(address), bytes, ADDRESS(host), ADDRESS(on_device), module);
}

static void device_unload(int number, uint64_t module)
{
    BEGIN(device_unload);
    image_is_unloaded(number, module);
    RECORD(device_unload, WORD(number), module);
}

ompt_interface_fn_t target_callback_of(int number)
{
#define C(name) [ompt_callback_##name] = (ompt_interface_fn_t)name,
    static const ompt_interface_fn_t callbacks[MAX_CALLBACKS] = {
        C(target) C(target_data_op) C(target_submit) C(device_initialize) C(device_finalize) C(device_load) C(device_unload)
        C(target_map) C(target_emi) C(target_data_op_emi) C(target_submit_emi) C(target_map_emi)
    };
#undef C
    return callbacks[number];
}
