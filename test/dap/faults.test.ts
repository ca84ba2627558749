/** What programs and machines do to a debugger, once per MPI. Faults of gdb and of the debugger are in test/engine. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { RanksBody } from '../../adapter/dap/queries/custom-requests';
import { openWorkshop, type Workshop } from '../support/compile';
import { eventually, hasEnded } from '../support/process-state';
import { allMpis, launchers } from '../support/sample-job';
import { DebugRun, type Stopped } from './debug-run';

/** faults WHAT RANK: that rank does it, the others wait for it in MPI_Barrier. */
const source = `
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_long(long bytes, int line)
{
    char *text = malloc(line + 1);
    memset(text, 'x', line);
    text[line] = 0;
    for (; bytes > 0; bytes -= line) puts(text);
    puts("end of long output");
    fflush(stdout);
}

static void work_on_large_array(void)
{
    volatile char room[64 << 20];
    room[0] = 1;
    printf("%d\\n", room[0]);
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    int rank, culprit = atoi(argv[2]);
    if (!strcmp(what, "exec")) {
        char *again[] = {argv[0], "nothing", argv[2], NULL};
        execv(argv[0], again);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(what, "system")) {
        int call, failed = 0;
        for (call = 0; call < 20; call++) {
            MPI_Barrier(MPI_COMM_WORLD);
            failed += system("true") != 0;
        }
        printf("%d of %d calls of system failed\\n", failed, call);
        fflush(stdout);
    }
    if (rank == culprit) {
        if (!strcmp(what, "abort")) abort();
        if (!strcmp(what, "mpi-abort")) MPI_Abort(MPI_COMM_WORLD, 7);
        if (!strcmp(what, "fork")) {
            int status;
            pid_t child = fork();
            if (child == 0) _exit(5);
            waitpid(child, &status, 0);
            printf("child ended with %d\\n", WEXITSTATUS(status));
        }
        if (!strcmp(what, "wait")) {
            printf("waiting\\n");
            fflush(stdout);
            for (;;) usleep(10000);
        }
        if (!strcmp(what, "large")) work_on_large_array();
        if (!strcmp(what, "mi"))
            printf("*stopped,reason=\\"exited\\"\\n1^error,msg=\\"no\\"\\n(gdb) \\n=thread-group-exited,id=\\"i1\\",exit-code=\\"0\\"\\n");
        if (!strcmp(what, "long-line")) print_long(4 << 20, 4 << 20);
        if (!strcmp(what, "flood")) print_long(100 << 20, 1 << 16);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`;

