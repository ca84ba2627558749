/** Whose buffer: which variable the buffer of a request or window is, and what is wrong with it, as the program itself says it. */
import assert from 'node:assert/strict';
import type { Document, RequestInfo, WinInfo } from '../../plugin-api/mpi/records';
import { openWorkshop, type Workshop } from '../support/compile';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, eitherMpi } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

/**
 * Rank 0 prints "EXPRESSION TAB VARIABLE TAB FAULTS" of each handle, before it waits in MPI_Barrier. The variable is what it passed
 * to MPI, in its own words; a fault is what it did to that memory.
 */
const inC = `
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static double grid[4][8][16];
struct cell { int id; double halo[2][10]; };
static struct cell cells[5];
static const int fixed[64] = { 1 };
static double *far;
static double edge[2][40000];
static MPI_Request r[20];
static MPI_Request sends[3];
static MPI_Win window;
static int count;
static void tell(const char *request, const char *variable, const char *faults) { printf("%s\\t%s\\t%s\\n", request, variable, faults); }
static void post(const char *variable, const char *faults, void *p, int n, MPI_Datatype type) {
  char request[20];
  MPI_Irecv(p, n, type, 1, count, MPI_COMM_WORLD, &r[count]);
  sprintf(request, "r[%d]", count++);
  tell(request, variable, faults);
}
static __attribute__((noinline)) void returned(void) {
  double local[5000];
  memset(local, 0, sizeof local);
  post("", "returned", &local[20], 10, MPI_DOUBLE);
}
static void lost(void) {
  double *answer = malloc(100000 * sizeof(double));
  post("", "unmapped", answer, 100000, MPI_DOUBLE);
  free(answer);
}
static void caller(double *passed) {
  post("matrix[5]", "", passed, 7, MPI_DOUBLE);
}
int main(int argc, char **argv) {
  int rank;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int numbers[100];
  double matrix[6][7], *heap = malloc(1000 * sizeof *heap), *freed = malloc(100 * sizeof *freed), *small = malloc(24);
  double *middle = malloc(800 * sizeof *middle), *big = malloc(100000 * sizeof *big);
  struct cell *list = calloc(7, sizeof *list);
  char text[32];
  void *raw = malloc(300);
  far = malloc(50 * sizeof *far);
  MPI_Type_vector(6, 1, 7, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 20; i++) r[i] = MPI_REQUEST_NULL;
  MPI_Win_create(grid[3], sizeof grid[3], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) {
    tell("window", "grid[3]", "");
    post("grid[1][2]", "", &grid[1][2], 16, MPI_DOUBLE);
    post("cells[3].halo[1]", "", &cells[3].halo[1], 10, MPI_DOUBLE);
    post("numbers[10..29]", "shared", &numbers[10], 20, MPI_INT);
    post("numbers[25..34]", "shared", &numbers[25], 10, MPI_INT);
    post("numbers[35..39]", "", &numbers[35], 5, MPI_INT);
    post("heap[100..149]", "", heap + 100, 50, MPI_DOUBLE);
    post("freed[3..12]", "freed", freed + 3, 10, MPI_DOUBLE);
    post("fixed", "readOnly", (void *)fixed, 64, MPI_INT);
    post("text", "tooShort 8", text, 40, MPI_CHAR);
    post("small", "tooShort 376", small, 100, MPI_INT);
    post("list[4].halo[0][5..9]", "", &list[4].halo[0][5], 5, MPI_DOUBLE);
    post("raw", "", raw, 300, MPI_BYTE);
    post("far[0..9]", "", far, 10, MPI_DOUBLE);
    post("middle", "freed", middle, 800, MPI_DOUBLE);
    post("big[7..9]", "", big + 7, 3, MPI_DOUBLE);
    // Columns that lie between each other share no byte.
    post("matrix[0][1]", "", &matrix[0][1], 1, column);
    post("matrix[0][2]", "", &matrix[0][2], 1, column);
    returned();
    lost();
    caller(matrix[5]);
    for (int i = 0; i < 2; i++) MPI_Isend(edge[0], 40000, MPI_DOUBLE, 1, 30, MPI_COMM_WORLD, &sends[i]);
    tell("sends[0]", "edge[0]", "");
    tell("sends[1]", "edge[0]", "");
    free(freed);
    free(middle);
    fflush(stdout);
  }
  if (rank == 1) { for (;;) pause(); }
  puts("waits");
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
}
`;

const inCxx = `
#include <mpi.h>
#include <array>
#include <cstdio>
#include <string>
#include <vector>
#include <unistd.h>
struct Field {
  std::vector<double> halo;
  double *buf;
  std::array<int, 30> ids;
  MPI_Request r[8];
  int count = 0;
  void post(const char *variable, void *p, int n, MPI_Datatype type) {
    MPI_Irecv(p, n, type, 1, count, MPI_COMM_WORLD, &r[count]);
    std::printf("this->r[%d]\\t%s\\t\\n", count++, variable);
  }
  void exchange() {
    post("this->halo[2..6]", &halo[2], 5, MPI_DOUBLE);
    post("this->buf[0..5]", buf, 6, MPI_DOUBLE);
    post("this->ids", ids.data(), 30, MPI_INT);
    look();
  }
  void look() {
    std::vector<std::vector<float>> rows(3, std::vector<float>(8));
    std::string text(100, 'x');
    double local[10];
    // What a reference is declared as is no bound: the memory goes on.
    double (&view)[5] = *reinterpret_cast<double (*)[5]>(local);
    post("rows[1]", rows[1].data(), 8, MPI_FLOAT);
    post("text[0..99]", &text[0], 100, MPI_CHAR);
    post("local", view, 10, MPI_DOUBLE);
    std::puts("waits");
    std::fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
};
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) for (;;) pause();
  Field *field = new Field{std::vector<double>(10), new double[6]};
  for (auto &each : field->r) each = MPI_REQUEST_NULL;
  field->exchange();
}
`;

