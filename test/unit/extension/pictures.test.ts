/** What the pictures show: places and sizes by hand. */
import assert from 'node:assert/strict';
import type { CommInfo, DatatypeInfo } from '../../../plugin-api/mpi/records';
import type { RankRow } from '../../../extension/ranks/job-client';
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import { byPlace, byValue } from '../../../extension/pictures/coloring';
import { commPicture } from '../../../extension/pictures/comm-picture';
import { datatypePicture } from '../../../extension/pictures/datatype-picture';
import { hangPicture } from '../../../extension/pictures/hang-picture';
import { slicePicture } from '../../../extension/pictures/slice-picture';
import { valuesPicture } from '../../../extension/pictures/values-picture';
import type { ValueOverRanks } from '../../../plugin-api/answers/value-over-ranks';
import type { Picture, Shape } from '../../../extension/pictures/picture';

const ofKind = <Kind extends Shape['kind']>(picture: Picture, kind: Kind): Extract<Shape, { kind: Kind }>[] =>
  picture.shapes.filter((shape): shape is Extract<Shape, { kind: Kind }> => shape.kind === kind);

/** `{ int; 3 doubles; 5 chars }` as a C compiler places it. */
const particle = {
  ...{ size: 33, lb: 0, extent: 40 },
  typeMap: {
    runs: [
      { type: 'MPI_INT', displacement: 0, count: 1, stride: 4 },
      { type: 'MPI_DOUBLE', displacement: 8, count: 3, stride: 8 },
      { type: 'MPI_CHAR', displacement: 32, count: 5, stride: 1 },
    ],
    holes: 7,
  },
} as unknown as DatatypeInfo;

describe('the picture of a datatype', () => {
  it('has its elements to scale, over the extent that shows the holes', () => {
    const picture = datatypePicture('particle', particle)!;
    assert.deepEqual(picture.lines, ['33 bytes of data in an extent of 40 bytes, 7 bytes of holes.']);
    const bar = ofKind(picture, 'box').filter(({ hint }) => hint !== undefined);
    const [extent, ...elements] = bar;
    const scale = extent!.width / 40;
    assert.deepEqual(
      elements.map(({ x, width, look }) => [Math.round((x - extent!.x) / scale), Math.round(width / scale), look]),
      [
        [0, 4, 'series 0'],
        ...[8, 16, 24].map((byte) => [byte, 8, 'series 1']),
        ...[32, 33, 34, 35, 36].map((byte) => [byte, 1, 'series 2']),
      ],
    );
    assert.ok(ofKind(picture, 'text').some(({ text }) => text === 'byte 8: 3 × MPI_DOUBLE, 8 bytes each'));
  });

  it('knows the size of elements that are apart from the size of the whole, and draws nothing that it does not know', () => {
    const column = (size: number): DatatypeInfo =>
      ({
        ...{ size, lb: 0, extent: 36 },
        typeMap: { runs: [{ type: 'MPI_FLOAT', displacement: 0, count: 3, stride: 16 }], holes: 24 },
      }) as unknown as DatatypeInfo;
    assert.ok(
      ofKind(datatypePicture('column', column(12))!, 'text').some(
        ({ text }) => text === 'byte 0: 3 × MPI_FLOAT, 4 bytes each, 16 bytes from one to the next',
      ),
    );
    const odd = { ...particle, size: 34 };
    assert.deepEqual(datatypePicture('odd', odd)!.shapes, []);
    assert.equal(
      datatypePicture('none', { ...particle, typeMap: { code: 'MPIDBG_ERR_UNAVAILABLE', reason: 'freed' } } as never),
      undefined,
    );
  });
});

