// parts.cpp - values of many parts with a handle in each: bases, members, elements, targets.    mpirun -n 2 parts
//
// Rank 0 prints "part ROOT EXPRESSION NAME" for each handle in the value of ROOT, with the name that MPI gives the
// communicator, "status ROOT EXPRESSION TAG", and "count EXPRESSION N" for each list: the compiler has evaluated every
// EXPRESSION (a pointer to a handle is called as the pointer).
#include <cstdio>
#include <map>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

// truth-fortran.c
extern "C" {
void truth_begin_for_fortran(int truth, int wait);
void wait_for_debugger_for_fortran(void);
}

static int rank_, made;

// A communicator with a name of its own; beyond a hundred MPI_COMM_SELF, as no MPI makes any number of them.
static MPI_Comm another()
{
    if (made == 100)
        return MPI_COMM_SELF;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_name(comm, ("part " + std::to_string(++made)).c_str());
    return comm;
}

struct Lane {
    MPI_Comm comm = another();
    int width = made;
};

struct Harbour {
    double depth = 4.5;
    MPI_Comm comm = another();
    Lane lanes[2];
};

struct Quay {
    int length = 7;
    MPI_Comm quay_comm = another();
};

struct Port : Harbour, Quay {
    MPI_Comm comm = another(); // hides that of Harbour
    union {
        MPI_Comm nameless = another();
        long bits;
    };
};

struct Statuses {
    MPI_Status first, *second;
};

static const int many = 1200;

static void tell(const char *root, const char *expression, MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(comm, name, &length);
    if (rank_ == 0)
        std::printf("part %s %s %s\n", root, expression, name);
}

static void tell_status(const char *root, const char *expression, const MPI_Status &status)
{
    if (rank_ == 0)
        std::printf("status %s %s %d\n", root, expression, status.MPI_TAG);
}

static void tell_count(const char *expression, size_t count)
{
    if (rank_ == 0)
        std::printf("count %s %zu\n", expression, count);
}

#define PART(root, expression) tell(#root, #expression, expression)
#define LANES(root, harbour) PART(root, harbour.comm), PART(root, harbour.lanes[0].comm), PART(root, harbour.lanes[1].comm)
#define LANES_OF(root, to) PART(root, to->comm), PART(root, to->lanes[0].comm), PART(root, to->lanes[1].comm)
#define COUNT(list, count) tell_count(#list, count)

static void look(const Port &port_ref)
{
    wait_for_debugger_for_fortran(); // stop: all parts told
    if (port_ref.length != 7)
        std::printf("nothing\n");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    truth_begin_for_fortran(0, argc > 1 && std::string(argv[1]) == "--wait");

    Port port;
    Port *to_port = &port, **to_to_port = &to_port;
    std::unique_ptr<Harbour> owned = std::make_unique<Harbour>();
    std::vector<Harbour> harbours(2);
    std::map<std::string, Harbour> by_name;
    by_name["east"];
    by_name["far west"];
    std::map<int, Lane> by_number;
    by_number[-7];
    by_number[4];
    std::map<char, Lane> by_letter;
    by_letter['a'];
    std::vector<std::unique_ptr<Lane>> pointers;
    pointers.push_back(std::make_unique<Lane>());
    Lane grid[2][2], *first_lane = &grid[0][0], (*rows)[2] = grid;
    MPI_Comm comm = another(), *to_comm = &comm, comms[3] = {comm, MPI_COMM_NULL, comm};
    while (made < 100)
        another();
    std::vector<Lane> row(many);
    static Lane long_array[many];
    MPI_Status status, *to_status = &status, statuses[2];
    int token = rank_;
    MPI_Sendrecv(&rank_, 1, MPI_INT, rank_, 31, &token, 1, MPI_INT, rank_, 31, MPI_COMM_WORLD, &status);
    statuses[0] = statuses[1] = status;
    statuses[1].MPI_TAG = 32;
    Statuses pointed = {status, &statuses[1]};

    PART(port, port.Harbour::comm), PART(port, port.lanes[0].comm), PART(port, port.lanes[1].comm);
    PART(port, port.quay_comm), PART(port, port.comm), PART(port, port.nameless);
    PART(to_port, to_port->Harbour::comm), PART(to_port, to_port->lanes[0].comm), PART(to_port, to_port->lanes[1].comm);
    PART(to_port, to_port->quay_comm), PART(to_port, to_port->comm), PART(to_port, to_port->nameless);
    PART(*to_to_port, (*to_to_port)->Harbour::comm), PART(*to_to_port, (*to_to_port)->lanes[0].comm);
    PART(*to_to_port, (*to_to_port)->lanes[1].comm), PART(*to_to_port, (*to_to_port)->quay_comm);
    PART(*to_to_port, (*to_to_port)->comm), PART(*to_to_port, (*to_to_port)->nameless);
    LANES_OF(owned, owned);
    LANES(harbours, harbours[0]), LANES(harbours, harbours[1]);
    LANES(by_name, by_name["east"]), LANES(by_name, by_name["far west"]);
    PART(by_number, by_number[-7].comm), PART(by_number, by_number[4].comm);
    PART(by_letter, by_letter[97].comm);
    PART(grid, grid[0][0].comm), PART(grid, grid[0][1].comm), PART(grid, grid[1][0].comm), PART(grid, grid[1][1].comm);
    tell("*first_lane@3", "first_lane[0].comm", first_lane[0].comm), tell("*first_lane@3", "first_lane[1].comm", first_lane[1].comm), tell("*first_lane@3", "first_lane[2].comm", first_lane[2].comm);
    PART(*rows, (*rows)[0].comm), PART(*rows, (*rows)[1].comm);
    tell("to_comm", "to_comm", *to_comm);
    tell_status("statuses", "statuses[0]", statuses[0]), tell_status("statuses", "statuses[1]", statuses[1]);
    tell_status("to_status", "to_status", *to_status);
    tell_status("pointed", "pointed.first", pointed.first), tell_status("pointed", "pointed.second", *pointed.second);
    COUNT(harbours, harbours.size());
    COUNT(row, row.size());
    COUNT(port.lanes, 2);
    COUNT(grid, 2);
    COUNT(comms, 3);
    COUNT(long_array, many);
    std::printf("rank %d: parts told\n", rank_);
    std::fflush(stdout);
    look(port);

    const bool is_all = to_to_port && pointers[0] && rows && comms[0] == *to_comm && long_array[0].width && pointed.second;
    std::printf("rank %d: %d, %d\n", rank_, by_letter['a'].width > 0, is_all);
    MPI_Finalize();
    return 0;
}
