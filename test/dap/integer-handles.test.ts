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
        assert.match(await shown('family'), /^\[MPI_Comm "ocean", MPI_Comm \(rank 1 of 2\), MPI_COMM_NULL\]$/);
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

      it('say why they are read so', async () => {
        const parity = await run.local(2, 'parity');
        const fields = await run.variables(parity.variablesReference);
        const why = fields.find(({ name }) => name === 'read as')?.value ?? '';
        assert.match(why, /^MPI_Comm: fourth argument of MPI_Comm_split, communicators\.f90:\d+$/);
      });

      it('are not annotated by mistake', async () => {
        const annotate = (args: object): Promise<unknown> => run.client.request('mpidbg/annotate', args);
        await assert.rejects(
          annotate({ variable: 'ocean', kind: 'communicator' }),
          /"kind" must be null .* or one of comm,/,
        );
        await assert.rejects(annotate({ kind: 'comm' }), /"variable" must be the name/);
        await assert.rejects(annotate({ variable: '1+1', kind: 'comm' }), /"variable" must be the name/);
        await assert.rejects(
          annotate({ variable: 'oceans', kind: 'comm', function: 'communicators', file: 'communicators.f90' }),
          /there is no variable oceans in communicators of communicators\.f90/,
        );
      });

      it('keep what is said of a scope that is not loaded yet, and say so', async () => {
        const annotate = (args: object): Promise<unknown> => run.client.request('mpidbg/annotate', args);
        const said = await annotate({ variable: 'sea', kind: 'comm', function: 'not_loaded', file: 'plugin.f90' });
        assert.deepEqual(said, {
          note: 'kept, but not checked: no Fortran source known so far has not_loaded of plugin.f90',
        });
        assert.deepEqual(await annotate({ variable: 'ocean', kind: 'comm', function: 'communicators' }), {});
      });

      it('are again what the program says when the user takes the word back', async () => {
        const ocean = { variable: 'ocean', function: 'communicators' };
        await run.client.request('mpidbg/annotate', { ...ocean, kind: null });
        assert.match(await shown('ocean'), /^-?\d+$/);
        await run.client.request('mpidbg/annotate', { ...ocean, kind: 'inferred' });
        await run.client.request('mpidbg/annotate', { variable: 'ocean', kind: 'inferred' });
        assert.equal(await shown('ocean'), 'MPI_Comm "ocean" · rank 2 of 4');
      });
    });

    describe(`of ${mpi} of which the program says nothing`, () => {
      let run: DebugRun;

      before(async () => {
        const unsaid = [{ source: 'registry.f90', marker: 'nobody says what number is' }];
        ({ run } = await DebugRun.stopped({ mpi, program: 'registry', ranks: 2, breakpoints: unsaid }));
      });
      after(() => run.close());

      it('are what the user says in the scope that declares them, wherever they are seen', async () => {
        const { id } = await run.topFrame(1);
        const watched = async (name: string): Promise<string> => (await run.evaluate(name, 'watch', id)).result;
        const annotate = (args: object): Promise<unknown> => run.client.request('mpidbg/annotate', args);
        assert.match(await watched('mine'), /^-?\d+$/);
        // A variable of the program, seen in a procedure that it contains; one of a module, by USE and by its full name.
        await annotate({ variable: 'mine', kind: 'comm', function: 'registry', file: 'registry.f90' });
        await annotate({ variable: 'table', kind: 'comm', function: 'kept' });
        assert.equal(await watched('mine'), 'MPI_Comm "kept" · rank 1 of 2');
        assert.match(await watched('kept::table'), /^\[.*, MPI_Comm "kept", /);
        assert.match(await watched('number'), /^-?\d+$/, 'nothing is said of another variable');
        await annotate({ variable: 'mine', kind: null, function: 'registry' });
        assert.match(await watched('mine'), /^-?\d+$/);
      });
    });

    describe(`constants of ${mpi} that are known by their addresses`, () => {
      let run: DebugRun;

      before(async () => {
        const passed = [{ source: 'constants.f90', marker: 'constants passed' }];
        ({ run } = await DebugRun.stopped({ mpi, program: 'constants', ranks: 2, breakpoints: passed }));
      });
      after(() => run.close());

      it('are told by name where they are passed', async () => {
        for (const name of ['bottom', 'in_place', 'status_ignore', 'statuses_ignore', 'errcodes_ignore', 'argv_null']) {
          assert.equal((await run.local(1, name)).value, `MPI_${name.toUpperCase()}`);
        }
        const { id } = await run.topFrame(1);
        assert.equal((await run.evaluate('unweighted', 'hover', id)).result, 'MPI_UNWEIGHTED');
        assert.equal((await run.local(1, 'here')).value, '(0, 0, 0, 0)');
      });
    });

    describe(`of ${mpi} in arrays, pointers and under names that gdb takes for intrinsics`, () => {
      let run: DebugRun;
      const shown = async (name: string): Promise<string> => (await run.evaluate(name, 'watch', inMain)).result;
      let inMain: number;

      before(async () => {
        const inferred = [{ source: 'inferred.f90', marker: 'all handles in view' }];
        ({ run } = await DebugRun.stopped({ mpi, program: 'inferred', breakpoints: inferred }));
        inMain = (await run.topFrame(2)).id;
      });
      after(() => run.close());

      it('are decoded', async () => {
        assert.match(await shown('floor'), /^MPI_Comm .*rank 1 of 4/);
        assert.match(await shown('size'), /^MPI_Group /);
        assert.match(await shown('nothing'), /^MPI_COMM_NULL/);
        assert.match(await shown('halo%statuses'), /^\[source \d tag \d+, source \d tag \d+\]$/);
        assert.match(await shown('statuses'), /^\[.*source -?\w+ \w+ ?.*\]$/);
        assert.match(await shown('halo%types'), /^\[.*, .*\]$/);
        assert.match(await shown('here'), /^MPI_Comm .*rank 1 of 4/);
      });

      it('are decoded under a name that gdb takes for a struct of C', async () => {
        assert.match(await shown('stat'), /^MPI_Status · source \d/);
        assert.match((await run.local(2, 'stat')).value, /^MPI_Status · source \d/);
        assert.match(await shown('STAT(1) + 0 * stat(2)'), /^\d+$/);
      });

      it('are decoded in a CLASS and in what a type inherits, written with blanks or not', async () => {
        for (const name of ['deep%comm', 'deep % halo_type%comm', 'DEEPEST%COMM', 'others( 1, 2 )'])
          assert.match(await shown(name), /^MPI_Comm .*rank 1 of 4|^MPI_Comm .*rank 0 of 1/, name);
        const parts = await run.variables((await run.local(2, 'deep')).variablesReference);
        assert.match(parts.find(({ name }) => name === 'win')?.value ?? '', /^MPI_Win .*dynamic/);
        assert.match(parts.find(({ name }) => name === 'halo_type')?.value ?? '', /comm MPI_Comm .*rank 1 of 4/);
      });

      it('say in words of Fortran why they have no value', async () => {
        assert.match((await run.local(2, 'missing')).value, /^MPI_Datatype · absent: OPTIONAL and not passed/);
        await assert.rejects(shown('missing'), /absent: OPTIONAL and not passed/);
        assert.match((await run.local(2, 'others')).value, /only the caller knows its size/);
      });

      it('stay numbers, with the reason, where the program uses them for two things', async () => {
        const unsure = await run.evaluate('unsure', 'watch', inMain);
        assert.match(unsure.result, /^-?\d+$/);
        const [told] = await run.variables(unsure.variablesReference);
        assert.equal(told?.name, 'handles of several kinds');
        assert.match(told.value, /a datatype: .*MPI_Type_contiguous, inferred\.f90:\d+; a communicator: .*MPI_Barrier/);
      });
    });
  }
});
