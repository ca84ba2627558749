/** Nothing that mpidbg does with a job changes what its programs can ask their processes for, but what docs/collector.md names. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { openWorkshop, type Workshop } from '../support/compile';
import { patienceMs } from '../support/patience';
import { preloads } from '../support/preloads';
import { cli, runCli } from '../support/run-cli';
import { allMpis } from '../support/sample-job';
import { comparable, languages, tellerOf, told } from '../support/surroundings';

/** Before MPI_Init. */
const errors = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
int main(void)
{
    printf("error %d at first", errno);
    dlsym(dlopen("libm.so.6", RTLD_LAZY), "MPI_Comm_rank");
    errno = 0;
    dlsym(RTLD_DEFAULT, "MPI_Comm_rank");
    printf(", %d behind a look for a function\\n", errno);
    return 0;
}
`;

const parts = ['pvars', 'events', 'calls', 'ompt'] as const;

describe('what a program sees of its process', function () {
  this.timeout(2 * patienceMs);
  let workshop: Workshop;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  for (const mpi of allMpis)
    for (const language of languages) {
      // Debian's mpi4py is of Open MPI.
      if (language === 'Python' && mpi === 'mpich') continue;
      it(`is the same under mpidbg run, in ${language} with ${mpi}`, async () => {
        const teller = tellerOf(workshop, mpi, language);
        const without = await told(workshop, mpi, teller);
        assert.ok(without.includes('1: waiting answers -1, error 10'), without.join('\n'));
        const ways = [[], ...(language === 'C' ? [...parts.map((part) => [part]), [...parts]] : [['calls']])];
        for (const collects of ways) {
          const options = collects.length === 0 ? [] : ['--collect', collects.join(',')];
          const through = [process.execPath, cli, 'run', ...options, '--'];
          const seen = await told(workshop, mpi, teller, { through });
          assert.deepEqual(comparable(seen, collects), comparable(without, collects), options.join(' '));
        }
      });
    }

  for (const mpi of allMpis)
    it(`is the same when it has been looked at, with ${mpi}`, async () => {
      const teller = tellerOf(workshop, mpi, 'C');
      const looks = [
        ['stacks'],
        ['hang'],
        ['show', 'MPI_COMM_WORLD'],
        ['print', 'prefix'],
        ['report', '-o', 'page.html'],
      ];
      const look = async (launcherPid: number): Promise<void> => {
        for (const words of looks) {
          const target = ['--launcher', String(launcherPid)];
          const { status, stderr } = await runCli([...words, ...target], patienceMs, {}, workshop.directory);
          assert.equal(status, 0, stderr);
        }
      };
      assert.deepEqual(await told(workshop, mpi, teller, { look }), await told(workshop, mpi, teller));
    });

  it('is an error as before, where a function is looked for', async () => {
    const program = workshop.compile('errors', errors, 'gcc', ['-ldl']);
    const without = execFileSync(program, { encoding: 'utf8' });
    for (const collects of parts)
      assert.equal(
        execFileSync(program, { encoding: 'utf8', env: { ...process.env, ...(await preloads(collects)) } }),
        without,
      );
  });
});