describe('the picture of a communicator', () => {
  const grid = {
    ...{ rank: 4, localProcs: [5, 4, 3, 2, 1, 0] },
    cart: { dims: [2, 3], periods: [false, true], coords: [1, 1] },
  } as unknown as CommInfo;

  it('is its grid with the coordinates, row by row, where a click shows a rank', () => {
    const picture = commPicture('grid', [grid])!;
    assert.match(picture.lines.join(' '), /Dimensions 2 × 3; periodic: dimension 1\./);
    const cells = ofKind(picture, 'rank');
    assert.deepEqual(
      cells.map(({ texts, target, look }) => [...texts, target.ranks, look]),
      [
        ['0 (0,0)', 'rank 5', '5', 'plain'],
        ['1 (0,1)', 'rank 4', '4', 'plain'],
        ['2 (0,2)', 'rank 3', '3', 'plain'],
        ['3 (1,0)', 'rank 2', '2', 'plain'],
        ['4 (1,1)', 'rank 1', '1', 'own'],
        ['5 (1,2)', 'rank 0', '0', 'plain'],
      ],
    );
    assert.equal(cells[3]!.x, cells[0]!.x);
    assert.ok(cells[3]!.y > cells[0]!.y && cells[1]!.y === cells[0]!.y);
  });

  it('has the ranks colored by a number, from little to much, with the number in the cell', () => {
    const coloring = byValue('residual', [
      { ranks: '0-2', text: '1' },
      { ranks: '3,4', text: '7.5' },
      { ranks: '5', text: '10' },
    ]);
    const picture = commPicture('grid', [grid], { coloring })!;
    assert.deepEqual(
      ofKind(picture, 'rank').map(({ texts, look }) => [texts[1], texts[2], look]),
      [
        ['rank 5', '10', 'shade 5'],
        ['rank 4', '7.5', 'shade 4'],
        ['rank 3', '7.5', 'shade 4'],
        ['rank 2', '1', 'shade 0'],
        ['rank 1', '1', 'shade 0'],
        ['rank 0', '1', 'shade 0'],
      ],
    );
    assert.match(picture.lines.join(' '), /Colored by residual\./);
    assert.deepEqual(
      ofKind(picture, 'text').map(({ text }) => text),
      ['1', '10'],
    );
  });

  it('has the ranks colored by where they are, those that crashed marked', () => {
    const row = (rank: number, place: string, stopReason = 'breakpoint'): RankRow => ({
      ...{ rank, host: '', state: 'stopped', threadIds: [], place, stopReason },
    });
    const { of, legend } = byPlace([row(0, 'a'), row(1, 'b', 'SIGSEGV'), row(2, 'c'), row(3, 'c')]);
    assert.deepEqual(
      ['0', '1', '2', '3', '4'].map((rank) => of(rank)?.look),
      ['series 1', 'fault', 'series 0', 'series 0', undefined],
    );
    assert.deepEqual(
      legend.map(({ text }) => text),
      ['c · breakpoint: ranks 2-3', 'a · breakpoint: rank 0', 'b · SIGSEGV: rank 1'],
    );
  });

  it('is a graph with an arrow for each edge that a rank knows', () => {
    const member = (rank: number, sources: number[], destinations: number[]): CommInfo =>
      ({ rank, localProcs: [0, 1, 2], distGraph: { sources, destinations, weighted: false } }) as unknown as CommInfo;
    const picture = commPicture('ring', [member(0, [2], [1]), member(1, [0], [2])])!;
    assert.equal(ofKind(picture, 'arrow').length, 3);
    assert.match(picture.lines.join(' '), /2 of 3 are known here/);
    const whole = { rank: 0, localProcs: [0, 1, 2], graph: { index: [1, 3, 4], edges: [1, 0, 2, 1] } };
    assert.equal(ofKind(commPicture('line', [whole as unknown as CommInfo])!, 'arrow').length, 4);
  });

  it('has a process of another world without a click', () => {
    const other = { rank: 0, localProcs: [0, null] } as unknown as CommInfo;
    assert.deepEqual(
      commPicture('spawned', [other])!.shapes.map(({ kind }) => kind),
      ['rank', 'box'],
    );
  });

  it('has the ranks of the world whose rank knows it', () => {
    const pair = { rank: 0, localProcs: [0, 1] } as unknown as CommInfo;
    const coloring = byValue('load', [
      { ranks: '0-1', text: '1' },
      { ranks: '0.1:0', text: '2' },
      { ranks: '0.1:1', text: '3' },
    ]);
    assert.deepEqual(
      ofKind(commPicture('MPI_COMM_WORLD', [pair], { coloring, world: '0.1' })!, 'rank').map(
        ({ texts: [, name, value], target }) => [name, value, target.ranks],
      ),
      [
        ['rank 0.1:0', '2', '0.1:0'],
        ['rank 0.1:1', '3', '0.1:1'],
      ],
    );
    const row = (world: string): RankRow => ({
      rank: 0,
      world,
      host: '',
      state: 'stopped',
      threadIds: [],
      place: world,
    });
    const { of, legend } = byPlace([row('0'), row('0.1')]);
    assert.notEqual(of('0')?.look, of('0.1:0')?.look);
    assert.match(legend.map(({ text }) => text).join(), /rank 0,.*rank 0\.1:0/);
  });
});

