/*
 * f2c.c - Fortran's handles in C: an int or MPI_Fint that goes through MPI_Comm_f2c or comes from MPI_Comm_c2f says so what
 * it is:    mpidbg show number --launcher PID
 */
#include "truth-datatype.h"
#include "truth-objects.h"
#include "truth-request.h"

/* Called by Fortran, as the interfaces of C libraries are: the handles come by reference. */
void solve_(MPI_Fint *f_comm, const MPI_Fint *f_type, int *f_info)
{
    MPI_Comm comm = MPI_Comm_f2c(*f_comm);
    MPI_Datatype type = MPI_Type_f2c(*f_type);
    MPI_Info info = MPI_Info_f2c(*f_info);
    MPI_Fint nothing = MPI_Comm_c2f(MPI_COMM_NULL), requests[2];
    int group_number, size, rank, steps = 3;
    MPI_Group group;
    MPI_Request request;

    MPI_Comm_group(comm, &group);
    group_number = MPI_Group_c2f(group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Irecv(&size, 1, MPI_INT, rank, 7, comm, &request);
    requests[0] = MPI_Request_c2f(request);
    requests[1] = MPI_Request_c2f(MPI_REQUEST_NULL);

    truth_comm("f_comm", comm);
    truth_comm("*f_comm", comm);
    truth_comm("nothing", MPI_Comm_f2c(nothing));
    truth_datatype("f_type", type, TRUTH_COMMITTED);
    truth_datatype("MPI_DOUBLE", MPI_DOUBLE, TRUTH_COMMITTED);
    truth_info("f_info", info);
    truth_group("group_number", MPI_Group_f2c(group_number));
    truth_request("requests[0]", MPI_Request_f2c(requests[0]),
                  (struct truth_request){.operation = "receive",
                                         .buffer = &size,
                                         .count = 1,
                                         .datatype = MPI_INT,
                                         .peer = rank,
                                         .tag = 7,
                                         .comm = comm,
                                         .has_fortran_handle = 1});

    wait_for_debugger(); /* stop: numbers from Fortran */
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    (void)steps;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    truth_begin(argc, argv);

    MPI_Comm ocean;
    MPI_Datatype column;
    MPI_Info hints;
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_nodes", "4");

    MPI_Fint comm_number = MPI_Comm_c2f(ocean);
    MPI_Fint type_number = MPI_Type_c2f(column);
    MPI_Fint info_number = MPI_Info_c2f(hints);
    solve_(&comm_number, &type_number, &info_number);
    MPI_Finalize();
    return 0;
}
