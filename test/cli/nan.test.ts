/** `mpidbg nan`: the variables in which there is a NaN or an infinity, as the program itself counts them. */
import assert from 'node:assert/strict';
import type { NanDocument } from '../../plugin-api/answers/nan-records';
import { openWorkshop, type Workshop } from '../support/compile';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, eitherMpi } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

/**
 * Each program's rank 1 prints "nan EXPRESSION NANS INFINITIES FIRST", by its own tests and subscripts, and all ranks wait. MPICH makes
 * stdout unbuffered: puts, and a printf without values, which the compiler turns into puts, write a line in two pieces, between which
 * the other rank's may come. fputs writes it in one.
 */
const inC = `
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
typedef struct { int n; float w[3]; double complex z; } Cell;
typedef struct Grid { int nx; double *u; double **rows; Cell cells[5]; long double wide[3]; struct Grid *next; } Grid;
double table[64][48];
static float few[10];
static double clean[100];
typedef struct { int n; double *u; } Block;
static Block blocks[4];
static Cell *apart[3];
static int rank;
#define TELL1(name, n, a) { int k = 0, i = 0, f = -1; for (int j = 0; j < n; j++) { \\
  if (!isfinite(a[j]) && f < 0) f = j; k += isnan(a[j]) != 0; i += isinf(a[j]) != 0; } \\
  if (rank == 1) printf("nan %s %d %d %s[%d]\\n", name, k, i, name, f); }
static void sweep(Grid *g, double *u, int n) {
  double local[n], residual = 0;
  for (int i = 0; i < n; i++) local[i] = i + u[0];
  if (rank == 1) { local[n - 2] = -INFINITY; residual = local[n - 2] - local[n - 2]; }
  TELL1("g->u", 32, g->u); TELL1("local", n, local); TELL1("few", 10, few); TELL1("g->wide", 3, g->wide);
  if (rank == 1) fputs("nan residual 1 0 residual\\nnan table 3 0 table[17][3]\\nnan g->cells[*].z 1 0 g->cells[2].z\\n"
    "nan g->next->cells[*].w 0 1 g->next->cells[3].w[2]\\nnan g->rows 1 0 g->rows[2][3]\\nnan heap[*].w 1 0 heap[6].w[1]\\n"
    "nan blocks[2].u 1 0 blocks[2].u[1]\\nnan apart[1]->w 0 1 apart[1]->w[0]\\n", stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  fputs("waits\\n", stdout); fflush(stdout);
  for (;;) pause();
  printf("%f", residual);
}
int main(int argc, char **argv) {
  Grid g = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  g.u = calloc(32, sizeof *g.u);
  g.rows = malloc(4 * sizeof *g.rows);
  for (int i = 0; i < 4; i++) g.rows[i] = g.u + 8 * i;
  g.next = calloc(1, sizeof *g.next);
  Cell *heap = calloc(7, sizeof *heap);
  for (int i = 0; i < 4; i++) blocks[i].u = calloc(5, sizeof(double));
  for (int i = 0; i < 3; i++) apart[i] = calloc(1, sizeof(Cell));
  if (rank == 1) {
    blocks[2].u[1] = NAN; apart[1]->w[0] = INFINITY;
    g.u[19] = NAN; few[9] = -INFINITY; g.wide[1] = NAN; table[17][3] = table[17][4] = table[17][5] = NAN;
    g.cells[2].z = CMPLX(1, NAN); g.next->cells[3].w[2] = INFINITY; heap[6].w[1] = NAN;
  }
  sweep(&g, clean, 6);
}
`;

