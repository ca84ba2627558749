/** Merged stacks of OpenMP programs, as gdb reads them on the runtimes of GCC and LLVM. */
import assert from 'node:assert/strict';
import type { CodeModule } from '../../adapter/expressions/code-modules';
import type { Frame } from '../../adapter/stacks/frame';
import { mergeStacks, type StackExtent } from '../../adapter/query/across-ranks/stacks';
import { stacksText } from '../../plugin-api/answers/text/stacks-text';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

const libraries = { libc: 0x10000n, omp: 0x20000n, mpi: 0x30000n };

function modulesWith(runtime: string): CodeModule[] {
  const module = (path: string, address: bigint, isExecutable = false): CodeModule => {
    const sizes = { size: 0x10000, fileSize: 0x10000 };
    return { path, isExecutable, segments: [{ address, ...sizes, writable: false, executable: true }] };
  };
  return [
    module('/bin/ocean', 0n, true),
    module('/lib/libc.so.6', libraries.libc),
    module(`/lib/${runtime}`, libraries.omp),
    module('/lib/libmpi.so.40', libraries.mpi),
  ];
}

/** "main@ring.c:12" is in the program, "omp:??" in the runtime. Innermost first, as gdb lists frames. */
function stackOf(...names: string[]): Frame[] {
  return names.map((text, level): Frame => {
    const [, library, name = '', file, line] = /^(?:(libc|omp|mpi):)?([^@]*)(?:@(.*):(\d+))?$/.exec(text) ?? [];
    const base = library === undefined ? 0n : libraries[library as keyof typeof libraries];
    return {
      kind: 'native',
      level,
      address: base + BigInt(level),
      function: name,
      file,
      fullName: file && `/src/${file}`,
      line: line === undefined ? undefined : Number(line),
      from: undefined,
    };
  });
}

function textOf(
  runtime: string,
  threads: Frame[][],
  extent: StackExtent = 'program',
  masters: [number, number][] = [],
): string[] {
  const code = { modules: modulesWith(runtime), mpis: shippedMpis };
  const { tree } = mergeStacks([{ id: { rank: 0 }, code, threads, masters: new Map(masters) }], [], 'live', extent);
  return stacksText({ schema: 'mpidbg/1', target: 'live', tree, outliers: [], errors: [] }).trim().split('\n');
}

const thread = ['libc:start_thread', 'libc:clone3'];
const gccWorker = ['omp:??', ...thread];
const llvmWorker = ['omp:??', 'omp:__kmp_invoke_microtask', 'omp:??', 'omp:??', ...thread];
const llvmFork = ['omp:__kmp_invoke_microtask', 'omp:??', 'omp:__kmp_fork_call', 'omp:__kmpc_fork_call'];
const start = ['libc:__libc_start_call_main', '_start'];

const inRegion = [
  '0 (3 threads)  main (x.c:40)',
  '0                main (x.c:42, OpenMP region at x.c:40)',
  '0                  exchange (x.c:9)',
  '0                    MPI_Recv',
];

