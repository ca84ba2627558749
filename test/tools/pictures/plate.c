/*
 * plate.c - a plate that is hot at one edge; each process keeps a tile of it and asks its neighbours for the rest.
 */
#include <mpi.h>

enum { N = 8, WIDTH = N + 2 };

typedef struct {
    double cell[WIDTH][WIDTH];
    int neighbour[4];
    double residual;
} tile;

static void exchange(tile *own, MPI_Comm plate, MPI_Datatype column)
{
    MPI_Request requests[8];
    int edge[] = {N, 1, N, 1}, halo[] = {0, N + 1, 0, N + 1};
    for (int side = 0; side < 4; side++) {
        int is_row = side < 2, to = own->neighbour[side ^ 1], from = own->neighbour[side];
        double *out = is_row ? &own->cell[edge[side]][1] : &own->cell[1][edge[side]];
        double *in = is_row ? &own->cell[halo[side]][1] : &own->cell[1][halo[side]];
        MPI_Datatype type = is_row ? MPI_DOUBLE : column;
        MPI_Irecv(in, is_row ? N : 1, type, from, side, plate, &requests[side]);
        MPI_Issend(out, is_row ? N : 1, type, to, side, plate, &requests[4 + side]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE); /* stop: edges on their way */
}

static double relax(tile *own)
{
    double change = 0;
    for (int row = 1; row <= N; row++)
        for (int column = 1; column <= N; column++) {
            double (*c)[WIDTH] = own->cell;
            double mean = (c[row - 1][column] + c[row + 1][column] + c[row][column - 1] + c[row][column + 1]) / 4;
            change += (mean - c[row][column]) * (mean - c[row][column]);
            c[row][column] = mean;
        }
    return change;
}

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 1}, coords[2];
    double total = 0;
    tile own = {0};
    MPI_Comm plate, row;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plate);
    MPI_Comm_set_name(plate, "plate");
    MPI_Comm_rank(plate, &rank);
    MPI_Cart_coords(plate, rank, 2, coords);
    MPI_Cart_sub(plate, (int[]){0, 1}, &row);
    MPI_Comm_set_name(row, "row");
    MPI_Cart_shift(plate, 0, 1, &own.neighbour[0], &own.neighbour[1]);
    MPI_Cart_shift(plate, 1, 1, &own.neighbour[2], &own.neighbour[3]);
    MPI_Type_vector(N, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_set_name(column, "column");
    if (coords[0] == 0)
        for (int x = 0; x < WIDTH; x++)
            own.cell[0][x] = 100;
    for (int step = 1; step <= 30; step++) {
        exchange(&own, plate, column);
        own.residual = relax(&own);
        MPI_Allreduce(&own.residual, &total, 1, MPI_DOUBLE, MPI_SUM, plate); /* stop: tile relaxed */
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&plate);
    MPI_Finalize();
    return 0;
}
