// containers.cpp - the containers of C++ and some objects, to look at in a debugger:  mpirun -n 4 containers
#include <array>
#include <complex>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mpi.h>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sea {

class Vessel {
public:
    explicit Vessel(std::string name, double length) : name_(std::move(name)), length_(length) {}
    virtual ~Vessel() = default;
    virtual int crew() const { return 2; }
    const std::string &name() const { return name_; }

protected:
    std::string name_;
    double length_;
    static int count;
};

int Vessel::count = 12;

class Ferry : public Vessel {
public:
    Ferry(std::string name, double length, int cars) : Vessel(std::move(name), length), cars_(cars) {}
    int crew() const override
    {
        return cars_ / 10; // stop: in a method
    }

private:
    int cars_;
};

template <typename Value> struct Pair {
    Value first, second;
};

} // namespace sea

static int total_crew(const std::vector<std::unique_ptr<sea::Vessel>> &fleet)
{
    int total = 0;
    for (const auto &vessel : fleet)
        total += vessel->crew();
    return total;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    std::string text = "fog over the Øresund";
    std::string empty_text;
    std::vector<int> numbers = {10, 20, 30, 40 + rank};
    std::vector<double> no_numbers;
    std::vector<std::string> words = {"north", "south"};
    std::vector<bool> flags = {true, false, true};
    std::vector<std::vector<int>> table = {{1, 2}, {3}, {}};
    std::vector<int> many(1000, rank);
    std::array<double, 3> fixed = {0.5, 1.5, 2.5};
    std::map<std::string, int> depths = {{"east", 30}, {"west", 20 + rank}};
    std::unordered_map<int, std::string> names = {{7, "seven"}};
    std::set<int> primes = {2, 3, 5};
    std::deque<int> queue = {1, 2, 3};
    std::pair<int, std::string> pair = {1, "one"};
    std::tuple<int, double, char> triple = {1, 2.5, 'x'};
    std::optional<int> something = 5, nothing;
    std::shared_ptr<sea::Vessel> shared = std::make_shared<sea::Ferry>("Aurora", 111.2, 240);
    std::vector<std::unique_ptr<sea::Vessel>> fleet;
    fleet.push_back(std::make_unique<sea::Vessel>("Hen", 8.5));
    fleet.push_back(std::make_unique<sea::Ferry>("Tycho", 111.2, 240 + 10 * rank));
    sea::Pair<double> pair_of_doubles = {1.5, 2.5};
    sea::Ferry ferry("Hamlet", 110.8, 244);
    std::complex<double> wave(1.5, -2);
    const sea::Vessel &reference = *shared;
    auto add_rank = [rank](int value) { return value + rank; };
    std::vector<MPI_Comm> comms = {MPI_COMM_WORLD, MPI_COMM_SELF};

    int crew = total_crew(fleet); // stop: all containers filled
    std::printf("rank %d of %d: crew %d, %s, %zu containers, %d\n", rank, size, crew, reference.name().c_str(),
                numbers.size() + no_numbers.size() + words.size() + flags.size() + table.size() + many.size() +
                    fixed.size() + depths.size() + names.size() + primes.size() + queue.size() + comms.size() +
                    text.size() + empty_text.size(),
                add_rank(pair.first + std::get<0>(triple) + something.value_or(0) + nothing.value_or(0) +
                         static_cast<int>(pair_of_doubles.second + wave.real()) + ferry.crew()));
    MPI_Finalize();
    return 0;
}
