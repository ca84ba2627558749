/** How a job died, in words: from what ranks have told and a look has found. */
import assert from 'node:assert/strict';
import { innermostReason, truncatedSizes } from '../../plugin-api/deaths/error-text';
import type { Death } from '../../plugin-api/deaths/death';
import { fatalException, pythonStack, pythonTraceback } from '../../plugin-api/deaths/python-text';
import { isToldToExit } from '../../plugin-api/deaths/told-to-exit';
import type { ProcessState } from '../../plugin-api/hang/job-state';
import { unavailable } from '../../plugin-api/result';
import { pythonFrames, type RankDeath } from '../../plugin-api/deaths/rank-death';
import { causeRule, causeText } from '../../plugin-api/answers/text/death-cause-text';
import { deathLines, deathText } from '../../plugin-api/answers/text/death-text';

const plain: Death = {
  ...{ kind: 'abort', pid: 11, tid: 11, time: 1_000_000_000n, rank: 1, mpi: 'up', status: undefined },
  ...{
    signal: undefined,
    handlerExits: false,
    ownHandler: undefined,
    returnedBy: undefined,
    isInCatch: false,
    isStackFull: false,
    goesOn: false,
    stack: undefined,
    object: undefined,
  },
  ...{ error: undefined, thrown: undefined, left: undefined, exception: undefined, python: undefined, floatKinds: [] },
  ...{ function: '', words: '', type: '', typeName: '', tail: '' },
};
const frames = [
  { name: 'exchange', source: '/src/halo.c', line: 92 },
  { name: 'main', source: '/src/halo.c', line: 140 },
];

function deathOf(rank: number, death: Partial<Death>, more: Partial<RankDeath> = {}): RankDeath {
  return { id: { rank, pid: 10 + rank }, death: { ...plain, ...death, rank, pid: 10 + rank }, frames, ...more };
}

function stateOf(rank: number, position: Partial<ProcessState['positions'][number]>): ProcessState {
  const unknown = unavailable('MPIDBG_ERR_UNAVAILABLE', 'not asked');
  const id = { rank, pid: 10 + rank };
  return {
    ...{ id, comms: [], contexts: [], queues: [], requests: [], wins: [], files: [] },
    ...{ counters: unknown, threadLevel: unknown, traffic: undefined },
    positions: [{ ...id, thread: 1, state: 'blocked', ...position }],
  };
}

const truncated = deathOf(
  1,
  { kind: 'mpiError', error: { code: 15, class: 15, text: 'MPI_ERR_TRUNCATE: message truncated' } },
  {
    errorClass: 'MPI_ERR_TRUNCATE',
    truncated: { message: 8, buffer: 4, unit: 'elements' },
    call: {
      call: 'MPI_Recv',
      passed: [
        { name: 'count', text: '4' },
        { name: 'datatype', text: 'MPI_INT' },
        { name: 'source', text: '0' },
        { name: 'tag', text: '7' },
        { name: 'comm', text: '"ocean"' },
      ],
    },
  },
);

