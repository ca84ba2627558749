import type { StackNode } from '../../plugin-api/mpi/records';
import assert from 'node:assert/strict';
import type { CodeModule } from '../../adapter/expressions/code-modules';
import type { Frame } from '../../adapter/stacks/frame';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { isMpiCall } from '../../adapter/query/across-ranks/mpi-calls';
import { programFrames } from '../../adapter/query/across-ranks/program-frames';
import { mergeStacks, type RankStacks } from '../../adapter/query/across-ranks/stacks';
import { withoutParameters } from '../../plugin-api/function-name';
import { stacksText } from '../../plugin-api/answers/text/stacks-text';

let address = 0x1000n;

/** "main@ring.c:12" has source, "PMPI_Barrier" has none. Innermost first, as gdb lists frames. */
function frame(text: string, level: number): Frame {
  const [, name = '', file, line] = /^([^@]*)(?:@(.*):(\d+))?$/.exec(text) ?? [];
  return {
    kind: 'native',
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
    const { tree } = mergeStacks([rank(0, barrier), rank(1, barrier), rank(2, asleep)], [], 'live', 'calls');
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

  it('name functions of the C library as the program calls them', () => {
    const name = (called: string): string => {
      const { tree } = mergeStacks([rank(0, [called, 'main@io.c:12'])], [], 'live', 'calls');
      return tree[0]!.children[0]!.frame.name;
    };
    assert.deepEqual(['__GI___libc_read', '__GI___poll', '__GI_raise'].map(name), ['read', 'poll', 'raise']);
  });

  it('call MPI_Finalize what runs in its place in the library, and not a function of the program', () => {
    const inside = ['poll', 'PMPIx_Fence', 'ompi_mpi_finalize', 'main@io.c:12'];
    const own = ['poll', 'mpi_finalize_all@end.c:3', 'main@io.c:12'];
    const { tree, outliers } = mergeStacks([rank(0, inside), rank(1, own)], [], 'live', 'calls');
    assert.deepEqual(
      tree[0]!.children.map(({ frame: { name }, children }) => [name, children.length]),
      [
        ['MPI_Finalize', 0],
        ['mpi_finalize_all', 1],
      ],
    );
    assert.match(outliers[0]!, /in MPI_Finalize$/);
    const [main] = mergeStacks([rank(0, inside)], [], 'live', 'all').tree;
    assert.equal(main!.children[0]!.frame.name, 'ompi_mpi_finalize');
  });

  it('have functions of C++ without their parameters, and whole names', () => {
    const names: readonly [string, string][] = [
      ['step(int, double)', 'step'],
      ['step<void (int)>(std::function<void (int)>)', 'step<void (int)>'],
      ['ocean::step<void (int)>::run(int) const', 'ocean::step<void (int)>::run'],
      ['step<void (int)>', 'step<void (int)>'],
      ['Less::operator()(int, int) const', 'Less::operator()'],
      ['Less::operator()', 'Less::operator()'],
      ['(anonymous namespace)::step(int)', '(anonymous namespace)::step'],
      ['main::{lambda(int)#1}::operator()(int) const', 'main::{lambda(int)#1}::operator()'],
      ['step(int) [clone .cold]', 'step'],
    ];
    assert.deepEqual(
      names.map(([name]) => withoutParameters(name)),
      names.map(([, plain]) => plain),
    );
  });

  it('go below MPI calls in full', () => {
    const { tree } = mergeStacks([rank(0, barrier)], [], 'live', 'all');
    const text = stacksText({ schema: 'mpidbg/1', target: 'live', tree, outliers: [], errors: [] });
    assert.match(text, /MPI_Barrier\n.*opal_progress\n.*poll\n/);
  });

  it('name the odd ranks first', () => {
    const ranks = [0, 1, 2, 3, 4, 5, 6].map((number) => rank(number, barrier));
    const { outliers } = mergeStacks([...ranks, rank(7, asleep)], [], 'live', 'calls');
    assert.deepEqual(outliers, ['rank 7 (1 of 8) in usleep at io.c:88', 'ranks 0-6 (7 of 8) in MPI_Barrier']);
  });

  it('name functions of templates without their arguments', () => {
    const at = [
      'std::vector<double, std::allocator<double> >::_M_range_check',
      'value@mesh.cpp:48',
      'main@mesh.cpp:71',
    ];
    const { outliers } = mergeStacks([rank(0, barrier), rank(1, at)], [], 'live', 'calls');
    assert.ok(outliers.includes('rank 1 (1 of 2) in std::vector::_M_range_check at mesh.cpp:48'), outliers.join('\n'));
  });

  it('have no outliers while all ranks are at one place', () => {
    assert.deepEqual(mergeStacks([rank(0, barrier), rank(1, barrier)], [], 'live', 'calls').outliers, []);
  });

  it('call what Fortran calls as MPI does, and by its real name where the library is looked at', () => {
    const names = ['mpi_recv_', 'pmpi_recv__', 'mpi_recv_f08_', 'mpi_recv_f08ts_'];
    const ranks = names.map((name, number) => rank(number, ['poll', 'PMPI_Recv', name, 'exchange@halo.f90:40']));
    const [root] = mergeStacks(ranks, [], 'live', 'calls').tree;
    assert.deepEqual(
      root?.children.map(({ frame: { name }, ranks: set }) => [name, set]),
      [['MPI_Recv', '0-3']],
    );
    const [full] = mergeStacks(ranks, [], 'live', 'all').tree;
    assert.deepEqual(full?.children.map(({ frame: { name } }) => name).sort(), [...names].sort());
    assert.deepEqual(mergeStacks(ranks, [], 'live', 'calls').outliers, []);
  });

  it('count threads, and ranks once', () => {
    const { tree } = mergeStacks([rank(3, asleep, asleep)], [], 'live', 'calls');
    assert.equal(tree[0]?.ranks, '3');
    assert.equal(tree[0]?.threads, 2);
  });

  it('of a recursion are one line, and tell that the stack goes on', () => {
    const text = (deep: number): string => {
      const frames = [...barrier.slice(0, 3), ...Array<string>(deep).fill('dive@deep.c:7'), 'main@io.c:12'];
      return stacksText(mergeStacks([rank(0, frames), rank(1, frames)], [], 'live', 'calls'));
    };
    assert.equal(text(4).trimEnd(), '0-1  main (io.c:12)\n0-1    dive (deep.c:7) (4 frames)\n0-1      MPI_Barrier');
    const whole = text(196);
    assert.match(whole, /main/);
    assert.match(whole, /dive \(deep.c:7\) \(196 frames\)\n/);
    assert.equal(
      text(197).trimEnd(),
      '0-1  … callers beyond the 200 innermost frames\n0-1    dive (deep.c:7) (197 frames)\n0-1      MPI_Barrier',
    );
  });

  it('of a recursion are apart where ranks are at different depths', () => {
    const at = (number: number, deep: number): RankStacks =>
      rank(number, ['poll', 'PMPI_Barrier', ...Array<string>(deep).fill('dive@deep.c:7'), 'main@io.c:12']);
    const text = stacksText(mergeStacks([at(0, 2), at(1, 5)], [], 'live', 'calls'));
    assert.match(text, /0-1 +dive \(deep.c:7\) \(2 frames\)\n/);
    assert.match(text, /1 +dive \(deep.c:7\) \(3 frames\)\n/);
  });

  it('name processes of unknown rank by pid', () => {
    assert.equal(mergeStacks([rank(null, asleep)], [], 'live', 'calls').tree[0]?.ranks, 'pid 4711');
  });
});

