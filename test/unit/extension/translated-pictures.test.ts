/** No picture has a text that is in English only: all that is drawn here goes through the translation. */
import type { CommInfo, DatatypeInfo, Hex } from '../../../plugin-api/mpi/records';
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import type { ValueOverRanks } from '../../../plugin-api/answers/value-over-ranks';
import type { OverlayDocument, Pvar } from '../../../plugin-api/overlays/records';
import { pvarClassWords } from '../../../plugin-api/answers/text/variables-text';
import { valueText } from '../../../extension/charts/line-values';
import { chartedVariable, samplesOf } from '../../../extension/charts/pvar-samples';
import type { RankRow } from '../../../extension/ranks/job-client';
import { byCounter, byPlace, byValue, type Coloring } from '../../../extension/pictures/coloring';
import { commPicture } from '../../../extension/pictures/comm-picture';
import { datatypePicture } from '../../../extension/pictures/datatype-picture';
import { hangPicture } from '../../../extension/pictures/hang-picture';
import type { Picture } from '../../../extension/pictures/picture';
import { slicePicture } from '../../../extension/pictures/slice-picture';
import { valuesPicture } from '../../../extension/pictures/values-picture';
import { heatMapOf } from '../../../extension/heat-map/heat-map';
import { titleOf, wordsOfAnswer } from '../../../extension/variables/variable-words';
import { assertTranslated, speakInBrackets } from '../../support/translation';

function textsOf({ title, lines, shapes }: Picture): string[] {
  const drawn = shapes.flatMap((shape) => {
    if (shape.kind === 'arrow') return [];
    if (shape.kind === 'text') return [shape.text];
    return [...(shape.texts ?? []), ...(shape.hint === undefined ? [] : [shape.hint])];
  });
  return [title, ...lines, ...drawn];
}

const check = (picture: Picture | undefined): void => assertTranslated(textsOf(picture!), ['NaN']);

describe('the texts of pictures, translated,', () => {
  speakInBrackets();

  it('of a datatype', () => {
    const runs = [
      { type: 'MPI_INT', displacement: 0, count: 1, stride: 4 },
      { type: 'MPI_DOUBLE', displacement: 8, count: 3, stride: 8 },
      { type: 'MPI_FLOAT', displacement: 40, count: 2, stride: 8 },
      { type: 'MPI_FLOAT', displacement: 60, count: 1, stride: 4 },
      { type: 'MPI_CHAR', displacement: 64, count: 1, stride: 1 },
    ];
    const type = (size: number, typeMap: object): DatatypeInfo =>
      ({ size, lb: 0, extent: 72, typeMap }) as unknown as DatatypeInfo;
    check(datatypePicture('αβγ', type(41, { runs, holes: 31 })));
    check(datatypePicture('αβγ', type(40, { runs, holes: 1 })));
    check(datatypePicture('αβγ', type(41, { runs, holes: 0 })));
    const many = Array.from({ length: 50 }, (_, i) => ({ type: 'MPI_INT', displacement: 4 * i, count: 1, stride: 4 }));
    check(datatypePicture('αβγ', type(200, { runs: many, holes: 0 })));
  });

  it('of a communicator, by its topology', () => {
    const comm = (rest: object): CommInfo => ({ rank: 0, localProcs: [0, 1, null], ...rest }) as unknown as CommInfo;
    const cart = (periods: boolean[]): CommInfo => comm({ cart: { dims: [3, 1], periods, coords: [0, 0] } });
    const distGraph = { sources: [1], destinations: [1], weighted: false };
    const infos = [
      cart([false, false]),
      cart([true, true]),
      comm({ graph: { index: [1, 2, 2], edges: [1, 0] } }),
      comm({ distGraph }),
      comm({}),
      comm({ localProcs: [0] }),
      comm({ localProcs: Array.from({ length: 1025 }, (_, i) => i) }),
    ];
    for (const info of infos) check(commPicture('αβγ', [info]));
  });

  it('of the colors of ranks', () => {
    const row = (rank: number, rest: object): RankRow =>
      ({ rank, host: 'α', threadIds: [], place: 'β', ...rest }) as unknown as RankRow;
    const pvars = [{ name: 'ζ', instances: [{ values: [7] }] }];
    const counted = { ranks: [{ rank: 0, collector: {}, pvars }] } as unknown as OverlayDocument;
    const colorings: Coloring[] = [
      byPlace([
        row(0, { state: 'stopped', stopReason: 'breakpoint' }),
        row(1, { state: 'stopped', stopReason: 'breakpoint' }),
        row(2, { state: 'stopped' }),
        row(3, { state: 'running' }),
        row(4, { state: 'exited', exitCode: 3 }),
      ]),
      byCounter('ζ', counted),
      byValue('ζ', [{ ranks: '0', text: '1' }]),
      byValue('ζ', [{ ranks: '0', text: 'η' }]),
      byValue('ζ', []),
    ];
    for (const { line, legend } of colorings) {
      assertTranslated([line]);
      assertTranslated([line, ...legend.map(({ text }) => text)]);
    }
  });

  it('of a hang', () => {
    const ranks = Array.from({ length: 30 }, (_, rank) => ({
      ...{ rank, thread: 1, state: rank % 2 === 0 ? 'blocked' : 'running', waitsFor: [(rank + 1) % 30] },
    }));
    check(hangPicture({ culprits: [0], sentence: 'αβγ', ranks } as unknown as HangDocument));
  });

  it('of values over ranks', () => {
    const value = (texts: readonly string[], rest: object = {}): ValueOverRanks => ({
      expression: 'αβγ',
      values: texts.map((text, rank) => ({ ranks: String(rank), text })),
      errors: [{ ranks: '7', text: 'δ' }],
      ...rest,
    });
    check(valuesPicture(value(['1000.5', '1001.5'], { differ: '1', nan: '2' })));
    check(slicePicture(value(['{1, 2, 3}', '{1, nan(0x8), 5...}'])));
  });
});

