/** Handles of C++ whose type the compiler has not kept: they are what the variable that they were copied from is. */
import assert from 'node:assert/strict';
import type { Answer } from '../../plugin-api/mpi/records';
import { runCli, showOfRankZero } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';

for (const mpi of allMpis) {
  describe(`handles without the name of their type under ${mpi}`, () => {
    let job: SampleJob;
    before(async () => {
      job = await SampleJob.startWaiting(mpi, 'unnamed-types', { ranks: 2 });
    });
    after(() => (job as SampleJob | undefined)?.kill());

    const show = (frame: string, ...expressions: string[]): Promise<Answer[]> =>
      showOfRankZero(job.launcherPid, expressions, ['--frame', frame]);
    /** What a handle is, whatever expression led to it. */
    const told = (answers: readonly Answer[]): string[] =>
      answers.map(({ expression: _, ...rest }) => JSON.stringify(rest));

    const equal = async (original: string, frame: string, copies: readonly string[]): Promise<void> => {
      const [expected] = told(await show('main', original));
      assert.match(expected ?? '', /MPIDBG_SUCCESS/, original);
      const answers = told(await show(frame, ...copies));
      assert.deepEqual(
        answers,
        copies.map(() => expected),
        copies.join(' '),
      );
    };

    it('variables that are declared auto, references, pointers, bindings and arguments of templates', async () => {
      await equal('comm', 'main', ['copied', 'constant', 'pointed', '*pointed', 'referred', 'bound']);
      await equal('comm', 'answer', ['of_template', 'referred']);
    });

    it('members of templates, of what derives from them, of pairs and tuples, wherever they are', async () => {
      const places = ['place', '*to_place', 'to_place', 'refined'].map((of) => (of === 'to_place' ? of : `(${of})`));
      const members = places.flatMap((of) => (of === 'to_place' ? ['to_place->comm'] : [`${of}.comm`]));
      await equal('comm', 'main', [...members, 'place.to_comm', 'pair.first', 'behind.second', '*owned', 'lambda']);
      await equal('request[0]', 'main', ['exchange.requests[0]', 'exchanges[1].requests[0]', 'listed[1].second']);
      await equal('request[1]', 'main', ['exchange.last', 'table[0][1]', 'table[1][0]']);
      const [pair, tuple] = [await show('main', 'pair'), await show('main', 'tuple')];
      assert.deepEqual(told([...pair, ...tuple]), [...told(await show('main', 'comm', 'comm'))]);
      assert.equal((await show('main', 'exchange')).length, 3);
    });

    it('numbers of the program stay numbers', async () => {
      for (const number of ['taken', 'mixed', 'plain', 'table_of_numbers', 'place.level', 'count', 'rank'])
        for (const answer of await show('main', number))
          assert.equal(answer.code, 'MPIDBG_ERR_NOT_SUPPORTED', `${number}: ${JSON.stringify(answer)}`);
    });

    it('lists and the keys of maps are written with them', async () => {
      const where = ['--launcher', String(job.launcherPid), '--frame', 'main', '--ranks', '0', '--full'];
      const { stdout } = await runCli(['print', 'sizes', 'exchange', 'tuple', 'pair', ...where]);
      assert.match(stdout, /^sizes .*\{\[MPI_Comm "ocean"\] = 2\}$/m);
      assert.match(
        stdout,
        /^exchange .*\{requests = \[receive from 1 tag 10, receive from 1 tag 11\], cells = 12, last = /m,
      );
      assert.match(stdout, /^tuple .*\{7, "ocean"\}$/m);
      assert.match(stdout, /^pair .*\{first "ocean", second 7\}$/m);
    });
  });
}
