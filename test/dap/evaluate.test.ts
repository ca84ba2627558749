import assert from 'node:assert/strict';
import type { Document, StacksDocument } from '../../plugin-api/mpi/records';
import type { RanksBody } from '../../adapter/dap/queries/custom-requests';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

const variables = { source: 'variables.c', marker: 'all variables set' };
const communicators = { source: 'communicators.c', marker: 'all communicators made' };

describe('evaluate', () => {
  let run: DebugRun;
  before(async () => {
    ({ run } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', breakpoints: [variables] }));
  });
  after(() => run.close());

  it("in a watch is the frame's rank", async () => {
    for (const rank of [0, 3]) {
      const frame = await run.topFrame(rank);
      assert.equal((await run.evaluate('rank * 10', 'watch', frame.id)).result, String(rank * 10));
    }
  });

  it('in the debug console asks all ranks and merges equal answers', async () => {
    assert.equal((await run.evaluate('size', 'repl')).result, '0-3: 4');
    assert.equal((await run.evaluate('rank / 2', 'repl')).result, '0-1: 0\n2-3: 1');
    assert.equal((await run.evaluate('rank == 3', 'repl')).result, '0-2: 0\n3: 1');
    assert.equal((await run.evaluate('matrix', 'repl')).result, '0-3: {{1, 2, 3}, {4, 5, 6}}');
  });

  it('in the debug console writes out the beginning of an array of a million elements', async () => {
    const long = await run.evaluate('*(int (*)[1000000])long_array', 'repl');
    // The program has 300 of them: what lies behind cannot be compared.
    assert.match(
      long.result,
      /^0-3: 1000000 numbers: 0, 1, 4, 9, (\d+, ){16,}… · equal in the part that is shown \(all: .*\)$/,
    );
    assert.match((await run.evaluate('*long_array@3', 'repl')).result, /^0-3: \{0, 1, 4\}$/);
  });

  it("knows MPI's own names", async () => {
    const { id } = await run.topFrame(2);
    const world = await run.evaluate('MPI_COMM_WORLD', 'watch', id);
    assert.equal(world.result, 'MPI_COMM_WORLD · rank 2 of 4');
    const fields = await run.variables(world.variablesReference);
    assert.equal(fields.find(({ name }) => name === 'size')?.value, '4');
    assert.equal((await run.evaluate('MPI_ANY_SOURCE', 'watch', id)).result, '-2');
  });

  it("fails in gdb's words, and without disturbing the user", async () => {
    const { id } = await run.topFrame(0);
    for (const context of ['hover', 'watch', 'repl']) {
      await assert.rejects(run.evaluate('no_such_name', context, id), (error: Error & { body?: unknown }) => {
        assert.match(error.message, /No symbol "no_such_name" in current context/);
        assert.deepEqual((error.body as { error: { showUser: boolean } }).error.showUser, false);
        return true;
      });
    }
  });

  it('says of a structure that is nowhere that it is', async () => {
    const { id } = await run.topFrame(0);
    for (const context of ['watch', 'repl'])
      await assert.rejects(run.evaluate('*(struct station *)0', context, id), /Cannot access memory at address 0x0/);
  });

  it('runs gdb commands behind -exec', async () => {
    assert.match((await run.evaluate('-exec print rank + 1', 'repl')).result, /^0: \$\d+ = 1\n1: \$\d+ = 2\n/);
    assert.match((await run.evaluate('-exec info frame', 'repl')).result, /variables\.c/);
    await assert.rejects(run.evaluate('-exec nonsense', 'repl'), /Undefined command: "nonsense"/);
    await assert.rejects(run.evaluate('-exec quit', 'repl'), /would end debugging.*disconnect the session instead/);
  });

  it('prints the queries as text', async () => {
    const { result } = await run.evaluate('mpi show MPI_COMM_WORLD', 'repl');
    assert.equal(result.trimEnd(), 'MPI_COMM_WORLD  0-3  MPI_COMM_WORLD · rank 0-3 of 4');
    const full = await run.evaluate('mpi show --full MPI_COMM_WORLD', 'repl');
    assert.match(
      full.result,
      /^MPI_COMM_WORLD {2}0 {2}MPI_COMM_WORLD · rank 0 of 4\n[^]*\n {4}0-3 {2}ranks in MPI_COMM_WORLD: /,
    );
    const ranks = (await run.evaluate('mpi ranks', 'repl')).result.split('\n');
    assert.equal(ranks.length, 4);
    assert.match(ranks[3] ?? '', /^rank 3 {2}stopped {2}\S+ {2}pid \d+$/);
    const stacks = (await run.evaluate('mpi stacks', 'repl')).result;
    assert.match(stacks, /^0-3 +main \(variables\.c:\d+\)\n\(4 threads of libraries: see --full\)$/);
    assert.match((await run.evaluate('mpi handles comm', 'repl')).result, /^Only predefined\n {2}0-3 +comm$/);
    assert.match((await run.evaluate('mpi stacks --full', 'repl')).result, /^0-3 +epoll_wait\b/m);
    await assert.rejects(run.evaluate('mpi handles nonsense', 'repl'), /"kinds" must be a list of comm, /);
    await assert.rejects(run.evaluate('mpi show --full', 'repl'), /name an expression, as in mpi show comm/);
    await assert.rejects(run.evaluate('mpi stacks main', 'repl'), /it takes --full and nothing else: remove "main"/);
    await assert.rejects(run.evaluate('mpi nonsense', 'repl'), /mpi show EXPR/);
  });
});

describe('evaluate with a focus of one rank', () => {
  it('answers the bare value, and a tree', async () => {
    const { run } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 3,
      breakpoints: [variables],
      attributes: { focus: '1' },
    });
    assert.equal((await run.evaluate('rank', 'repl')).result, '1');
    const first = await run.evaluate('first', 'repl');
    const members = await run.variables(first.variablesReference);
    assert.equal(members.find(({ name }) => name === 'name')?.value, '"north"');
    await run.close();
  });
});