describe('the picture of a hang', () => {
  const waiting = (rank: number, waitsFor: number[], mode = 'AND'): object => ({
    ...{ rank, thread: 1, state: 'blocked', call: 'MPI_Recv', waitsFor, mode },
    ...{ where: `a.c:${10 + rank}`, code: { file: '/a.c', line: 10 + rank } },
  });

  it('leads from each line that its sentence names to a rank there, to one to look at where there is one', () => {
    const there = [waiting(0, [1]), { ...waiting(1, [2]), where: 'a.c:10' }, waiting(2, [0])];
    const document = { verdict: 'deadlock', sentence: '', culprits: [1], ranks: there } as unknown as HangDocument;
    assert.deepEqual(
      hangPicture(document).links?.map(({ text, target }) => [text, target.ranks]),
      [
        ['a.c:10', '1'],
        ['a.c:12', '2'],
      ],
    );
  });

  it('marks the culprits, and dashes what waits for one of several', () => {
    const document = {
      ...{ verdict: 'deadlock', sentence: 'They wait for each other.', culprits: [0, 1] },
      ranks: [waiting(0, [1]), waiting(1, [0]), waiting(2, [0, 1], 'OR')],
    } as unknown as HangDocument;
    const picture = hangPicture(document);
    assert.deepEqual(
      ofKind(picture, 'rank').map(({ texts, look, target }) => [texts[0], look, target.source?.line]),
      [
        ['rank 0', 'fault', 10],
        ['rank 1', 'fault', 11],
        ['rank 2', 'plain', 12],
      ],
    );
    assert.deepEqual(
      ofKind(picture, 'arrow').map(({ look }) => look),
      ['waits', 'waits', 'waits for one of', 'waits for one of'],
    );
  });

  it('of many ranks has the culprits and those that they wait for', () => {
    const ranks = Array.from({ length: 64 }, (_, rank) => waiting(rank, [rank === 63 ? 62 : 63]));
    const picture = hangPicture({ culprits: [63], sentence: '', ranks } as unknown as HangDocument);
    assert.deepEqual(
      ofKind(picture, 'rank')
        .slice(0, 2)
        .map(({ texts }) => texts[0]),
      ['rank 63', 'rank 62'],
    );
    assert.ok(picture.below?.includes('24 of 64 ranks are drawn.'));
  });
});

