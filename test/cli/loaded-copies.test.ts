/** Variables that a process has several times under one name. Truth: what the code that uses each of them prints. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { startLoadedCopies } from '../support/loaded-copies';
import { runCli } from '../support/run-cli';
import { eitherMpi } from '../support/sample-job';

for (const mpi of eitherMpi('loaded copies')) {
  it(`says which one it shows where the frame does not decide, and reads the frame's own, with ${mpi}`, async () => {
    const { job, pid, workshop, told } = await startLoadedCopies(mpi);
    const check = async (...target: string[]): Promise<void> => {
      const values = async (frame: string, ...expressions: string[]): Promise<ValuesDocument['expressions']> => {
        const { stdout } = await runCli(['print', ...expressions, '--frame', frame, '--json', ...target]);
        return (JSON.parse(stdout) as ValuesDocument).expressions;
      };
      const entered = (which: string): string[] =>
        told.filter(([name, value]) => `${name}${value}` === which).map((words) => words.at(-1)!);
      const asked = ['lap', 'shared', 'spread[1]'];
      for (const [frame, which] of [
        ['a_enter', 'a1'],
        ['b_enter', 'b2'],
      ] as const) {
        const own = await values(frame, ...asked);
        assert.deepEqual(
          own.map(({ values: [value] }) => value?.text),
          entered(which),
          frame,
        );
        assert.deepEqual(
          own.map(({ values: [value] }) => value?.of),
          [undefined, undefined, undefined],
          frame,
        );
      }
      for (const {
        expression,
        values: [value],
      } of await values('main', 'shared', "'liba.so.c'::shared", "'libb.so.c'::shared", "'libb.so.c'::lap")) {
        const [, asked, shown, copy] =
          /^'lib(\w)|lib(\w)\.so \(\S+?(?:\)|, copy (\d))/.exec(
            expression.startsWith("'") ? expression : (value?.of ?? ''),
          ) ?? [];
        const which = told.filter(
          ([of, number]) => of === (asked ?? shown) && (copy === undefined || number === `${Number(copy) + 2}`),
        );
        const [lap, all] = which.map((words) => words.at(-1));
        assert.equal(value?.text, expression.endsWith('lap') ? lap : all, expression);
        assert.equal(value?.of === undefined, expression !== 'shared', expression);
      }
      const [twice] = await values('main', "'libd.so.c'::lap");
      const [, copy] =
        /^libd\.so \(libd\.so\.c, copy (\d) of 2\); another is in libd\.so \(libd\.so\.c, copy \d of 2\)$/.exec(
          twice?.values[0]?.of ?? '',
        ) ?? [];
      assert.equal(twice?.values[0]?.text, copy === '1' ? '3' : '4');
      const [step] = await values('main', 'stride');
      assert.match(
        `${step?.values[0]?.text} in ${step?.values[0]?.of}`,
        /^(11 in program \(step1\.o\.c\); another is 'step2\.o\.c'::stride|22 in program \(step2\.o\.c\); another is 'step1\.o\.c'::stride) in program$/,
      );
      const [lap] = await values('main', 'lap');
      assert.match(
        lap?.errors[0]?.text ?? '',
        /only in lib\w\.so, lib\w\.so and lib\w\.so, which are not the program's: write 'lib\w\.so\.c'::lap or /,
      );
    };
    try {
      await check('--pid', pid);
      const core = join(workshop.directory, 'core');
      execFileSync('gdb', ['-q', '-batch', '-p', pid, '-ex', `gcore ${core}`], { stdio: 'ignore' });
      await check('--core', core);
    } finally {
      await job.kill();
      workshop.close();
    }
  });
}
