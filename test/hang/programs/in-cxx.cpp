// Hangs, and a program that goes on, in C++: in-cxx CASE
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
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
    /* A thread sends what nothing but the end of an exception leads to. */
    void wait_for_what_is_caught()
    {
        std::thread sender([this] {
            for (;;) {
                try {
                    sleep(4);
                    throw rank;
                } catch (int from) {
                    MPI_Send(values.data(), 4, MPI_INT, 1 - from, 4, MPI_COMM_WORLD);
                }
            }
        });
        for (std::vector<int> taken(4);;)
            MPI_Recv(taken.data(), 4, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    int rank = 0;

private:
    std::vector<int> values = std::vector<int>(4);
};

} // namespace

int main(int argc, char **argv)
{
    int level;
    const bool has_threads = argc > 1 && std::string(argv[1]) == "catching_sender";
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    Grid grid;
    std::vector<int> into(4);
    const std::map<std::string, std::function<void()>> cases = {
        {"cycle", [&] { if (grid.rank < 2) grid.send(1 - grid.rank, 3); }},
        {"missing", [&] { if (grid.rank != 1) grid.sum(into); }},
        {"mixed", [&] { grid.rank == 3 ? grid.receive(0, 1) : grid.sum(into); }},
        {"loop", [&] { for (;;) grid.sum(into); }},
        {"catching_sender", [&] { if (grid.rank < 2) grid.wait_for_what_is_caught(); }},
    };
    MPI_Barrier(MPI_COMM_WORLD);
    std::fprintf(stderr, "rank %d begins: %d\n", grid.rank, (int)getpid());
    cases.at(argv[1])();
    MPI_Finalize();
}
