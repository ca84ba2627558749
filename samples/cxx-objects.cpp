// cxx-objects.cpp - the C++ bindings of MPI 2: objects of namespace MPI of every class, to look at in a debugger.
//
//     mpirun -n 4 cxx-objects --wait &
//     mpidbg show grid --launcher $!
#include <cstdio>
#include <mpi.h>
#include <string>
#include <unistd.h>
#include <vector>

// truth-fortran.c
extern "C" {
void truth_begin_for_fortran(int truth, int wait);
void truth_comm_for_fortran(const char *ask, const char *expression, MPI_Fint comm);
void truth_datatype_by_number(const char *expression, MPI_Fint type);
void truth_group_by_number(const char *expression, MPI_Fint group);
void truth_info_by_number(const char *expression, MPI_Fint info);
void truth_op_by_number(const char *expression, MPI_Fint op, const char *constant, const void *function,
                        const char *name, const char *language);
void truth_transfer_by_number(const char *expression, MPI_Fint request, const char *send_mode, int is_inactive,
                              const void *buffer, int count, MPI_Fint type, int peer, int tag, MPI_Fint comm);
void truth_request_by_number(const char *expression, MPI_Fint request);
void truth_status_in_place(const char *expression, const void *status);
void truth_win_by_number(const char *expression, MPI_Fint win, MPI_Fint comm, int is_fenced);
void truth_file_by_number(const char *expression, MPI_Fint file, const char *filename, MPI_Fint comm);
void wait_for_debugger_for_fortran(void);
}

struct Domain {
    MPI::Intracomm comm;
    int cells;
    MPI::Request halo[2];
};

class Ocean : public MPI::Intracomm {
public:
    explicit Ocean(const MPI::Intracomm &comm) : MPI::Intracomm(comm) {}
    int depth = 30;
};

static void keep_larger(const void *in, void *inout, int length, const MPI::Datatype &)
{
    for (int i = 0; i < length; i++)
        if (static_cast<const int *>(in)[i] > static_cast<int *>(inout)[i])
            static_cast<int *>(inout)[i] = static_cast<const int *>(in)[i];
}

