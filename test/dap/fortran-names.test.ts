/** Fortran names that hide what gdb reads in their place, and arrays whose size it does not know, at every door. Truth: what the program prints. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { eitherMpi } from '../support/sample-job';
import { DebugRun, type Place } from './debug-run';

const source = 'hidden-intrinsics.f90';
const inDummies: Place = { source, marker: 'in the dummies' };
const inProgram: Place = { source, marker: 'in the program' };

/** What a rank has printed, by expression. */
function truths(output: string): Map<string, string> {
  const logical = (value: string): string => value.replace(/^T$/, '.TRUE.').replace(/^F$/, '.FALSE.');
  return new Map(
    [...output.matchAll(/\btruth (\S+) (.+)$/gm)].map(([, name, value]) => [name!, logical(value!.trimEnd())]),
  );
}

const ofDummies = ['size(1)', 'size(3)', 'shape(2)', 'abs(0)', 'abs(1)', 'ubound', 'heads', 'heads(2)'];

for (const mpi of eitherMpi('fortran names')) {
  describe(`Fortran names of intrinsics and texts without a size, with ${mpi}`, () => {
    let run: DebugRun;
    let told: Map<string, string>;

    before(async () => {
      ({ run } = await DebugRun.stopped({ mpi, program: 'hidden-intrinsics', ranks: 2, breakpoints: [inProgram] }));
      await run.setBreakpoints(source, [{ ...inProgram, condition: 'lap == 2' }]);
      await run.client.request('continue', { threadId: await run.threadOf(1) });
      await run.nextStop();
      const isTold = (): boolean => truths(run.client.outputText('stdout')).size >= 26;
      await run.client.waitFor('output', isTold);
      told = truths(run.client.outputText('stdout'));
    });
    after(() => (run as DebugRun | undefined)?.close());

    const ofProgram = (): string[] =>
      [...told.keys()].filter((each) => !ofDummies.includes(each) && each !== 'open(4)');
    it('are arrays where the pointer rests', async () => {
      const { id } = await run.topFrame(1);
      for (const expression of ofProgram())
        assert.equal((await run.evaluate(expression, 'hover', id)).result, told.get(expression), expression);
    });

    it('have their own size where they are watched and assigned to', async () => {
      await run.setBreakpoints(source, [inDummies]);
      await run.client.request('continue', { threadId: await run.threadOf(1) });
      await run.nextStop();
      const { id: frameId } = await run.topFrame(1);
      const info = await run.client.request<DebugProtocol.DataBreakpointInfoResponse['body']>('dataBreakpointInfo', {
        name: 'heads(2)',
        frameId,
      });
      assert.match(info.description, /5 bytes/);
      await assert.rejects(run.evaluate('sizeof(heads)', 'watch', frameId), /does not know its size/);
      const assign = async (value: string): Promise<string> => {
        const set = { expression: 'heads(2)', value, frameId };
        return (await run.client.request<{ value: string }>('setExpression', set)).value;
      };
      assert.equal(await assign("'x'"), "'x    '");
      assert.equal(await run.evaluate('heads(3)', 'hover', frameId).then(({ result }) => result), "'reef '");
      assert.equal(await assign("'ocean'"), "'ocean'");
    });

    it('are arrays in conditions and log messages', async () => {
      const logged = (expressions: readonly string[], mark: string): string =>
        `${mark} ${expressions.map((each) => `{${each}}`).join(' | ')} END`;
      const line = (expressions: readonly string[], mark: string): string =>
        `${mark} ${expressions.map((each) => told.get(each)).join(' | ')} END`;
      // In a rule a call of sizeof is gdb's own.
      const ofRules = ofProgram().filter((each) => !each.startsWith('sizeof('));
      const output = (): string => run.client.outputText('console');
      const conditions = ['lap == 4', 'loc(1) == 11', 'loc(kind(1)-40) == 11', 'associated(1)', 'lbound(2) == 55'];
      const set = await run.setBreakpoints(source, [
        { ...inDummies, logMessage: logged([...ofDummies, 'open(4)'], 'DUMMIES') },
        { ...inProgram, logMessage: logged(ofRules, 'PROGRAM') },
        { ...inProgram, condition: conditions.join(' .and. ') },
      ]);
      assert.deepEqual(
        set.map(({ verified }) => verified),
        [true, true, true],
      );
      const isLogged = run.client.waitFor('output', () => /\bPROGRAM .* END/.test(output()));
      await run.client.request('continue', { threadId: await run.threadOf(1) });
      await isLogged;
      assert.equal((await run.nextStop()).reason, 'breakpoint');
      told.set('open(4)', "'tide '");
      assert.ok(output().includes(line([...ofDummies, 'open(4)'], 'DUMMIES')), output());
      assert.ok(output().includes(line(ofRules, 'PROGRAM')), output());
    });
  });
}
