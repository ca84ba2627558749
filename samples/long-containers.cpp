// long-containers.cpp - containers of C++ too long to be shown whole, and short ones.     mpirun -n 4 long-containers
//
// Each rank prints "long RANK EXPRESSION", a tab and what its value comes to: equal where the values are equal; and of the
// short ones "value RANK EXPRESSION", a tab and what gdb's pretty printers make of these values.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

// truth-fortran.c
extern "C" {
void truth_begin_for_fortran(int truth, int wait);
void wait_for_debugger_for_fortran(void);
}

static int world_rank;

static void tell(const char *expression, double value)
{
    std::printf("long %d %s\t%.17g\n", world_rank, expression, value);
    std::fflush(stdout);
}

static void tell(const char *expression, const std::string &text)
{
    std::printf("value %d %s\t%s\n", world_rank, expression, text.c_str());
    std::fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    truth_begin_for_fortran(0, argc > 1 && std::string(argv[1]) == "--wait");
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);

    std::vector<double> depths(1000), same(1000);
    std::map<int, int> levels;
    std::string text(1000, 'a'), harbour = "Malmö", name = world_rank == 1 ? "fog" : "sun";
    for (int i = 0; i < 1000; i++) {
        same[i] = depths[i] = i + 0.5;
        levels[i] = i;
        text[i] = static_cast<char>('a' + i % 26);
    }
    depths[999] += world_rank == 3;
    text[999] = world_rank == 2 ? '!' : '?';
    levels[999] = world_rank;
    const std::vector<int> few = {1, 2, world_rank};
    const std::map<std::string, int> tides = {{"high", 9}, {"low", world_rank / 2}};
    const std::unique_ptr<int> owned(new int(world_rank == 0 ? 7 : 8)), none;

    tell("depths", depths[999]);
    tell("same", same[999]);
    tell("text", text[999]);
    tell("levels", levels[999]);
    const std::string number = std::to_string(world_rank);
    tell("few", "std::vector of length 3, capacity 3 = {1, 2, " + number + "}");
    tell("few[2]", number);
    tell("name", "\"" + name + "\"");
    tell("tides", "std::map with 2 elements = {[\"high\"] = 9, [\"low\"] = " + std::to_string(world_rank / 2) + "}");
    tell("tides[\"low\"]", std::to_string(world_rank / 2));
    tell("*owned", std::to_string(*owned));
    tell("none", "null");
    wait_for_debugger_for_fortran();
    if (few[0] + harbour[0] + levels[0] + (none == nullptr) == 0)
        std::puts("nothing");
    MPI_Finalize();
    return 0;
}
