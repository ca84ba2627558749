/** A launch whose ranks are on two hosts, debugged from one of them: everything is as it is at home. */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { allMpis } from '../support/sample-job';
import { questions, readTruthDirectory } from '../support/truth';
import { allRanks, farRanks, installation, ranks, TwoHosts } from './two-hosts';

describe('a launch on two hosts', () => {
  let hosts: TwoHosts;
  before(async () => {
    hosts = await TwoHosts.start();
  });
  after(() => hosts.stop());

  it('needs mpidbg on one of them only: the other sees no file of it', async () => {
    assert.match(await hosts.run('nodea', ['ls', installation]), /^adapter\.js$/m);
    assert.equal(await hosts.run('nodeb', ['ls', '-A', installation]), '');
  });

  for (const mpi of allMpis) {
    describe(`of ${mpi}`, () => {
      it('tells of every handle in every rank what MPI tells', async () => {
        const folder = hosts.newFolder();
        const run = await hosts.launch(
          {
            mpi,
            program: 'communicators',
            breakpoints: [{ source: 'communicators.c', marker: 'all communicators made' }],
          },
          { MPIDBG_TRUTH: folder },
        );
        await run.nextStops(allRanks, 'breakpoint');
        const truth = readTruthDirectory(folder);
        assert.deepEqual([...new Set(truth.map(({ rank }) => rank))].sort(), allRanks);
        const { id: frameId } = await run.topFrame(ranks - 1);
        const document = await run.client.request<Document>('mpidbg/show', {
          expressions: questions(truth),
          ranks: `0-${ranks - 1}`,
          frameId,
        });
        // Twice the four ranks of the conformance suite.
        assertAgree(compareDocument(truth, document, mpi), mpi === 'openmpi' ? 9940 : 7900);
        await hosts.end(run, mpi);
      });

      it('steps all ranks at once, and has their stacks and values', async () => {
        const run = await hosts.launch({
          mpi,
          program: 'ring',
          breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 2' }],
        });
        await run.nextStops(allRanks, 'breakpoint');
        for (const rank of allRanks) {
          const frames = await run.frames(await run.threadOf(rank));
          assert.deepEqual([frames.at(-1)?.name.replace(/ .*/, ''), frames[0]?.source?.name], ['main', 'ring.c']);
          assert.equal((await run.local(rank, 'rank')).value, String(rank));
        }
        const [before] = await run.frames(await run.threadOf(farRanks[0]!));
        await run.client.request('next', { threadId: await run.threadOf(0) });
        await run.nextStops(allRanks, 'step');
        const [behind] = await run.frames(await run.threadOf(farRanks[0]!));
        assert.notEqual(behind?.line, before?.line);
        // The program's own words, of a rank on each host.
        for (const rank of [0, ranks - 1])
          assert.match(run.client.outputText('stdout'), new RegExp(`rank ${rank} of ${ranks}, lap 1`));
        await hosts.end(run, mpi);
      });

      it('says in log messages what handles are', async () => {
        const run = await hosts.launch({
          mpi,
          program: 'ring',
          breakpoints: [
            { source: 'ring.c', marker: 'token arrived', logMessage: 'in {ocean}' },
            { source: 'ring.c', marker: 'token arrived', condition: 'lap == 2' },
          ],
        });
        await run.nextStops(allRanks, 'breakpoint');
        for (const rank of allRanks)
          assert.match(
            run.client.outputText('console'),
            new RegExp(`^\\[${rank}\\] in MPI_Comm "ocean" · rank ${rank} of ${ranks}$`, 'm'),
          );
        await hosts.end(run, mpi);
      });

      it('has the token in no command line of any host', async () => {
        const run = await hosts.launch({
          mpi,
          program: 'ring',
          breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 1' }],
        });
        await run.nextStops(allRanks, 'breakpoint');
        hosts.assertTokenIsHidden();
        const programs = ['nodea', 'nodeb'].flatMap((name) => hosts.running(name, /^\S*\/ring$/));
        assert.equal(programs.length, ranks);
        await hosts.end(run, mpi);
      });
    });
  }
});
