import assert from 'node:assert/strict';
import { handlesText } from '../../plugin-api/answers/text/handles-text';
import { table } from '../../plugin-api/answers/text/rank-table';
import type { Answer, Document, HandleKind, Implementation, RankAnswer } from '../../plugin-api/mpi/records';

const implementation: Implementation = {
  ...{ name: 'openmpi', version: '4.1.4', layout: 'by hand', capabilities: {}, state: 'initialized' },
};

type Asked = Pick<RankAnswer, 'answers' | 'ending'>;

function textOf(ranks: readonly Asked[], full = false): string[] {
  const document: Document = {
    ...{ schema: 'mpidbg/1', target: 'live' },
    ranks: ranks.map((answer, rank) => ({ rank, implementation, ...answer })),
  };
  return handlesText(document, full).split('\n').slice(0, -1);
}

function object(kind: HandleKind, handle: string, fields: object = {}): Answer {
  const info: unknown = { handle, fortranHandle: 1, name: '', flags: [], ...fields };
  return { kind, code: 'MPIDBG_SUCCESS', info } as Answer;
}

const comm = (rank: number, handle: string, name = ''): Answer => object('comm', handle, { name, rank, size: 8 });
const world = object('comm', '0x1', { name: 'MPI_COMM_WORLD', flags: ['predefined'], rank: 0, size: 8 });

