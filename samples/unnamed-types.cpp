// unnamed-types.cpp - handles of C++ whose type the compiler has not kept:  mpirun -n 2 unnamed-types --wait
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// truth-fortran.c
extern "C" {
void truth_begin_for_fortran(int truth, int wait);
void wait_for_debugger_for_fortran(void);
}

template <typename Request, int count> struct Exchange {
    Request requests[count];
    int cells;
    Request last;
};

template <typename Comm> struct Place {
    Comm comm;
    Comm *to_comm;
    int level;
};

struct Refined : Place<MPI_Comm> {
    int factor;
};

using Pair = Exchange<MPI_Request, 2>;

template <typename Comm> static int answer(Comm of_template, int number, const Comm &referred)
{
    wait_for_debugger_for_fortran(); // stop: all types lost
    return number + (of_template == referred);
}

int main(int argc, char **argv)
{
    int rank, size, numbers[4] = {};
    MPI_Comm comm;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    truth_begin_for_fortran(0, argc > 1 && std::string(argv[1]) == "--wait");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "ocean");
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&numbers[i], 1, MPI_INT, (rank + 1) % size, 10 + i, comm, &request[i]);

    // Variables
    auto copied = comm;
    const auto constant = comm;
    auto *pointed = &comm;
    auto &referred = comm;
    std::pair<MPI_Comm, int> pair{comm, 7};
    auto [bound, count] = pair;

    // In templates
    std::pair<int, MPI_Comm> behind{7, comm};
    std::tuple<int, MPI_Comm> tuple{7, comm};
    Place<MPI_Comm> place{comm, &comm, 4};
    Place<MPI_Comm> *to_place = &place;
    Refined refined;
    refined.comm = comm, refined.to_comm = &comm, refined.level = 5, refined.factor = 2;
    Pair exchange{{request[0], request[1]}, 12, request[1]};
    std::vector<Pair> exchanges{exchange, exchange};
    std::vector<std::pair<int, MPI_Request>> listed{{3, MPI_REQUEST_NULL}, {4, request[0]}};
    std::array<std::array<MPI_Request, 2>, 2> table{{{request[0], request[1]}, {request[1], MPI_REQUEST_NULL}}};
    std::map<MPI_Comm, int> sizes{{comm, 2}};
    std::unique_ptr<MPI_Comm> owned = std::make_unique<MPI_Comm>(comm);
    auto lambda = [captured = comm, rank] { return captured == MPI_COMM_NULL ? rank : 0; };

    // Numbers: the program says so, or not all of them are handles.
    int taken;
    std::memcpy(&taken, &comm, sizeof taken);
    std::vector<int> mixed{taken, 1 << 26, 12};
    std::pair<int, int> plain{1 << 26, 12};
    int table_of_numbers[2] = {taken, taken};

    int told = answer(comm, 3, comm);
    for (MPI_Request &each : request) {
        MPI_Cancel(&each);
        MPI_Wait(&each, MPI_STATUS_IGNORE);
    }
    const bool is_all = copied == constant && *pointed == referred && bound == behind.second && std::get<1>(tuple) == *owned &&
                        to_place->comm == refined.comm && exchanges[0].last == listed[1].second && table[0][0] != table[1][1];
    std::printf("rank %d of %d: %d, %zu containers, %d, %d\n", rank, size, told + count + plain.first + table_of_numbers[1],
                sizes.size() + mixed.size(), is_all, lambda());
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
