// A torus whose rank 1 counts one phase more from step 12 on: its tags are 100 higher than its neighbours expect.
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

enum class Side { west, east, south, north };

class Torus {
public:
  Torus() {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, shape_.data());
    const int wraps[2] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, shape_.data(), wraps, 0, &cart_);
    MPI_Comm_set_name(cart_, "torus");
    MPI_Comm_rank(cart_, &me_);
    for (int axis = 0; axis < 2; axis++)
      MPI_Cart_shift(cart_, axis, 1, &peers_[2 * axis], &peers_[2 * axis + 1]);
  }
  double run(int steps) {
    double energy = 1.0 + me_;
    for (int step = 1; step <= steps; step++) {
      int phase = me_ == 1 && step >= 12 ? step + 1 : step;
      if (step == 12) {
        std::printf("rank %d is in phase %d\n", me_, phase);
        std::fflush(stdout);
      }
      exchange(phase);
      energy *= weights_[step % 3];
    }
    MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_DOUBLE, MPI_SUM, cart_);
    return energy;
  }

private:
  void exchange(int phase) {
    std::vector<MPI_Request> requests;
    std::map<Side, std::vector<double>> incoming, outgoing;
    for (int side = 0; side < 4; side++) {
      incoming[Side(side)].resize(600);
      outgoing[Side(side)].assign(600, me_);
    }
    auto post = [&](int side) {
      MPI_Request request;
      MPI_Irecv(incoming[Side(side)].data(), 600, MPI_DOUBLE, peers_[side], 100 * phase + (side ^ 1), cart_, &request);
      requests.push_back(request);
      MPI_Isend(outgoing[Side(side)].data(), 600, MPI_DOUBLE, peers_[side], 100 * phase + side, cart_, &request);
      requests.push_back(request);
    };
    for (int side = 0; side < 4; side++)
      post(side);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE); // stop: messages on their way
  }
  MPI_Comm cart_ = MPI_COMM_NULL;
  int me_ = 0;
  std::array<int, 2> shape_{0, 0};
  std::array<int, 4> peers_{};
  std::vector<double> weights_{0.1, 0.2, 0.7};
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const std::string title = "ripple";
  auto torus = std::make_unique<Torus>();
  double energy = torus->run(20);
  MPI_Finalize();
  return energy > 0 ? 0 : 1;
}
