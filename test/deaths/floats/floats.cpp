// floats.cpp - rank 1 makes a NaN in a member function, of objects.
#include <functional>
#include <mpi.h>
#include <vector>

struct Cell {
    double mass, volume;
    double density() const
    {
        return mass / volume; // traps: cxx
    }
    double ratio() const
    {
        return std::divides<double>()(mass, volume); // traps: header
    }
};

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<Cell> cells(3, Cell{1, 2});
    if (rank == 1)
        cells[2] = Cell{0, 0};
    double sum = 0;
    for (const Cell &cell : cells)
        sum += argc > 1 && *argv[1] != '\0' ? cell.ratio() : cell.density();
    MPI_Finalize();
    return sum > 1000;
}