const inCxx = `
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <memory>
#include <mpi.h>
#include <string>
#include <unistd.h>
#include <valarray>
#include <vector>
namespace sim {
struct Base { double energy[4] = {}; };
struct Cell { std::array<float, 3> w{}; int id = 0; };
struct Field : Base {
  std::vector<double> u;
  std::vector<Cell> cells;
  std::vector<std::vector<double>> rows;
  std::string name = "field";
};
std::vector<double> everywhere(20);
static std::complex<float> spectrum[8];
template <typename T> struct Solver {
  Field &field;
  T tolerance[3] = {};
  void step(int rank) {
    if (rank == 1)
      std::fputs("nan this->field.energy 1 0 this->field.energy[1]\\nnan this->field.u 2 0 this->field.u[1000]\\n"
                "nan this->field.cells[*].w 0 1 this->field.cells[7].w[2]\\nnan this->field.rows[3] 1 0 this->field.rows[3][2]\\n"
                "nan this->field.rows[4] 0 1 this->field.rows[4][5]\\nnan this->tolerance 1 0 this->tolerance[0]\\n"
                "nan owned->u 1 0 owned->u[6]\\nnan values[\\"b\\"] 1 0 values[\\"b\\"]\\nnan va 0 1 va[9]\\n"
                "nan (*far) 1 0 (*far)[2]\\nnan cells[1]->w 1 0 cells[1]->w[2]\\nnan modes 1 0 modes[4]\\nnan pair.second 1 0 pair.second\\n"
                "nan sim::everywhere 1 0 sim::everywhere[13]\\nnan sim::spectrum 1 0 sim::spectrum[5]\\n", stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    std::fputs("waits\\n", stdout);
    std::fflush(stdout);
    for (;;) pause();
  }
};
}
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sim::Field f;
  f.u.resize(3072);
  f.cells.resize(9);
  f.rows.assign(5, std::vector<double>(6));
  auto owned = std::make_unique<sim::Field>();
  owned->u.resize(7);
  std::map<std::string, double> values{{"a", 1.0}, {"b", 2.0}};
  std::valarray<double> va(10);
  sim::Solver<double> s{f};
  auto *far = new std::vector<double>(7);
  std::vector<sim::Cell *> cells{new sim::Cell(), new sim::Cell()};
  auto *modes = new std::complex<double>[8]();
  std::pair<int, double> pair{1, 2.0};
  if (rank == 1) {
    (*far)[2] = cells[1]->w[2] = pair.second = NAN;
    modes[4] = {1, NAN};
    f.u[1000] = f.u[1001] = NAN;
    f.cells[7].w[2] = INFINITY;
    f.rows[3][2] = NAN;
    f.rows[4][5] = -INFINITY;
    f.energy[1] = NAN;
    owned->u[6] = NAN;
    values["b"] = NAN;
    va[9] = INFINITY;
    s.tolerance[0] = NAN;
    sim::everywhere[13] = NAN;
    sim::spectrum[5] = {0.f, NAN};
  }
  // Bytes that no constructor has seen: links in circles, to nowhere, and an end before the begin.
  struct Node { long color; Node *parent, *left, *right; char key[32]; double value; } node{0, &node, &node, &node, {}, 2};
  struct Tree { long compare, color; Node *parent, *left, *right; size_t count; } tree{0, 0, &node, &node, &node, 5}, lost{1, 1, (Node *)8, (Node *)8, (Node *)8, 3};
  double *ends[] = {&f.energy[3], &f.energy[0], &f.energy[1]};
  auto &circle = reinterpret_cast<std::map<std::string, double> &>(tree);
  auto &astray = reinterpret_cast<std::map<std::string, double> &>(lost);
  auto &backward = reinterpret_cast<std::vector<double> &>(ends);
  s.step(rank);
}
`;

const inFortran = `
module fields
  use, intrinsic :: ieee_arithmetic
  implicit none
  type :: cell
    real :: w(3)
    real(8), allocatable :: v(:)
  end type
  type :: grid
    real(8), allocatable :: u(:, :)
    complex(8) :: z(4)
    type(cell) :: c(2)
  end type
  real(8), allocatable :: g(:, :, :), never(:)
  real(8) :: fixed(-2:3)
  integer :: rank
contains
  subroutine tell(name, a)
    character(*), intent(in) :: name
    real(8), intent(in) :: a(:)
    if (rank == 1) print '(3a, i0, a, i0, 2a)', 'nan ', name(:index(name, ' ')), '', count(ieee_is_nan(a)), ' ', &
      count(.not. ieee_is_finite(a) .and. .not. ieee_is_nan(a)), ' ', trim(name(index(name, ' ') + 1:))
  end subroutine
  subroutine tell2(name, a, low1, low2)
    character(*), intent(in) :: name
    real(8), intent(in) :: a(:, :)
    integer, intent(in) :: low1, low2
    integer :: i, j
    character(40) :: first
    first = ''
    do j = size(a, 2), 1, -1
      do i = size(a, 1), 1, -1
        if (.not. ieee_is_finite(a(i, j))) write (first, '(a, i0, a, i0, a)') '(', i + low1 - 1, ',', j + low2 - 1, ')'
      end do
    end do
    call tell(name//' '//name//first, reshape(a, [size(a)]))
  end subroutine
  subroutine sweep(a, s, b, whole)
    real(8), intent(inout) :: a(:, 0:), s(:), b(3, *)
    real(8), intent(in) :: whole(4, 6)
    real(8) :: zero
    zero = 0
    if (rank == 1) then
      a(2, 3) = zero / zero
      a(1, 3) = 1 / zero
      s(2) = -1 / zero
      b(1, 2) = zero / zero
    end if
    call tell2('a', a, 1, 0)
    call tell('s s(2)', s)
    call tell2('whole', whole, 1, 1)
    call tell2('b', b(:, 1:5), 1, 1)
    call wait_here
  end subroutine
  subroutine wait_here
    use mpi
    integer :: code
    call MPI_Barrier(MPI_COMM_WORLD, code)
    print '(a)', 'waits'
    flush (6)
    do
      call sleep(1)
    end do
  end subroutine
end module
program nans
  use mpi
  use fields
  type(grid), target :: gr
  class(grid), pointer :: object
  real(8), pointer :: back(:)
  real(8), target :: line(10)
  real(8) :: b(3, 5)
  integer :: code
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  allocate (gr%u(4, 6), gr%c(2)%v(7), g(2, 2, 2), object)
  allocate (object%u(2:4, 3))
  gr%u = 0; gr%z = 0; gr%c(1)%w = 0; gr%c(2)%w = 0; gr%c(2)%v = 0; g = 0; fixed = 0; b = 0; line = 0
  object%u = 0; object%z = 0; object%c(1)%w = 0; object%c(2)%w = 0
  back => line(10:1:-3)
  if (rank == 1) then
    gr%z(3) = cmplx(1, ieee_value(1d0, ieee_quiet_nan), 8)
    gr%c(2)%v(5:6) = ieee_value(1d0, ieee_quiet_nan)
    gr%c(1)%w(2) = ieee_value(1., ieee_positive_inf)
    object%u(4, 2) = ieee_value(1d0, ieee_quiet_nan)
    g(1, 2, 1) = ieee_value(1d0, ieee_quiet_nan)
    fixed(-1:0) = ieee_value(1d0, ieee_quiet_nan)
    back(2) = ieee_value(1d0, ieee_quiet_nan)
    print '(a)', 'nan gr%z 1 0 gr%z(3)', 'nan gr%c(1)%w 0 1 gr%c(1)%w(2)'
    call tell('gr%c(2)%v gr%c(2)%v(5)', gr%c(2)%v)
    call tell2('object%u', object%u, 2, 1)
    call tell('back back(2)', back)
    call tell('line line(7)', line)
    call tell('g g(1,2,1)', reshape(g, [8]))
    call tell('fixed fixed(-1)', fixed)
  end if
  call sweep(gr%u(1:4:2, :), gr%u(3, :), b, gr%u)
end program
`;

