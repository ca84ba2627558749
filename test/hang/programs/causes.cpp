// Hangs whose verdict has to reach the line or the variable that is wrong: causes CASE
#include "cases.h"
extern "C" int store_write(MPI_Comm comm);
#include "wrap/wrap.hpp"
#include <csignal>
#include <stdexcept>

struct Particle {
    double x[3];
    int id;
};

static void wrapped()
{
    wrap::communicator world;
    Particle theirs = {};
    begin();
    if (rank == 0) world.recv(1, 5, theirs); // wrapped: rank 0
    if (rank == 1) world.recv(0, 6, theirs); // wrapped: rank 1
}

static void in_library()
{
    begin();
    if (rank == 1) receive(0, 4, WORLD);
    else store_write(WORLD); // in_library: the others
}

static void sum() { MPI_Allreduce(&rank, &one, 1, MPI_INT, MPI_SUM, WORLD); }

static void at_end() { MPI_Finalize(); }
static void __attribute__((noinline)) read_table()
{
    if (rank == 1) std::exit(3); // exits: here
}
static void exits()
{
    std::atexit(at_end);
    begin();
    read_table();
    sum();
}

struct TableError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Session {
    ~Session() { MPI_Finalize(); }
};
static void __attribute__((noinline)) check_table()
{
    if (rank == 1) throw TableError("no such table");
}
static void __attribute__((noinline)) work()
{
    Session session;
    check_table();
    sum();
}
static void throws()
{
    begin();
    try {
        work();
    } catch (const std::exception &error) {
        std::exit(1);
    }
}

static void on_signal(int number)
{
    MPI_Finalize();
    std::exit(number);
}
static void interrupted()
{
    std::signal(SIGUSR1, on_signal);
    begin();
    if (rank == 1) std::raise(SIGUSR1); // interrupted: here
    sum();
}

static void on_terminate()
{
    MPI_Finalize();
    std::abort();
}
static void __attribute__((noinline)) terminates()
{
    std::set_terminate(on_terminate);
    begin();
    if (rank == 1) throw TableError("no such table"); // terminates: here
    sum();
}

static const named_case cases[] = {
    {"wrapped", wrapped},
    {"in_library", in_library},
    {"exits", exits},
    {"throws", throws},
    {"interrupted", interrupted},
    {"terminates", terminates},
    {NULL, NULL},
};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
