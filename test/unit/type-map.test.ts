import assert from 'node:assert/strict';
import { dataBefore, typeMapOf, type TypeConstruction } from '../../plugin-api/mpi/type-map';
import { CorruptError } from '../../plugin-api/result';

/** As in Open MPI's mpi.h. */
const constants: Record<string, number> = {
  MPI_ORDER_C: 0,
  MPI_ORDER_FORTRAN: 1,
  MPI_DISTRIBUTE_BLOCK: 0,
  MPI_DISTRIBUTE_CYCLIC: 1,
  MPI_DISTRIBUTE_NONE: 2,
  MPI_DISTRIBUTE_DFLT_DARG: -1,
};
const dflt = -1;

function named(name: string, size: number, extent = size): TypeConstruction {
  const none = { integers: [], addresses: [], datatypes: [] };
  return { name, combiner: 'MPI_COMBINER_NAMED', size: BigInt(size), lb: 0n, extent: BigInt(extent), ...none };
}

const int = named('MPI_INT', 4);
const double = named('MPI_DOUBLE', 8);
const char = named('MPI_CHAR', 1);

interface Given {
  size: number;
  lb?: number;
  extent: number;
  integers?: number[];
  addresses?: number[];
  datatypes: TypeConstruction[];
}

function make(combiner: string, { size, lb = 0, extent, integers = [], addresses = [], datatypes }: Given) {
  return {
    ...{ name: '', combiner: `MPI_COMBINER_${combiner}`, integers, datatypes },
    ...{ size: BigInt(size), lb: BigInt(lb), extent: BigInt(extent), addresses: addresses.map(BigInt) },
  };
}

const map = (type: TypeConstruction) => typeMapOf(type, (name) => constants[name]);

/** {(double, 0), (char, 8)} with extent 16, on which the standard's examples are built. */
const pair = make('STRUCT', {
  ...{ size: 9, extent: 16, integers: [2, 1, 1], addresses: [0, 8], datatypes: [double, char] },
});

