import assert from 'node:assert/strict';
import { handlesText } from '../../adapter/text/handles-text';
import type { Answer, Document, HandleKind, Implementation, RankAnswer } from '../../plugin-api/mpi/records';

const implementation: Implementation = {
  ...{ name: 'openmpi', version: '4.1.4', layout: 'by hand', capabilities: {}, state: 'initialized' },
};

function textOf(ranks: Pick<RankAnswer, 'answers' | 'ending'>[]): string[] {
  const document: Document = {
    ...{ schema: 'mpidbg/1', target: 'live' },
    ranks: ranks.map((answer, rank) => ({ rank, implementation, ...answer })),
  };
  return handlesText(document).split('\n').slice(0, -1);
}

function object(kind: HandleKind, handle: string, fields: object = {}): Answer {
  const info: unknown = { handle, fortranHandle: 1, name: '', flags: [], ...fields };
  return { kind, code: 'MPIDBG_SUCCESS', info } as Answer;
}

const comm = (rank: number, handle: string, name = ''): Answer => object('comm', handle, { name, rank, size: 8 });
const world = object('comm', '0x1', { name: 'MPI_COMM_WORLD', flags: ['predefined'], rank: 0, size: 8 });

describe('the list of handles', () => {
  it('has one line for what is alike in several ranks', () => {
    const ranks = [0, 1, 2].map((rank) => ({ answers: [world, comm(rank, `0xa${rank}`, 'ocean')] }));
    assert.deepEqual(textOf(ranks), [
      'MPI_Comm',
      '  0-2  MPI_Comm "ocean" · rank 0-2 of 8  (0xa0, 0xa1, 0xa2)',
      '  0-2  and 1 predefined',
    ]);
  });

  it('lists numbers that follow each other as one, four parts at most, and says that there are more', () => {
    const inOrder = [0, 1, 2, 3, 4].map((rank) => ({ answers: [comm(rank, '0xa')] }));
    assert.deepEqual(textOf(inOrder), ['MPI_Comm', '  0-4  MPI_Comm · rank 0-4 of 8  (0xa)']);
    const others = [7, 5, 0, 1, 2, 6, 4].map((rank) => ({ answers: [comm(rank, '0xa')] }));
    assert.deepEqual(textOf(others), ['MPI_Comm', '  0-6  MPI_Comm · rank 7, 5, 0-2, 6, … of 8  (0xa)']);
  });

  it('keeps apart what some ranks have in common and others not', () => {
    const ranks = [0, 0, 0, 1].map((rank) => ({ answers: [comm(rank, '0xa')] }));
    assert.deepEqual(textOf(ranks), [
      'MPI_Comm',
      '  0-2  MPI_Comm · rank 0 of 8  (0xa)',
      '  3    MPI_Comm · rank 1 of 8  (0xa)',
    ]);
  });

  it('has as many lines as a rank has objects, though they look the same', () => {
    const ranks = [{ answers: [comm(0, '0xa'), comm(0, '0xb')] }, { answers: [comm(0, '0xa')] }];
    assert.deepEqual(textOf(ranks), [
      'MPI_Comm',
      '  0-1  MPI_Comm · rank 0 of 8  (0xa)',
      '  0    MPI_Comm · rank 0 of 8  (0xb)',
    ]);
  });

  it("leaves the program's own names as they are", () => {
    const ranks = [{ answers: [comm(0, '0xa', 'from 1')] }, { answers: [comm(0, '0xa', 'from 2')] }];
    assert.deepEqual(textOf(ranks), [
      'MPI_Comm',
      '  0  MPI_Comm "from 1" · rank 0 of 8  (0xa)',
      '  1  MPI_Comm "from 2" · rank 0 of 8  (0xa)',
    ]);
  });

  it('names the kinds that have only predefined objects last', () => {
    const none = object('file', '0x0', { name: 'MPI_FILE_NULL', flags: ['predefined', 'fileNull'] });
    assert.deepEqual(textOf([{ answers: [world, none] }]), ['Only predefined', '  0  1 MPI_Comm, 1 MPI_File']);
  });

  it('begins with what a rank leaves behind in MPI_Finalize', () => {
    const freed = object('comm', '0xf', { flags: ['freedHandle'], rank: 0, size: 8 });
    const win = object('win', '0xc', { name: 'numbers' });
    const ranks: Pick<RankAnswer, 'answers' | 'ending'>[] = [
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

  it('says once why a rank has no handles at all', () => {
    const reason = 'MPI is finalised: only null handles exist';
    const answers = (['comm', 'win'] as const).map((kind): Answer => ({
      kind,
      code: 'MPIDBG_ERR_UNAVAILABLE',
      reason,
    }));
    assert.deepEqual(textOf([{ answers }, { answers: [comm(1, '0xa')] }]), [
      'MPI_Comm',
      '  1  MPI_Comm · rank 1 of 8  (0xa)',
      'No handles',
      `  0  ${reason}`,
    ]);
  });
});