describe('the list of handles', () => {
  it('has one line for what is alike in several ranks, and the addresses when all is wanted', () => {
    const ranks = [0, 1, 2].map((rank) => ({ answers: [world, comm(rank, `0xa${rank}`, 'ocean')] }));
    assert.deepEqual(textOf(ranks), ['MPI_Comm', '  0-2  MPI_Comm "ocean" · rank 0-2 of 8', '  0-2  and 1 predefined']);
    assert.equal(textOf(ranks, true)[1], '  0-2  MPI_Comm "ocean" · rank 0-2 of 8  (0xa0, 0xa1, 0xa2)');
  });

  /** The lines for one communicator in which the ranks have these numbers. */
  const linesOf = (numbers: readonly number[]): string[] =>
    textOf(numbers.map((rank) => ({ answers: [comm(rank, '0xa')] }))).slice(1);

  it('lists numbers that follow each other as one, and never more than can be read', () => {
    assert.deepEqual(linesOf([0, 1, 2, 3, 4]), ['  0-4  rank 0-4 of 8']);
    assert.deepEqual(linesOf([3, 2, 1, 0]), ['  0-3  rank (3,2,1,0) of 8']);
    const shuffled = Array.from({ length: 64 }, (_, i) => (7 * i + 3) % 64);
    assert.deepEqual(linesOf(shuffled), ['  0-63  rank (0-63 in another order) of 8']);
    assert.deepEqual(linesOf([0, 2, 4, 6, 8, 10]), ['  0-5  rank (0,2,…,10) of 8']);
    // The ranks of an 8 × 8 grid that have a neighbour on their left, as they name it.
    const left = Array.from({ length: 64 }, (_, i) => i).filter((i) => i % 8 < 7);
    assert.deepEqual(linesOf(left), ['  0-55  rank (0-6,8-14,…,56-62) of 8']);
  });

  it('keeps apart what some ranks have in common and others not, while they are few groups', () => {
    assert.deepEqual(linesOf([0, 0, 0, 1]), ['  0-2  rank 0 of 8', '  3    rank 1 of 8']);
    const rows = (size: number): number[] => Array.from({ length: size * size }, (_, i) => i % size);
    assert.deepEqual(linesOf(rows(4))[0], '  0,4,8,12   rank 0 of 8');
    assert.deepEqual(linesOf(rows(8)), ['  0-63  rank 0-7 of 8']);
  });

  it('says of what looks the same how many there are', () => {
    const ranks = [{ answers: [comm(0, '0xa'), comm(0, '0xb')] }, { answers: [comm(0, '0xa')] }];
    assert.deepEqual(textOf(ranks), [
      'MPI_Comm',
      '  0  rank 0 of 8  and 1 more like it',
      '  1  rank 0 of 8',
      '(each of them, with its address: --full)',
    ]);
    assert.deepEqual(textOf(ranks, true), ['MPI_Comm', '  0-1  rank 0 of 8  (0xa)', '  0    rank 0 of 8  (0xb)']);
  });

  const receive = (tag: number): Answer =>
    object('request', `0x${(4096 + tag).toString(16)}`, {
      ...{ operation: 'receive', peer: 1, tag, active: true, complete: false },
    });
  const receives = (count: number): Asked[] => [{ answers: Array.from({ length: count }, (_, tag) => receive(tag)) }];

  it('has the first of many that differ in numbers alone', () => {
    assert.equal(textOf(receives(8)).length, 9);
    assert.deepEqual(textOf(receives(4000)), [
      'MPI_Request',
      '  0  receive from 1 · tag 0 · pending  and 3 999 more with other numbers',
      '(each of them, with its address: --full)',
    ]);
  });

  it('has as many lines as there are objects when all is wanted', () => {
    assert.equal(textOf(receives(40), true).length, 41);
  });

  it('may have more lines than a call takes arguments', () => {
    const rows = Array.from({ length: 200_000 }, () => ({ ranks: '0', text: '' }));
    assert.equal(table(rows).length, rows.length);
  });

  it("leaves the program's own names as they are", () => {
    const ranks = [{ answers: [comm(0, '0xa', 'from 1')] }, { answers: [comm(0, '0xa', 'from 2')] }];
    assert.deepEqual(textOf(ranks), [
      'MPI_Comm',
      '  0  MPI_Comm "from 1" · rank 0 of 8',
      '  1  MPI_Comm "from 2" · rank 0 of 8',
    ]);
  });

  it('names the kinds that have only predefined objects last', () => {
    const none = object('file', '0x0', { name: 'MPI_FILE_NULL', flags: ['predefined', 'fileNull'] });
    assert.deepEqual(textOf([{ answers: [world, none] }]), ['Only predefined', '  0  comm, file']);
  });

  it('ends with what cannot be listed', () => {
    const reason = 'there may be more';
    const gap = (kind: HandleKind): Answer => ({ kind, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason });
    assert.deepEqual(textOf([{ answers: [comm(0, '0xa'), gap('comm'), gap('session'), world] }]), [
      ...['MPI_Comm', '  0  rank 0 of 8', '  0  and 1 predefined'],
      ...['Not listed', '  0  comm: there may be more', '  0  session: there may be more'],
    ]);
  });

  it('begins with what a rank leaves behind in MPI_Finalize', () => {
    const freed = object('comm', '0xf', { flags: ['freedHandle'], rank: 0, size: 8 });
    const win = object('win', '0xc', { name: 'numbers' });
    const ranks: Asked[] = [
      { ending: 'MPI_Finalize', answers: [world, comm(0, '0xa'), comm(0, '0xb'), freed, win] },
      { answers: [comm(0, '0xa')] },
      { ending: 'exit', answers: [win] },
      { ending: 'MPI_Finalize', answers: [world] },
    ];
    assert.deepEqual(textOf(ranks).slice(0, 2), [
      '  0  3 objects are still alive in MPI_Finalize: 2 MPI_Comm, 1 MPI_Win',
      '  2  1 object is still alive in exit: 1 MPI_Win',
    ]);
  });

  it('says where an object was created, if calls are collected', () => {
    const code = { address: '0x4010', file: '/home/u/solver.c', line: 88 };
    const history = { created: { call: 'MPI_Comm_dup', time: 0.5, thread: 7, code } };
    const leak = object('comm', '0xa', { rank: 0, size: 8, history });
    const [, line] = textOf([{ ending: 'MPI_Finalize', answers: [world, leak] }]).slice(1);
    assert.match(line ?? '', /^ {2}0 {2}rank 0 of 8 · created by MPI_Comm_dup at solver\.c:88$/);
  });

  it('says once why a rank has no handles at all', () => {
    const reason = 'MPI is finalised: only null handles exist';
    const answers = (['comm', 'win'] as const).map((kind): Answer => ({
      kind,
      code: 'MPIDBG_ERR_UNAVAILABLE',
      reason,
    }));
    assert.deepEqual(textOf([{ answers }, { answers: [comm(1, '0xa')] }]), [
      'MPI_Comm',
      '  1  rank 1 of 8',
      'No handles',
      `  0  ${reason}`,
    ]);
  });
});