describe('the stacks of an OpenMP program', () => {
  it('have workers below the region that their master is in, with GCC', () => {
    const threads = [
      stackOf('mpi:PMPI_Recv', 'exchange@x.c:9', 'main._omp_fn.0@x.c:42', 'omp:GOMP_parallel', 'main@x.c:40', ...start),
      stackOf('libc:usleep', 'main._omp_fn.0@x.c:44', ...gccWorker),
      stackOf('omp:??', 'main._omp_fn.0@x.c:46', ...gccWorker),
    ];
    assert.deepEqual(textOf('libgomp.so.1', threads), [
      ...inRegion,
      '0                main (x.c:44, OpenMP region at x.c:40)',
      '0                  usleep',
      '0                main (x.c:46, OpenMP region at x.c:40)',
      '0                  OpenMP runtime',
    ]);
    const [first] = textOf('libgomp.so.1', threads, 'calls');
    assert.equal(first, '0 (3 threads)  _start');
    assert.ok(textOf('libgomp.so.1', threads, 'all').some((line) => line.endsWith('main._omp_fn.0 (x.c:44)')));
  });

  it('have them there with LLVM, whose names do not say the function', () => {
    const outlined = ['.omp_outlined.@x.c:40'];
    const threads = [
      stackOf(
        ...[
          'mpi:PMPI_Recv',
          'exchange@x.c:9',
          '.omp_outlined._debug__@x.c:42',
          ...outlined,
          ...llvmFork,
          'main@x.c:40',
        ],
        ...start,
      ),
      stackOf('libc:usleep', '.omp_outlined._debug__@x.c:44', ...outlined, ...llvmWorker),
      stackOf(
        ...['libc:futex', 'libc:cond_wait', 'omp:??', 'omp:__kmpc_barrier'],
        ...['.omp_outlined._debug__@x.c:46', ...outlined, ...llvmWorker],
      ),
    ];
    assert.deepEqual(textOf('libomp-14.so.5', threads), [
      ...inRegion,
      '0                main (x.c:44, OpenMP region at x.c:40)',
      '0                  usleep',
      '0                main (x.c:46, OpenMP region at x.c:40)',
      '0                  __kmpc_barrier',
    ]);
  });

  it('have them there while the master waits for the end of the region', () => {
    assert.deepEqual(
      textOf('libgomp.so.1', [
        stackOf('omp:??', 'omp:??', 'solve@x.c:5', 'main@x.c:10', ...start),
        stackOf('libc:usleep', 'solve._omp_fn.0@x.c:8', ...gccWorker),
      ]),
      [
        '0 (2 threads)  main (x.c:10)',
        '0 (2 threads)    solve (x.c:5)',
        '0                  OpenMP runtime',
        '0                  solve (x.c:8, OpenMP region at x.c:5)',
        '0                    usleep',
      ],
    );
    assert.deepEqual(
      textOf('libomp.so.5', [
        stackOf('libc:cond_wait', 'omp:??', 'omp:__kmpc_fork_call', 'solve@x.c:5', 'main@x.c:10', ...start),
        stackOf('libc:usleep', '.omp_outlined._debug__@x.c:8', '.omp_outlined.@x.c:5', ...llvmWorker),
      ]).slice(2),
      [
        '0                  __kmpc_fork_call',
        '0                  solve (x.c:8, OpenMP region at x.c:5)',
        '0                    usleep',
      ],
    );
  });

  it('nest regions', () => {
    const inner = ['main._omp_fn.1@x.c:22', 'omp:GOMP_parallel', 'main._omp_fn.0@x.c:10'];
    assert.deepEqual(
      textOf('libgomp.so.1', [
        stackOf('libc:pause', ...inner, 'omp:GOMP_parallel', 'main@x.c:9', ...start),
        stackOf('libc:pause', ...inner, ...gccWorker),
        stackOf('work@x.c:6', 'main._omp_fn.2@x.c:16', 'omp:GOMP_taskwait', 'main._omp_fn.1@x.c:17', ...gccWorker),
      ]),
      [
        '0 (3 threads)  main (x.c:9)',
        '0 (3 threads)    main (x.c:10, OpenMP region at x.c:9)',
        '0 (2 threads)      main (x.c:22, OpenMP region at x.c:10)',
        '0 (2 threads)        pause',
        '0                  main (x.c:17, OpenMP region at x.c:10)',
        '0                    main (x.c:16, OpenMP task)',
        '0                      work (x.c:6)',
      ],
    );
  });

  it('leave a worker by itself where its region may have begun at several places, or further outside', () => {
    const master = (line: number): Frame[] =>
      stackOf('libc:pause', 'solve._omp_fn.0@x.c:8', 'omp:GOMP_parallel', 'solve@x.c:5', `work@x.c:${line}`, ...thread);
    const worker = stackOf('libc:usleep', 'solve._omp_fn.0@x.c:8', ...gccWorker);
    const alone = ['0  solve (x.c:8, OpenMP region or task)', '0    usleep'];
    assert.deepEqual(textOf('libgomp.so.1', [master(20), master(30), worker]).slice(-2), alone);
    // The collector knows.
    assert.deepEqual(textOf('libgomp.so.1', [master(20), master(30), worker], 'program', [[2, 1]]).slice(0, 3), [
      '0 (2 threads)  work (x.c:30)',
      '0 (2 threads)    solve (x.c:5)',
      '0 (2 threads)      solve (x.c:8, OpenMP region at x.c:5)',
    ]);
    const deep = stackOf(...Array.from({ length: 201 }, () => 'recurse@x.c:50'));
    assert.deepEqual(textOf('libgomp.so.1', [deep, worker]).slice(-2), alone);
  });

  it('say where a thread is that is in no function of the program', () => {
    assert.deepEqual(textOf('libgomp.so.1', [stackOf(...gccWorker)]), ['0  OpenMP thread']);
    assert.deepEqual(textOf('libomp.so.5', [stackOf('libc:cond_wait', 'omp:??', 'omp:??', ...thread)]), [
      '0  OpenMP thread',
      '0    cond_wait',
    ]);
  });

  it('name functions of C++, Fortran and target regions by their source', () => {
    const rowOf = (outlined: string, caller: string, fork = 'omp:GOMP_parallel'): string | undefined =>
      textOf('libgomp.so.1', [stackOf('omp:??', outlined, fork, caller, 'main@x.c:3', ...start)])[2];
    assert.equal(
      rowOf('_ZN4GridIdE4stepEi._omp_fn.0@g.cc:6', 'Grid<double>::step(int)@g.cc:5'),
      '0      Grid<double>::step (g.cc:6, OpenMP region at g.cc:5)',
    );
    // The compiler's name alone.
    const worker = stackOf('omp:??', '_ZL6smoothv._omp_fn.0@g.cc:6', ...start);
    assert.match(textOf('libgomp.so.1', [worker]).join('\n'), /smooth \(g\.cc:6/);
    assert.equal(
      rowOf('step::__ocean_MOD_step._omp_fn.0@o.f90:7', 'ocean::step@o.f90:6'),
      '0      ocean::step (o.f90:7, OpenMP region at o.f90:6)',
    );
    assert.equal(
      rowOf('__omp_offloading_fe00_5c03a1_solve_l6@x.c:8', 'solve@x.c:6'),
      '0      solve (x.c:8, OpenMP target region at x.c:6)',
    );
    assert.equal(
      rowOf('solve._omp_fn.0@x.c:8', 'solve@x.c:6', 'omp:GOMP_target_ext'),
      '0      solve (x.c:8, OpenMP target region)',
    );
    // Without debug information, as gdb writes it.
    assert.equal(rowOf('omp_task_entry[]', 'main', 'omp:__kmpc_omp_taskwait'), '0      OpenMP task');
    const alone = ['forecast::MAIN__._omp_fn.0@o.f90:18', 'step::__ocean_MOD_step._omp_fn.0@o.f90:7'].map(
      (name) => textOf('libgomp.so.1', [stackOf(name, ...gccWorker)])[0],
    );
    assert.deepEqual(alone, [
      '0  forecast (o.f90:18, OpenMP region or task)',
      '0  ocean::step (o.f90:7, OpenMP region or task)',
    ]);
  });

  it('tell by their source where a rank is', () => {
    const code = { modules: modulesWith('libgomp.so.1'), mpis: shippedMpis };
    const threads = [['omp:??', 'main._omp_fn.0@x.c:46'], ['main._omp_fn.0@x.c:47'], ['mpi:PMPI_Recv', 'main@x.c:3']];
    const ranks = threads.map((names, rank) => ({ id: { rank }, code, threads: [stackOf(...names)] }));
    assert.deepEqual(mergeStacks(ranks, [], 'live', 'program').outliers, [
      'rank 0 (1 of 3) in OpenMP runtime at x.c:46',
      'rank 1 (1 of 3) in main at x.c:47',
      'rank 2 (1 of 3) in MPI_Recv',
    ]);
  });
});
