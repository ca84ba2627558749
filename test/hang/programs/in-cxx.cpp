// Hangs, and a program that goes on, in C++: in-cxx CASE
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

class Grid {
public:
    Grid() { MPI_Comm_rank(MPI_COMM_WORLD, &rank); }
    void receive(int from, int tag) { MPI_Recv(values.data(), 4, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
    void send(int to, int tag) { MPI_Ssend(values.data(), 4, MPI_INT, to, tag, MPI_COMM_WORLD); }
    template <typename T> void sum(std::vector<T> &into)
    {
        MPI_Allreduce(values.data(), into.data(), 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    int rank = 0;

private:
    std::vector<int> values = std::vector<int>(4);
};

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Grid grid;
    std::vector<int> into(4);
    const std::map<std::string, std::function<void()>> cases = {
        {"cycle", [&] { if (grid.rank < 2) grid.send(1 - grid.rank, 3); }},
        {"missing", [&] { if (grid.rank != 1) grid.sum(into); }},
        {"mixed", [&] { grid.rank == 3 ? grid.receive(0, 1) : grid.sum(into); }},
        {"loop", [&] { for (;;) grid.sum(into); }},
    };
    MPI_Barrier(MPI_COMM_WORLD);
    std::fprintf(stderr, "rank %d begins: %d\n", grid.rank, (int)getpid());
    cases.at(argv[1])();
    MPI_Finalize();
}