describe('the words for variables of MPI_T, translated,', () => {
  speakInBrackets();

  it('of charts', () => {
    const pvar = (itsClass: string, datatype: string): Pvar =>
      ({ name: 'α', class: itsClass, datatype, description: 'β' }) as unknown as Pvar;
    const units = [pvar('TIMER', 'MPI_DOUBLE'), pvar('TIMER', 'MPI_INT'), pvar('PERCENTAGE', 'MPI_DOUBLE')];
    assertTranslated(
      units.map((each) => chartedVariable(each).words),
      Object.values(pvarClassWords),
    );
    const line = { values: [null, 2, null], totals: [1, 2, null] };
    assertTranslated([0, 1, 2].map((index) => valueText(line, index, 'rate')));
    const instances = [{ values: [1], object: { kind: 'comm', handle: '0x1', name: '' } }];
    const pvars = [{ name: 'α', class: 'COUNTER', instances }];
    const document = { ranks: [{ rank: 0, collector: {}, pvars }] } as unknown as OverlayDocument;
    const [sample] = samplesOf(document, { name: 'α', class: 'COUNTER' });
    assertTranslated(Object.keys(sample!.values));
  });

  it('of what a change came to', () => {
    const actions = ['start', 'stop', 'reset', 'readreset', 'write'] as const;
    const refusals = ['PVAR_NO_STARTSTOP', 'PVAR_NO_WRITE', 'PVAR_NO_ATOMIC', 'CVAR_SET_NOT_NOW', 'CVAR_SET_NEVER'];
    assertTranslated([
      ...actions.flatMap((action) => [
        titleOf(action, 'αβγ'),
        wordsOfAnswer(action, { done: true }),
        wordsOfAnswer(action, { done: true, values: [1, 2] }),
      ]),
      wordsOfAnswer('write', { done: false }),
      ...[...refusals, 'INVALID_HANDLE'].map((name) =>
        wordsOfAnswer('write', { done: false, error: `MPI_T_ERR_${name}` }),
      ),
    ]);
  });

  it('of an object without a name in a heat map', () => {
    const object = { kind: 'comm', handle: '0x1' as Hex, name: '' };
    const pvars = [
      { ...{ name: 'α', class: 'SIZE', description: 'β' }, instances: [{ count: 2, values: [1, 2], object }] },
    ];
    const document = { ranks: [{ rank: 0, collector: {}, pvars }] } as unknown as OverlayDocument;
    assertTranslated(heatMapOf(document, { name: 'α', class: 'SIZE' }, undefined)!.objects);
  });
});
