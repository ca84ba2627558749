/*
 * exceptions.cpp - what stops a C++ program:  mpirun -n 4 exceptions
 *
 * Every rank gets a signal that it handles, and then throws an exception that it catches: ranks 0 and 2 a
 * std::runtime_error, the others a reef of their own.
 */
#include <mpi.h>
#include <csignal>
#include <cstdio>
#include <stdexcept>

struct reef {
    int depth;
};

static volatile std::sig_atomic_t signals = 0;

static void count(int)
{
    signals = signals + 1;
}

static int sound(int rank)
{
    if (rank % 2 == 0)
        throw std::runtime_error("aground"); // stop: throws an error
    throw reef{10 + rank}; // stop: throws a reef
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, depth = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::signal(SIGUSR1, count);

    std::raise(SIGUSR1); // stop: before the signal
    try {
        depth = sound(rank); // stop: before the exception
    } catch (const std::exception &error) {
        std::printf("rank %d: %s\n", rank, error.what());
    } catch (const reef &found) {
        depth = found.depth;
        std::printf("rank %d: a reef at %d\n", rank, depth);
    }
    std::printf("rank %d: %d signals\n", rank, (int)signals);
    MPI_Finalize();
    return 0;
}
