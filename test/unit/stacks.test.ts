import assert from 'node:assert/strict';
import type { GdbFrame } from '../../adapter/gdb/mi/stack-manipulation';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { isMpiCall, mergeStacks, type RankStacks } from '../../adapter/query/across-ranks/stacks';
import { stacksText } from '../../adapter/text/stacks-text';

let address = 0x1000n;

/** "main@ring.c:12" has source, "PMPI_Barrier" has none. Innermost first, as gdb lists frames. */
function frame(text: string, level: number): GdbFrame {
  const [, name = '', file, line] = /^([^@]*)(?:@(.*):(\d+))?$/.exec(text) ?? [];
  return {
    level,
    address: (address += 16n),
    function: name,
    file,
    fullName: file && `/src/${file}`,
    line: line === undefined ? undefined : Number(line),
    from: undefined,
  };
}

function rank(number: number | null, ...threads: string[][]): RankStacks {
  return {
    id: { rank: number, pid: 4711 },
    code: { modules: [], mpis: shippedMpis },
    threads: threads.map((frames) => frames.map(frame)),
  };
}

const barrier = ['poll', 'opal_progress', 'PMPI_Barrier', 'exchange@halo.c:40', 'main@io.c:12'];
const asleep = ['clock_nanosleep', 'usleep', 'write_out@io.c:88', 'main@io.c:12'];

describe('merged stacks', () => {
  it('are cut at the first MPI call, with the ranks on each node', () => {
    const { tree } = mergeStacks([rank(0, barrier), rank(1, barrier), rank(2, asleep)], [], 'live', false);
    assert.equal(tree.length, 1);
    const [main] = tree;
    assert.deepEqual(
      { ...main, children: main?.children.map(({ frame, ranks }) => [frame.name, ranks]) },
      {
        frame: { name: 'main', source: '/src/io.c', line: 12 },
        ranks: '0-2',
        threads: 3,
        children: [
          ['exchange', '0-1'],
          ['write_out', '2'],
        ],
      },
    );
    const [call] = main!.children[0]!.children;
    assert.equal(call?.frame.name, 'MPI_Barrier');
    assert.deepEqual(call?.children, []);
  });

  it('go below MPI calls in full', () => {
    const { tree } = mergeStacks([rank(0, barrier)], [], 'live', true);
    const text = stacksText({ schema: 'mpidbg/1', target: 'live', tree, outliers: [], errors: [] });
    assert.match(text, /MPI_Barrier\n.*opal_progress\n.*poll\n/);
  });

  it('name the odd ranks first', () => {
    const ranks = [0, 1, 2, 3, 4, 5, 6].map((number) => rank(number, barrier));
    const { outliers } = mergeStacks([...ranks, rank(7, asleep)], [], 'live', false);
    assert.deepEqual(outliers, ['rank 7 (1 of 8) in usleep at io.c:88', 'ranks 0-6 (7 of 8) in MPI_Barrier']);
  });

  it('have no outliers while all ranks are at one place', () => {
    assert.deepEqual(mergeStacks([rank(0, barrier), rank(1, barrier)], [], 'live', false).outliers, []);
  });

  it('call what Fortran calls as MPI does, and by its real name where the library is looked at', () => {
    const names = ['mpi_recv_', 'pmpi_recv__', 'mpi_recv_f08_', 'mpi_recv_f08ts_'];
    const ranks = names.map((name, number) => rank(number, ['poll', 'PMPI_Recv', name, 'exchange@halo.f90:40']));
    const [root] = mergeStacks(ranks, [], 'live', false).tree;
    assert.deepEqual(
      root?.children.map(({ frame: { name }, ranks: set }) => [name, set]),
      [['MPI_Recv', '0-3']],
    );
    const [full] = mergeStacks(ranks, [], 'live', true).tree;
    assert.deepEqual(full?.children.map(({ frame: { name } }) => name).sort(), [...names].sort());
    assert.deepEqual(mergeStacks(ranks, [], 'live', false).outliers, []);
  });

  it('count threads, and ranks once', () => {
    const { tree } = mergeStacks([rank(3, asleep, asleep)], [], 'live', false);
    assert.equal(tree[0]?.ranks, '3');
    assert.equal(tree[0]?.threads, 2);
  });

  it('name processes of unknown rank by pid', () => {
    assert.equal(mergeStacks([rank(null, asleep)], [], 'live', false).tree[0]?.ranks, 'pid 4711');
  });
});

describe('a call of MPI', () => {
  for (const name of ['MPI_Send', 'PMPI_Allreduce', 'MPIX_Comm_agree', 'mpi_send_', 'pmpi_barrier_', 'mpi_bcast_f08_'])
    it(`${name} is one`, () => assert.ok(isMpiCall(name)));
  for (const name of ['MPIR_Barrier_impl', 'my_mpi_send', 'mpi_setup', 'ompi_mpi_init', undefined])
    it(`${name} is none`, () => assert.ok(!isMpiCall(name)));
});
