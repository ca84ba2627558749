/** NaN and infinities in bytes, in every format and layout, and how they are named and written. */
import assert from 'node:assert/strict';
import type { FloatFormat, FloatPlace } from '../../adapter/gdb/python/float-places';
import type { NanDocument } from '../../plugin-api/answers/nan-records';
import { findNonFinite, type NonFiniteKind } from '../../adapter/query/nan/non-finite';
import { nameOfAll, nameOfBox, nameOfElement } from '../../adapter/values/place-name';
import { nanText } from '../../plugin-api/answers/text/nan-text';
import { MockImage } from '../support/mock-image';

const start = 0x10000n;

function imageOf(bytes: Uint8Array): MockImage {
  const image = new MockImage();
  image.map(start, bytes.length);
  image.writeBytes(start, ...bytes);
  return image;
}

function place(format: FloatFormat, dimensions: FloatPlace['dimensions'], more: Partial<FloatPlace> = {}): FloatPlace {
  return { root: 0, name: ['u', { subscripts: [0] }], address: start, format, parts: 1, dimensions, ...more };
}

const unlimited = { bytes: 1 << 30 };

describe('NaN in memory', () => {
  // The bits as IEEE 754 and the x86 manual have them, the highest byte first.
  const values: readonly [FloatFormat, string, NonFiniteKind | undefined][] = [
    ['f2', '7e00', 'NaN'],
    ['f2', '7c00', 'Infinity'],
    ['f2', '7bff', undefined],
    ['bf2', 'ffc0', 'NaN'],
    ['bf2', 'ff80', '-Infinity'],
    ['bf2', '7f7f', undefined],
    ['f4', '7fa00000', 'NaN'],
    ['f4', 'ff800000', '-Infinity'],
    ['f4', '7f7fffff', undefined],
    ['f8', '7ff0000000000001', 'NaN'],
    ['f8', 'fff8000000000000', 'NaN'],
    ['f8', '7ff0000000000000', 'Infinity'],
    ['f8', '7fefffffffffffff', undefined],
    ['x87', '000000000000ffffc000000000000000', 'NaN'],
    ['x87', '0000000000007fff8000000000000000', 'Infinity'],
    ['x87', '0000000000007ffeffffffffffffffff', undefined],
    ['f16', '7fff0000000000000000000000000001', 'NaN'],
    ['f16', 'ffff0000000000000000000000000000', '-Infinity'],
    ['f16', '7ffeffffffffffffffffffffffffffff', undefined],
  ];
  for (const [format, bits, kind] of values) {
    it(`${format} ${bits} is ${kind ?? 'finite'}`, async () => {
      const image = imageOf(Uint8Array.from(Buffer.from(bits, 'hex')).reverse());
      const found = await findNonFinite(image, place(format, []), unlimited);
      assert.deepEqual(found.first, kind && { indices: [], kind });
      assert.equal(found.elements, 1);
    });
  }

  const numbers = new Float64Array(24);
  numbers[4] = NaN;
  numbers[10] = Infinity;
  numbers[16] = NaN;
  const image = imageOf(new Uint8Array(numbers.buffer));

  it('rows, with the box around what is found', async () => {
    const rows = [
      { low: 0, count: 4, stride: 48 },
      { low: 1, count: 6, stride: 8 },
    ];
    const named = { ...place('f8', rows, { name: ['u', { subscripts: [1, 0] }] }), language: 'fortran' as const };
    const found = await findNonFinite(image, named, unlimited);
    assert.deepEqual(found, {
      ...{ elements: 24, nans: 2, infinities: 1 },
      first: { indices: [0, 4], kind: 'NaN' },
      box: { from: [0, 4], to: [2, 4] },
    });
    assert.equal(nameOfElement(named, found.first?.indices ?? []), 'u(5,0)');
    assert.equal(nameOfBox(named, found.box?.from ?? [], found.box?.to ?? []), 'u(5,0:2)');
  });

  it('backwards, and some elements of each struct', async () => {
    const back = place('f8', [{ low: 1, count: 4, stride: -48 }], { address: start + 176n });
    assert.deepEqual((await findNonFinite(image, back, unlimited)).first, { indices: [1], kind: 'NaN' });
    const structs = place(
      'f8',
      [
        { low: 0, count: 4, stride: 48 },
        { low: 0, count: 2, stride: 8 },
      ],
      { address: start + 32n, name: ['cells', { subscripts: [0] }, '.w', { subscripts: [1] }] },
    );
    const named = { ...structs, language: 'c' as const };
    const found = await findNonFinite(image, structs, unlimited);
    assert.equal(found.nans + found.infinities, 3);
    assert.equal(nameOfElement(named, found.first?.indices ?? []), 'cells[0].w[0]');
    assert.equal(nameOfAll(named), 'cells[*].w');
  });

  it('a complex number is one, NaN if a part is', async () => {
    const complex = place('f8', [{ low: 0, count: 12, stride: 16 }], { parts: 2 });
    const { nans, infinities, elements } = await findNonFinite(image, complex, unlimited);
    assert.deepEqual({ nans, infinities, elements }, { nans: 2, infinities: 1, elements: 12 });
  });

  it('ends where the budget does, and when it is cancelled', async () => {
    const all = place('f8', [{ low: 0, count: 24, stride: 8 }]);
    assert.equal((await findNonFinite(image, all, { bytes: 100 })).elements, 0);
    const signal = AbortSignal.abort(new Error('cancelled'));
    await assert.rejects(findNonFinite(image, all, { bytes: 1e6, signal }), /cancelled/);
  });
});

describe('the text of mpidbg nan', () => {
  const document: NanDocument = {
    ...{ schema: 'mpidbg/1', target: 'live' },
    found: [
      {
        ...{
          ranks: '2',
          expression: 'u',
          function: 'sweep',
          source: { file: '/src/relax.f90', line: 12 },
          type: 'real',
        },
        ...{ nans: 3, infinities: 0, elements: 3072, first: 'u(17,3)', value: 'NaN' },
        box: { expression: 'u(17,3:5)', isFull: true },
      },
      {
        ...{ ranks: '0-3', expression: 'residual', type: 'double', nans: 0, infinities: 1, elements: 1 },
        ...{ first: 'residual', value: '-Infinity' },
      },
      {
        ...{ ranks: '1', expression: 'v', function: 'main', thread: 2, type: 'double *', nans: 1, infinities: 1 },
        ...{ elements: 33, isAtMost: true, first: 'v[31]', value: 'NaN', mayLieBeyondEnd: true },
        box: { expression: 'v[31..32]', isFull: true },
      },
    ],
    notLookedAt: [{ ranks: '0-3', expression: 'p', function: 'main', reason: 'a pointer' }],
    lookedAt: [{ ranks: '0-3', variables: 3, elements: 3106, bytes: 24848 }],
    errors: [],
  };

  it('has a row for each variable', () => {
    assert.deepEqual(nanText(document).trimEnd().split('\n'), [
      'u         2    u(17,3:5), 3 NaN of 3072 · sweep (relax.f90:12)',
      'residual  0-3  -Infinity · global',
      'v         1    v[31..32], 1 NaN and 1 infinity of at most 33, perhaps beyond the end of what was allocated · main of thread 2',
      'looked at: 3 variables with 3106 numbers in 0-3',
      'not looked at:',
      '  p  0-3  a pointer · main',
    ]);
  });

  it('says that there is none', () => {
    assert.match(nanText({ ...document, found: [] }), /^no NaN and no infinity\n/);
  });
});
