/* catalog.c - what MPI_T has: variables, enumerations and categories. Indices of MPI_T never change, so tables only grow. */
#include <string.h>
#include "collector.h"

/* What each index of MPI_T is in our tables, plus 1; 0: not listed (yet), because the library refuses it. */
static uint32_t pvar_of[MAX_MPI_INDEX], cvar_of[MAX_MPI_INDEX], category_of[MAX_MPI_INDEX];
/* Where a full answer is expected a shorter one is cut by the library, and always ends with a NUL. */
static char name[MAX_NAME], description[MAX_DESCRIPTION];

static int limited(int count)
{
    return count < 0 ? 0 : count > MAX_MPI_INDEX ? MAX_MPI_INDEX : count;
}

static struct { Handle handle; uint32_t index; } seen_enums[2048];
static uint32_t seen;

static uint32_t known_enumeration(Handle handle)
{
    for (uint32_t i = 0; i < seen; i++)
        if (seen_enums[i].handle == handle)
            return seen_enums[i].index + 1;
    return 0;
}

uint32_t enumeration_of(Handle handle)
{
    if (handle == 0 || mpi_t.enum_get_info == NULL || mpi_t.enum_get_item == NULL)
        return 0;
    const uint32_t known = known_enumeration(handle);
    int items = 0, length = MAX_NAME;
    char words[MAX_NAME];
    if (known != 0 || mpi_t.enum_get_info(handle, &items, words, &length) != 0)
        return known;
    const uint32_t title = text(words), count = (uint32_t)(items < 0 ? 0 : items > 1024 ? 1024 : items);
    struct enum_entry *made = reserve(ENUMS, 1);
    struct enum_item *to = reserve(ENUM_ITEMS, count);
    if (made == NULL || to == NULL || seen == sizeof seen_enums / sizeof *seen_enums)
        return 0;
    uint32_t told = 0;
    for (uint32_t i = 0; i < count; i++) {
        int value = 0;
        length = MAX_NAME;
        if (mpi_t.enum_get_item(handle, (int)i, &value, words, &length) == 0)
            to[told++] = (struct enum_item){value, text(words)};
    }
    *made = (struct enum_entry){title, next_index(ENUM_ITEMS), told};
    seen_enums[seen].handle = handle;
    seen_enums[seen++].index = next_index(ENUMS);
    publish(ENUM_ITEMS, told);
    publish(ENUMS, 1);
    return next_index(ENUMS);
}

void deny(const char *what, const char *reason)
{
    struct denied_entry *made = reserve(DENIED, 1);
    if (made == NULL)
        return;
    *made = (struct denied_entry){text(what), text(reason)};
    publish(DENIED, 1);
}

static void add_pvar(int index)
{
    int name_length = MAX_NAME, description_length = MAX_DESCRIPTION, verbosity, class, bind, readonly, continuous, atomic;
    Handle datatype = 0, enumeration = 0;
    if (mpi_t.pvar_get_info(index, name, &name_length, &verbosity, &class, &datatype, &enumeration, description,
                            &description_length, &bind, &readonly, &continuous, &atomic) != 0)
        return;
    struct pvar_entry *made = reserve(PVARS, 1);
    if (made == NULL)
        return;
    const struct datatype type = datatype_of(datatype);
    const char *reason = denied_pvar(name);
    *made = (struct pvar_entry){
        .name = text(name), .datatype = text(type.name), .description = text(description),
        .enumeration = enumeration_of(enumeration),
        .class = class_word(class), .bind = bind_word(bind), .verbosity = verbosity_word(verbosity),
        .flags = (uint8_t)((readonly ? PVAR_READONLY : 0) | (continuous ? PVAR_CONTINUOUS : 0) | (atomic ? PVAR_ATOMIC : 0)),
        .kind = type.kind, .status = reason == NULL ? PVAR_INACTIVE : PVAR_DENIED,
    };
    const uint32_t own = next_index(PVARS);
    pvar_of[index] = own + 1;
    publish(PVARS, 1);
    if (reason != NULL)
        deny(name, reason);
    else
        pvar_known(index, own, type);
}