const inFortran = `
module grid
  use mpi
  implicit none
  double precision, allocatable :: field(:,:)
  integer :: fixed(20), requests(6) = MPI_REQUEST_NULL, code
contains
  subroutine tell(number, variable, faults)
    integer, intent(in) :: number
    character(*), intent(in) :: variable, faults
    print '(a, i0, 5a)', 'requests(', number, ')', char(9), variable, char(9), faults
  end subroutine
  subroutine post(u, n)
    integer :: n
    double precision :: u(n)
    ! The memory of a dummy argument goes on beyond its declared size.
    call MPI_Irecv(u, 4, MPI_DOUBLE_PRECISION, 1, 4, MPI_COMM_WORLD, requests(5), code)
  end subroutine
end module
program buffers
  use grid
  implicit none
  integer :: rank
  double precision :: edge(19), block(4,5)
  common /shared/ block
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  if (rank == 1) then
    do
      call sleep(1)
    end do
  end if
  allocate(field(0:9,3))
  edge = 0
  call MPI_Irecv(field(0,2), 10, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, requests(1), code)
  call tell(1, 'field(:,2)', '')
  call MPI_Irecv(block(1,3), 8, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, requests(2), code)
  call tell(2, 'block(:,3:4)', '')
  call MPI_Irecv(fixed, 20, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, requests(3), code)
  call tell(3, 'fixed', '')
  call MPI_Irecv(field(3,3), 4, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, requests(4), code)
  call tell(4, 'field(3:6,3)', '')
  call post(edge(11), 2)
  call tell(5, 'edge(11:14)', '')
  print '(a)', 'waits'
  flush (6)
  call MPI_Barrier(MPI_COMM_WORLD, code)
end program
`;

/** By the words of `tell`. */
const inVerdict = {
  returned: 'whose buffer is on the stack of a function that has returned',
  unmapped: 'at whose buffer no memory is mapped',
  freed: 'whose buffers have been freed',
  readOnly: 'whose buffer is read-only',
  shared:
    'though one of them at least writes there: a pending receive from rank 1 with tag 2 and a pending receive from rank 1 with tag 3',
};

interface Truth {
  variable: string;
  faults: string;
}

for (const mpi of allMpis) {
  for (const { language, source, compiler } of [
    { language: 'C', source: inC, compiler: `mpicc.${mpi}` },
    { language: 'C++', source: inCxx, compiler: `mpicxx.${mpi}` },
    { language: 'Fortran', source: inFortran, compiler: `mpifort.${mpi}` },
  ]) {
    describe(`whose buffer it is, in ${language} under ${mpi}`, () => {
      let workshop: Workshop;
      let job: ToldJob;
      const cores = new CoreFolder();
      const told = new Map<string, Truth>();

      before(async () => {
        workshop = openWorkshop();
        const path = workshop.compile('buffers', source.trim(), compiler, ['-g', '-O0']);
        job = await ToldJob.start(mpi, ['-n', '2', path], (line) => {
          const [expression = '', variable = '', faults = ''] = line.split('\t');
          if (line.includes('\t')) told.set(expression, { variable, faults });
          return line === 'waits';
        });
      });
      after(async () => {
        await (job as ToldJob | undefined)?.kill();
        workshop.close();
        cores.remove();
      });

      const show = async (...target: string[]): Promise<Map<string, Truth>> => {
        const { stdout } = await runCli(['show', ...told.keys(), ...target, '--json']);
        const [rank] = (JSON.parse(stdout) as Document).ranks;
        assert.ok(rank !== undefined && 'answers' in rank, stdout);
        return new Map(
          rank.answers.map((answer) => {
            assert.ok(answer.code === 'MPIDBG_SUCCESS', JSON.stringify(answer));
            const { bufferPlace, basePlace } = answer.info as Partial<RequestInfo & WinInfo>;
            const { expression = '', faults = [] } = bufferPlace ?? basePlace ?? {};
            const words = faults.map((fault) => (fault.kind === 'tooShort' ? `tooShort ${fault.beyond}` : fault.kind));
            return [answer.expression!, { variable: expression, faults: words.join(' ') }];
          }),
        );
      };

      it('while the job runs', async () => {
        assert.ok(told.size > 4, 'the program has told its buffers');
        assert.deepEqual(await show('--ranks', '0', '--launcher', String(job.pid)), told);
      });

      it('says in a verdict on a hang what is wrong, without a debugger', async () => {
        const { stdout } = await runCli(['hang', '--launcher', String(job.pid)]);
        const faults = [...told.values()].map(({ faults: each }) => each.split(' ')[0]!);
        for (const [kind, text] of Object.entries(inVerdict))
          assert.equal(stdout.includes(text), faults.includes(kind), `${kind}: ${stdout}`);
      });

      // Another memory with the same requests.
      if (!eitherMpi(`buffers in ${language}`).includes(mpi)) return;
      it('in a core file of gdb, which leaves out memory that cannot be written', async () => {
        const { stdout } = await runCli(['info', '--ranks', '0', '--launcher', String(job.pid), '--json']);
        const { ranks } = JSON.parse(stdout) as { ranks: { pid: number }[] };
        const provable = [...told].map(([expression, { variable, faults }]): [string, Truth] => [
          expression,
          { variable, faults: ['unmapped', 'readOnly'].includes(faults) ? '' : faults },
        ]);
        assert.deepEqual(await show('--core', ...(await cores.gcore(ranks.map(({ pid }) => pid)))), new Map(provable));
      });
    });
  }
}