/** In libc.so.6 where "libc:" is before it, in libucs.so.0 for "ucs:", else in the program. */
function mapped(...names: string[]): { frames: Frame[]; modules: CodeModule[] } {
  const at = { libc: 0x7000n, ucs: 0x8000n };
  const frames = names.map((text, level) => {
    const [, library, plain] = /^(?:(libc|ucs):)?(.*)$/.exec(text) ?? [];
    const own = frame(plain ?? '', level);
    return library === undefined ? own : { ...own, address: at[library as keyof typeof at] + BigInt(level) };
  });
  const module = (path: string, address: bigint, isExecutable = false): CodeModule => {
    const sizes = { size: 0x1000, fileSize: 0x1000 };
    return { path, isExecutable, segments: [{ address, ...sizes, writable: false, executable: true }] };
  };
  const modules = [
    module('/bin/ocean', 0x1000n, true),
    module('/lib/libc.so.6', at.libc),
    module('/lib/libucs.so.0', at.ucs),
  ];
  return { frames, modules };
}

function programOf(...names: string[]): string[] {
  const { frames, modules } = mapped(...names);
  return programFrames([...frames].reverse(), { modules, mpis: shippedMpis }).map(
    (each) => `${each.function}${each.line ?? ''}`,
  );
}

describe('the frames of the program', () => {
  beforeEach(() => (address = 0x1000n));
  const start = ['libc:__libc_start_call_main', 'libc:__libc_start_main_impl', '_start'];

  it('begin with main, and end with the call of a library', () => {
    assert.deepEqual(
      programOf('libc:clock_nanosleep', 'libc:usleep@usleep.c:32', 'write_out@io.c:88', 'main@io.c:12', ...start),
      ['main12', 'write_out88', 'usleep'],
    );
  });

  it('end with the call of MPI, and go on through functions that call back', () => {
    assert.deepEqual(programOf('own_op@io.c:3', 'ucs:??', 'PMPI_Reduce', 'main@io.c:12'), ['main12', 'PMPI_Reduce']);
    assert.deepEqual(programOf('compare@io.c:3', 'libc:qsort', 'main@io.c:12'), ['main12', 'qsort', 'compare3']);
  });

  it('begin with the program in Fortran, not with the main that the compiler made', () => {
    assert.deepEqual(programOf('ocean@ocean.f90:8', 'main@ocean.f90:30', ...start), ['ocean8']);
    assert.deepEqual(programOf('main@ocean.f90:30', ...start), ['main30']);
  });

  it('are those of a stripped program and of its threads too', () => {
    assert.deepEqual(programOf('PMPI_Recv', '??', '??', ...start), ['??', '??', 'PMPI_Recv']);
    assert.deepEqual(programOf('work@io.c:9', 'libc:start_thread', 'libc:clone3'), ['work9']);
  });

  it("are all where none is the program's", () => {
    assert.deepEqual(programOf('libc:epoll_wait', 'ucs:??', 'libc:clone3'), ['clone3', '??', 'epoll_wait']);
  });
});