/* The value of a control variable that is not bound to an object: a bound one has a value for each object, not for the process. */
static const char *read_cvar(int index, struct datatype type, struct cvar_entry *to)
{
    static _Alignas(8) char buffer[MAX_VALUE_BYTES + 1];
    Handle handle = 0;
    int count = 0;
    int code = mpi_t.cvar_handle_alloc(index, NULL, &handle, &count);
    if (code != 0)
        return error_word(code);
    const bool fits = type.bytes > 0 && count >= 0 && (uint64_t)count * type.bytes <= MAX_VALUE_BYTES;
    memset(buffer, 0, sizeof buffer);
    if (fits)
        code = mpi_t.cvar_read(handle, buffer);
    mpi_t.cvar_handle_free(&handle);
    if (!fits)
        return type.bytes == 0 ? "its datatype is not one that MPI_T may have" : "it is too large to be collected";
    if (code != 0)
        return error_word(code);
    to->count = (uint32_t)count;
    if (type.kind == KIND_TEXT) {
        to->value = text(buffer);
        return NULL;
    }
    uint64_t *values = reserve(VALUES, to->count);
    if (values == NULL)
        return "the collector has no more room for values";
    widen(buffer, to->count, type, values);
    to->value = next_index(VALUES);
    publish(VALUES, to->count);
    return NULL;
}

const char *cvar_write(uint32_t index, const struct request_entry *request)
{
    static _Alignas(8) char buffer[MAX_VALUE_BYTES + 1];
    struct cvar_entry *to = entry(CVARS, index);
    int count = 0, mpi_index = 0;
    Handle handle = 0;
    while (mpi_index < MAX_MPI_INDEX && cvar_of[mpi_index] != index + 1)
        mpi_index++;
    if (mpi_index == MAX_MPI_INDEX || to->error != 0)
        return to->error != 0 ? entry(TEXTS, to->error) : "there is no such control variable";
    struct datatype type = {entry(TEXTS, to->datatype), bytes_of(entry(TEXTS, to->datatype)), to->kind};
    int code = mpi_t.cvar_handle_alloc(mpi_index, NULL, &handle, &count);
    if (code != 0)
        return error_word(code);
    const bool fits = type.kind == KIND_TEXT ? (int64_t)request->count <= count : (int64_t)request->count == count && count <= MAX_REQUEST_VALUES;
    memset(buffer, 0, sizeof buffer);
    if (type.kind == KIND_TEXT && fits)
        memcpy(buffer, request->values, request->count);
    else if (fits)
        narrow(request->values, request->count, type, buffer);
    if (fits)
        code = mpi_t.cvar_write(handle, buffer);
    memset(buffer, 0, sizeof buffer);
    if (fits && code == 0)
        code = mpi_t.cvar_read(handle, buffer);
    mpi_t.cvar_handle_free(&handle);
    if (!fits || code != 0)
        return fits ? error_word(code) : "it has another number of values";
    if (type.kind == KIND_TEXT)
        to->value = text(buffer);
    else
        widen(buffer, to->count, type, entry(VALUES, to->value));
    return NULL;
}

static void add_cvar(int index)
{
    int name_length = MAX_NAME, description_length = MAX_DESCRIPTION, verbosity, bind, scope;
    Handle datatype = 0, enumeration = 0;
    if (mpi_t.cvar_get_info(index, name, &name_length, &verbosity, &datatype, &enumeration, description,
                            &description_length, &bind, &scope) != 0)
        return;
    struct cvar_entry *made = reserve(CVARS, 1);
    if (made == NULL)
        return;
    const struct datatype type = datatype_of(datatype);
    *made = (struct cvar_entry){
        .name = text(name), .datatype = text(type.name), .description = text(description),
        .enumeration = enumeration_of(enumeration),
        .scope = scope_word(scope), .bind = bind_word(bind), .verbosity = verbosity_word(verbosity), .kind = type.kind,
    };
    const char *problem = denied_cvar(name);
    if (problem != NULL)
        deny(name, problem);
    else
        problem = made->bind == BIND_NO_OBJECT ? read_cvar(index, type, made) : "it is bound to an object";
    made->error = problem == NULL ? 0 : text(problem);
    cvar_of[index] = next_index(CVARS) + 1;
    publish(CVARS, 1);
}