for (const mpi of allMpis) {
  describe(`a session with ${mpi} survives`, () => {
    let workshop: Workshop;
    let program: string;

    before(() => {
      workshop = openWorkshop();
      program = workshop.compile('faults', source, `mpicc.${mpi}`, ['-g', '-O0']);
    });
    after(() => workshop.close());

    function launch(what: string, culprit: number, attributes: object = {}): Promise<DebugRun> {
      return DebugRun.launch({
        mpi,
        program: 'ring',
        ranks: 3,
        attributes: { program, args: [what, String(culprit)], ...attributes },
      });
    }

    async function waiting(): Promise<DebugRun> {
      const run = await launch('wait', 1);
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => body.output.includes('waiting'));
      return run;
    }

    async function ranks(run: DebugRun): Promise<RanksBody['ranks']> {
      return (await run.client.request<RanksBody>('mpidbg/ranks')).ranks;
    }

    it('a rank that aborts: it stops there and can be looked at', async () => {
      const run = await launch('abort', 2);
      const stop: Stopped = await run.nextStop();
      assert.equal(stop.description, 'rank 2: SIGABRT (Aborted): abort was called');
      const names = (await run.frames(await run.threadOf(2))).map(({ name }) => name);
      assert.ok(names.includes('main') && names.some((name) => /abort/.test(name)), names.join(' < '));
      await run.continueUntil(run.terminated());
      assert.match(run.client.outputText('console'), /^rank 2 was ended by SIGABRT: abort was called$/m);
      await run.close();
    });

    it('a rank whose stack is too small for its arrays, and says so', async () => {
      const run = await launch('large', 1);
      const { threadId } = await run.nextStop();
      const { description } = await run.client.request<{ description: string }>('exceptionInfo', { threadId });
      assert.match(description, /^Segmentation fault at address .*: its stack is too small, 65 MiB are needed here/);
      await run.continueUntil(run.terminated());
      await run.close();
    });

    it('a rank that is killed', async () => {
      const run = await waiting();
      process.kill((await ranks(run))[1]?.pid ?? 0, 'SIGKILL');
      await run.terminated();
      assert.match(run.client.outputText('console'), /^rank 1 was ended by SIGKILL$/m);
      await run.close();
    });

    it('MPI_Abort', async () => {
      const run = await launch('mpi-abort', 1);
      assert.notEqual(await run.terminated(), 0);
      assert.ok(
        (run.client.outputText('console').match(/^rank \d /gm) ?? []).length >= 3,
        'the end of each rank is told',
      );
      await run.close();
    });

    it('a launcher that is killed', async () => {
      const run = await waiting();
      const pids = (await ranks(run)).map(({ pid }) => pid ?? 0);
      process.kill(run.launcher(), 'SIGKILL');
      await run.terminated();
      await eventually('no rank is left', () => pids.every(hasEnded));
      await run.close();
    });

    it('ranks that all start programs at the same time', async () => {
      const launched = await launch('system', 0);
      assert.equal(await launched.terminated(), 0);
      const told = launched.client.outputText('stdout').match(/^\[\d\] 0 of 20 calls of system failed$/gm);
      assert.deepEqual(
        told?.sort(),
        [0, 1, 2].map((rank) => `[${rank}] 0 of 20 calls of system failed`),
      );
      await launched.close();
    });

    it('a rank that forks, and one that execs, which keeps its breakpoints', async () => {
      const forks = await launch('fork', 1);
      assert.equal(await forks.terminated(), 0);
      assert.match(forks.client.outputText('stdout'), /^\[1\] child ended with 5$/m);
      await forks.close();

      const run = await DebugRun.open();
      const started = run.client.request('launch', {
        program,
        args: ['exec', '0'],
        ranks: 2,
        launcher: launchers[mpi].command,
        env: launchers[mpi].env,
      });
      await Promise.race([run.client.waitFor('initialized'), started]);
      await run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'MPI_Barrier' }, { name: 'main' }] });
      await run.client.request('configurationDone');
      await started;
      const arguments_: string[] = [];
      for (let stops = 0; stops < 2; stops++) {
        const { threadId } = await run.nextStop();
        const [frame] = await run.frames(threadId ?? 0);
        assert.equal(frame?.name, 'main');
        arguments_.push((await run.evaluate('argv[1]', 'watch', frame.id)).result);
        await run.client.request('continue', { threadId });
      }
      assert.match(arguments_[0] ?? '', /"exec"/);
      assert.match(arguments_[1] ?? '', /"nothing"/);
      await run.close();
    });

    it('text that looks like gdb’s, and lines of 4 MiB', async () => {
      const looks = await launch('mi', 1);
      assert.equal(await looks.terminated(), 0);
      assert.match(looks.client.outputText('stdout'), /^\[1\] \*stopped,reason="exited"\n\[1\] 1\^error,msg="no"\n/m);
      await looks.close();

      const long = await launch('long-line', 1);
      assert.equal(await long.terminated(), 0);
      const line = /^\[1\] (x+)$/m.exec(long.client.outputText('stdout'))?.[1];
      assert.equal(line?.length, 4 << 20);
      await long.close();
    });

    it('100 MB of output', async () => {
      const flood = await launch('flood', 1);
      const asked = performance.now();
      await flood.threads();
      assert.ok(performance.now() - asked < 20_000, 'requests are answered meanwhile');
      assert.equal(await flood.terminated(120_000), 0);
      assert.match(flood.client.outputText('stdout'), /end of long output/);
      await flood.close();
    }).timeout(150_000);
  });
}

describe('a program that starts others with MPI_Comm_spawn', () => {
  it('runs to its end; what it starts has a world of its own', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'openmpi',
      program: 'spawn',
      ranks: 2,
      breakpoints: [{ source: 'spawn.c', marker: 'all communicators made' }],
      attributes: { launcherArgs: ['--oversubscribe'] },
    });
    assert.equal(stop.description, 'ranks 0-1: breakpoint');
    const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks');
    assert.deepEqual(
      ranks.map(({ rank, world }) => ({ rank, world })),
      ['0', '0.1'].flatMap((world) => [0, 1].map((rank) => ({ rank, world }))),
    );
    assert.match((await run.local(0, 'reunion')).value, /^MPI_Comm "reunion" · rank 0 of 4/);
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(await run.terminated(), 0);
    await run.close();
  });

  it('ends with the words of the MPI that refuses it, as MPICH 4.0.2 of Debian 12 does', async () => {
    const workshop = openWorkshop();
    try {
      const source = readFileSync(join(__dirname, '..', '..', 'samples', 'spawn.c'), 'utf8');
      const options = ['-g', '-O0', `-I${join(__dirname, '..', '..', 'samples')}`];
      const program = workshop.compile('spawn', source, 'mpicc.mpich', options);
      const run = await DebugRun.open();
      await run.client.request('launch', { program, ranks: 1, launcher: launchers.mpich.command });
      await run.client.request('configurationDone');
      assert.notEqual(await run.terminated(), 0);
      assert.match(run.client.outputText(), /MPI_Comm_spawn\(command=.*\) failed/);
      assert.match(run.client.outputText(), /^rank 0 exited with status \d+$/m);
      await run.close();
    } finally {
      workshop.close();
    }
  });
});