describe('the picture of a value over ranks', () => {
  const value = (values: { ranks: string; text: string }[], differ?: string): ValueOverRanks => ({
    ...{ expression: 'n', values, errors: [] },
    ...(differ === undefined ? {} : { differ }),
  });

  it('is a bar for each rank, in their order, and marks those that differ', () => {
    const picture = valuesPicture(
      value(
        [
          { ranks: '0-1,3', text: '10' },
          { ranks: '2', text: '-5' },
        ],
        '2',
      ),
    )!;
    const bars = ofKind(picture, 'rank');
    assert.deepEqual(
      bars.map(({ hint, look, target }) => [hint, look, target.ranks]),
      [
        ['rank 0: 10', 'series 0', '0'],
        ['rank 1: 10', 'series 0', '1'],
        ['rank 2: -5', 'fault', '2'],
        ['rank 3: 10', 'series 0', '3'],
      ],
    );
    const [first, , below] = bars;
    assert.equal(Math.round(first!.height), Math.round(2 * below!.height));
    assert.equal(Math.round(first!.y + first!.height), Math.round(below!.y));
  });

  it('has the ranks of all worlds', () => {
    const picture = valuesPicture(
      value(
        [
          { ranks: '0.1:0', text: '4' },
          { ranks: '0-1', text: '3' },
        ],
        '0.1:0',
      ),
    )!;
    assert.deepEqual(
      ofKind(picture, 'rank').map(({ hint, look, target }) => [hint, look, target.ranks]),
      [
        ['rank 0: 3', 'series 0', '0'],
        ['rank 1: 3', 'series 0', '1'],
        ['rank 0.1:0: 4', 'fault', '0.1:0'],
      ],
    );
  });

  it('shows small differences of large values, and says so', () => {
    const picture = valuesPicture(
      value([
        { ranks: '0', text: '1000.5' },
        { ranks: '1', text: '1001.5' },
      ]),
    )!;
    assert.ok(picture.lines.includes('The axis does not begin at 0.'));
    const [first, second] = ofKind(picture, 'rank');
    assert.ok(second!.height > 5 * first!.height);
  });

  it('is none of what is no number', () => {
    assert.equal(valuesPicture(value([{ ranks: '0', text: '"a"' }])), undefined);
    assert.equal(valuesPicture(value([])), undefined);
  });
});

describe('the picture of an array over ranks', () => {
  const slice = (...texts: string[]): ValueOverRanks => ({
    expression: 'field',
    values: texts.map((text, rank) => ({ ranks: String(rank), text })),
    errors: [],
  });

  it('has a row for each rank, shaded from the smallest to the greatest element', () => {
    const picture = slicePicture(slice('{0, 1 <repeats 2 times>}', '{5, nan(0x8000000000000), 10}'))!;
    assert.deepEqual(
      ofKind(picture, 'box').map(({ hint, look }) => [hint, look]),
      [
        ['rank 0, element 0: 0', 'shade 0'],
        ['rank 0, element 1: 1', 'shade 0'],
        ['rank 0, element 2: 1', 'shade 0'],
        ['rank 1, element 0: 5', 'shade 3'],
        ['rank 1, element 1: NaN', 'fault'],
        ['rank 1, element 2: 10', 'shade 5'],
      ],
    );
    assert.deepEqual(picture.lines, [
      'A row for each rank, a column for each element: from 0 (pale) to 10 (full).',
      'Marked: what is not a finite number.',
    ]);
  });

  it('takes arrays as Fortran has them, and says that it has a part alone', () => {
    const picture = slicePicture(slice('((1.5, -2e-3) (7, 8)...)'))!;
    assert.equal(ofKind(picture, 'box').length, 4);
    assert.match(picture.lines.join(' '), /The first 4 elements are drawn/);
  });

  it('is none of texts and structs', () => {
    const lost = slicePicture(slice('{nan(0x8000000000000), -inf}'))!;
    assert.deepEqual(lost.lines, [
      'A row for each rank, a column for each element.',
      'Marked: what is not a finite number.',
    ]);
    assert.equal(lost.shapes.filter((shape) => shape.kind === 'box' && shape.look === 'fault').length, 2);
    assert.equal(slicePicture(slice('{a = 1, b = 2}')), undefined);
    assert.equal(slicePicture(slice('"north"')), undefined);
    assert.equal(slicePicture(slice('7')), undefined);
  });
});