describe('the type map', () => {
  it('of a predefined type is that type', () => {
    const expected = { runs: [{ type: 'MPI_INT', displacement: 0, count: 1, stride: 4 }], holes: 0 };
    assert.deepEqual(map(int), { ...expected, text: '{(MPI_INT, 0)}', truncated: false });
  });

  it('of a pair type is the struct that the standard defines', () => {
    assert.equal(map(named('MPI_DOUBLE_INT', 12, 16)).text, '{(MPI_DOUBLE, 0), (MPI_INT, 8)}');
    assert.equal(map(named('MPI_SHORT_INT', 6, 8)).text, '{(MPI_SHORT, 0), (MPI_INT, 4)}');
    assert.equal(map(named('MPI_SHORT_INT', 6, 8)).holes, 2);
    assert.equal(map(named('MPI_2INT', 8)).text, '{(MPI_INT, 0), (MPI_INT, 4)}');
  });

  it('of a bound marker is empty', () => assert.equal(map(named('MPI_UB', 0)).text, '{}'));

  describe('as the examples of the standard have it', () => {
    it('MPI_Type_contiguous', () => {
      const { text, holes } = map(make('CONTIGUOUS', { size: 27, extent: 48, integers: [3], datatypes: [pair] }));
      assert.equal(
        text,
        '{(MPI_DOUBLE, 0), (MPI_CHAR, 8), (MPI_DOUBLE, 16), (MPI_CHAR, 24), (MPI_DOUBLE, 32), (MPI_CHAR, 40)}',
      );
      assert.equal(holes, 21);
    });

    it('MPI_Type_vector', () => {
      const { text } = map(make('VECTOR', { size: 54, extent: 112, integers: [2, 3, 4], datatypes: [pair] }));
      const entries = [0, 16, 32, 64, 80, 96].map((at) => `(MPI_DOUBLE, ${at}), (MPI_CHAR, ${at + 8})`);
      assert.equal(text, `{${entries.join(', ')}}`);
    });

    it('MPI_Type_vector with a negative stride', () => {
      const { text } = map(make('VECTOR', { size: 27, lb: -32, extent: 41, integers: [3, 1, -2], datatypes: [pair] }));
      const entries = [0, -32, -64].map((at) => `(MPI_DOUBLE, ${at}), (MPI_CHAR, ${at + 8})`);
      assert.equal(text, `{${entries.join(', ')}}`);
    });

    it('MPI_Type_indexed', () => {
      const integers = [2, 3, 1, 4, 0];
      const { text } = map(make('INDEXED', { size: 36, extent: 112, integers, datatypes: [pair] }));
      const entries = [64, 80, 96, 0].map((at) => `(MPI_DOUBLE, ${at}), (MPI_CHAR, ${at + 8})`);
      assert.equal(text, `{${entries.join(', ')}}`);
    });

    it('MPI_Type_create_struct', () => {
      const float = named('MPI_FLOAT', 4);
      const datatypes = [float, pair, char];
      const given = { size: 29, extent: 32, integers: [3, 2, 1, 3], addresses: [0, 16, 26], datatypes };
      assert.equal(
        map(make('STRUCT', given)).text,
        '{(MPI_FLOAT, 0), (MPI_FLOAT, 4), (MPI_DOUBLE, 16), (MPI_CHAR, 24), (MPI_CHAR, 26), (MPI_CHAR, 27), (MPI_CHAR, 28)}',
      );
    });

    it('MPI_Type_create_subarray in both orders: rows 1 and 2 of a 4×3 array', () => {
      const given = (order: number) => ({ size: 12, extent: 48, integers: [2, 4, 3, 2, 2, 1, 0, order] });
      const bytes = (order: number) =>
        [...map(make('SUBARRAY', { ...given(order), datatypes: [int] })).text.matchAll(/, (\d+)\)/g)].map((m) =>
          Number(m[1]),
        );
      assert.deepEqual(bytes(0), [12, 16, 24, 28]);
      assert.deepEqual(bytes(1), [4, 8, 20, 24]);
    });

    it('MPI_Type_create_darray: blocks dealt out in turn, the last one shorter', () => {
      // 10 elements, CYCLIC(3), process 1 of 2: indices 3 4 5 and 9.
      const integers = [2, 1, 1, 10, 1, 3, 2, 0];
      const { text, holes } = map(make('DARRAY', { size: 16, extent: 40, integers, datatypes: [int] }));
      assert.equal(text, '{(MPI_INT, 12), (MPI_INT, 16), (MPI_INT, 20), (MPI_INT, 36)}');
      assert.equal(holes, 24);
    });

    it('MPI_Type_create_darray: the default block, a dimension that is not distributed, a process without elements', () => {
      const columns = (rank: number) =>
        map(
          make('DARRAY', {
            size: 0,
            extent: 40,
            integers: [4, rank, 2, 2, 5, 2, 0, dflt, dflt, 1, 4, 0],
            datatypes: [int],
          }),
        );
      assert.deepEqual(columns(0).text, '{(MPI_INT, 0), (MPI_INT, 4), (MPI_INT, 20), (MPI_INT, 24)}');
      assert.deepEqual(columns(2).text, '{(MPI_INT, 16), (MPI_INT, 36)}');
      assert.deepEqual(columns(3).text, '{}');
    });
  });

  it('of a million equal blocks is one run', () => {
    const integers = [1_000_000, 1, 2];
    const found = map(make('VECTOR', { size: 4_000_000, extent: 7_999_996, integers, datatypes: [int] }));
    assert.deepEqual(found.runs, [{ type: 'MPI_INT', displacement: 0, count: 1_000_000, stride: 8 }]);
    assert.equal(found.holes, 3_999_996);
    assert.ok(found.truncated && found.text.endsWith('…}') && found.text.length < 2000);
  });

  it('with too many runs is cut off and marked as truncated', () => {
    const found = map(make('CONTIGUOUS', { size: 9e9, extent: 16e9, integers: [1_000_000_000], datatypes: [pair] }));
    assert.equal(found.runs.length, 1024);
    assert.ok(found.truncated);
    assert.equal(found.holes, 7e9);
  });

  it('has the right number of holes if elements overlap or lie outside the bounds', () => {
    const overlapping = make('HINDEXED', {
      size: 8,
      extent: 8,
      integers: [2, 1, 1],
      addresses: [0, 2],
      datatypes: [int],
    });
    assert.equal(map(overlapping).holes, 2);
    const resized = make('RESIZED', { size: 4, lb: -8, extent: 10, addresses: [-8, 10], datatypes: [int] });
    assert.equal(map(resized).holes, 8);
  });

  it('is refused for invalid arguments', () => {
    for (const wrong of [
      make('VECTOR', { size: 4, extent: 4, integers: [1], datatypes: [int] }),
      make('VECTOR', { size: 4, extent: 4, integers: [-1, 1, 1], datatypes: [int] }),
      make('CONTIGUOUS', { size: 4, extent: 4, integers: [1], datatypes: [] }),
      make('SUBARRAY', { size: 4, extent: 4, integers: [2_000_000_000], datatypes: [int] }),
      make('DARRAY', { size: 4, extent: 4, integers: [2, 9, 1, 10, 1, 3, 2, 0], datatypes: [int] }),
      make('STRANGE', { size: 4, extent: 4, datatypes: [int] }),
    ])
      assert.throws(() => map(wrong), CorruptError, wrong.combiner);
  });
});

describe('the bytes of data before an offset in a file view', () => {
  const indexed = (...displacements: number[]) =>
    make('HINDEXED', {
      ...{ size: 4 * displacements.length, lb: Math.min(...displacements), extent: 24 },
      ...{
        integers: [displacements.length, ...displacements.map(() => 1)],
        addresses: displacements,
        datatypes: [int],
      },
    });
  const before = (type: TypeConstruction, offset: number) =>
    dataBefore(type, BigInt(offset), (name) => constants[name]);

  it('exclude holes', () => {
    const type = indexed(0, 8);
    assert.deepEqual(
      [0, 2, 4, 8, 10, 12, 24, 26].map((offset) => before(type, offset)),
      [0n, 2n, 4n, 4n, 6n, 8n, 8n, 10n],
    );
  });

  it('are unavailable for types that MPI_File_set_view refuses', () => {
    assert.equal(before(indexed(-8, 8), 4), undefined);
    assert.equal(before(indexed(12, 0), 4), undefined);
    assert.equal(before(indexed(0, 2), 4), undefined);
    const backwards = make('HVECTOR', {
      ...{ size: 12, lb: -16, extent: 20, integers: [3, 1], addresses: [-8], datatypes: [int] },
    });
    assert.equal(before(backwards, 4), undefined);
  });
});
