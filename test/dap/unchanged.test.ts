/** What looks at the program does not change it, what is asked to does. The program prints what it has afterwards. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { eitherMpi, type Mpi, samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

const here = { source: 'unchanged.cpp', marker: 'nothing changed yet' };
const changes = /this would change the program: /;
const calls = /this would call a function of the program: /;

const refused: readonly (readonly [expression: string, why: RegExp])[] = [
  ['rounds = 1', changes],
  ['rounds++', changes],
  ['text[0] = 97', changes],
  ['(rounds = 1, rounds)', changes],
  ['$pc = 0', changes],
  ['$sp += 8', changes],
  ['depth = 3', changes],
  ['grow(3)', calls],
  ['1 + grow(1)', calls],
  ['depth + 1', calls],
];

/** Whether plain gdb can: gdb 13 fails behind a call on processors with registers that it does not know. */
function canTellCalls(mpi: Mpi): boolean {
  const commands = ['break main', 'run', 'print grow(1)'].flatMap((each) => ['-ex', each]);
  const { stdout, stderr } = spawnSync('gdb', ['-nx', '-batch', ...commands, samplePath(mpi, 'unchanged')]);
  const said = String(stdout) + String(stderr);
  assert.match(said, /^(\$1 = \d+|Couldn't write extended state status: .*)$/m);
  return /^\$1 = /m.test(said);
}

for (const mpi of eitherMpi('unchanged')) {
  describe(`a program of ${mpi} that is looked at`, () => {
    it('keeps its values; the debug console changes them', async () => {
      const { run, stop } = await DebugRun.stopped({ mpi, program: 'unchanged', ranks: 3, breakpoints: [here] });
      const { id } = await run.topFrame(1);
      for (const [expression, why] of refused) {
        for (const context of ['watch', 'hover', 'variables', 'clipboard'])
          await assert.rejects(run.evaluate(expression, context, id), why, `${context}: ${expression}`);
        await assert.rejects(run.evaluate(expression, 'watch'), why, expression);
        const value = await run.client.request<{ errors: { text: string }[] }>('mpidbg/value', { expression });
        assert.match(value.errors[0]?.text ?? '', why);
        await assert.rejects(run.client.request('mpidbg/rankSet', { where: expression }), why);
        assert.match((await run.evaluate(`mpi value ${expression}`, 'repl')).result, why);
        const shown = await run.client.request<{ ranks: { answers: { reason: string }[] }[] }>('mpidbg/show', {
          expressions: [`comm:${expression}`],
        });
        assert.match(shown.ranks[0]?.answers[0]?.reason ?? '', why);
        const info = await run.client.request<{ description: string }>('dataBreakpointInfo', {
          name: expression,
          frameId: id,
        });
        assert.match(info.description, why);
      }
      assert.equal((await run.evaluate('rounds == 5 && text[0] != 97', 'watch', id)).result, 'true');
      await run.client.request('setExpression', { expression: 'zero', value: '7', frameId: id });
      await run.client.request('continue', { threadId: stop.threadId });
      await run.terminated();
      const line = (zero: number): string =>
        `at the end: step 1, zero ${zero}, rounds 5, 12 metres, text fog, comm same, 0 calls`;
      const printed = run.client.outputText('stdout').split('\n');
      assert.deepEqual(
        printed
          .map((each) => each.replace(/^.*?(?=at the end)/, ''))
          .filter((each) => each.startsWith('at the end'))
          .sort(),
        [line(0), line(0), line(7)],
      );
      await run.close();
    });

    it('is changed by the debug console, and by nothing else', async () => {
      const { run, stop } = await DebugRun.stopped({ mpi, program: 'unchanged', ranks: 2, breakpoints: [here] });
      assert.equal((await run.evaluate('rounds = 8', 'repl')).result, '0-1: 8');
      const tellsCalls = canTellCalls(mpi);
      const call = async (expression: string, value: string): Promise<void> => {
        const answer = run.evaluate(expression, 'repl');
        if (tellsCalls) assert.equal((await answer).result, value);
        else await assert.rejects(answer, /this gdb cannot write the floating-point registers of this processor/);
      };
      await call('grow(2)', '0-1: 10');
      await run.client.request('mpidbg/focus', { ranks: '1' });
      assert.equal((await run.evaluate('zero++', 'repl')).result, '0');
      await call('grow(1)', '11');
      await call('depth + 1', '{metres 13}');
      await run.client.request('mpidbg/focus', { ranks: 'all' });
      await run.client.request('continue', { threadId: stop.threadId });
      await run.terminated();
      const printed = run.client.outputText('stdout');
      // Each once, also where gdb fails behind it.
      assert.match(printed, /zero 0, rounds 10, .* 1 calls/);
      assert.match(printed, /zero 1, rounds 11, .* 3 calls/);
      await run.close();
    });

    it('takes no condition and no log message that calls a function or assigns', async () => {
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'unchanged', ranks: 2 }, async () => {
        const [assigning] = await run.setBreakpoints(here.source, [{ ...here, logMessage: '{rounds = 1}' }]);
        assert.equal(assigning?.verified, false);
        assert.match(assigning?.message ?? '', /"rounds = 1" would change the program: a log message may only read it/);
        const refused = {
          'grow(1) == 6': /would call grow, and mpidbg runs no code in a rank/,
          'rounds > 100 && grow(1) == 6': /would call grow/,
          'rounds = 1': /"rounds = 1" would change the program: compare with ==/,
        };
        for (const [condition, why] of Object.entries(refused)) {
          const [breakpoint] = await run.setBreakpoints(here.source, [{ ...here, condition }]);
          assert.equal(breakpoint?.verified, false, condition);
          assert.match(breakpoint?.message ?? '', why);
        }
        for (const expression of ['grow(1)', 'depth + 1']) {
          const [breakpoint] = await run.setBreakpoints(here.source, [{ ...here, logMessage: `{${expression}}` }]);
          assert.equal(breakpoint?.verified, false, expression);
          assert.match(breakpoint?.message ?? '', /^the log message would call .*, and mpidbg runs no code in a rank/);
        }
        await run.setBreakpoints(here.source, [{ ...here, logMessage: 'log: {rounds}' }]);
      });
      await run.terminated();
      const logged = run.client
        .outputText('console')
        .split('\n')
        .filter((line) => line.includes('log: '));
      assert.deepEqual(
        logged.map((line) => line.replace(/^.*log: /, '')),
        ['5', '5'],
      );
      assert.match(run.client.outputText('stdout'), /rounds 5, 12 metres, text fog, comm same, 0 calls/);
      await run.close();
    });
  });
}

describe('a Fortran program that is looked at', () => {
  it('keeps its values, and compares with /=; the debug console changes them', async () => {
    const place = { source: 'variables.f90', marker: 'all variables set' };
    const { run, stop } = await DebugRun.stopped({
      mpi: 'openmpi',
      program: 'variables-f90',
      ranks: 1,
      breakpoints: [place],
    });
    const { id } = await run.topFrame(0);
    for (const expression of [
      'byte = 5',
      'rounds = 5',
      'settings::rounds = 5',
      'from_zero(1) = 5',
      'harbour(2)%name = "x"',
    ])
      await assert.rejects(run.evaluate(expression, 'watch', id), changes, expression);
    assert.equal((await run.evaluate('byte /= 5 .and. rounds <= 7', 'watch', id)).result, '.TRUE.');
    assert.equal((await run.evaluate('settings::rounds = 9', 'repl')).result, '9');
    await run.client.request('continue', { threadId: stop.threadId });
    await run.terminated();
    const printed = run.client.outputText('stdout').replace(/\s+/g, ' ');
    assert.match(printed, / rank 0 -3 .* 0 1 2 3 .* east all sorts 9 /);
    await run.close();
  });
});
