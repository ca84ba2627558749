// margins.cpp - values that a debugger writes in few words: containers of handles and numbers, objects, lambdas
//   mpirun -n 4 margins
// Rank 0 prints what MPI and the program itself say of them.
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

enum class Side { west, east, south, north };

class Torus {
public:
    explicit Torus(MPI_Comm cart) : cart_(cart)
    {
        MPI_Comm_rank(cart_, &me_);
        for (Side side : {Side::west, Side::east, Side::south, Side::north}) {
            int source, target;
            MPI_Cart_shift(cart_, side < Side::south ? 0 : 1, 1, &source, &target);
            peers_[side] = side == Side::west || side == Side::south ? source : target;
            outgoing_[side] = std::vector<double>(600);
            incoming_[side] = std::vector<double>(600);
        }
    }

    void exchange()
    {
        std::vector<MPI_Request> requests;
        std::vector<Side> sides = {Side::west, Side::east, Side::south, Side::north};
        int phase = 12;
        auto post = [this, &requests, phase](Side side, int tag) {
            MPI_Request receive, send;
            MPI_Irecv(incoming_[side].data(), 600, MPI_DOUBLE, peers_[side], phase + tag, cart_, &receive);
            MPI_Isend(outgoing_[side].data(), 600, MPI_DOUBLE, peers_[side], phase + 100, cart_, &send);
            requests.push_back(receive);
            requests.push_back(send);
        };
        for (Side side : sides)
            post(side, 200);
        std::vector<MPI_Request> receives = {requests[0], requests[2], requests[4], requests[6], MPI_REQUEST_NULL};
        const MPI_Request first = requests[0];
        for (Side side : sides) {
            volume_ += static_cast<int>(incoming_[side].size());
            if (side == Side::north)
                told(requests, receives, first); // stop: all is posted
        }
        for (std::size_t i = 0; i < requests.size(); i += 2)
            MPI_Cancel(&requests[i]);
        Torus other(cart_);
        other.take_all();
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

private:
    void take_all()
    {
        for (int i = 0; i < 4; i++)
            MPI_Recv(incoming_[Side::west].data(), 600, MPI_DOUBLE, MPI_ANY_SOURCE, 112, cart_, MPI_STATUS_IGNORE);
    }

    void told(const std::vector<MPI_Request> &requests, const std::vector<MPI_Request> &receives,
              const MPI_Request &first)
    {
        int pending = 0;
        for (MPI_Request request : receives) {
            int done = 0;
            if (request != MPI_REQUEST_NULL)
                MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
            pending += request != MPI_REQUEST_NULL && done == 0;
        }
        std::printf("rank %d: %zu requests, the first %s, %d receives pending, west %d\n", me_, requests.size(),
                    first == requests[0] ? "again" : "lost", pending, peers_[Side::west]);
        std::fflush(stdout);
    }

    MPI_Comm cart_;
    int me_ = -1;
    int volume_ = 0;
    std::map<Side, int> peers_;
    std::map<Side, std::vector<double>> outgoing_, incoming_;
};

struct Probe {
    MPI_Comm comm;
    int depth;
    const Probe *next;
};

// A base class without data, as an interface is, and what is behind it.
struct Field {
    virtual ~Field() = default;
    virtual double at(int cell) const = 0;
};

struct Halo : Field {
    explicit Halo(MPI_Comm of) : comm(of) {}
    double at(int cell) const override { return cell * width; }
    MPI_Comm comm;
    int width = 2;
};

template <class Number> struct Plume : Field {
    double at(int cell) const override { return cell * decay; }
    Number decay = 0.5;
};

struct Flat : Field {
    double at(int) const override { return 0; }
};

struct Counted {
};

// What gdb has no printer for.
struct Watcher : Counted {
    std::optional<int> limit, none;
    std::function<int(int)> rule, no_rule;
    std::mutex guard;
    std::bitset<12> seen{0x5a}, none_seen;
    std::atomic<int> count{7};
    int level = 4;
    std::reference_wrapper<int> watched{level};
    std::byte state{0x1f};
    std::unique_ptr<double[]> field{new double[3]{1.5, 2.5, 3.5}};
    std::chrono::milliseconds pause{250};
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm cart;
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Comm_set_name(cart, "torus");
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    int cell = 0;
    MPI_Win window;
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, cart, &window);
    MPI_Win_set_name(window, "cells");

    std::array<MPI_Comm, 4> comms = {MPI_COMM_WORLD, cart, MPI_COMM_NULL, MPI_COMM_NULL};
    std::map<int, MPI_Win> windows = {{7, window}};
    std::deque<MPI_Datatype> types = {column, MPI_INT};
    std::optional<MPI_Comm> maybe = cart, never;
    std::pair<int, MPI_Comm> numbered = {3, cart};
    // Numbers that are no handles, whatever they look like.
    std::vector<int> depths = {17, 4, -2}, ones(3000, 1), likely = {0x44000000 + 77, 0x44000000 + 78};
    std::vector<double> weights = {0.1, 0.2, 0.7}, field(600);
    const double *rows[3] = {&weights[0], &weights[1], &weights[2]}, *no_rows[3] = {};
    std::vector<double> ramp(600);
    for (int i = 0; i < 600; i++)
        ramp[i] = i;
    field[599] = rank;
    double plane[3][4] = {};
    char label[64] = "fog";
    std::vector<std::string> words = {"north", "south"};
    Probe outer = {cart, 12, nullptr}, inner = {MPI_COMM_SELF, 3, &outer};
    Probe *to_inner = &inner, *to_none = nullptr;
    std::unique_ptr<Probe> owned = std::make_unique<Probe>(inner);
    std::shared_ptr<Probe> shared = std::make_shared<Probe>(outer);
    std::vector<Probe> probes = {outer, inner};

    std::unique_ptr<Field> halo = std::make_unique<Halo>(cart), plume = std::make_unique<Plume<double>>();
    Flat flat;
    const Field *to_halo = halo.get(), *to_flat = &flat, *of_rank = rank == 2 ? plume.get() : to_halo;
    const Field &same = *plume;
    const Field *both[2] = {to_halo, to_flat};
    const Field *no_object = reinterpret_cast<const Field *>(label);

    const auto shift = [rank](int by) { return by + rank; };
    Watcher watcher;
    watcher.limit = rank == 2 ? 7 : 3;
    watcher.rule = shift;

    Torus torus(cart);
    torus.exchange();
    std::printf("rank %d: %zu %zu %zu %d %d %d %s %zu %g %d %d\n", rank, comms.size(), windows.size(), types.size(),
                maybe.has_value(), never.has_value(), numbered.first, label, words.size(), plane[0][0], // stop: all is done
                to_inner->depth, to_none == nullptr);
    if (to_halo->at(0) + of_rank->at(0) + same.at(0) + both[1]->at(1) != 0 || no_object == to_flat)
        return 1;
    if (depths.size() + ones.size() + likely.size() + weights.size() + probes.size() == 0 || !owned || !shared ||
        rows[0] == no_rows[0] || watcher.rule(1) < shift(1) || watcher.none || watcher.no_rule)
        return 1;
    MPI_Win_free(&window);
    MPI_Type_free(&column);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return 0;
}
