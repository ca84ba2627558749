/** Log messages that cannot be evaluated are refused; those of data breakpoints. Truth: what the program prints itself. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { allMpis } from '../support/sample-job';
import { areWatched } from '../support/watchpoints';
import { DebugRun, type Place } from './debug-run';

type Answer = { breakpoints: DebugProtocol.Breakpoint[] };

const arrived: Place = { source: 'ring.c', marker: 'token arrived' };
const unknown = /^No symbol "nonsense" in current context$/;

/** Wherever they are. */
const meaningless: readonly (readonly [string, RegExp])[] = [
  ['nonsense', unknown],
  ['$rank}, {nonsense', unknown],
  ['nonsense.part[3]', unknown],
  ["nonsense == 'x'", unknown],
  ["nonsense == 'x", /^a quote \('\) is not closed$/],
  ['nonsense == "x"', unknown],
  ['1 +', /^an operand is missing behind "\+"$/],
  ['1 2', /^an operator is missing between "1" and "2"$/],
  ['1) + (2', /^a closing parenthesis has no opening one$/],
  ['', /^"\{\}" has no expression: write \{\{\}\} for literal braces$/],
  ['$nonsense', /^nothing is called \$nonsense: /],
  ['strlen("x")', /^the log message would call strlen, and mpidbg runs no code in a rank: /],
];

/** Where the variables of main are known. */
const wrongTypes: readonly (readonly [string, RegExp])[] = [
  ['lap.part', /^lap is of type int, which has no member part$/],
  ['lap == "x"', /is no text/],
  ['int', /^Attempt to use a type/],
];

function areRefused({ breakpoints }: Answer, messages: readonly (readonly [string, RegExp])[]): void {
  assert.equal(breakpoints.length, messages.length);
  for (const [i, [message, why]] of messages.entries()) {
    assert.equal(breakpoints[i]?.verified, false, message);
    assert.match(breakpoints[i]?.message ?? '', why, message);
  }
}

/** What log points have printed. */
function logged(run: DebugRun): string[] {
  return [...run.client.outputText('console').matchAll(/^\[\d\] (.*) END$/gm)].map(([, text]) => text!);
}

async function watch(run: DebugRun, name: string, frameId: number, ...rules: object[]): Promise<Answer> {
  const { dataId } = await run.client.request<{ dataId: string }>('dataBreakpointInfo', { name, frameId });
  const breakpoints = rules.map((each) => ({ dataId, accessType: 'write', ...each }));
  return run.client.request<Answer>('setDataBreakpoints', { breakpoints });
}

for (const mpi of allMpis) {
  describe(`log messages, with ${mpi}`, () => {
    it('are refused where they would be evaluated in vain', async () => {
      const { run } = await DebugRun.stopped({ mpi, program: 'ring', ranks: 2, breakpoints: [arrived] });
      const set = (sort: string, where: object, messages: typeof meaningless): Promise<Answer> =>
        run.client.request<Answer>(`set${sort}Breakpoints`, {
          breakpoints: messages.map(([message]) => ({ ...where, logMessage: `at {${message}} END` })),
        });
      const inMain = [...meaningless, ...wrongTypes];
      areRefused(
        {
          breakpoints: await run.setBreakpoints(
            'ring.c',
            inMain.map(([message]) => ({ ...arrived, logMessage: `{${message}}` })),
          ),
        },
        inMain,
      );
      areRefused(await set('Function', { name: 'MPI_Send' }, meaningless), meaningless);
      areRefused(await set('Function', { name: 'MPI_Send' }, [['lap', /./]]), [
        ['lap', /^no variable is called lap there: /],
      ]);
      // Where it begins it has no lap yet.
      const atItsBegin = inMain.map(
        ([message, why]) => [message, /^lap/.test(message) ? /^No symbol "lap"/ : why] as const,
      );
      areRefused(await set('Function', { name: 'main' }, inMain), atItsBegin);
      const [frame] = await run.frames(await run.threadOf(0));
      const { instructionPointerReference: instructionReference, id } = frame!;
      areRefused(await set('Instruction', { instructionReference }, inMain), inMain);
      for (const each of inMain) areRefused(await watch(run, 'lap', id, { logMessage: `{${each[0]}}` }), [each]);
      assert.deepEqual(logged(run), []);
      await run.close();
    });

    it('of code that is not loaded yet are refused when it is', async () => {
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'dlopened', ranks: 1 }, async () => {
        const names = ['main', 'MPI_Comm_dup', 'MPI_Comm_dup', 'sail', 'sail'];
        const messages = [undefined, '{nonsense} END', '{$nth} END', '{nonsense} END', '{$rank} {argc > 0} END'];
        const breakpoints = names.map((name, i) => ({ name, logMessage: messages[i] }));
        const answer = await run.client.request<Answer>('setFunctionBreakpoints', { breakpoints });
        assert.deepEqual(
          answer.breakpoints.map(({ verified }) => verified),
          [true, false, false, false, false],
        );
      });
      await run.nextStop();
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      await run.terminated();
      const told = run.client.events
        .filter((event): event is DebugProtocol.BreakpointEvent => event.event === 'breakpoint')
        .map(({ body }) => body.breakpoint);
      const last = new Map(told.map((breakpoint) => [breakpoint.id, breakpoint]));
      const refused = [...last.values()].filter(({ message }) => unknown.test(message ?? ''));
      assert.equal(refused.length, 2, JSON.stringify(told));
      for (const { verified } of refused) assert.equal(verified, false);
      assert.ok(logged(run).includes('0 1'));
      assert.ok(logged(run).includes('1'));
      assert.ok(logged(run).every((text) => !text.includes('nonsense')));
      await run.close();
    });

    it('of data breakpoints say what was written, also where the rank is in a function of MPI when they are set', async () => {
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'ring', ranks: 2 }, () =>
        run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'MPI_Send', condition: '$rank == 0' }] }),
      );
      await run.nextStop();
      const stack = await run.frames(await run.threadOf(0));
      const main = stack.find(({ name }) => name === 'main')!;
      assert.ok(stack.indexOf(main) > 0);
      await run.client.request('setFunctionBreakpoints', { breakpoints: [] });
      areRefused(await watch(run, 'lap', main.id, { logMessage: '{lap} {nonsense}' }), [['', unknown]]);
      areRefused(await watch(run, 'lap', main.id, { condition: 'nonsense == 2' }), [['', unknown]]);
      const { breakpoints } = await watch(run, 'lap', main.id, {
        logMessage: 'lap {lap} of rank {$rank}: token {token} in {ocean} END',
        condition: 'lap <= 3',
      });
      await run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'MPI_Comm_free' }] });
      const isWatched = areWatched(breakpoints);
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      await run.nextStop();
      const told = [...run.client.outputText('stdout').matchAll(/rank 0 of 2, lap ([12]): token (\d)/g)];
      assert.equal(told.length, 2);
      // A lap begins with the token of the one before it.
      const expected = told.map(
        ([, lap, token]) => `lap ${Number(lap) + 1} of rank 0: token ${token} in MPI_Comm "ocean" · rank 0 of 2`,
      );
      assert.deepEqual(logged(run), isWatched ? expected : []);
      await run.close();
    });
  });
}
