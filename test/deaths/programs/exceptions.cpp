// exceptions.cpp CASE - how C++ ends a process. The last rank is the one; all others wait for it.
#define _GLIBCXX_ASSERTIONS
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Ocean : std::runtime_error {
  explicit Ocean(int depth) : std::runtime_error("depth " + std::to_string(depth)) {}
};

// Tells its text by a function of its own.
struct Melted : std::exception {
  std::string where;
  explicit Melted(const char *text) : where(text) {}
  const char *what() const noexcept override { return where.c_str(); }
};

struct Shape {
  Shape() { draw(); }
  virtual ~Shape() {}
  virtual void draws() = 0;
  void draw() { draws(); }  // dies: pure virtual
};
struct Circle : Shape {
  void draws() override {}
};

struct Finalizer {
  bool active = false;
  ~Finalizer() {
    if (active) MPI_Barrier(MPI_COMM_WORLD), MPI_Finalize();
  }
} finalizer;

struct Keeper {
  ~Keeper() noexcept(false) { throw Ocean(8); }  // dies: destructor
};

static void promises() noexcept {
  throw Ocean(3);  // dies: noexcept
}

static void die(const std::string &how) {
  if (how == "noexcept") promises();
  if (how == "destructor") {
    try {
      Keeper keeper;
      throw std::runtime_error("which it kept");
    } catch (const std::exception &) {
    }
  }
  std::vector<int> few(3);
  if (how == "out-of-range") few.at(9) = 1;  // dies: out of range
  if (how == "assertion") few[9] = 1;  // dies: assertion
  if (how == "int") throw 66;  // dies: int
  if (how == "own") throw Ocean(7);  // dies: own
  if (how == "in-thread") std::thread([] { throw std::logic_error("in a thread"); }).join();  // dies: thread
  if (how == "pure-virtual") Circle();
  if (how == "joinable") std::thread([] {});  // dies: joinable
  if (how == "own-what") throw Melted("the ice of rank 1");  // dies: own what
  if (how == "nested") {
    try {
      throw Ocean(2);
    } catch (...) {
      std::throw_with_nested(Melted("in a loop"));  // dies: nested
    }
  }
  if (how == "from-task") {
    std::exception_ptr kept;
    std::thread([&kept] {
      try {
        throw std::logic_error("in a task");  // dies: thrown in a task
      } catch (...) {
        kept = std::current_exception();
      }
    }).join();
    std::rethrow_exception(kept);  // dies: task
  }
  if (how == "rethrown") {
    try {
      throw Ocean(9);  // dies: rethrown
    } catch (const std::exception &) {
      throw;
    }
  }
  if (how == "caught-abort") {
    try {
      throw Ocean(4);  // dies: thrown and caught
    } catch (const std::exception &) {
      MPI_Abort(MPI_COMM_WORLD, 3);  // dies: caught abort
    }
  }
  if (how == "caught-exit") {
    try {
      few.at(9) = 1;
    } catch (...) {
      std::exit(5);  // dies: caught exit
    }
  }
  if (how == "caught") {
    try {
      throw Ocean(1);
    } catch (const Ocean &ocean) {
      std::printf("%s\n", ocean.what());
      std::fflush(stdout);
    }
  }
}

int main(int argc, char **argv) {
  int rank, size;
  const std::string how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (how == "finalizes-in-destructor") {
    finalizer.active = true;
    return 0;
  }
  if (rank == size - 1) die(how);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