for (const mpi of allMpis) {
  describe(`requests of our own, with ${mpi}`, () => {
    let run: DebugRun;
    before(async () => {
      ({ run } = await DebugRun.stopped({ mpi, program: 'communicators', breakpoints: [communicators] }));
    });
    after(() => run.close());

    it('mpidbg/ranks tells state, process and threads of each rank', async () => {
      const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks');
      assert.deepEqual(
        ranks.map(({ rank, state }) => ({ rank, state })),
        [0, 1, 2, 3].map((rank) => ({ rank, state: 'stopped' })),
      );
      for (const { pid, host, threadIds } of ranks) {
        assert.ok(pid !== undefined && host !== '' && threadIds.length > 0);
      }
    });

    it('mpidbg/show asks all ranks, one rank, or the rank of a frame', async () => {
      const rankOf = (document: Document): (number | null)[] => document.ranks.map(({ rank }) => rank);
      const all = await run.client.request<Document>('mpidbg/show', { expressions: ['grid'] });
      assert.deepEqual(rankOf(all), [0, 1, 2, 3]);
      for (const rank of all.ranks) {
        assert.ok('answers' in rank);
        const [answer] = rank.answers;
        assert.ok(answer?.code === 'MPIDBG_SUCCESS');
        assert.equal((answer.info as { name: string }).name, 'grid');
        assert.equal((answer.info as { rank: number }).rank, rank.rank);
      }
      const some = await run.client.request<Document>('mpidbg/show', { expressions: ['grid'], ranks: '1-2' });
      assert.deepEqual(rankOf(some), [1, 2]);
      const { id: frameId } = await run.topFrame(3);
      assert.deepEqual(rankOf(await run.client.request('mpidbg/show', { expressions: ['grid'], frameId })), [3]);
    });

    it('mpidbg/stacks merges the stacks, mpidbg/handles lists what lives', async () => {
      const stacks = await run.client.request<StacksDocument>('mpidbg/stacks', { ranks: '1-3' });
      assert.ok(stacks.tree.some(({ frame, ranks }) => frame.name === 'main' && ranks === '1-3'));
      const deepest = ({ tree }: StacksDocument): number =>
        Math.max(0, ...tree.map((node) => 1 + deepest({ ...stacks, tree: node.children })));
      const program = await run.client.request<StacksDocument>('mpidbg/stacks', {
        ...{ ranks: '1-3', program: true, helperThreads: false },
      });
      assert.deepEqual(
        program.tree.map(({ frame, ranks }) => [frame.name, ranks]),
        [['main', '1-3']],
      );
      assert.ok(deepest(program) < deepest(stacks), `${deepest(program)}, ${deepest(stacks)}`);
      const handles = await run.client.request<Document>('mpidbg/handles', { kinds: ['comm'], ranks: '2' });
      const [rank] = handles.ranks;
      assert.ok(rank !== undefined && 'answers' in rank);
      const names = rank.answers.map((answer) => (answer.code === 'MPIDBG_SUCCESS' ? answer.info : undefined));
      assert.ok(names.some((info) => info !== undefined && 'name' in info && info.name === 'grid'));
    });

    it('wrong ones are refused in one sentence', async () => {
      const show = (args: object): Promise<unknown> => run.client.request('mpidbg/show', args);
      await assert.rejects(show({}), /"expressions" must be a list/);
      await assert.rejects(show({ expressions: ['grid'], ranks: '7' }), /rank 7 is not in this job/);
      await assert.rejects(show({ expressions: ['grid'], ranks: 'x' }), /not a rank set/);
      await assert.rejects(
        run.client.request('mpidbg/handles', { kinds: ['status'] }),
        /"kinds" must be a list of comm, /,
      );
      await assert.rejects(run.client.request('nonsense'), /does not support the request "nonsense"/);
    });
  });
}
