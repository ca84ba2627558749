/** What no library of a process has stays absent with the collector in it, whatever way the process asks for it. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkshop, type Workshop } from '../support/compile';
import { preloads } from '../support/preloads';
import { allMpis, launchers, type Mpi } from '../support/sample-job';

const dist = join(__dirname, '..', '..', 'dist');

/** All functions that the collector can stand before. */
function wrappedNames(): string[] {
  const lines = ['mpidbg-calls.so', 'mpidbg-collector.so'].flatMap((library) =>
    execFileSync('nm', ['-D', '--defined-only', join(dist, library)], { encoding: 'utf8' }).split('\n'),
  );
  return [...new Set(lines.flatMap((line) => / T (mpix?_\w+)@/i.exec(line)?.[1] ?? []))].toSorted();
}

/** Asks for each name in `names.h` by weak references, and by dlsym() in each of its ways; MPI comes with the program, later, or not at all. */
const asker = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#define NAME(name) extern void name() __attribute__((weak));
#include "names.h"
#undef NAME
#define NAME(name) {#name, (void *)name},
static const struct { const char *name; void *weak; } names[] = {
#include "names.h"
};
static void tell(const char *when, void *handle)
{
    void *self = dlopen(NULL, RTLD_LAZY);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = names[i].name;
        void *found = dlsym(RTLD_DEFAULT, name);
        char *error = found == NULL ? strdup(dlerror()) : "";
        printf("%s %s %d%d%d%d%d%d %s\\n", when, name, names[i].weak != NULL, found != NULL, dlsym(RTLD_NEXT, name) != NULL,
               dlsym(self, name) != NULL, dlvsym(RTLD_DEFAULT, name, "MPI_1") != NULL,
               handle != NULL && dlsym(handle, name) != NULL, error);
    }
}
int main(int argc, char **argv)
{
    tell("at first", NULL);
    for (int i = 1; i < argc; i++) {
        void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        printf("%s\\n", handle == NULL ? dlerror() : "opened");
        tell("then", handle);
        dlclose(handle);
        tell("at last", NULL);
    }
    return 0;
}
`;

/** As portable programs do it. */
const sessionsOrNot = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
extern int MPI_Abi_get_version(int *, int *) __attribute__((weak));
int main(int argc, char **argv)
{
    const int has_sessions = dlsym(RTLD_DEFAULT, "MPI_Session_init") != NULL;
    int rank, major = 0, minor = 0, (*init)(int *, char ***);
    *(void **)&init = dlsym(RTLD_DEFAULT, "MPI_Init");
    init(&argc, &argv);
    if (MPI_Abi_get_version != NULL)
        MPI_Abi_get_version(&major, &minor);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    printf("%d %d %d\\n", has_sessions, major, rank);
    return 0;
}
`;
const linkedAndRun = (name: string): string => `extern int ${name}();
int (*volatile probe)() = ${name};
int main(void) { return probe == 0; }
`;

