// nested.cpp - handles in structs, classes and containers of C++, and behind pointers:  mpirun -n 4 nested --wait
#include <cstdio>
#include <map>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// truth-fortran.c
extern "C" {
void truth_begin_for_fortran(int truth, int wait);
void wait_for_debugger_for_fortran(void);
}

struct Halo {
    MPI_Comm comm;
    int cells;
    MPI_Request requests[2];
    MPI_Status status;
};

class Grid {
public:
    explicit Grid(MPI_Comm comm) : comm_(comm) {}
    virtual ~Grid() = default;

protected:
    MPI_Comm comm_;
};

class Ocean : public Grid {
public:
    Ocean(MPI_Comm comm, std::vector<MPI_Request> pending) : Grid(comm), pending_(std::move(pending)) {}
    int depth() const
    {
        return static_cast<int>(pending_.size()); // stop: in a method
    }

private:
    std::vector<MPI_Request> pending_;
};

namespace sea {
MPI_Comm comm;
}

static int total_cells(const Halo *here, const Ocean &sea)
{
    wait_for_debugger_for_fortran(); // stop: all values in place
    return here->cells + sea.depth();
}

int main(int argc, char **argv)
{
    int rank, size, numbers[4] = {};
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    truth_begin_for_fortran(0, argc > 1 && std::string(argv[1]) == "--wait");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "ocean");
    sea::comm = comm;

    Halo halo = {};
    halo.comm = comm;
    halo.cells = 3;
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&numbers[i], 1, MPI_INT, (rank + 1) % size, 10 + i, comm, &halo.requests[i]);
    halo.status.MPI_SOURCE = halo.status.MPI_TAG = rank;
    MPI_Request *requests = halo.requests, table[2][2] = {{requests[0], requests[1]}, {requests[1], MPI_REQUEST_NULL}};

    // Pointers to handles and to structs of them
    MPI_Comm *pointer = &comm, **to_pointer = &pointer, *no_comm = nullptr;
    Halo *to_halo = &halo, **to_to_halo = &to_halo, *no_halo = nullptr;
    MPI_Comm *nowhere = reinterpret_cast<MPI_Comm *>(0x11);
    Halo *nowhere_halo = reinterpret_cast<Halo *>(0x11);
    Halo *halos[2] = {&halo, nullptr};
    void *untyped = &comm;

    // Containers
    std::vector<MPI_Comm> comms = {MPI_COMM_WORLD, comm};
    std::vector<Halo> history = {halo, halo};
    std::map<std::string, MPI_Comm> by_name = {{"self", MPI_COMM_SELF}, {"ocean \"deep\"", comm}};
    std::map<int, Halo> by_day = {{4, halo}, {-7, halo}};
    std::optional<MPI_Comm> maybe = comm, never;
    std::optional<Halo> later = halo;
    std::pair<int, MPI_Comm> numbered = {7, comm};
    std::unique_ptr<Halo> owned = std::make_unique<Halo>(halo);
    std::shared_ptr<Halo> shared = std::make_shared<Halo>(halo);
    Ocean ocean(comm, {requests[0], requests[1]});
    Grid *grid = &ocean;

    int cells = total_cells(to_halo, ocean);
    for (MPI_Request &request : halo.requests) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    const bool is_all = to_to_halo && to_pointer && !no_comm && !no_halo && nowhere && nowhere_halo && halos[0] && untyped &&
                        maybe && !never && later && owned && shared && grid && table[0][0] != table[1][1];
    std::printf("rank %d of %d: %d cells, %zu containers, %d, %d\n", rank, size, cells,
                comms.size() + history.size() + by_name.size() + by_day.size(), numbered.first, is_all);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
