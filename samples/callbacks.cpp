// Lines that call the program back through code of others: of the standard library, the C library, OpenMP.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <variant>
#include <vector>
#include <mpi.h>

struct Cell {
  int value;
  explicit Cell(int of) : value(of) {} // stop: in constructor
  int plus(int more) const {
    return value + more; // stop: in member
  }
};

struct Adder {
  int *sum;
  void operator()(int number) const {
    *sum += number; // stop: in visitor
  }
  void operator()(double) const {}
};

static int twice(int number) {
  return 2 * number; // stop: in twice
}

static int compare(const void *left, const void *right) {
  return *(const int *)left - *(const int *)right; // stop: in compare
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> numbers{3, 1, 2};
  int raw[4] = {4, 3, 2, 1};
  int sum = numbers[0] + numbers[1]; // stop: nothing of the program is called
  auto descending = [](int one, int other) {
    return one > other; // stop: in lambda
  };
  sum += rank;
  std::sort(numbers.begin(), numbers.end(), descending); // stop: sort
  std::for_each(numbers.begin(), numbers.end(), [&](int number) { // stop: each
    sum += number; // stop: in each
  });
  std::function<int(int)> function = twice;
  sum += function(numbers[2]); // stop: function
  std::variant<int, double> either = sum;
  std::visit(Adder{&sum}, either); // stop: visit
  auto bound = std::bind(&Cell::plus, Cell(sum), 3);
  sum += bound(); // stop: bind
  qsort(raw, 4, sizeof(int), compare); // stop: qsort
  std::vector<Cell> cells;
  cells.emplace_back(sum); // stop: emplace
  sum = twice(raw[0] + numbers[1]); // stop: direct
#pragma omp parallel for num_threads(2) // stop: parallel
  for (int i = 0; i < 4; i++)
    raw[i] += rank; // stop: in region
  MPI_Barrier(MPI_COMM_WORLD); // stop: together
  printf("rank %d: %d %d\n", rank, sum, raw[0]);
  MPI_Finalize();
  return 0;
}
