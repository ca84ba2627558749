/** A rank that dies waits for mpidbg, and for nothing else; what it sees of itself is as without the library. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { deathsEnvironment } from './deaths-environment';
import { openWorkshop, type Workshop } from '../support/compile';
import { patienceMs } from '../support/patience';
import { processState } from '../support/process-state';
import { DeathListener, RecordLayout } from './death-listener';

const library = join(__dirname, '..', '..', 'dist', 'mpidbg-deaths.so');

/** Needs no MPI: whoever has the number of a rank in its environment is one. */
const dying = `#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int *volatile nowhere;
static pthread_barrier_t together;
static void *fault(void *unused)
{
    pthread_barrier_wait(&together);
    *nowhere = 1;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[4];
    pthread_barrier_init(&together, NULL, argc > 1 ? 4 : 1);
    for (int i = 0; argc > 1 && i < 4; i++)
        pthread_create(threads + i, NULL, fault, NULL);
    if (argc > 1)
        pthread_join(threads[0], NULL);
    return fault(argv) == NULL;
}
`;

/** Each name by a weak reference and by dlsym(); then again when a library is loaded that may have it. */
const asker = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#define NAME(name) extern char name[] __attribute__((weak));
#include "names.h"
#undef NAME
#define NAME(name) {#name, name},
static const struct { const char *name; void *weak; } names[] = {
#include "names.h"
};
static void tell(void)
{
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        printf("%s %d%d%d\\n", names[i].name, names[i].weak != NULL, dlsym(RTLD_DEFAULT, names[i].name) != NULL,
               dlsym(RTLD_NEXT, names[i].name) != NULL);
}
int main(void)
{
    tell();
    printf("%d\\n", dlopen("libgfortran.so.5", RTLD_NOW | RTLD_LOCAL) != NULL);
    tell();
    printf("%d\\n", dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL) != NULL);
    tell();
    return 0;
}
`;

describe('a rank that dies', () => {
  let workshop: Workshop;
  let layout: RecordLayout;
  let program: string;
  before(() => {
    workshop = openWorkshop();
    layout = new RecordLayout(workshop);
    program = workshop.compile('dying', dying, 'gcc', ['-pthread']);
  });
  after(() => workshop.close());

  const environment = (socket: string, seconds: number): NodeJS.ProcessEnv => ({
    ...process.env,
    ...{ PMI_RANK: '1', ...deathsEnvironment({ socket, seconds }, process.env) },
  });

  const signalOf = async (socket: string, seconds: number, args: readonly string[] = []): Promise<unknown> => {
    const child = spawn(program, args, { env: environment(socket, seconds), stdio: 'ignore', timeout: patienceMs });
    const [, signal] = (await once(child, 'exit')) as [unknown, unknown];
    return signal;
  };

  const withListener = async (answer: (socket: Socket) => void, seconds: number, args: readonly string[]) => {
    const listener = await DeathListener.open(join(workshop.directory, `${args.length}-${seconds}`), layout, answer);
    try {
      assert.equal(await signalOf(listener.path, seconds, args), 'SIGSEGV');
      return listener.deaths;
    } finally {
      listener.close();
    }
  };

  it('stays until it is answered', async () => {
    const states: unknown[] = [];
    const listener = await DeathListener.open(join(workshop.directory, 'answers'), layout, (socket) => {
      setImmediate(() => {
        states.push(processState(listener.deaths[0]!.number['pid']!));
        socket.write('.');
      });
    });
    try {
      assert.equal(await signalOf(listener.path, 3600), 'SIGSEGV');
      assert.deepEqual(states, ['S']);
    } finally {
      listener.close();
    }
  });

  it('goes on when mpidbg ends', async () => {
    assert.equal((await withListener((socket) => socket.destroy(), 3600, [])).length, 1);
  });

  it('goes on by itself when nobody answers', async () => {
    assert.equal((await withListener(() => undefined, 1, [])).length, 1);
  });

  it('tells once, whichever of its threads die, and none goes on before', async () => {
    assert.equal((await withListener((socket) => socket.end('.'), 3600, ['threads'])).length, 1);
  });

  it('goes on where nobody listens', async () => {
    const path = join(workshop.directory, 'closed');
    assert.equal(await signalOf(path, 3600), 'SIGSEGV');
    assert.equal(await signalOf(join(path, 'x'.repeat(200)), 3600), 'SIGSEGV');
    // A socket that was left: its owner has been killed.
    const script = `import socket; socket.socket(socket.AF_UNIX).bind('${path}')`;
    execFileSync('python3', ['-c', script]);
    assert.equal(await signalOf(path, 3600), 'SIGSEGV');
  });

  it('is no rank without a number, nor as something that a rank has started', async () => {
    let connections = 0;
    const path = join(workshop.directory, 'none');
    const server = createServer(() => connections++).listen(path);
    const { PMI_RANK: _none, ...env } = environment(path, 1);
    assert.equal(spawnSync(program, { env }).signal, 'SIGSEGV');
    // What a shell says of a signal: 128 and its number.
    assert.equal(spawnSync('sh', ['-c', '"$0"; exit $?', program], { env: environment(path, 1) }).status, 128 + 11);
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    assert.equal(connections, 0);
  });

  it('may have AddressSanitizer, which wants to be the first library', () => {
    const checked = workshop.compile('checked', 'int main(void) { return 3; }', 'gcc', ['-fsanitize=address']);
    const { status, stderr } = spawnSync(checked, { env: environment('/nowhere', 1), encoding: 'utf8' });
    assert.deepEqual({ status, stderr }, { status: 3, stderr: '' });
  });

  it('finds no function that it has not without the library', () => {
    const listed = execFileSync('nm', ['-D', '--defined-only', library], { encoding: 'utf8' });
    const names = [...listed.matchAll(/ T (\w+)@MPIDBG$/gm)]
      .map(([, name]) => name!)
      .filter((name) => name !== 'dlsym');
    assert.ok(names.includes('ompi_errhandler_invoke') && names.includes('_gfortran_stop_numeric'), names.join(' '));
    writeFileSync(join(workshop.directory, 'names.h'), names.map((name) => `NAME(${name})\n`).join(''));
    const asks = workshop.compile('asks', asker, 'gcc', ['-w', '-fno-builtin', '-ldl']);
    const told = (env: NodeJS.ProcessEnv): string => execFileSync(asks, { env, encoding: 'utf8' });
    const without = told(process.env);
    assert.match(without, /^ompi_errhandler_invoke 000$/m);
    assert.match(without, /^exit 111$/m);
    assert.equal(told(environment('/nowhere', 1)), without);
  });
});
