/** The type map of a datatype, drawn to scale with its holes. */
import * as l10n from '@vscode/l10n';
import type { DatatypeInfo } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import type { Look, Picture, Shape } from './picture';

/** `count` elements of `type`, `stride` bytes apart: for a single element, its size. */
interface Run {
  type: string;
  displacement: number;
  count: number;
  stride: number;
}

const width = 560;
const margin = 10;
const bar = { y: 30, height: 44 };
const lineHeight = 22;
/** Elements that are narrower are drawn as one block. */
const minPixels = 3;
const maxElements = 2000;
const maxRows = 40;
/** Pixels between two numbers of the axis. */
const minGap = 30;

/** Undefined: there is nothing to draw. */
export function datatypePicture(name: string, info: DatatypeInfo): Picture | undefined {
  const { typeMap, size, extent, lb } = info;
  if (isUnavailable(typeMap) || isUnavailable(size) || isUnavailable(extent) || isUnavailable(lb)) return undefined;
  const { holes } = typeMap;
  const runs = typeMap.runs.map(({ type, displacement, count, stride }): Run => ({
    ...{ type, displacement: Number(displacement), count: Number(count), stride: Number(stride) },
  }));
  const [data, whole] = [bytes(Number(size)), bytes(Number(extent))];
  const lines = [
    holes === 0
      ? l10n.t('{0} of data in an extent of {1}, no holes.', data, whole)
      : l10n.t('{0} of data in an extent of {1}, {2} of holes.', data, whole, bytes(holes)),
  ];
  const title = l10n.t('{0}: type map', name);
  const sizes = elementSizes(runs, Number(size));
  if (runs.length === 0) return undefined;
  if (sizes === undefined)
    return {
      title,
      lines: [...lines, l10n.t('Not drawn: the sizes of its elements are unknown.')],
      width,
      height: 0,
      shapes: [],
    };
  const bounds = { from: Number(lb), to: Number(lb) + Number(extent) };
  const starts = runs.map(({ displacement }) => displacement);
  const from = Math.min(bounds.from, ...starts);
  const to = Math.max(bounds.to, ...runs.map((run, index) => starts[index]! + lengthOf(run, sizes)));
  const scale = (width - 2 * margin) / Math.max(1, to - from);
  const at = (byte: number): number => margin + (byte - from) * scale;
  const looks = new Map([...sizes.keys()].map((type, index) => [type, `series ${index % 6}` as Look]));
  const elements = runs.flatMap((run) => elementsOf(run, sizes, scale).map((each) => ({ ...each, run })));
  return {
    title,
    lines,
    width,
    height: bar.y + bar.height + lineHeight * (Math.min(runs.length, maxRows) + 1.5),
    shapes: [
      ...axis([bounds.from, ...starts, bounds.to], at),
      {
        ...{ kind: 'box', x: at(bounds.from), width: (bounds.to - bounds.from) * scale, ...bar, look: 'hole' },
        hint: l10n.t('extent: bytes {0} to {1}; where nothing covers this, there is a hole', bounds.from, bounds.to),
      },
      ...elements.slice(0, maxElements).map(({ byte, length, run }): Shape => ({
        ...{ kind: 'box', x: at(byte), width: length * scale, ...bar, look: looks.get(run.type) ?? 'plain' },
        hint: l10n.t('{0} at byte {1}', run.type, byte),
      })),
      ...legend(runs, sizes, looks),
    ],
  };
}

function bytes(count: number): string {
  return count === 1 ? l10n.t('1 byte') : l10n.t('{0} bytes', count);
}

/**
 * By the name of the type: the stride of a single element is its size, and of elements side by side too. Undefined unless
 * all sizes together are the size of the datatype.
 */
function elementSizes(runs: readonly Run[], total: number): ReadonlyMap<string, number> | undefined {
  const sizes = new Map<string, number>();
  for (const { type, count, stride } of runs) if (count === 1) sizes.set(type, stride);
  const unknown = [...new Set(runs.map(({ type }) => type))].filter((type) => !sizes.has(type));
  const [only, another] = unknown;
  if (only !== undefined && another === undefined) {
    const known = runs.reduce((sum, { type, count }) => sum + count * (sizes.get(type) ?? 0), 0);
    const elements = runs.reduce((sum, { type, count }) => sum + (type === only ? count : 0), 0);
    sizes.set(only, (total - known) / elements);
  } else {
    for (const { type, stride } of runs)
      if (unknown.includes(type)) sizes.set(type, Math.min(sizes.get(type) ?? Infinity, stride));
  }
  const sum = runs.reduce((all, { type, count }) => all + count * (sizes.get(type) ?? 0), 0);
  return sum === total ? sizes : undefined;
}

function lengthOf({ type, count, stride }: Run, sizes: ReadonlyMap<string, number>): number {
  return (count - 1) * stride + (sizes.get(type) ?? 0);
}

/** One of each element, or one for all where they could not be told apart. */
function elementsOf(run: Run, sizes: ReadonlyMap<string, number>, scale: number): { byte: number; length: number }[] {
  const start = run.displacement;
  if (run.count > 1 && run.stride * scale < minPixels) return [{ byte: start, length: lengthOf(run, sizes) }];
  const length = sizes.get(run.type) ?? 0;
  const count = Math.min(run.count, maxElements);
  return Array.from({ length: count }, (_, index) => ({ byte: start + index * run.stride, length }));
}

/** Byte numbers, as many as there is room for; the last one always. */
function axis(places: readonly number[], at: (byte: number) => number): Shape[] {
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  const last = sorted.at(-1);
  let end = -Infinity;
  return sorted.flatMap((byte): Shape[] => {
    const x = at(byte);
    if (byte !== last && (x - end < minGap || at(last!) - x < minGap)) return [];
    end = x;
    return [{ kind: 'text', x, y: bar.y - 8, text: String(byte), anchor: byte === last ? 'end' : 'start' }];
  });
}

function legend(runs: readonly Run[], sizes: ReadonlyMap<string, number>, looks: ReadonlyMap<string, Look>): Shape[] {
  const top = bar.y + bar.height + lineHeight;
  const more = runs.length - maxRows;
  return [
    ...runs.slice(0, maxRows).flatMap((run, index): Shape[] => {
      const y = top + index * lineHeight;
      return [
        { kind: 'box', x: margin, y: y - 11, width: 14, height: 14, look: looks.get(run.type) ?? 'plain' },
        { kind: 'text', x: margin + 24, y, text: describe(run, sizes.get(run.type) ?? 0) },
      ];
    }),
    ...(more > 0
      ? [{ kind: 'text' as const, x: margin, y: top + maxRows * lineHeight, text: l10n.t('… and {0} more', more) }]
      : []),
  ];
}

/** "byte 8: 3 × MPI_DOUBLE, 8 bytes each", "byte 0: MPI_INT, 4 bytes" */
function describe({ type, displacement, count, stride }: Run, size: number): string {
  if (count === 1) return l10n.t('byte {0}: {1}, {2}', displacement, type, bytes(size));
  return stride === size
    ? l10n.t('byte {0}: {1} × {2}, {3} each', displacement, count, type, bytes(size))
    : l10n.t(
        'byte {0}: {1} × {2}, {3} each, {4} bytes from one to the next',
        displacement,
        count,
        type,
        bytes(size),
        stride,
      );
}
