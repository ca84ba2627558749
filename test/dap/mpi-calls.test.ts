/** Breakpoints on MPI's functions, from every binding. Truth: what the program says of its own calls. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { allMpis, launchers, samplePath, type Mpi } from '../support/sample-job';
import { readOwnLines } from '../support/truth';
import { DebugRun } from './debug-run';

interface ToldCall {
  name: string;
  comm?: string;
  peer?: number | string;
  tag?: number | string;
  root?: number;
  bytes?: number;
}

const words: Record<string, readonly (keyof ToldCall)[]> = {
  MPI_Isend: ['comm', 'peer', 'tag', 'bytes'],
  MPI_Irecv: ['comm', 'peer', 'tag', 'bytes'],
  MPI_Send: ['comm', 'peer', 'tag', 'bytes'],
  MPI_Sendrecv: ['comm', 'peer', 'tag', 'bytes'],
  MPI_Send_init: ['comm', 'peer', 'tag', 'bytes'],
  MPI_Bcast: ['comm', 'root', 'bytes'],
  MPI_Allreduce: ['comm', 'bytes'],
  MPI_Barrier: ['comm'],
  MPI_Comm_dup: ['comm'],
  MPI_Comm_free: ['comm'],
  MPI_Comm_get_name: ['comm'],
  MPI_Type_contiguous: [],
};

function setOnFunctions(
  run: DebugRun,
  breakpoints: DebugProtocol.FunctionBreakpoint[],
): Promise<DebugProtocol.SetFunctionBreakpointsResponse['body']> {
  return run.client.request('setFunctionBreakpoints', { breakpoints });
}

/** The calls of each rank, as the program tells them without a debugger. */
function toldCalls(mpi: Mpi, program: string): ToldCall[][] {
  const { command, args, env } = launchers[mpi];
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-truth-'));
  try {
    const run = spawnSync(command, [...args, '-n', '2', samplePath(mpi, program)], {
      env: { ...process.env, ...env, MPIDBG_TRUTH: folder },
      encoding: 'utf8',
    });
    const calls: ToldCall[][] = [];
    for (const line of [...readOwnLines(folder), ...run.stdout.split('\n')]) {
      if (!line.trim().startsWith('CALLS ')) continue;
      const told = JSON.parse(line.trim().slice('CALLS '.length)) as { rank: number; calls: ToldCall[] };
      calls[told.rank] = told.calls;
    }
    assert.equal(calls.length, 2, run.stderr);
    return calls;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** True for this call alone; in C's or in Fortran's syntax. */
function holdsFor(call: ToldCall, language: 'c' | 'fortran'): string {
  const [and, equal] = { c: ['&&', '=='], fortran: ['.and.', '.eq.'] }[language];
  const quote = language === 'c' ? '"' : "'";
  const tests = words[call.name]!.filter((word) => call[word] !== undefined).map((word) => {
    if (word === 'comm' && call.comm === 'MPI_COMM_WORLD' && language === 'c') return '$comm == MPI_COMM_WORLD';
    return `$${word} ${equal} ${word === 'comm' ? `${quote}${call.comm}${quote}` : call[word]}`;
  });
  return tests.length === 0 ? '1' : `(${tests.join(` ${and} `)})`;
}

async function goOn(run: DebugRun): Promise<number[]> {
  const [{ id: threadId }] = (await run.threads()) as [DebugProtocol.Thread];
  await run.client.request('continue', { threadId });
  const hit: number[] = [];
  const stopped = new Set<number>();
  while (stopped.size < 2) {
    const stop = await run.nextStop();
    assert.doesNotMatch(stop.description ?? '', /cannot/);
    hit.push(...(stop.hitBreakpointIds ?? []));
    const states = await run.client.request<{ ranks: { rank: number; state: string }[] }>('mpidbg/ranks');
    for (const { rank, state } of states.ranks) if (state === 'stopped') stopped.add(rank);
  }
  return hit;
}

for (const mpi of allMpis) {
  describe(`breakpoints on functions of MPI, with ${mpi}`, () => {
    for (const program of ['told-calls', 'told-calls-mpi', 'told-calls-f08'])
      it(`see each call of ${program} once, with what it was given`, async () => {
        const told = toldCalls(mpi, program);
        const language = program === 'told-calls' ? 'c' : 'fortran';
        const run = await DebugRun.open();
        await run.launch({ mpi, program, ranks: 2, attributes: { args: ['--truth'] } }, async () => {
          await setOnFunctions(run, [{ name: 'MPI_Pcontrol' }]);
        });
        await run.nextStop();
        const names = Object.keys(words).filter((name) => told[0]!.some((call) => call.name === name));
        const calls = (rank: number, name: string) => told[rank]!.filter((call) => call.name === name);
        // One that never stops, and one that stops at the last call.
        const wrong = (name: string) =>
          [0, 1].map((rank) => {
            const each = calls(rank, name).map((call, i) => `$nth == ${i + 1} && !${holdsFor(call, 'c')}`);
            return `$rank == ${rank} && (${[...each, `$nth > ${each.length}`].join(' || ')})`;
          });
        const last = (name: string) =>
          [0, 1].map((rank) => {
            const own = calls(rank, name);
            const and = language === 'c' ? '&&' : '.and.';
            return `$rank == ${rank} ${and} $nth == ${own.length} ${and} ${holdsFor(own.at(-1)!, language)}`;
          });
        const or = language === 'c' ? ' || ' : ' .or. ';
        const refused = await setOnFunctions(run, [
          { name: 'MPI_Pcontrol' },
          { name: 'MPI_Barrier', condition: '$tag == 1' },
          { name: 'MPI_Alltoallv', condition: '$bytes > 8' },
          { name: 'MPI_Send', condition: '$teg == 1' },
          { name: 'MPI_Send', condition: '$tag == "ocean"' },
          { name: 'MPI_Send', condition: '$tag = 3' },
        ]);
        assert.deepEqual(
          refused.breakpoints.slice(1).map(({ verified }) => verified),
          [false, false, false, false, false],
        );
        assert.match(
          refused.breakpoints[1]?.message ?? '',
          /MPI_Barrier is not passed one tag; .*\$comm, \$nth, \$rank/,
        );
        const { breakpoints } = await setOnFunctions(run, [
          { name: 'MPI_Pcontrol' },
          ...names.map((name) => ({ name, condition: wrong(name).join(' || ') })),
          ...names.map((name) => ({ name, condition: last(name).join(or) })),
        ]);
        for (const { verified, message } of breakpoints) assert.equal(verified, true, message);
        const [end, ...ids] = breakpoints.map(({ id }) => id!);
        const lastOnes = new Set(ids.slice(names.length));
        const seen = new Set<number>();
        for (let hit = await goOn(run); !hit.includes(end!); hit = await goOn(run))
          for (const id of hit) {
            assert.ok(lastOnes.has(id), names[ids.indexOf(id)]);
            seen.add(id);
          }
        assert.deepEqual(seen, lastOnes);
        await run.close();
      });

    for (const program of ['told-calls', 'told-calls-mpi', 'told-calls-f08'])
      it(`log what calls of ${program} were given, without a stop`, async () => {
        const told = toldCalls(mpi, program);
        const names = ['MPI_Send', 'MPI_Bcast'];
        const run = await DebugRun.open();
        await run.launch({ mpi, program, ranks: 2, attributes: { args: ['--truth'] } }, async () => {
          const logging = names.map((name) => ({ name, logMessage: `${name} {$nth} {$bytes} {($comm)}` }));
          await setOnFunctions(run, [{ name: 'MPI_Finalize' }, ...logging]);
        });
        assert.equal((await run.nextStop()).reason, 'function breakpoint');
        const lines = run.client.outputText('console').split('\n');
        for (const [rank, calls] of told.entries())
          for (const name of names) {
            const own = calls.filter((call) => call.name === name);
            const logged = lines.filter((line) => line.startsWith(`[${rank}] ${name} `));
            assert.equal(logged.length, own.length, logged.join('\n'));
            for (const [i, { bytes, comm }] of own.entries()) {
              const [, size = '', named = ''] = /^\[\d\] \w+ \d+ (\d+) (.*)/.exec(logged[i] ?? '') ?? [];
              assert.ok(logged[i]!.startsWith(`[${rank}] ${name} ${i + 1} `), logged[i]);
              assert.equal(size, String(bytes ?? size), logged[i]);
              assert.ok(named.startsWith(comm === 'ocean' ? 'MPI_Comm "ocean" ' : `${comm} `), logged[i]);
            }
          }
        await run.close();
      });

    it('are refused where a word is taken for more than it is, or a variable is not theirs', async () => {
      const run = await DebugRun.open();
      // The caller has a variable of this name, and so may the C library.
      const ofOthers = ['name == "ocean"', 'nonsense > 3', '$tag == 4 && peer == 1'];
      const pending: (number | undefined)[] = [];
      await run.launch({ mpi, program: 'told-calls', ranks: 2, attributes: { args: ['--truth'] } }, async () => {
        const conditions = ofOthers.map((condition) => ({ name: 'MPI_Send', condition }));
        const set = await setOnFunctions(run, [{ name: 'MPI_Pcontrol' }, ...conditions]);
        pending.push(...set.breakpoints.slice(1).map(({ id }) => id));
      });
      await run.nextStop();
      for (const id of pending)
        await run.client.waitFor<DebugProtocol.BreakpointEvent>(
          'breakpoint',
          ({ body: { breakpoint } }) =>
            breakpoint.id === id && !breakpoint.verified && /name|nonsense|peer/.test(breakpoint.message ?? ''),
        );
      const isHandle = /^\$comm is a handle, which can only be compared, as in \$comm == MPI_COMM_WORLD/;
      const isNumber = /^\$(tag|rank) is a number: it has no members/;
      const refused: [string, RegExp][] = [
        ...['->x', '.x', ' + 1', '[0]', '(1)', ' && 1', ' < 3'].map((end): [string, RegExp] => [
          `$comm${end}`,
          isHandle,
        ]),
        ...['(Some)', '(std::string)', '*', '&', '!', 'sizeof '].map((start): [string, RegExp] => [
          `${start}$comm`,
          isHandle,
        ]),
        ...['->x', '.x', '[0]', '(1)', '::x'].map((end): [string, RegExp] => [`1 || $tag${end}`, isNumber]),
        ...['(Some)', '(std::string)', '*', '&'].map((start): [string, RegExp] => [
          `$nth == 2 && ${start}($tag)`,
          isNumber,
        ]),
        ['$rank.x == 1', isNumber],
        ...['MPI_INT', '1.5', '$tag', '$datatype', '"a" + "b"', '(1 ? MPI_INT : MPI_COMM_WORLD)'].map(
          (other): [string, RegExp] => [
            `$comm == ${other}`,
            /^\$comm is an MPI_Comm, and .* is none: compare it as in /,
          ],
        ),
        [
          'MPI_COMM_WORLD == $datatype',
          /^\$datatype is an MPI_Datatype, and MPI_COMM_WORLD is none: compare it as in /,
        ],
        ...['"x"', 'MPI_COMM_WORLD', "'x'"].map((other): [string, RegExp] => [
          `$tag + 1 == ${other}`,
          /^\$tag is a number, and .* is none: compare it with numbers, as in /,
        ]),
        ['*$rank', isNumber],
        ['$tag $tag', /^an operator is missing behind \$tag$/],
        ['$request->x', /^nothing is called \$request: /],
        ['1 || $request', /^nothing is called \$request: /],
        ['name == "ocean"', /^(no variable is called name there: |No symbol "name")/],
        ['nonsense > 3', /^No symbol "nonsense"/],
      ];
      const shown = refused.filter(([, why]) => !/name|nonsense/.test(why.source));
      const { breakpoints } = await setOnFunctions(run, [
        ...refused.map(([condition]) => ({ name: 'MPI_Send', condition })),
        { name: 'mpi_send_', condition: '1 || $tag' },
        ...shown.map(([expression]) => ({ name: 'MPI_Send', logMessage: `at {${expression}}` })),
        {
          name: 'MPI_Send',
          condition:
            '("ocean" == ($comm) || $comm == 0x44000000 || $comm == MPI_COMM_WORLD && $datatype != MPI_INT) && (long)$tag + 1 == 0x5 && length >= 0',
        },
      ]);
      const whys = [
        ...refused.map(([, why]) => why),
        /^nothing is called \$tag: only /,
        ...shown.map(([, why]) => why),
      ];
      for (const [i, why] of whys.entries()) {
        const condition = [...refused, ['', why], ...shown][i]![0];
        assert.equal(breakpoints[i]?.verified, false, `${condition}`);
        assert.match(breakpoints[i]?.message ?? '', why, `${condition}`);
      }
      assert.equal(breakpoints.at(-1)?.verified, true, breakpoints.at(-1)?.message);
      const main = (await run.frames(await run.threadOf(0))).find(({ name }) => name === 'main');
      for (const [expression, why] of [
        ['$comm->x', /: nothing is called \$comm: only conditions and log messages of breakpoints on MPI's functions/],
        ['$request', /: nothing is called \$request: /],
        ['$rank.x', /: \$rank is a number: /],
      ] as const)
        for (const context of ['watch', 'hover', 'repl'])
          await assert.rejects(
            run.evaluate(expression, context, main?.id),
            ({ message }: Error) => why.test(message),
            expression,
          );
      assert.equal((await run.evaluate('$made = 3', 'repl', main?.id)).result, '0-1: 3');
      assert.equal((await run.evaluate('$made + $rank', 'watch', main?.id)).result, '3');
      await run.close();
    });

    it('know the name that a communicator has at this call, whatever it had before', async () => {
      const run = await DebugRun.open();
      const wanted = ['ocean', 'land', ''];
      let ids: (number | undefined)[] = [];
      await run.launch({ mpi, program: 'renaming', ranks: 2 }, async () => {
        const set = await setOnFunctions(run, [
          ...wanted.map((name) => ({ name: 'MPI_Allreduce', condition: `$rank == 0 && $comm == "${name}"` })),
          { name: 'MPI_Finalize', condition: '$rank == 0' },
        ]);
        ids = set.breakpoints.map(({ id }) => id);
      });
      const seen: string[] = [];
      for (;;) {
        const { hitBreakpointIds: [hit] = [], threadId = 0 } = await run.nextStop();
        if (hit === ids.at(-1)) break;
        const main = (await run.frames(threadId)).find(({ name }) => name === 'main');
        const { result } = await run.evaluate('step', 'watch', main?.id);
        seen.push(`${result} ${wanted[ids.indexOf(hit)]}`);
        await run.client.request('continue', { threadId });
      }
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      await run.terminated();
      const calls = [...run.client.outputText('stdout').matchAll(/CALL (\d+ (.*))/g)];
      assert.ok(calls.length > 0);
      assert.deepEqual(
        seen,
        calls.filter(([, , name = '?']) => wanted.includes(name)).map(([, call]) => call),
      );
      await run.close();
    });
  });
}
