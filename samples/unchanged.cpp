// unchanged.cpp - tells at its end whether a debugger has changed its variables or called its functions:
//     mpirun -n 2 unchanged --wait
#include <cstdio>
#include <mpi.h>
#include <string>

// truth-fortran.c
extern "C" {
void truth_begin_for_fortran(int truth, int wait);
void wait_for_debugger_for_fortran(void);
}

static int calls;

struct Depth {
    int metres;
    Depth operator+(int more) const
    {
        ++calls;
        return {metres + more};
    }
    Depth &operator=(int other)
    {
        ++calls;
        metres = other;
        return *this;
    }
    operator bool() const
    {
        ++calls;
        return metres > 0;
    }
};

static int rounds = 5;
static MPI_Comm world_copy;

extern "C" int grow(int by)
{
    ++calls;
    return rounds += by;
}

static int look_around(int step)
{
    int zero = 0;
    Depth depth = {12};
    char text[8] = "fog";
    MPI_Comm comm = world_copy;
    wait_for_debugger_for_fortran();
    const bool same = comm == world_copy; // stop: nothing changed yet
    std::printf("at the end: step %d, zero %d, rounds %d, %d metres, text %s, comm %s, %d calls\n", step, zero, rounds,
                depth.metres, text, same ? "same" : "other", calls);
    return step;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    truth_begin_for_fortran(0, argc > 1 && std::string(argv[1]) == "--wait");
    MPI_Comm_dup(MPI_COMM_WORLD, &world_copy);
    int step = look_around(argc);
    if (grow(step) + (Depth{1} + 1).metres == 0 || !Depth{1})
        std::printf("nobody comes here\n");
    Depth last = {};
    last = step;
    MPI_Comm_free(&world_copy);
    MPI_Finalize();
    return 0;
}
