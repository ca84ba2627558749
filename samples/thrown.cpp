/*
 * thrown.cpp - ways in which C++ ends a process:  mpirun -n 2 thrown none deep
 *
 * Each rank ends as its argument says, or waits in MPI_Barrier. The variable `what` holds what() of what is thrown.
 */
#include <mpi.h>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

struct Tide : std::exception {
    std::string text;
    explicit Tide(std::string of) : text(std::move(of)) {}
    const char *what() const noexcept override { return text.c_str(); }
};

struct Named {
    virtual ~Named() {}
};
template <class Of> struct Twofold : Named, std::logic_error {
    using std::logic_error::logic_error;
};

struct Shape {
    Shape() { draw(); }
    virtual ~Shape() {}
    virtual void draws() = 0;
    void draw() { draws(); } // stop: draws nothing
};
struct Circle : Shape {
    void draws() override {}
};

template <class Thrown> [[noreturn]] static void tell(const Thrown &thrown)
{
    const char *what = thrown.what();
    static_cast<void>(what);
    throw thrown; // stop: throws it
}

static void deep(int depth)
{
    if (depth == 0)
        tell(std::runtime_error("bad table"));
    deep(depth - 1);
}

/* Nothing is destroyed on the way, so that the stack is as it was. */
static void lets_nothing_out() noexcept
{
    static const std::runtime_error tide("out of the noexcept");
    tell(tide);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string how = argc > rank + 1 ? argv[rank + 1] : "";
    if (how == "deep")
        deep(9);
    if (how == "in-thread")
        std::thread([] { deep(1); }).join();
    if (how == "again") {
        try {
            deep(1);
        } catch (const std::exception &) {
            throw; // stop: throws again
        }
    }
    if (how == "noexcept")
        lets_nothing_out();
    if (how == "own")
        tell(Tide("the tide is out, and will be for some hours"));
    if (how == "twofold")
        tell(Twofold<std::vector<int>>("of two kinds"));
    if (how == "system")
        tell(std::system_error(ENOENT, std::generic_category(), "reading halo"));
    if (how == "number")
        throw 42; // stop: throws a number
    if (how == "text")
        throw std::string("no more than a text"); // stop: throws a text
    if (how == "handled") {
        try {
            deep(1);
        } catch (const std::exception &) {
            std::terminate(); // stop: gives up
        }
    }
    if (how == "nothing")
        throw; // stop: throws nothing
    if (how == "joinable") {
        std::thread forgotten([] {});
    } // stop: forgets a thread
    if (how == "pure")
        Circle();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
