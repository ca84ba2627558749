// Hangs whose verdict has to reach the line or the variable that is wrong: causes CASE
#include "cases.h"
extern "C" int store_write(MPI_Comm comm);
#include "wrap/wrap.hpp"

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

static const named_case cases[] = {
    {"wrapped", wrapped},
    {"in_library", in_library},
    {NULL, NULL},
};

int main(int argc, char **argv) { return run_case(argc, argv, cases); }
