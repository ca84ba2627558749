import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describeAnswer } from '../../plugin-api/mpi/describe';
import type { Document } from '../../plugin-api/mpi/records';
import { eventually } from '../support/process-state';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

const contexts = ['watch', 'hover', 'variables', 'repl', 'clipboard'];

for (const mpi of allMpis) {
  describe(`MPI's own names in expressions, under ${mpi}`, () => {
    it('are known in C wherever an expression is taken', async () => {
      const place = { source: 'communicators.c', marker: 'all communicators made' };
      const { run } = await DebugRun.stopped({ mpi, program: 'communicators', ranks: 1, breakpoints: [place] });
      try {
        const { id } = await run.topFrame(0);
        for (const context of contexts) {
          const value = async (expression: string) => (await run.evaluate(expression, context, id)).result;
          assert.equal(await value('MPI_COMM_WORLD'), 'MPI_COMM_WORLD · rank 0 of 1', context);
          assert.equal(await value('ocean == MPI_COMM_WORLD'), '0', context);
          assert.equal(await value('ocean != MPI_COMM_NULL'), '1', context);
          assert.equal(await value('MPI_SUCCESS + 2'), '2', context);
          assert.match(await value('MPI_UNWEIGHTED'), /0x[0-9a-f]+/, context);
        }
        const conditions = ['ocean == MPI_INT', 'ocean != MPI_COMM_SELF', 'MPI_SUCCESS == 0'];
        const set = await run.setBreakpoints(
          place.source,
          conditions.map((condition) => ({ ...place, condition })),
        );
        assert.deepEqual(
          set.map(({ verified }) => verified),
          [false, true, true],
        );
        assert.equal(set[0]?.message, 'ocean is an MPI_Comm and never an MPI_Datatype');
      } finally {
        await run.close();
      }
    });

    it('are compared with TYPE(MPI_Comm) in Fortran, in expressions and in conditions', async () => {
      const source = 'communicators-f08.f90';
      const place = { source, marker: 'all communicators made', condition: 'ocean /= MPI_COMM_NULL' };
      const { run } = await DebugRun.stopped({ mpi, program: 'communicators-f08', ranks: 1, breakpoints: [place] });
      try {
        const { id } = await run.topFrame(0);
        for (const context of contexts) {
          const value = async (expression: string) => (await run.evaluate(expression, context, id)).result;
          assert.equal(await value('mpi_comm_world'), 'MPI_COMM_WORLD · rank 0 of 1', context);
          assert.equal(await value('ocean == MPI_COMM_WORLD'), '.FALSE.', context);
          assert.equal(await value('MPI_COMM_NULL /= family(1) .and. ocean .ne. mpi_comm_self'), '.TRUE.', context);
        }
        const [refused, kept] = await run.setBreakpoints(source, [
          { ...place, condition: 'ocean == family(1)' },
          { ...place, condition: 'ocean%mpi_val == family(1)%mpi_val' },
        ]);
        assert.match(
          refused?.message ?? '',
          /^ocean is a handle of a derived type: .* as in ocean%mpi_val, or with a name /,
        );
        assert.equal(kept?.verified, true, kept?.message);
      } finally {
        await run.close();
      }
    });
  });
}

/** "value 2 lap\t100" of all ranks, by expression. */
function valuesToldBy(run: DebugRun): Map<string, string[]> {
  const told = new Map<string, string[]>();
  for (const [, rank, expression, text] of run.client.outputText('stdout').matchAll(/\bvalue (\d+) (.+)\t(.+?) *$/gm)) {
    const ofRanks = told.get(expression!) ?? [];
    ofRanks[Number(rank)] = text!;
    told.set(expression!, ofRanks);
  }
  return told;
}

for (const mpi of allMpis) {
  for (const [program, source, count] of [
    ['neighbours', 'neighbours.c', 13],
    ['neighbours-f90', 'neighbours.f90', 10],
  ] as const) {
    it(`MPI's names for ranks and tags are in Variables, watches and hovers, and \`show\` tells them: ${source} under ${mpi}`, async () => {
      const breakpoints = [{ source, marker: 'neighbours known' }];
      const { run } = await DebugRun.stopped({ mpi, program, ranks: 2, breakpoints });
      try {
        let told = valuesToldBy(run);
        await eventually('all values', () => {
          told = valuesToldBy(run);
          return [...told.values()].flat().length === 2 * count;
        });
        for (const rank of [0, 1]) {
          const { id } = await run.topFrame(rank);
          const locals = new Map((await run.locals(id)).map(({ name, value }) => [name, value]));
          for (const [expression, texts] of told) {
            for (const context of ['watch', 'hover', 'variables'])
              assert.equal((await run.evaluate(expression, context, id)).result, texts[rank], expression);
            // The list of locals may have a hidden variable of this name, too.
            if (locals.has(expression)) assert.equal(locals.get(expression), texts[rank], expression);
          }
          assert.equal(locals.get('tag'), told.get('tag')![rank]);
        }
        const { id } = await run.topFrame(0);
        const { ranks } = await run.client.request<Document>('mpidbg/show', { expressions: ['near'], frameId: id });
        const [answer] = ranks.flatMap((rank) => ('answers' in rank ? rank.answers : []));
        assert.equal(
          answer?.code !== 'MPIDBG_SUCCESS' && answer?.reason,
          `near is ${told.get('near')![0]}, not a handle`,
        );
        const { value } = await run.client.request<DebugProtocol.SetExpressionResponse['body']>('setExpression', {
          ...{ expression: 'far', value: told.get('near')![0], frameId: id },
        });
        assert.equal(value, told.get('near')![0]);
      } finally {
        await run.close();
      }
    });
  }
}

describe('handles in a std::vector', () => {
  for (const mpi of allMpis) {
    it(`are decoded with their kind, under ${mpi}`, async () => {
      const place = { source: 'containers.cpp', marker: 'all containers filled' };
      const { run } = await DebugRun.stopped({ mpi, program: 'containers', ranks: 1, breakpoints: [place] });
      try {
        const { id } = await run.topFrame(0);
        const { ranks } = await run.client.request<Document>('mpidbg/show', {
          expressions: ['comm:comms'],
          frameId: id,
        });
        const answers = ranks.flatMap((rank) => ('answers' in rank ? rank.answers : []));
        assert.deepEqual(
          answers.map((answer) => [answer.expression, answer.code === 'MPIDBG_SUCCESS' && describeAnswer(answer)]),
          [
            ['comm:comms[0]', 'MPI_COMM_WORLD · rank 0 of 1'],
            ['comm:comms[1]', 'MPI_COMM_SELF · rank 0 of 1'],
          ],
        );
        assert.equal((await run.evaluate('comm:comms[1]', 'watch', id)).result, 'MPI_COMM_SELF · rank 0 of 1');
      } finally {
        await run.close();
      }
    });
  }
});