interface Language {
  language: string;
  source: string;
  compiler: string;
  /** Variables, and what is said of them. */
  notLookedAt: Readonly<Record<string, RegExp>>;
}

for (const mpi of allMpis) {
  const languages: readonly Language[] = [
    { language: 'C', source: inC, compiler: `mpicc.${mpi}`, notLookedAt: {} },
    {
      ...{ language: 'C++', source: inCxx, compiler: `mpicxx.${mpi}` },
      notLookedAt: {
        circle: /links have no end/,
        astray: /gdb cannot read what is in it, which may not be constructed yet/,
        backward: /not constructed yet/,
      },
    },
    { language: 'Fortran', source: inFortran, compiler: `mpifort.${mpi}`, notLookedAt: {} },
  ];
  // The variables are the program's, whichever MPI it has.
  for (const { language, source, compiler, notLookedAt } of languages) {
    if (!eitherMpi(`mpidbg nan in ${language}`).includes(mpi)) continue;
    describe(`mpidbg nan in ${language} under ${mpi}`, () => {
      let workshop: Workshop;
      let job: ToldJob;
      const cores = new CoreFolder();
      const told: string[] = [];

      before(async () => {
        workshop = openWorkshop();
        const path = workshop.compile('nans', source.trim(), compiler, ['-g', '-O0', '-lm']);
        let waiting = 0;
        job = await ToldJob.start(mpi, ['-n', '2', path], (line) => {
          if (line.startsWith('nan ')) told.push(line.slice('nan '.length));
          return line === 'waits' && ++waiting === 2;
        });
      });
      after(async () => {
        await (job as ToldJob | undefined)?.kill();
        workshop.close();
        cores.remove();
      });

      const ask = async (...args: string[]): Promise<NanDocument> => {
        const { stdout } = await runCli(['nan', ...args, '--json']);
        return JSON.parse(stdout) as NanDocument;
      };
      const check = ({ found, errors }: NanDocument): void => {
        assert.deepEqual(errors, []);
        const words = found.map(
          ({ expression, nans, infinities, first }) => `${expression} ${nans} ${infinities} ${first}`,
        );
        assert.deepEqual(words.sort(), [...told].sort());
        assert.deepEqual(new Set(found.map(({ ranks }) => ranks)), new Set(['1']));
      };

      it('finds in running ranks what the program tells, and no more', async () => {
        assert.ok(told.length > 5, 'the program has told its numbers');
        const document = await ask('--launcher', String(job.pid));
        check(document);
        for (const [variable, reason] of Object.entries(notLookedAt)) {
          const left = document.notLookedAt.filter(({ expression }) => expression === variable);
          assert.match(left.map((each) => each.reason).join(), reason, variable);
        }
      });

      it('finds the same in core files', async () => {
        const { stdout } = await runCli(['info', '--launcher', String(job.pid), '--json']);
        const { ranks } = JSON.parse(stdout) as { ranks: { pid: number }[] };
        check(await ask('--core', ...(await cores.gcore(ranks.map(({ pid }) => pid)))));
      });
    });
  }
}
