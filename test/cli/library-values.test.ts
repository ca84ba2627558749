/** `mpidbg print` of objects of C++'s library for which libstdc++ 12 has no pretty printers, as the program itself writes them. */
import assert from 'node:assert/strict';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

const program = `
#include <mpi.h>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <unistd.h>
#include <valarray>
using namespace std::chrono;
struct Cell { int id; double weight; };
void wait(const std::valarray<double> &numbers, const std::valarray<Cell> &cells, Cell &cell) {
  milliseconds interval(1500);
  duration<double> seconds(2.5);
  duration<int, std::ratio<1, 30>> frames(12);
  system_clock::time_point day(1700000000123456789ns);
  time_point<system_clock, std::chrono::seconds> second(std::chrono::seconds(-1));
  std::function<int(int)> adds = [k = 3](int x) { return x + k; };
  std::function<int(int)> nothing;
  auto other = std::ref(cell);
  char text[64];
  time_t at = system_clock::to_time_t(day);
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime(&at));
  std::printf("waits %s\\n", text);
  std::fflush(stdout);
  pause();
  std::printf("%d %zu %zu %d %g %d %d\\n", adds(1), numbers.size(), cells.size(), other.get().id, seconds.count(), frames.count(), nothing ? 1 : 0);
  std::printf("%ld %ld\\n", (long)interval.count(), (long)second.time_since_epoch().count());
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  std::valarray<double> numbers = {1.5, 2.5, 3.5};
  std::valarray<Cell> cells = {{1, 0.5}, {2, 1.5}};
  Cell cell{7, 0.25};
  wait(numbers, cells, cell);
  MPI_Finalize();
}`.trim();

for (const mpi of eitherMpi('objects of the library')) {
  describe(`objects of C++'s library under ${mpi}`, () => {
    let workshop: Workshop;
    let job: ToldJob;
    let day = '';

    before(async () => {
      workshop = openWorkshop();
      const path = workshop.compile('objects', program, `mpicxx.${mpi}`, ['-g', '-std=c++17']);
      job = await ToldJob.start(mpi, ['-n', '1', path], (line) => {
        const [, told] = /^waits (.*)$/.exec(line) ?? [];
        day = told ?? day;
        return told !== undefined;
      });
    });
    after(async () => {
      await (job as ToldJob | undefined)?.kill();
      workshop.close();
    });

    const texts = async (...expressions: string[]): Promise<(string | undefined)[]> => {
      const target = ['--frame', 'wait', '--launcher', String(job.pid), '--json'];
      const { stdout, stderr } = await runCli(['print', ...expressions, ...target]);
      assert.equal(stderr, '');
      return (JSON.parse(stdout) as ValuesDocument).expressions.map(({ values }) => values[0]?.text);
    };

    it('are lists, times and what they call', async () => {
      assert.deepEqual(await texts('numbers', 'numbers[2]', 'cells[1].id', 'interval', 'seconds', 'frames'), [
        'std::valarray of length 3 = {1.5, 2.5, 3.5}',
        '3.5',
        '2',
        '1500 ms',
        '2.5 s',
        '12 x 1/30 s',
      ]);
      assert.deepEqual(await texts('day', 'second', 'adds', 'nothing', 'other'), [
        `${day}.123456789 UTC`,
        '1969-12-31 23:59:59 UTC',
        'lambda in wait',
        'empty',
        '{id 7, weight 0.25}',
      ]);
    });
  });
}
