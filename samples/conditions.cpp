/*
 * conditions.cpp - containers, texts and smart pointers of C++, and what conditions about them are:
 *
 *     CONDITION v.size() > 3	1
 */
#include <mpi.h>
#include <map>
#include <unordered_map>
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include <bitset>
#include <array>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <atomic>
#include <variant>
#include <tuple>
#include <cstdio>
#include <cstring>

#define TOLD(condition) std::printf("CONDITION %s\t%d\n", #condition, static_cast<bool>(condition) ? 1 : 0)

struct Base { virtual ~Base() {} int id = 4; std::string name = "x"; };
struct Derived : Base { int extra = 9; char tag[8] = "dtag"; bool empty() const { return true; } };
struct Other : Base { int fathoms = 3; };
struct Marked { virtual ~Marked() {} const char *mark = "mark"; };
struct Both : Base, Marked { int after = 8; };
enum class Color { red, green };
namespace ns { int deep = 12; std::string where = "north"; }
template <class V> struct Box { V value; std::vector<V> all; V get() const { return value; } };
struct Table {
  int entries[2]{1, 2};
  int operator[](int i) const { return entries[i]; }
  const Table *operator->() const { return this; }
  int operator*() const { return entries[0]; }
};
template <class V> struct Row { V *first; V &operator[](int i) const { return first[i]; } };
struct Solver {
  std::vector<double> v{1, 2, 3, 4};
  std::map<std::string, int> k{{"a", 3}, {"b", 4}};
  std::string name = "ocean";
  int member = 5;
  void step(int rank) {
    int sized[rank + 4];
    for (int i = 0; i < rank + 4; i++) sized[i] = i;
    int (*whole)[rank + 4] = &sized;
    Table table, *tables = &table;
    Row<Table> row{&table};
    std::map<int, std::string> byInt{{1, "one"}, {2, "two"}};
    std::unordered_map<std::string, double> um{{"dt", 0.5}};
    std::set<int> ok{1, 2};
    std::vector<int> empty;
    std::vector<bool> flags{true, false, true};
    std::vector<std::string> names{"x", "y"};
    std::deque<int> dq{7, 8};
    std::list<int> li{1, 2, 3};
    std::array<int, 3> arr{1, 2, 3};
    std::optional<int> opt = 3, none;
    std::optional<std::string> os = "sea", noText;
    std::optional<bool> flagged = false;
    std::bitset<8> bits(5);
    std::bitset<100> wide(1);
    wide.set(70);
    std::atomic<int> counter{6};
    std::atomic<bool> done{false};
    std::unique_ptr<Base> p(new Derived);
    std::shared_ptr<Base> sp(new Derived);
    Base *raw = p.get();
    Derived d;
    Both both;
    Other unlike;
    Base *one = &both, *nobody = nullptr;
    Marked *other = &both;
    const Base &alike = d;
    std::string_view sv = "view";
    char text[16] = "abc";
    char unterminated[3] = {'a', 'b', 'c'};
    const char *cp = "pointer", *null = nullptr;
    std::wstring ws = L"wide";
    std::pair<int, std::string> pr{1, "p"};
    std::tuple<int, double> tu{1, 2.5};
    std::variant<int, std::string> var = std::string("v");
    Color color = Color::green;
    Box<int> box{3, {1, 2}};
    std::string empties;
    double x = 0.1;
    unsigned u = 3000000000u;
    long big = 1L << 40;
    auto &ref = name;
    std::vector<std::vector<std::vector<int>>> deep(60, std::vector<std::vector<int>>(60, std::vector<int>(60, 7)));
    std::vector<std::vector<int>> vv{{1, 2}, {3}};
    MPI_Comm comm = MPI_COMM_WORLD;
    int negative = (int)0x84000000;
    short all_bits = -1;
    TOLD(k["a"] == 3);
    TOLD(k.at("a") == 3);
    TOLD(k.size() == 2);
    TOLD(ok.size() == 2);
    TOLD(v.size() > 3);
    TOLD(v.size() > 4);
    TOLD(name.length() == 5);
    TOLD(name.size() == 5);
    TOLD(!v.empty());
    TOLD(!empty.empty());
    TOLD(empty.empty());
    TOLD(*opt == 3);
    TOLD(opt.has_value());
    TOLD(none.has_value());
    TOLD(opt.value() == 3);
    TOLD(p->name == "x");
    TOLD(sp->name == "x");
    TOLD(raw->name == "y");
    TOLD(p->id == 4);
    TOLD((*p).id == 4);
    TOLD(sv == "view");
    TOLD(sv.size() == 4);
    TOLD(text[0] == 'a');
    TOLD(byInt[1] == "one");
    TOLD(byInt.at(2) == "two");
    TOLD(um["dt"] == 0.5);
    TOLD(names[1] == "y");
    TOLD(names.size() == 2);
    TOLD(dq[1] == 8);
    TOLD(dq.size() == 2);
    TOLD(li.size() == 3);
    TOLD(li.front() == 1);
    TOLD(arr[2] == 3);
    TOLD(arr.size() == 3);
    TOLD(v.back() == 4);
    TOLD(v.front() == 1);
    TOLD(pr.first == 1);
    TOLD(pr.second == "p");
    TOLD(color == Color::green);
    TOLD(box.value == 3);
    TOLD(box.all[1] == 2);
    TOLD(box.all.size() == 2);
    TOLD(empties.empty());
    TOLD(empties == "");
    TOLD(u > 2000000000);
    TOLD(big > 1000);
    TOLD(ref == "ocean");
    TOLD(vv[0][1] == 2);
    TOLD(vv.size() == 2);
    TOLD(vv[1].size() == 1);
    TOLD(ns::deep == 12);
    TOLD(ns::where == "north");
    TOLD(this->member == 5);
    TOLD(member == 5 && name == "ocean");
    TOLD(!(name == "land") || member == 9);
    TOLD(p.get() != nullptr);
    TOLD(sp.use_count() == 1);
    TOLD(null == nullptr);
    TOLD(k.count("a") == 1);
    TOLD(k.empty());
    TOLD(name[0] == 'o');
    TOLD(name < "p");
    TOLD(k.size() == 2 && v.size() == 4);
    TOLD(x > 0.05);
    TOLD(d.extra == 9);
    TOLD(name.c_str()[0] == 'o');
    TOLD(v.data()[1] == 2);
    TOLD(v[0] + v[1] == 3);
    TOLD(sizeof(arr) == 12);
    TOLD(v.size() * 2 == 8);
    TOLD(name.size() + v.size() == 9);
    TOLD(comm == MPI_COMM_WORLD);
    TOLD(negative == 0x84000000);
    TOLD(0x80000000 < negative);
    TOLD(negative == 2214592512u);
    TOLD(all_bits == 0xffffffff);
    TOLD(3 < v.size());
    TOLD(names[0].size() == 1);
    TOLD(k.size() > v.size());
    TOLD(std::get<0>(tu) == 1);
    TOLD(std::get<1>(tu) > 3);
    TOLD(std::get<std::string>(pr) == "p");
    TOLD(std::get<1>(arr) == 2);
    TOLD(std::get<std::string>(var) == "v");
    TOLD(std::get<1>(var).size() == 1);
    TOLD(!opt);
    TOLD(!none);
    TOLD(opt == 3);
    TOLD(none == 3);
    TOLD(4 != opt);
    TOLD(opt == none);
    TOLD(none == std::nullopt);
    TOLD(opt != std::nullopt);
    TOLD(opt && member == 5);
    TOLD(member == 5 && none);
    TOLD(static_cast<bool>(none) || member == 9);
    TOLD(p != nullptr);
    TOLD(nullptr == p);
    TOLD(p && p->id == 4);
    TOLD(!sp);
    TOLD(sp == nullptr);
    TOLD(names[0] == names[1]);
    TOLD(name == ref);
    TOLD((std::string)name == "ocean");
    TOLD(static_cast<std::string>(name) == "oce");
    TOLD(std::string(name) == "ocean");
    TOLD(std::string{cp} == "pointer");
    TOLD(name == std::string("ocean"));
    TOLD(sv == std::string_view{"vie"});
    TOLD(sized[3] == 3);
    TOLD(sizeof(sized) == 12);
    TOLD((*whole)[2] == 2);
    TOLD(tables[0].entries[1] == 2);
    TOLD(row.first->entries[0] == 2);
    TOLD(!(opt == 3) || member == 9);
    TOLD(opt);
    TOLD(none);
    TOLD(flagged);
    TOLD((bool)none);
    TOLD((bool)flagged);
    TOLD(none ? false : true);
    TOLD(flagged ? true : false);
    TOLD((none) || (opt));
    TOLD(!(none));
    TOLD(*os == "sea");
    TOLD(os == "sea");
    TOLD(os != "se");
    TOLD(noText == "sea");
    TOLD(name == cp);
    TOLD(cp == name);
    TOLD(names[0] == text);
    TOLD(text != name);
    TOLD(sv == cp);
    TOLD(bits[0]);
    TOLD(bits[1]);
    TOLD(bits[2] == true);
    TOLD(bits[7] == false);
    TOLD(wide[70]);
    TOLD(wide[64] || wide[99]);
    TOLD(counter == 6);
    TOLD(counter.load() == 5);
    TOLD(!done);
    TOLD(done);
    TOLD(dynamic_cast<Derived *>(raw) != nullptr);
    TOLD(dynamic_cast<Derived *>(raw)->extra == 9);
    TOLD(dynamic_cast<Derived *>(p.get())->extra == 9);
    TOLD(dynamic_cast<const Derived &>(alike).extra == 9);
    TOLD(dynamic_cast<Other *>(raw) && unlike.fathoms == 3);
    TOLD(dynamic_cast<Other *>(raw) == nullptr);
    TOLD(dynamic_cast<Derived *>(nobody) == nullptr);
    TOLD(dynamic_cast<Both *>(other)->after == 8);
    TOLD(dynamic_cast<Base *>(other)->name == "x");
    TOLD(dynamic_cast<Marked *>(one)->mark == "mark");
    TOLD(dynamic_cast<Both *>(dynamic_cast<Marked *>(one)) == &both);
    TOLD(dynamic_cast<void *>(other) == &both);
    std::fflush(stdout);
    MPI_Barrier(comm); /* stop: all made */
    MPI_Barrier(comm); /* stop: behind */
  }
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Solver solver;
  solver.step(rank);
  MPI_Finalize();
  return 0;
}
