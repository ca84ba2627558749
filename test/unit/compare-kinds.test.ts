import assert from 'node:assert/strict';
import type { Answer, DatatypeInfo, RequestInfo } from '../../plugin-api/mpi/records';
import { compareFacts } from '../support/compare-facts';
import type { Library } from '../support/excused';
import { loadTruth } from '../support/truth';

function line(expression: string, kind: string, info: object): string {
  return `MPIDBG-TRUTH ${JSON.stringify({ rank: 0, expression, kind, info })}`;
}

function answer(expression: string, kind: string, info: object): Answer {
  return { expression, kind, code: 'MPIDBG_SUCCESS', info } as Answer;
}

const notKept = { code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: 'it is not kept' } as const;

describe('comparing datatypes with the truth', () => {
  const int = {
    handle: '0x1',
    fortranHandle: 1,
    name: 'MPI_INT',
    flags: ['predefined', 'committed'],
    size: 4,
    lb: 0,
    extent: 4,
    trueLb: 0,
    trueExtent: 4,
    combiner: 'MPI_COMBINER_NAMED',
  };
  const typeMapOfInt = {
    runs: [{ type: 'MPI_INT', displacement: 0, count: 1, stride: 4 }],
    holes: 0,
    text: '{(MPI_INT, 0)}',
    truncated: false,
  };
  const answeredInt = { ...int, typeMap: typeMapOfInt, pendingRequests: notKept };
  // Two ints, then one 4 bytes further, and 4 bytes at the end.
  const pick = {
    handle: '0x2',
    fortranHandle: 2,
    name: '',
    flags: ['committed'],
    size: 12,
    lb: 0,
    extent: 20,
    trueLb: 0,
    trueExtent: 16,
    combiner: 'MPI_COMBINER_INDEXED',
  };
  const { handle: _handle, fortranHandle: _fortran, ...derived } = pick;
  const truth = loadTruth([
    line('MPI_INT', 'datatype', { ...int, bytes: [[0, 4]] }),
    line('pick', 'datatype', {
      ...pick,
      contents: {
        integers: [1],
        addresses: [],
        datatypes: [
          { ...int, flags: ['predefined'] },
          { ...derived, flags: [] },
        ],
      },
      bytes: [
        [0, 8],
        [12, 4],
      ],
      text: '{(MPI_INT, 0), (MPI_INT, 4), (MPI_INT, 12)}',
    }),
  ]);

  function rightInfo(): DatatypeInfo {
    const inner = { ...pick, typeMap: typeMapOfInt, pendingRequests: notKept };
    return structuredClone({
      ...pick,
      contents: { integers: [1], addresses: [], datatypes: [answeredInt, inner] },
      typeMap: {
        runs: [
          { type: 'MPI_INT', displacement: 0, count: 2, stride: 4 },
          { type: 'MPI_INT', displacement: 12, count: 1, stride: 4 },
        ],
        holes: 8,
        text: '{(MPI_INT, 0), (MPI_INT, 4), (MPI_INT, 12)}',
        truncated: false,
      },
      pendingRequests: notKept,
    }) as object as DatatypeInfo;
  }

  type TypeMap = Exclude<DatatypeInfo['typeMap'], { code: string }>;

  function differencesAfter(change: (info: DatatypeInfo, typeMap: TypeMap) => void): string[] {
    const info = rightInfo();
    change(info, info.typeMap as TypeMap);
    return compareFacts(truth, [answer('MPI_INT', 'datatype', answeredInt), answer('pick', 'datatype', info)])
      .differences;
  }

  it('accepts runs that name the same bytes in the same order, however they are divided', () => {
    assert.deepEqual(
      differencesAfter(() => undefined),
      [],
    );
    const one = (displacement: number): TypeMap['runs'][number] => ({
      type: 'MPI_INT',
      displacement,
      count: 1,
      stride: 4,
    });
    assert.deepEqual(
      differencesAfter((_info, typeMap) => (typeMap.runs = [one(0), one(4), one(12)])),
      [],
    );
  });

  it('finds other bytes, another order, and a type that MPI reported nothing about', () => {
    assert.notEqual(differencesAfter((_info, { runs }) => (runs[1]!.displacement = 8)).length, 0);
    assert.notEqual(differencesAfter((_info, { runs }) => runs.reverse()).length, 0);
    assert.notEqual(differencesAfter((_info, { runs }) => runs.pop()).length, 0);
    assert.equal(differencesAfter((_info, { runs }) => (runs[0]!.type = 'MPI_WORD')).length, 1);
  });

  it('finds wrong holes, a wrong text, and one that is cut needlessly', () => {
    assert.equal(differencesAfter((_info, typeMap) => (typeMap.holes = 4)).length, 1);
    assert.notEqual(differencesAfter((_info, typeMap) => (typeMap.text = '{(MPI_INT, 0)}')).length, 0);
    assert.equal(differencesAfter((_info, typeMap) => (typeMap.truncated = true)).length, 1);
  });

  it('finds the flag contiguous on bytes that are apart, and a type map that is unavailable', () => {
    assert.equal(differencesAfter((info) => info.flags.push('contiguous')).length, 1);
    assert.equal(differencesAfter((info) => (info.typeMap = notKept)).length, 1);
  });

  it('compares the types within: names and extents of all, handles of the named ones', () => {
    const inner = (info: DatatypeInfo, i: number): DatatypeInfo =>
      (info.contents as { datatypes: DatatypeInfo[] }).datatypes[i]!;
    assert.equal(differencesAfter((info) => (inner(info, 0).handle = '0x7')).length, 1);
    assert.equal(differencesAfter((info) => (inner(info, 1).handle = '0x7')).length, 0);
    assert.equal(differencesAfter((info) => (inner(info, 1).extent = 16)).length, 1);
    assert.equal(differencesAfter((info) => (inner(info, 1).name = 'row')).length, 1);
  });
});

describe('comparing requests with the truth', () => {
  const told = {
    handle: '0x98000001',
    fortranHandle: 5,
    name: '',
    flags: [],
    operation: 'receive',
    active: true,
    complete: false,
    comm: { kind: 'comm', handle: '0x84000001', name: 'ocean' },
    peer: 2,
    peerWorldRank: 2,
    tag: 7,
    buffer: '0x1000',
    count: 3,
    datatype: { kind: 'datatype', handle: '0x4c000405', name: 'MPI_INT' },
    bytes: 12,
  };
  const truth = loadTruth([line('incoming', 'request', told)]);

  function differencesAfter(change: Partial<RequestInfo>, library?: Library): string[] {
    return compareFacts(truth, [answer('incoming', 'request', { ...told, ...change })], library).differences;
  }

  it('excuses what this library does not keep, but no other library', () => {
    assert.deepEqual(differencesAfter({ count: notKept, datatype: notKept }, 'mpich'), []);
    assert.notEqual(differencesAfter({ count: notKept }, 'openmpi').length, 0);
    assert.equal(differencesAfter({ count: notKept }).length, 1);
  });

  it('excuses neither another code, nor a wrong value, nor another field', () => {
    assert.equal(differencesAfter({ count: { ...notKept, code: 'MPIDBG_ERR_NOT_FOUND' } }, 'mpich').length, 1);
    assert.equal(differencesAfter({ count: 4 }, 'mpich').length, 1);
    assert.equal(differencesAfter({ tag: notKept }, 'mpich').length, 1);
  });

  it('finds a status of an incomplete request', () => {
    const status = { source: 2, tag: 7, error: 0, bytes: 12, cancelled: false };
    assert.equal(differencesAfter({ status }).length, 1);
  });
});