describe('what no library of a process has', () => {
  let workshop: Workshop;
  let collectors: [collects: string, environment: NodeJS.ProcessEnv][];
  const libraries: Record<Mpi, string> = { openmpi: 'libmpi_mpifh.so.40', mpich: 'libmpichfort.so.12' };

  before(async () => {
    workshop = openWorkshop();
    const names = wrappedNames();
    collectors = [];
    for (const collects of ['pvars', 'all']) collectors.push([collects, await preloads(collects)]);
    assert.ok(names.includes('MPI_Session_init') && names.includes('mpi_session_init_'), `${names.length} names`);
    writeFileSync(join(workshop.directory, 'names.h'), names.map((name) => `NAME(${name})\n`).join(''));
  });
  after(() => workshop.close());

  const run = (
    command: readonly string[],
    { env, with: added }: { env?: NodeJS.ProcessEnv; with: NodeJS.ProcessEnv },
  ): { status: number | null; lines: string[] } => {
    const [program, ...args] = command;
    const { status, stdout, stderr } = spawnSync(program!, args, {
      ...{ encoding: 'utf8', cwd: workshop.directory, timeout: 120_000, maxBuffer: 2 ** 26 },
      env: { ...process.env, ...env, ...added },
    });
    return { status, lines: `${stdout}${stderr}`.split('\n') };
  };

  /** The same with the collector as without it. */
  const assertSame = (command: readonly string[], env?: NodeJS.ProcessEnv): string[] => {
    const without = run(command, { env, with: {} });
    for (const [collects, environment] of collectors) {
      const { status, lines } = run(command, { env, with: environment });
      assert.deepEqual(
        { status, other: lines.filter((line, i) => line !== without.lines[i]) },
        { status: without.status, other: [] },
        collects,
      );
    }
    return without.lines;
  };

  const build = (name: string, mpi: Mpi | undefined, options: readonly string[]): string =>
    workshop.compile(name, asker, mpi === undefined ? 'gcc' : `mpicc.${mpi}`, [
      '-w',
      '-Wl,--no-as-needed',
      '-ldl',
      ...options,
    ]);

  it('is absent where there is no MPI', () => {
    const lines = assertSame([build('alone', undefined, [])]);
    assert.ok(lines.some((line) => line.startsWith('at first MPI_Init 000000 ')));
  });

  for (const mpi of allMpis) {
    it(`is absent in a program of ${mpi}, whether it is bound early or late`, () => {
      for (const binding of ['lazy', 'now']) {
        const lines = assertSame([build(`${binding}-${mpi}`, mpi, [`-Wl,-z,${binding}`])]);
        assert.ok(lines.some((line) => line.startsWith('at first MPI_Init 1111')));
        assert.ok(lines.some((line) => line.startsWith('at first mpi_init_ 0000')));
      }
    });

    it(`is absent while a library of ${mpi} is loaded for its opener alone`, () => {
      const lines = assertSame([build(`opener-${mpi}`, undefined, []), libraries[mpi]]);
      assert.ok(lines.includes('opened'));
      assert.ok(lines.some((line) => line.startsWith('then mpi_init_ 000001 ')));
    });

    it(`is done without by a program of ${mpi} that looks for it`, () => {
      const { command, args, env } = launchers[mpi];
      const program = workshop.compile(`sessions-${mpi}`, sessionsOrNot, `mpicc.${mpi}`, ['-ldl']);
      const lines = assertSame([program], env);
      assert.match(lines[0]!, /^[01] 0 0$/);
      const { status } = run([command, ...args, '-n', '2', program], { env, with: collectors.at(-1)![1] });
      assert.equal(status, 0);
    });

    it(`is found to be absent by a probe that is compiled, linked and run, with ${mpi}`, () => {
      const probe = (name: string): string[] => {
        writeFileSync(join(workshop.directory, `${name}.c`), linkedAndRun(name));
        return ['sh', '-c', `mpicc.${mpi} -w ${name}.c -o ${name}-${mpi} 2> words && ./${name}-${mpi}`];
      };
      assertSame(probe('MPI_Session_init'));
      const [, collected] = collectors.at(-1)!;
      assert.equal(run(probe('MPI_Init'), { with: collected }).status, 0);
      assert.notEqual(run(probe('MPI_Abi_get_version'), { with: collected }).status, 0);
    });

    it(`keeps a program of ${mpi} from starting that needs it at once`, () => {
      // As with a library that had it when the program was linked.
      const newer = ['-shared', '-Wl,-soname,libm.so.6'];
      const library = workshop.compile(`newer-${mpi}`, 'int MPI_Abi_get_version(void) { return 0; }', 'gcc', newer);
      const options = ['-w', '-Wl,-z,now', library];
      const program = workshop.compile(`needs-${mpi}`, linkedAndRun('MPI_Abi_get_version'), `mpicc.${mpi}`, options);
      const lines = assertSame([program]);
      assert.match(lines.join('\n'), /undefined symbol: MPI_Abi_get_version/);
    });
  }
});
