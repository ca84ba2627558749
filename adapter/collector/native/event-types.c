/* event-types.c - what may be raised, and of what elements its data consists. Types never change, so that they are kept. */
#include <string.h>
#include "collector.h"

enum { MAX_TYPES = 1024, MAX_ELEMENTS = 64, MAX_ELEMENTS_OF_ALL = 8192 };

static struct event_type types[MAX_TYPES];
static struct payload_element elements[MAX_ELEMENTS_OF_ALL];
static uint32_t type_count, element_count;
static uint32_t type_of[MAX_MPI_INDEX];

const uint32_t *listed_event_types(void)
{
    return type_of;
}

/* NULL, or why the data of such an event cannot be read. */
static const char *add_elements(struct event_type *type, const void *datatypes, const intptr_t *displacements)
{
    int64_t end = 0;
    struct element_entry *made = reserve(ELEMENTS, type->count);
    if (made == NULL || element_count + type->count > MAX_ELEMENTS_OF_ALL)
        return "the collector has no more room for elements";
    const char *problem = NULL;
    type->elements = &elements[element_count];
    for (uint32_t i = 0; i < type->count; i++) {
        const struct datatype datatype = datatype_of(handle_in(datatypes, (int)i));
        made[i] = (struct element_entry){.datatype = text(datatype.name), .kind = datatype.kind, .displacement = displacements[i]};
        elements[element_count++] = (struct payload_element){displacements[i], datatype};
        if (datatype.bytes == 0)
            problem = "an element has a datatype that MPI_T may not have";
        /* With what a compiler appends to a structure. */
        const int64_t its_end = displacements[i] + 2 * (int64_t)datatype.bytes;
        end = its_end > end ? its_end : end;
        type->fits_copy = displacements[i] >= 0 && end <= MAX_COPY && (i == 0 || type->fits_copy);
    }
    publish(ELEMENTS, type->count);
    return problem;
}

static void add_type(int mpi_index)
{
    static char name[MAX_NAME], description[MAX_DESCRIPTION];
    static Handle datatypes[MAX_ELEMENTS];
    static intptr_t displacements[MAX_ELEMENTS];
    int name_length = MAX_NAME, description_length = MAX_DESCRIPTION, verbosity = -1, bind = -1, count = MAX_ELEMENTS;
    Handle enumeration = 0, info = null_handle(HANDLE_INFO);
    if (type_count == MAX_TYPES ||
        mpi_t.event_get_info(mpi_index, name, &name_length, &verbosity, datatypes, displacements, &count, &enumeration, &info,
                             description, &description_length, &bind) != 0)
        return;
    struct event_type_entry *made = reserve(EVENT_TYPES, 1);
    if (made == NULL)
        return;
    struct event_type *type = &types[type_count];
    const bool has_all = count >= 0 && count <= MAX_ELEMENTS;
    *type = (struct event_type){.mpi_index = mpi_index, .index = next_index(EVENT_TYPES), .bind = bind_word(bind),
                                .count = has_all ? (uint32_t)count : 0};
    *made = (struct event_type_entry){
        .name = text(name), .description = text(description), .enumeration = enumeration_of(enumeration),
        .verbosity = verbosity_word(verbosity), .bind = type->bind,
        .first_element = next_index(ELEMENTS), .first_hint = next_index(HINTS),
    };
    const char *problem = add_elements(type, datatypes, displacements);
    made->elements = next_index(ELEMENTS) - made->first_element;
    made->hints = hints_of(info);
    const char *denied = denied_event(name);
    problem = denied != NULL ? denied : denied_payload(name) != NULL ? denied_payload(name)
            : !has_all ? "its data has too many elements: it is counted only" : problem;
    type->is_denied = problem != NULL;
    type_of[mpi_index] = type->index + 1;
    type_count++;
    publish(EVENT_TYPES, 1);
    if (problem != NULL)
        deny(name, problem);
    if (denied == NULL)
        event_type_known(type);
}

void event_types_update(void)
{
    if (mpi_t.event_get_info != NULL && mpi_t.event_handle_alloc != NULL && mpi_t.event_register_callback != NULL)
        add_new(mpi_t.event_get_num, type_of, add_type);
}
