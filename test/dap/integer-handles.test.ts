/** Fortran INTEGERs that the sources, or the user, say are handles. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Document } from '../../plugin-api/mpi/records';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

const breakpoints = [{ source: 'communicators.f90', marker: 'all communicators made' }];

describe('INTEGER handles', () => {
  for (const mpi of allMpis) {
    describe(`of ${mpi}`, () => {
      let run: DebugRun;
      const shown = async (name: string): Promise<string> => (await run.local(2, name)).value;

      before(async () => {
        ({ run } = await DebugRun.stopped({ mpi, program: 'communicators-f90', breakpoints }));
      });
      after(() => run.close());

      it('say what they are, because the program passes them to MPI', async () => {
        assert.equal(await shown('ocean'), 'MPI_Comm "ocean" · rank 2 of 4');
        assert.match(await shown('grid'), /^MPI_Comm "grid" · rank 2 of 4 · cart 2×2/);
        assert.match(await shown('family'), /^\[MPI_Comm "ocean", MPI_Comm, MPI_COMM_NULL\]$/);
        assert.match(await shown('ierror'), /^0$/);
        assert.match(await shown('rank'), /^2$/);
      });

      it('say it in hovers, in the console and in mpidbg/show', async () => {
        const { id } = await run.topFrame(2);
        assert.equal((await run.evaluate('ocean', 'hover', id)).result, 'MPI_Comm "ocean" · rank 2 of 4');
        assert.match((await run.evaluate('domain%comm', 'watch', id)).result, /^MPI_Comm /);
        const { ranks } = await run.client.request<Document>('mpidbg/show', { expressions: ['ocean'], ranks: '0-3' });
        const names = ranks.map((rank) =>
          'answers' in rank && rank.answers[0]?.code === 'MPIDBG_SUCCESS' && 'name' in rank.answers[0].info
            ? rank.answers[0].info.name
            : undefined,
        );
        assert.deepEqual(names, ['ocean', 'ocean', 'ocean', 'ocean']);
      });

      it('are what the user says, over what the program says', async () => {
        const since = run.client.events.length;
        await run.client.request('mpidbg/annotate', { variable: 'ocean', kind: null });
        const { body } = await run.client.waitFor<DebugProtocol.InvalidatedEvent>('invalidated', undefined, { since });
        assert.deepEqual(body.areas, ['variables']);
        assert.match(await shown('ocean'), /^-?\d+$/);
        await run.client.request('mpidbg/annotate', { variable: 'OCEAN', kind: 'comm', function: 'communicators' });
        assert.equal(await shown('ocean'), 'MPI_Comm "ocean" · rank 2 of 4');
        await run.client.request('mpidbg/annotate', { variable: 'ierror', kind: 'op', file: 'communicators.f90' });
        assert.doesNotMatch(await shown('ierror'), /^0$/);
      });

      it('are not annotated by mistake', async () => {
        const annotate = (args: object): Promise<unknown> => run.client.request('mpidbg/annotate', args);
        await assert.rejects(
          annotate({ variable: 'ocean', kind: 'communicator' }),
          /"kind" has to be null .* or one of comm,/,
        );
        await assert.rejects(annotate({ kind: 'comm' }), /"variable" has to be the name/);
        await assert.rejects(annotate({ variable: '1+1', kind: 'comm' }), /"variable" has to be the name/);
      });
    });
  }
});
