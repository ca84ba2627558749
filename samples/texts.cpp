/*
 * Text in every form that C++ has, in a loop: in each lap the variables have another of four names, and `is_ocean` says,
 * by strcmp, whether it is "ocean". The program prints how often its own functions and operators were called meanwhile.
 */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

static int calls = 0;

struct Depth {
  int metres;
  bool operator==(const Depth &other) const {
    ++calls;
    return metres == other.metres;
  }
};

struct Buoy {
  std::string name;
  Depth depth;
};

static int deepest(int metres) {
  ++calls;
  return metres + 1;
}

static const char *const names[] = {"north", "ocean", "reef", ""};
static const char *where;

/* In memory that nobody made a map of: its nodes lead to themselves. */
static void *ring[16];
static auto &endless = *reinterpret_cast<std::map<std::string, std::string> *>(ring);

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int laps = argc > 1 ? atoi(argv[1]) : 400;
  char array[8];
  char fixed[5] = {'o', 'c', 'e', 'a', 'n'}; /* no zero byte */
  const char *pointer = nullptr, *nothing = nullptr;
  std::string text;
  std::wstring wide;
  std::string_view view;
  std::vector<std::string> all(2);
  std::map<std::string, std::string> by_key;
  Buoy buoy = {"", {4}}, *at = &buoy, *nowhere = nullptr;
  const std::string &alias = text;
  char (&bound)[8] = array;
  Depth depth = {4};
  for (auto &each : ring) each = ring;
  int sizes[laps > 0 ? 4 : 1];
  sizes[0] = deepest(1);
  if (depth == buoy.depth) calls = 0;
  for (int lap = 0; lap < laps; ++lap) {
    const char *name = names[lap % 4];
    memset(array, '#', sizeof array);
    strcpy(array, name);
    pointer = where = name;
    text = view = name;
    wide.assign(text.begin(), text.end());
    all[1] = by_key["here"] = buoy.name = name;
    const int is_ocean = strcmp(name, "ocean") == 0;
    if (lap % 100 == 99) MPI_Barrier(MPI_COMM_WORLD); /* stop: the lap begins */
    sizes[0] += is_ocean;                             /* stop: the lap ends */
  }
  printf("%d calls, %zu bytes, %d, %d\n", calls, alias.size() + strlen(bound) + strlen(pointer) + view.size() + wide.size(),
         nothing == nullptr && nowhere == nullptr && (void *)&endless == ring && at == &buoy, fixed[0] + sizes[0] > 0);
  MPI_Finalize();
  return 0;
}
