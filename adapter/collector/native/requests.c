/* requests.c - starts, stops, resets and writes variables when a debugger asks for it: never by itself. */
#include <string.h>
#include "collector.h"

static const char *answer(const struct request_entry *request)
{
    const bool is_cvar = request->action == ACTION_WRITE_CVAR;
    if (request->count > (is_cvar ? sizeof request->values : MAX_REQUEST_VALUES))
        return "it has too many values";
    if (is_cvar)
        return request->subject < next_index(CVARS) ? cvar_write(request->subject, request) : "there is no such variable";
    return request->subject == ALL_INSTANCES ? pvars_act(request) : pvar_act(request->subject, request);
}

void requests_serve(void)
{
    struct request_entry *asked = entry(REQUESTS, 0);
    if (atomic_load(&asked->state) != REQUEST_ASKED)
        return;
    /* A debugger may write again meanwhile: what is checked is what is done. */
    struct request_entry request;
    memcpy(&request, asked, sizeof request);
    const char *problem = mpi_t.pvar_stop == NULL || mpi_t.cvar_write == NULL ? "MPI_T_ERR_NOT_SUPPORTED" : answer(&request);
    asked->error = problem == NULL ? 0 : text(problem);
    atomic_store(&asked->state, REQUEST_DONE);
}
