/** Values in few words: what a row of the Variables view has room for, beside what the program says of itself. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Answer, Document } from '../../plugin-api/mpi/records';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

for (const mpi of allMpis) {
  describe(`rows of ${mpi === 'openmpi' ? 'Open MPI' : 'MPICH'} in few words`, () => {
    let run: DebugRun;
    let west: string;
    let inExchange: Map<string, DebugProtocol.Variable>;
    let inMain: Map<string, DebugProtocol.Variable>;

    before(async () => {
      const breakpoints = [{ source: 'margins.cpp', marker: 'all is posted' }];
      ({ run } = await DebugRun.stopped({ mpi, program: 'margins', ranks: 4, breakpoints }));
      const frames = await run.frames(await run.threadOf(1));
      const variablesOf = async (name: RegExp): Promise<Map<string, DebugProtocol.Variable>> => {
        const { id: frameId } = frames.find((frame) => name.test(frame.name))!;
        const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId });
        const found = await run.variables(scopes[0]!.variablesReference);
        return new Map(found.map((variable) => [variable.name, variable]));
      };
      [inExchange, inMain] = [await variablesOf(/exchange/), await variablesOf(/^main\b/)];
      // The place of a rank in the torus is that of its number.
      west = (await run.evaluate('peers_[Side::west]', 'watch', frames[0]!.id)).result;
    });
    after(() => (run as DebugRun | undefined)?.close());

    const below = async ({ variablesReference }: DebugProtocol.Variable): Promise<Map<string, string>> =>
      new Map((await run.variables(variablesReference)).map(({ name, value }) => [name, value]));

    it('members of `this` are compared between the ranks, and addresses are not', async () => {
      const { id: frameId } = (await run.frames(await run.threadOf(1))).find(({ name }) => /exchange/.test(name))!;
      const { variables } = await run.client.request<{
        variables: { expression: string; values: { ranks: string; text: string }[] }[];
      }>('mpidbg/differences', { frameId });
      const me = variables.find(({ expression }) => expression === 'this->me_');
      assert.deepEqual(
        me?.values.map(({ ranks, text }) => [ranks, text]),
        ['0', '1', '2', '3'].map((rank) => [rank, rank]),
      );
      for (const { expression, values } of variables)
        for (const { text } of values) assert.doesNotMatch(text, /^0x/, expression);
      assert.ok(!variables.some(({ expression }) => expression === 'this'));
    });

    it('objects, `this` and pointers show their members, handles decoded', async () => {
      assert.equal(inExchange.get('this')!.value, '{cart_ "torus", me_ 1, volume_ 2400, …}');
      assert.equal(inMain.get('flat')!.value, '{}');
      assert.equal(inMain.get('outer')!.value, '{comm "torus", depth 12, next null}');
      for (const name of ['shared', 'outer']) assert.match(inMain.get(name)!.value, /^\{comm "torus", depth 12/, name);
      for (const name of ['inner', 'to_inner', 'owned'])
        assert.equal(inMain.get(name)!.value, '{comm MPI_COMM_SELF, depth 3, …}', name);
      assert.match(inMain.get('to_inner')!.memoryReference!, /0x/);
      assert.equal(inMain.get('to_none')!.value, '0x0');
    });

    it('what is declared as a base class shows the object with its own class', async () => {
      const halo = 'Halo {comm "torus", width 2}';
      for (const [name, value] of Object.entries({
        halo,
        plume: 'Plume {decay 0.5}',
        to_halo: halo,
        to_flat: 'Flat',
        of_rank: halo,
        same: 'Plume {decay 0.5}',
      }))
        assert.equal(inMain.get(name)!.value, value, name);
      // Not what the compiler says of its first bytes.
      assert.match(inMain.get('no_object')!.value, /^0x/);
      assert.deepEqual([...(await below(inMain.get('of_rank')!)).keys()], ['comm', 'width']);
      assert.deepEqual([...(await below(inMain.get('both')!)).values()], [halo, 'Flat']);
      const { id } = (await run.frames(await run.threadOf(1))).find(({ name }) => /^main\b/.test(name))!;
      for (const expression of ['of_rank', '*of_rank'])
        assert.equal(
          (await run.evaluate(expression, 'repl', id)).result,
          `0-1,3: ${halo}\n2: Plume {decay 0.5}`,
          expression,
        );
      const width = (await run.variables(inMain.get('of_rank')!.variablesReference)).find(
        ({ name }) => name === 'width',
      );
      assert.equal((await run.evaluate(width!.evaluateName!, 'watch', id)).result, '2');
    });

    it('lists say what is in them', () => {
      const values = Object.fromEntries([...inMain].map(([name, { value }]) => [name, value]));
      assert.equal(values.ones, '3000 numbers, all 1');
      assert.equal(values.weights, '{0.1, 0.2, 0.7}');
      assert.match(values.ramp!, /^600 numbers: 0, 1, 2, .*, …$/);
      assert.match(values.field!, /^600 numbers: 0, 0, .*, …$/, 'the last one of rank 1 is another');
      assert.equal(values.plane, '3×4 numbers, all 0');
      assert.equal(values.words, '{"north", "south"}');
      assert.equal(values.depths, '{17, 4, -2}');
      assert.equal(values.rows, '3 pointers');
      assert.equal(values.no_rows, '{null, null, null}');
      assert.equal(values.likely, `{${0x44000000 + 77}, ${0x44000000 + 78}}`);
      assert.equal(inExchange.get('sides')!.value, '[Side::west, Side::east, … 4 in all]');
      for (const { name, value } of [...inMain.values(), ...inExchange.values()])
        assert.doesNotMatch(value, /\{$|\{[^}]*…$|std::/, name);
    });

    it('what the compiler made is left out, and what has not begun to live has no value', () => {
      assert.deepEqual(
        [...inExchange.keys()].filter((name) => name.startsWith('__')),
        [],
      );
      assert.equal(inExchange.get('other')!.value, 'not set yet');
      assert.equal(inMain.get('torus')!.value.startsWith('{cart_ "torus"'), true);
    });

    it('a lambda says where it is, its captures below', async () => {
      const post = inExchange.get('post')!;
      assert.match(post.value, /^lambda at margins\.cpp:\d+$/);
      assert.deepEqual([...(await below(post)).keys()], ['this', 'requests', 'phase']);
      assert.match(inMain.get('shift')!.value, /^lambda at margins\.cpp:\d+$/);
    });

    it('objects of the library say what they hold or call, and are never shown by its own names', async () => {
      const watcher = inMain.get('watcher')!;
      assert.equal(watcher.value, '{level 4, state 0x1f, limit 3, count 7, …}');
      assert.deepEqual(Object.fromEntries(await below(watcher)), {
        limit: '3',
        none: 'no value',
        rule: 'lambda in main',
        no_rule: 'empty',
        guard: 'std::mutex',
        pause: '250 ms',
        seen: 'bits 1,3-4,6 set',
        none_seen: 'no bit set',
        count: '7',
        level: '4',
        watched: '4',
        state: '0x1f',
        field: '[1.5, …]',
      });
      const { id } = (await run.frames(await run.threadOf(1))).find(({ name }) => /^main\b/.test(name))!;
      const { variables } = await run.client.request<{
        variables: { expression: string; values: { ranks: string; text: string }[]; differ?: string }[];
      }>('mpidbg/differences', { frameId: id });
      const limit = variables.find(({ expression }) => expression === 'watcher.limit');
      assert.equal(limit?.differ, '2');
      for (const [asked, told] of [
        ['watcher.limit', '0-1,3: 3\n2: 7'],
        ['watcher.none', '0-3: no value'],
      ])
        assert.equal((await run.evaluate(asked!, 'repl', id)).result, told);
    });

    it('handles in containers come first, with what tells them from others', async () => {
      // MPICH has completed the sends in their calls.
      const all = mpi === 'openmpi' ? '4 receives, 4 sends, all pending' : '4 receives pending, 4 completed operations';
      assert.equal(inExchange.get('requests')!.value, all);
      // The hover has its type.
      assert.match(inExchange.get('first')!.value, new RegExp(`^receive from ${west} · tag 212 · .* · pending$`));
      assert.equal(inExchange.get('first')!.type, 'const MPI_Request');
      assert.equal(inExchange.get('receives')!.value, '4 receives, all pending, MPI_REQUEST_NULL');
      const { id } = (await run.frames(await run.threadOf(1))).find(({ name }) => /exchange/.test(name))!;
      assert.equal(
        (await run.evaluate('requests', 'repl', id)).result,
        `0-3: ${all} · differs beyond this part (all: mpi value --full requests)`,
      );
      assert.match(
        (await below(inExchange.get('requests')!)).get('[0]')!,
        new RegExp(`^receive from ${west} · tag 212 · .* · on "torus" · pending$`),
      );
      assert.equal(inMain.get('comms')!.value, '[MPI_COMM_WORLD, MPI_Comm "torus", 2 × MPI_COMM_NULL]');
      assert.equal(inMain.get('windows')!.value, '{7: "cells"}');
      assert.equal(inMain.get('types')!.value, '[vector(4 × 1 MPI_DOUBLE, stride 8), MPI_INT]');
      assert.equal(inMain.get('maybe')!.value, 'MPI_Comm "torus" · rank 1 of 4 · cart 2×2');
      assert.equal(inMain.get('never')!.value, 'no value');
      if (mpi === 'openmpi') assert.equal(inMain.get('numbered')!.value, '{first 3, second "torus"}');
    });

    it('the console and hovers have the same in one wide line, and compare all of it', async () => {
      const { id } = (await run.frames(await run.threadOf(1))).find(({ name }) => /^main\b/.test(name))!;
      const answer = async (expression: string, context = 'repl'): Promise<string> =>
        (await run.evaluate(expression, context, id)).result;
      for (const [asked, told] of [
        ['outer', '0-3: {comm "torus", depth 12, next null}'],
        [
          'to_inner',
          '0-3: {comm MPI_COMM_SELF, depth 3, …} · equal in the part that is shown (all: mpi value --full *to_inner)',
        ],
        ['weights', '0-3: {0.1, 0.2, 0.7}'],
        ['ones', '0-3: 3000 numbers, all 1'],
        ['to_none', '0-3: 0x0'],
      ])
        assert.equal(await answer(asked!), told);
      for (const name of ['ones', 'weights', 'inner', 'shared', 'owned', 'plane', 'comms'])
        for (const context of ['repl', 'hover'])
          assert.doesNotMatch(await answer(name, context), /std::|0x[0-9a-f]{5}|\bwith \d+ elements|[{,] \w+ = /, name);
      // The last element is the rank, which no line shows.
      assert.match(
        await answer('field'),
        /^0: 600 numbers, all 0\n1-3: 600 numbers: 0, .*, … · differs beyond this part/,
      );
      assert.match(await answer('mpi value --full weights'), /std::vector of length 3/);
    });

    it('show finds the same, and no handles among numbers', async () => {
      const frameId = (await run.frames(await run.threadOf(1))).find(({ name }) => /^main\b/.test(name))!.id;
      const answersOf = async (expression: string): Promise<readonly Answer[]> => {
        const asked = { expressions: [expression], frameId };
        const [rank] = (await run.client.request<Document>('mpidbg/show', asked)).ranks;
        assert.ok(rank !== undefined && 'answers' in rank);
        return rank.answers;
      };
      for (const handles of ['comms', 'windows', 'types', 'maybe'])
        for (const { code } of await answersOf(handles)) assert.equal(code, 'MPIDBG_SUCCESS', handles);
      for (const numbers of ['depths', 'likely', 'ones'])
        for (const { code } of await answersOf(numbers)) assert.equal(code, 'MPIDBG_ERR_NOT_SUPPORTED', numbers);
    });
  });
}