describe('the text of stacks', () => {
  const textOf = (ranks: RankStacks[], crashes: string[] = [], leftOut = 0): string[] =>
    stacksText(mergeStacks(ranks, [], 'live', 'program'), crashes, leftOut)
      .split('\n')
      .slice(0, -1);

  it('begins with who died of what, then says who is elsewhere', () => {
    assert.deepEqual(textOf([rank(0, asleep), rank(1, barrier), rank(2, barrier)], ['rank 0: SIGSEGV at io.c:88']), [
      'rank 0: SIGSEGV at io.c:88',
      'rank 0 (1 of 3) in usleep at io.c:88',
      'ranks 1-2 (2 of 3) in MPI_Barrier',
      '',
      '0-2  main (io.c:12)',
      '1-2    exchange (halo.c:40)',
      '1-2      MPI_Barrier',
      '0      write_out (io.c:88)',
      '0        usleep',
    ]);
  });

  it('counts threads where a rank has several, and those that are left out', () => {
    const worker = ['work@io.c:9'];
    assert.deepEqual(textOf([rank(0, asleep, worker, worker)], [], 3), [
      '0 (2 threads)  work (io.c:9)',
      '0              main (io.c:12)',
      '0                write_out (io.c:88)',
      '0                  usleep',
      '(3 threads of libraries: see --full)',
    ]);
    assert.equal(textOf([rank(null, worker)]).at(-1), 'pid 4711  work (io.c:9)');
  });

  it('has the callers without names in one line, up to where ranks go different ways', () => {
    const node = (name: string, ranks: string, ...children: StackNode[]): StackNode => ({
      ...{ frame: { name }, ranks, threads: ranks === '0-1' ? 2 : 1, children },
    });
    const ways = [node('??', '0', node('??', '0', node('MPI_Send', '0'))), node('MPI_Recv', '1')];
    const tree = [node('??', '0-1', node('??', '0-1', node('??', '0-1', ...ways)))];
    assert.deepEqual(stacksText({ schema: 'mpidbg/1', target: 'live', tree, outliers: [], errors: [] }).split('\n'), [
      '0-1  function without a name (3 frames)',
      '0      function without a name (2 frames)',
      '0        MPI_Send',
      '1      MPI_Recv',
      '',
    ]);
  });
});

describe('a call of MPI', () => {
  for (const name of ['MPI_Send', 'PMPI_Allreduce', 'MPIX_Comm_agree', 'mpi_send_', 'pmpi_barrier_', 'mpi_bcast_f08_'])
    it(`${name} is one`, () => assert.ok(isMpiCall(name)));
  for (const name of ['MPIR_Barrier_impl', 'my_mpi_send', 'mpi_setup', 'ompi_mpi_init', undefined])
    it(`${name} is none`, () => assert.ok(!isMpiCall(name)));
});