/* Appends the members that are listed, and answers how many. */
static uint32_t members(int index, int count, int (*get)(int, int, int *), const uint32_t *listed, uint32_t *invalid)
{
    static int indices[MAX_MPI_INDEX];
    uint32_t found = 0;
    count = limited(count);
    if (count == 0 || get == NULL || get(index, count, indices) != 0)
        return 0;
    for (int i = 0; i < count; i++) {
        const bool is_listed = indices[i] >= 0 && indices[i] < MAX_MPI_INDEX && listed[indices[i]] != 0;
        uint32_t *to = is_listed ? reserve(MEMBERS, 1) : NULL;
        if (to == NULL) {
            ++*invalid;
            continue;
        }
        *to = listed[indices[i]] - 1;
        publish(MEMBERS, 1);
        found++;
    }
    return found;
}

/* The members of a category are listed when all categories have their place. */
static void fill_category(int index)
{
    int name_length = MAX_NAME, description_length = MAX_DESCRIPTION, cvars, pvars, categories;
    struct category_entry *to = entry(CATEGORIES, category_of[index] - 1);
    if (mpi_t.category_get_info(index, name, &name_length, description, &description_length, &cvars, &pvars, &categories) != 0)
        return;
    uint32_t invalid = 0;
    to->first_member = next_index(MEMBERS);
    to->pvars = members(index, pvars, mpi_t.category_get_pvars, pvar_of, &invalid);
    to->cvars = members(index, cvars, mpi_t.category_get_cvars, cvar_of, &invalid);
    to->categories = members(index, categories, mpi_t.category_get_categories, category_of, &invalid);
    int events = 0;
    if (mpi_t.category_get_num_events == NULL || mpi_t.category_get_num_events(index, &events) != 0)
        events = 0;
    to->events = members(index, events, mpi_t.category_get_events, listed_event_types(), &invalid);
    to->invalid = invalid;
}

static void add_category(int index)
{
    int name_length = MAX_NAME, description_length = MAX_DESCRIPTION, cvars, pvars, categories;
    if (mpi_t.category_get_info(index, name, &name_length, description, &description_length, &cvars, &pvars, &categories) != 0)
        return;
    struct category_entry *made = reserve(CATEGORIES, 1);
    if (made == NULL)
        return;
    *made = (struct category_entry){.name = text(name), .description = text(description)};
    category_of[index] = next_index(CATEGORIES) + 1;
    publish(CATEGORIES, 1);
}

void add_new(int (*get_num)(int *), const uint32_t *listed, void (*add)(int))
{
    int count = 0;
    if (get_num == NULL || get_num(&count) != 0)
        return;
    count = limited(count);
    for (int i = 0; i < count; i++)
        if (listed[i] == 0)
            add(i);
}

/* Members move only when a category has changed, and their old places stay as they are. */
static void fill_categories(void)
{
    for (int i = 0; i < MAX_MPI_INDEX; i++)
        if (category_of[i] != 0)
            fill_category(i);
}

void catalog_update(void)
{
    add_new(mpi_t.cvar_get_num, cvar_of, add_cvar);
    if ((region->collects & COLLECT_PVARS) != 0)
        add_new(mpi_t.pvar_get_num, pvar_of, add_pvar);
    if ((region->collects & COLLECT_EVENTS) != 0) {
        sources_update();
        event_types_update();
    }
    add_new(mpi_t.category_get_num, category_of, add_category);
    fill_categories();
}