describe('the death of a job in words', () => {
  it('does not count a rank that MPI has told to exit, with the code of the error of another', () => {
    const error = { code: 873078798, class: 14, text: 'Message truncated' };
    const failed: Death = { ...plain, kind: 'mpiError', function: 'MPI_Recv', error };
    const told: Death = { ...failed, pid: 12, function: '' };
    const other: Death = { ...told, error: { ...error, code: 269099022 } };
    const all = [failed, told, other].map((death) => ({ death, within: 'MPI_Barrier' }));
    assert.deepEqual(
      all.map((each) => isToldToExit(each, all)),
      [false, true, false],
    );
  });

  it('does not count one that waited for messages when a rank exited for an error with a file', () => {
    const death: Death = { ...plain, kind: 'mpiError', error: { code: 586024, class: 40, text: '' } };
    const all = ['MPI_File_write_at_all', 'MPI_Allreduce', undefined, 'MPI_Barrier'].map((within) => ({
      death,
      within,
    }));
    assert.deepEqual(
      all.map((each) => isToldToExit(each, all)),
      [false, true, false, true],
    );
    const withoutCause = all.slice(1);
    assert.equal(
      withoutCause.some((each) => isToldToExit(each, withoutCause)),
      false,
    );
  });

  it('says where the exception was thrown that a rank was handling, and whose code it gave to MPI_Abort', () => {
    const thrownAt = { name: 'solve(int)', source: '/src/ice.cc', line: 7 };
    const caught: Partial<Death> = {
      kind: 'mpiAbort',
      status: 1,
      isInCatch: true,
      type: 'St9exception',
      words: 'thin',
    };
    const linesOf = (death: RankDeath): string[] => deathLines({ deaths: [death], states: [], held: 0 }).slice(0, 3);
    assert.deepEqual(linesOf(deathOf(1, caught, { thrownAt })), [
      'rank 1 called MPI_Abort(1) while it handled std::exception: thin',
      'at halo.c:92 in exchange, called by main (halo.c:140)',
      'the exception was thrown at ice.cc:7 in solve',
    ]);
    assert.equal(
      linesOf(deathOf(1, caught, { thrownAt: { name: 'solve(int)' } }))[2],
      'the exception was thrown in solve',
    );
    const returned: Partial<Death> = {
      kind: 'mpiAbort',
      status: 6,
      returnedBy: 'MPI_Send',
      error: { code: 6, class: 6, text: '' },
    };
    assert.equal(
      linesOf(deathOf(1, returned, { errorClass: 'MPI_ERR_RANK' }))[0],
      'rank 1 called MPI_Abort(6), the code that MPI_Send had returned: MPI_ERR_RANK: invalid rank',
    );
  });

  it('says how many ranks a communicator has, where one was given that is none of them', () => {
    const lineOf = (text: string, ranks: number): string | undefined => {
      const passed = [
        { name: 'dest', text: '9', number: 9 },
        { name: 'comm', text, ranks },
      ];
      const failed = deathOf(
        1,
        { kind: 'mpiError', error: { code: 6, class: 6, text: '' } },
        { errorClass: 'MPI_ERR_RANK', call: { call: 'MPI_Send', passed } },
      );
      return deathLines({ deaths: [failed], states: [], held: 0 })[1];
    };
    assert.deepEqual(
      [lineOf('"ice"', 1), lineOf('MPI_COMM_WORLD', 4), lineOf('MPI_Comm (rank 1 of 3)', 3)],
      [
        'in MPI_Send(to 9, "ice"): "ice" has 1 rank',
        'in MPI_Send(to 9, MPI_COMM_WORLD): MPI_COMM_WORLD has 4 ranks',
        'in MPI_Send(to 9, MPI_Comm (rank 1 of 3))',
      ],
    );
  });

  it('says why it is not known what an operation has computed', () => {
    const float = deathOf(1, { kind: 'float', floatKinds: ['invalid'] });
    const says = (untold: string): string[] => [
      'rank 1 made an invalid operation',
      `what it computed is not known: ${untold}`,
      'at halo.c:92 in exchange, called by main (halo.c:140)',
      'ended by --trap-fp: by itself it would have gone on',
    ];
    const linesOf = (death: RankDeath): string[] => deathLines({ deaths: [death], states: [], held: 0 });
    assert.deepEqual(linesOf(float), says('it was not read in time'));
    assert.deepEqual(linesOf({ ...float, untold: 'the rank has ended' }), says('the rank has ended'));
  });

  it('names the rank, the call with its arguments, the line, the others, and the report', () => {
    const states = [
      stateOf(0, { call: 'MPI_Barrier', where: 'halo.c:141' }),
      stateOf(1, {}),
      stateOf(2, { call: 'MPI_Barrier', where: 'halo.c:141' }),
      stateOf(3, { call: 'MPI_Recv', peer: 2, where: 'halo.c:92' }),
      stateOf(4, { state: 'running', where: 'ice.c:7' }),
    ];
    assert.deepEqual(deathText({ deaths: [truncated], states, held: 5 }, 'run.html'), [
      'rank 1 died of MPI_ERR_TRUNCATE: message truncated',
      '  in MPI_Recv(count 4 MPI_INT, from 0, tag 7, "ocean"): the message has 8',
      '  at halo.c:92 in exchange, called by main (halo.c:140)',
      '  ranks 0,2 were in MPI_Barrier (halo.c:141); rank 3 was in MPI_Recv from 2 (halo.c:92); rank 4 was in its own code (ice.c:7)',
      '  stacks, variables and messages of all ranks: run.html',
    ]);
  });

  it('tells which call of MPI has called a function of the program, and whether MPI_Finalize had ended', () => {
    const called = [frames[0]!, { ...frames[1]!, by: 'MPI_Finalize' }];
    const over: Partial<Death> = { kind: 'abort', mpi: 'over' };
    const linesOf = (more: Partial<RankDeath>): string[] =>
      deathLines({ deaths: [deathOf(1, over, more)], states: [], held: 0 });
    assert.deepEqual(linesOf({ frames: called, isFinalizing: true }), [
      'rank 1 called abort()',
      'at halo.c:92 in exchange, called by MPI_Finalize in main (halo.c:140)',
    ]);
    const handled = [frames[0]!, { ...frames[1]!, by: 'MPI_Barrier', isInterrupted: true as const }, frames[1]!];
    assert.equal(
      linesOf({ frames: handled, isFinalizing: false })[1],
      'at halo.c:92 in exchange, which interrupted MPI_Barrier in main (halo.c:140), main (halo.c:140)',
    );
    const place = 'at halo.c:92 in exchange, called by main (halo.c:140)';
    assert.deepEqual(linesOf({ isFinalizing: true }), ['rank 1 called abort(), while it was in MPI_Finalize', place]);
    assert.deepEqual(linesOf({ isFinalizing: false }), ['rank 1 called abort(), after MPI_Finalize', place]);
  });

  it('tells which receive has failed in a call that completes several, and whose message it was', () => {
    const waited = { ...truncated, call: { call: 'MPI_Waitall', passed: [{ name: 'count', text: '2' }] } };
    const passed = truncated.call!.passed;
    const callLine = (more: Partial<RankDeath>): string | undefined =>
      deathLines({ deaths: [{ ...waited, ...more }], states: [], held: 0 })[1];
    assert.equal(
      callLine({ failedReceive: { source: 0, tag: 7, passed } }),
      'in MPI_Waitall(count 2): a receive of 4 MPI_INT, from 0, tag 7, "ocean": the message has 8',
    );
    const wild = passed.map((each) => (each.name === 'source' ? { ...each, text: 'MPI_ANY_SOURCE' } : each));
    assert.equal(
      callLine({ failedReceive: { source: 0, tag: 7, passed: wild } }),
      'in MPI_Waitall(count 2): a receive of 4 MPI_INT, from any rank, tag 7, "ocean": the message from 0, tag 7, has 8',
    );
    assert.equal(
      callLine({ failedReceive: { source: 3, tag: 7, passed: [] }, truncated: undefined }),
      'in MPI_Waitall(count 2): the message from 3, tag 7, does not fit',
    );
    const inStatus = { ...waited, isInStatus: true };
    assert.equal(
      deathLines({ deaths: [inStatus], states: [], held: 0 })[0],
      'rank 1 died of MPI_ERR_TRUNCATE: message truncated',
    );
  });

  it('says that static variables were being made, not what compilers call that', () => {
    const of = (...names: string[]): string[] =>
      deathLines({
        deaths: [deathOf(1, {}, { frames: names.map((name, i) => ({ name, source: '/src/table.cpp', line: 5 + i })) })],
        ...{ states: [], held: 0 },
      });
    const made = 'while the static variables of the file are made';
    const [gcc, around] = ['__static_initialization_and_destruction_0(int, int)', '_GLOBAL__sub_I_table.cpp'];
    assert.equal(of('Table::Table()', gcc, around)[1], `at table.cpp:5 in Table::Table, ${made} (table.cpp:6)`);
    assert.equal(of('__cxx_global_var_init.1', around)[1], `at table.cpp:5, ${made}`);
  });

  it('says what has ended a rank that was on its way out', () => {
    const left = { address: 7n, status: 9, function: '_exit' };
    const leftAt = { name: 'leave', source: '/src/grid.c', line: 6 };
    const of = (more: Partial<RankDeath>): string[] =>
      deathLines({
        deaths: [deathOf(1, { kind: 'exit', function: 'exit', status: 1, left }, more)],
        ...{ states: [], held: 0 },
      });
    assert.equal(of({ leftAt }).at(-1), 'a function that runs at exit then called _exit(9) at grid.c:6 in leave');
    assert.equal(of({}).at(-1), 'a function that runs at exit then called _exit(9)');
  });

  it('names the world of a rank that was spawned', () => {
    const [own, spawned] = ['0', '0.1'].map((world) => ({ ...deathOf(1, {}), id: { rank: 1, world, pid: 11 } }));
    const held = 0;
    assert.match(deathLines({ deaths: [own!, spawned!], states: [], held })[0]!, /^ranks 1,0\.1:1 /);
    assert.match(deathLines({ deaths: [spawned!], states: [], held })[0]!, /^rank 0\.1:1 /);
  });

  it('names all that died alike at once, and says where either of two may be the cause', () => {
    const alike = [deathOf(0, {}), deathOf(1, { time: 1_002_000_000n })];
    const at = 'at halo.c:92 in exchange, called by main (halo.c:140)';
    assert.deepEqual(deathLines({ deaths: alike, states: [], held: 0 }), ['ranks 0-1 called abort(), within 2 ms', at]);
    const signal = { number: 11, code: 1, address: 0n, sender: undefined };
    const soon = deathOf(3, { kind: 'signal', signal, time: 1_004_000_000n }, { frames: [] });
    const later = { ...soon, death: { ...soon.death, time: 1_400_000_000n } };
    const other = 'rank 3 died of SIGSEGV at address 0x0 (nothing is mapped there)';
    assert.deepEqual(deathLines({ deaths: [deathOf(0, {}), soon], states: [], held: 0 }), [
      'rank 0 called abort()',
      at,
      `or: ${other}, 4 ms later, so either may be the cause`,
    ]);
    assert.equal(
      deathLines({ deaths: [deathOf(0, {}), later], states: [], held: 0 })[2],
      `then: ${other}, 400 ms later`,
    );
    assert.deepEqual(deathLines({ deaths: [], states: [], held: 0 }), []);
  });

  const signal = (number: number, code: number, sender?: number): Partial<Death> => ({
    ...{ kind: 'signal', signal: { number, code, address: 0x10n, sender } },
  });
  const handled = { function: 'MPI_Send', caller: 1n, stackPointer: 2n };
  const error = {
    code: 5,
    class: 6,
    text: 'Invalid rank, error stack:\ninternal_Send(1): MPI_Send(x) failed\nf(2): bad',
  };
  for (const [death, text, rule, more] of [
    [signal(11, 2), 'died of SIGSEGV at address 0x10 (the mapping does not allow it)', 'crash/SIGSEGV'],
    [signal(11, 1), 'died of SIGSEGV: its stack is full', 'crash/SIGSEGV', { isStackFull: true }],
    [
      signal(11, 1),
      'died of SIGSEGV: its stack is too small, 65 MiB are needed here (ulimit -s)',
      'crash/SIGSEGV',
      { isStackFull: true, stackNeeded: 2 ** 26 + 4096 },
    ],
    [
      { ...signal(11, 1), isStackFull: true },
      'died of SIGSEGV at address 0x10 (nothing is mapped there); there is no stack where its stack pointer is',
      'crash/SIGSEGV',
    ],
    [
      { ...signal(11, 1), mpi: 'unknown' },
      'died of SIGSEGV at address 0x10 (nothing is mapped there); whether MPI was up is not known',
      'crash/SIGSEGV',
    ],
    [{ kind: 'abort', mpi: 'before' }, 'called abort(), before MPI_Init', 'death/abort'],
    [{ kind: 'abort', mpi: 'over' }, 'called abort(), after MPI_Finalize', 'death/abort'],
    [
      { kind: 'mpiEnds', status: 9 },
      'was ended by MPI with 9: by MPI_Abort or a fatal error, it does not tell which',
      'death/mpi-ends',
    ],
    [
      { kind: 'float', floatKinds: ['invalid', 'zero'] },
      'made an invalid operation and divided by zero',
      'floating-point/invalid-zero',
    ],
    [signal(8, 1), 'died of SIGFPE (integer division by zero, or of the least number by -1)', 'crash/SIGFPE'],
    [signal(15, 0, 4711), 'died of SIGTERM, sent by process 4711', 'crash/SIGTERM'],
    [
      { ...signal(6, -6, 11), words: 'free(): invalid pointer' },
      'was aborted by the C library: free(): invalid pointer',
      'crash/SIGABRT',
    ],
    [
      { kind: 'mpiError', error, function: 'MPI_Send' },
      'died of MPI error code 5 in MPI_Send: bad',
      'mpi-error/unknown',
    ],
    [{ kind: 'mpiAbort', status: 7 }, 'called MPI_Abort("ice", 7)', 'death/mpi-abort', { comm: '"ice"' }],
    [
      { kind: 'exit', status: 6, function: 'exit', ownHandler: handled, error },
      'called exit(6) without MPI_Finalize in its own error handler, for error code 5 in MPI_Send: bad',
      'death/exit',
    ],
    [
      { ...signal(6, -6, 11), words: 'malloc(): bad', ownHandler: { ...handled, isOfMpi: true }, error },
      'was aborted by the C library: malloc(): bad while MPI ended it for error code 5 in MPI_Send: bad',
      'crash/SIGABRT',
    ],
    [{ kind: 'assert', words: "a.c:7: f: Assertion `n < 4' failed." }, 'failed an assertion: n < 4', 'death/assert'],
    [
      { kind: 'terminate', type: 'St12out_of_range', words: 'at 9' },
      'threw std::out_of_range, which nothing caught: at 9',
      'death/terminate',
    ],
    [{ kind: 'terminate', type: 'N5ocean3IceE' }, 'threw ocean::Ice, which nothing caught', 'death/terminate'],
    [
      { kind: 'terminate', type: 'NSt10filesystem7__cxx1116filesystem_errorE', words: 'no such file' },
      'threw std::filesystem::filesystem_error, which nothing caught: no such file',
      'death/terminate',
    ],
    [
      { kind: 'terminate', type: 'St9bad_alloc', words: 'std::bad_alloc' },
      'threw std::bad_alloc, which nothing caught',
      'death/terminate',
    ],
    [
      { kind: 'mpiError', status: 1 },
      "was ended by MPI itself, with status 1, for what only MPI's own message tells",
      'mpi-error/unknown',
    ],
    [
      { kind: 'mpiError', status: 1, mpi: 'over' },
      "was ended by MPI itself, with status 1, for what only MPI's own message tells, after MPI_Finalize",
      'mpi-error/unknown',
    ],
    [{ kind: 'terminate', type: 'PKc' }, 'threw const char*, which nothing caught', 'death/terminate'],
    [{ kind: 'terminate', type: '3Ice9lies' }, 'threw 3Ice9lies, which nothing caught', 'death/terminate'],
    [{ kind: 'fortranStop', status: 3 }, "ended in Fortran's STOP 3 without MPI_Finalize", 'death/fortran-stop'],
    [
      { kind: 'fortranError', words: "At line 7 of file x.f90\nFortran runtime error: Index '7' is too large" },
      "stopped with a Fortran run-time error: Index '7' is too large",
      'death/fortran-error',
    ],
    [
      {
        kind: 'fortranError',
        words: "In file 'x.f90', around line 8: Error allocating 16 bytes: Cannot allocate memory",
      },
      'stopped with a Fortran run-time error: Error allocating 16 bytes: Cannot allocate memory',
      'death/fortran-error',
    ],
    [
      { kind: 'pythonException', python: { isOver: true, frames: [], exception: 'IceError: no ice' } },
      ...(['ended after an exception of Python: IceError: no ice', 'death/python-exception'] as const),
    ],
    [
      { kind: 'mpiAbort', status: 1, python: { isOver: true, frames: [], exception: 'IceError: no ice' } },
      ...(['ended after an exception of Python: IceError: no ice', 'death/mpi-abort'] as const),
    ],
    [
      { kind: 'mpiAbort', status: 3, python: { isOver: true, frames: [] } },
      ...(['called MPI_Abort(MPI_COMM_WORLD, 3) when Python had ended, as by sys.exit(3)', 'death/mpi-abort'] as const),
      { comm: 'MPI_COMM_WORLD' },
    ],
    [
      { kind: 'terminate', type: 'St17_Nested_exceptionI3ErrE', typeName: 'std::_Nested_exception<Err>' },
      ...(['threw std::_Nested_exception<Err>, which nothing caught: outer', 'death/terminate'] as const),
      { what: 'outer' },
    ],
    [
      { kind: 'return', status: 7 },
      'ended with status 7, by a return from main or by exit(), without MPI_Finalize',
      'death/return',
    ],
    [
      { kind: 'return', status: 0 },
      'ended with status 0, when the last of its threads had ended, without MPI_Finalize',
      'death/return',
      { thread: 4 },
    ],
    [{ kind: 'return', status: 7 }, 'returned 7 from main without MPI_Finalize', 'death/return', { thread: 1 }],
    [
      { kind: 'sanitizer', words: 'AddressSanitizer: heap-use-after-free' },
      'was ended by AddressSanitizer: heap-use-after-free',
      'death/sanitizer',
    ],
    [{ kind: 'sanitizer' }, 'was ended by a sanitizer of its compiler', 'death/sanitizer'],
  ] as readonly [Partial<Death>, string, string, Partial<RankDeath>?][])
    it(`says that a rank ${text}`, () => {
      const of = deathOf(1, death, more);
      assert.deepEqual([causeText(of, 1), causeRule(of)], [text, rule]);
    });

  it('takes the frames and the exception from what Python prints', () => {
    const melt = { name: 'melt', source: 'ice.py', line: 12 };
    const main = { name: '<module>', source: 'ice.py', line: 40 };
    const stack =
      'Stack (most recent call first):\n  File "ice.py", line 12 in melt\n  File "ice.py", line 40 in <module>\n';
    assert.deepEqual(pythonStack(stack), [melt, main]);
    const printed =
      'Traceback (most recent call last):\n  File "ice.py", line 40, in <module>\n    melt(2)\n  File "ice.py", line 12, in melt\n    raise IceError\n    ^^^^\nIceError: no ice\nmore\n';
    assert.deepEqual(pythonTraceback(printed), { frames: [melt, main], exception: 'IceError: no ice' });
    assert.deepEqual(pythonTraceback('Traceback (most recent call last):\n  File "ice.py", line'), { frames: [] });
    assert.deepEqual(pythonTraceback(''), { frames: [] });
  });

  it('takes the exception of a callback from what mpi4py prints, also where its beginning was cut', () => {
    const traceback = 'Traceback (most recent call last):\n  File "ice.py", line 3, in add\n    1 // 0\n';
    const printed = `Fatal Python error: exception in user-defined reduction operation\n${traceback}ZeroDivisionError: by 0\n`;
    const expected = { frames: [{ name: 'add', source: 'ice.py', line: 3 }], exception: 'ZeroDivisionError: by 0' };
    assert.deepEqual(fatalException(printed), { callback: 'user-defined reduction operation', ...expected });
    assert.deepEqual(fatalException(printed.slice(70)), expected);
    assert.equal(fatalException('Fatal Python error: exception in callback\n'), undefined);
  });

  it('begins in the program, not in modules that Python has installed', () => {
    const melt = { name: 'melt', source: 'ice.py', line: 12 };
    const thread = { name: 'run', source: '/usr/lib/python3.11/threading.py', line: 975 };
    const ctypes = { name: 'string_at', source: '/usr/lib/python3.11/ctypes/__init__.py', line: 519 };
    const start = { name: '_run_code', source: '<frozen runpy>', line: 88 };
    const shown = (frames: (typeof melt)[]) => pythonFrames({ python: { isOver: false, frames } } as unknown as Death);
    assert.deepEqual(shown([ctypes, melt, thread, start]), [melt, thread]);
    assert.deepEqual(shown([ctypes, thread]), [ctypes, thread]);
  });

  it('takes from the texts of MPI libraries what is wrong, and sizes', () => {
    assert.equal(innermostReason('MPI_ERR_RANK: invalid rank'), 'invalid rank');
    assert.equal(
      innermostReason('Message truncated, error stack:\n(unknown)(): Message truncated'),
      'Message truncated',
    );
    // MPICH has room for 511 characters.
    const deep = `Invalid topology, error stack:\n${'MPIR_Ineighbor_allgather_impl(1)....: \n'.repeat(20)}`;
    assert.equal(innermostReason(deep.slice(0, 511)), 'Invalid topology');
    assert.equal(innermostReason(`${deep.slice(0, 400)}\nf(1): Ring`), 'Ring');
    const text = 'f(1): Message from rank 0 and tag 7 truncated; 32 bytes received but buffer size is 16';
    assert.deepEqual(truncatedSizes(text), { message: 32, buffer: 16 });
    assert.deepEqual(truncatedSizes('truncated; 16 bytes received but buffer size is 32'), { message: 32, buffer: 16 });
    assert.equal(truncatedSizes('truncated'), undefined);
  });
});
