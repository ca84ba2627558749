import assert from 'node:assert/strict';
import { datatypeStructure } from '../../plugin-api/mpi/datatype-structure';
import type { DatatypeInfo, Integer } from '../../plugin-api/mpi/records';

const named = (name: string): DatatypeInfo => ({ name, combiner: 'MPI_COMBINER_NAMED' }) as DatatypeInfo;
const double = named('MPI_DOUBLE');

function made(combiner: string, integers: number[], addresses: Integer[], ...datatypes: DatatypeInfo[]): DatatypeInfo {
  const contents = { integers, addresses, datatypes };
  return { name: '', combiner: `MPI_COMBINER_${combiner}`, contents } as unknown as DatatypeInfo;
}

const written: [DatatypeInfo, string][] = [
  [double, ''],
  [made('DUP', [], [], double), 'dup(MPI_DOUBLE)'],
  [made('CONTIGUOUS', [48], [], double), 'contiguous(48 × MPI_DOUBLE)'],
  [made('VECTOR', [4, 2, 3], [], double), 'vector(4 × 2 MPI_DOUBLE, stride 3)'],
  [made('HVECTOR', [4, 2], [24], double), 'hvector(4 × 2 MPI_DOUBLE, stride 24 bytes)'],
  [made('INDEXED', [2, 3, 4, 0, 9], [], double), 'indexed(7 MPI_DOUBLE in 2 blocks)'],
  [made('HINDEXED', [2, 3, 4], [0, 9], double), 'hindexed(7 MPI_DOUBLE in 2 blocks)'],
  [made('INDEXED_BLOCK', [2, 3, 0, 9], [], double), 'indexed_block(2 blocks of 3 MPI_DOUBLE)'],
  [made('STRUCT', [2, 1, 3], [0, 8], named('MPI_INT'), double), 'struct(MPI_INT, 3 × MPI_DOUBLE)'],
  [
    made('STRUCT', [5, 1, 1, 1, 1, 1], [], ...Array.from({ length: 5 }, () => double)),
    'struct(MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, … 5 in all)',
  ],
  [made('SUBARRAY', [2, 4, 5, 2, 3, 1, 0, 56], [], double), 'subarray(2×3 of 4×5 MPI_DOUBLE, from 1,0)'],
  [made('DARRAY', [4, 1, 2, 10, 20], [], double), 'darray(10×20 MPI_DOUBLE, part 1 of 4)'],
  [made('RESIZED', [], [0, 16], double), 'resized(MPI_DOUBLE, extent 16)'],
  [made('RESIZED', [], [-8, 16], double), 'resized(MPI_DOUBLE, lb -8, extent 16)'],
  [made('F90_REAL', [6, 30], []), 'f90_real(6, 30)'],
  [made('F90_INTEGER', [9], []), 'f90_integer(9)'],
  [
    made('CONTIGUOUS', [2], [], made('VECTOR', [4, 1, 2], [], named('cell'))),
    'contiguous(2 × vector(4 × 1 "cell", stride 2))',
  ],
  [made('SOMETHING_NEW', [2], [], double), 'something_new(MPI_DOUBLE)'],
];

describe('how a datatype was made', () => {
  for (const [info, text] of written)
    it(text === '' ? 'of a named one' : text, () => assert.equal(datatypeStructure(info), text));

  it('ends in nested types with …', () => {
    let type = double;
    for (let i = 0; i < 9; i++) type = made('CONTIGUOUS', [2], [], type);
    assert.equal(datatypeStructure(type), 'contiguous(2 × contiguous(2 × contiguous(2 × contiguous(2 × …))))');
  });

  it('is only the constructor if its arguments are unknown', () => {
    const contents = { code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: 'not decoded' } as const;
    assert.equal(datatypeStructure({ ...made('VECTOR', [], []), contents }), 'vector');
  });
});