static int tell_status(void *, MPI::Status &) { return MPI::SUCCESS; }
static int free_state(void *) { return MPI::SUCCESS; }
static int cancel_work(void *, bool) { return MPI::SUCCESS; }

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int truth = 0, wait = 0;
    for (int i = 1; i < argc; i++) {
        truth |= std::string(argv[i]) == "--truth";
        wait |= std::string(argv[i]) == "--wait";
    }
    truth_begin_for_fortran(truth, wait);

    // Communicators of each class, through references and pointers, in objects, in a class of one's own
    MPI::Intracomm world = MPI::COMM_WORLD.Dup();
    world.Set_name("world");
    const int rank = world.Get_rank(), size = world.Get_size(), left = (rank + size - 1) % size;
    const int dims[1] = {size};
    const bool periods[1] = {true};
    MPI::Cartcomm grid = world.Create_cart(1, dims, periods, false);
    std::vector<int> index, edges;
    for (int i = 0; i < size; i++) {
        edges.push_back((i + 1) % size);
        index.push_back(i + 1);
    }
    MPI::Graphcomm ring = world.Create_graph(size, index.data(), edges.data(), false);
    MPI::Intracomm parity = world.Split(rank % 2, rank);
    MPI::Intercomm even_odd = parity.Create_intercomm(0, MPI::COMM_WORLD, 1 - rank % 2, 7);
    MPI::Comm &reference = grid;
    MPI::Comm *pointer = &even_odd;
    MPI::Intracomm no_comm;
    Ocean ocean(world.Dup());

    // The other classes
    MPI::Datatype column = MPI::INT.Create_vector(2, 1, 3);
    column.Commit();
    MPI::Group group = parity.Get_group();
    MPI::Info info = MPI::Info::Create();
    info.Set("key", "value");
    MPI::Op op;
    op.Init(keep_larger, true);
    int numbers[16] = {}, window_memory[8] = {};
    MPI::Request request = world.Irecv(&numbers[0], 2, MPI::INT, left, 31);
    MPI::Prequest persistent = world.Recv_init(&numbers[4], 3, column, left, 32);
    MPI::Grequest general;
    general = general.Start(tell_status, free_state, cancel_work, nullptr);
    MPI::Status status;
    world.Sendrecv(&rank, 1, MPI::INT, rank, 5, &numbers[8], 1, MPI::INT, rank, 5, status);
    MPI::Win win = MPI::Win::Create(window_memory, sizeof window_memory, 4, MPI::INFO_NULL, world);
    const std::string path = "/tmp/mpidbg-cxx-objects-" + std::to_string(getpid());
    MPI::File file = MPI::File::Open(MPI::COMM_SELF, path.c_str(), MPI::MODE_CREATE | MPI::MODE_RDWR, MPI::INFO_NULL);
    unlink(path.c_str()); // however the program ends, nothing stays

    Domain domain;
    domain.comm = grid;
    domain.cells = 100;
    domain.halo[0] = request;

    const MPI_Fint world_number = MPI_Comm_c2f(world), int_number = MPI_Type_c2f(MPI::INT);
    const struct {
        const char *ask, *expression;
        MPI_Comm comm;
    } comms[] = {{"", "world", world}, {"", "grid", grid}, {"", "ring", ring}, {"", "parity", parity},
                 {"", "even_odd", even_odd}, {"", "reference", reference}, {"", "pointer", *pointer},
                 {"", "*pointer", *pointer}, {"", "no_comm", no_comm}, {"", "ocean", ocean},
                 {"", "comm:grid", grid}, {"", "domain.comm", domain.comm}, {"", "MPI::COMM_WORLD", MPI::COMM_WORLD}};
    for (const auto &each : comms)
        truth_comm_for_fortran(each.ask, each.expression, MPI_Comm_c2f(each.comm));
    truth_datatype_by_number("column", MPI_Type_c2f(column));
    truth_datatype_by_number("MPI::INT", int_number);
    truth_group_by_number("group", MPI_Group_c2f(group));
    truth_info_by_number("info", MPI_Info_c2f(info));
    truth_op_by_number("op", MPI_Op_c2f(op), "", reinterpret_cast<const void *>(keep_larger), "keep_larger", "unknown");
    truth_transfer_by_number("request", MPI_Request_c2f(request), "", 0, &numbers[0], 2, int_number, left, 31, world_number);
    truth_transfer_by_number("domain.halo[0]", MPI_Request_c2f(request), "", 0, &numbers[0], 2, int_number, left, 31,
                             world_number);
    truth_request_by_number("domain.halo[1]", MPI_Request_c2f(domain.halo[1]));
    truth_transfer_by_number("persistent", MPI_Request_c2f(persistent), "", 1, &numbers[4], 3, MPI_Type_c2f(column), left,
                             32, world_number);
    truth_request_by_number("general", MPI_Request_c2f(general));
    truth_status_in_place("status", reinterpret_cast<const char *>(&status) + sizeof(void *));
    truth_win_by_number("win", MPI_Win_c2f(win), world_number, 0);
    truth_file_by_number("file", MPI_File_c2f(file), path.c_str(), MPI_Comm_c2f(MPI_COMM_SELF));

    wait_for_debugger_for_fortran(); // stop: all objects made

    general.Complete();
    general.Wait();
    request.Cancel();
    request.Wait();
    persistent.Free();
    win.Free();
    file.Close();
    op.Free();
    info.Free();
    group.Free();
    column.Free();
    even_odd.Free();
    ocean.Free();
    std::printf("rank %d of %d: depth %d\n", rank, size, ocean.depth);
    MPI::Finalize();
    return 0;
}
