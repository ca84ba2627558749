/* optimised CASE - faults in code of headers of which the compiler has left nothing but single instructions: the line is the program's that has called it. */
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Cell { double mass, speed; };
static std::unique_ptr<Cell> cell;
static std::vector<Cell> *cells;
static std::map<std::string, double> table;

static double die(const std::string &how)
{
    double total = 0;
    if (how == "unique-ptr")
        total += cell->speed; // dies: unique ptr
    else if (how == "text") {
        const std::string *name = reinterpret_cast<std::string *>(0x20);
        total += name->size() + (*name)[0]; // dies: text
    } else if (how == "empty-vector")
        total += cells->front().speed; // dies: empty vector
    else if (how == "no-key")
        total += table.at("ice"); // dies: no key
    return total;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<Cell> none;
    cells = &none;
    if (rank == size - 1)
        printf("%g\n", die(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
