/** The bytes that a type map covers, in its order, held against those that MPI_Pack took. */
import type { DatatypeInfo, Known } from '../../plugin-api/mpi/records';
import { compareValue, type Comparison, type Fields } from './comparison';

/** Adjacent bytes: of [displacement, length], from the buffer's address. */
export type ByteRun = readonly [displacement: number, length: number];

/** The bytes of MPI's named types, as MPI told them. */
export type NamedTypes = ReadonlyMap<string, readonly ByteRun[]>;

type TypeMap = Exclude<DatatypeInfo['typeMap'], { code: string }>;

/** Beyond this many elements a type map may be cut; it says so. */
const fewElements = 64;

export function compareTypeMap(
  where: string,
  told: Fields,
  typeMap: Known<TypeMap> | undefined,
  types: NamedTypes,
  result: Comparison,
): void {
  const bytes = told['bytes'] as ByteRun[];
  if (typeMap === undefined || 'code' in typeMap) {
    compareValue(`${where} typeMap`, bytes, typeMap, result);
    return;
  }
  const elements = typeMap.runs.flatMap(({ type, displacement, count, stride }) =>
    Array.from({ length: count }, (_, i): [string, number] => [type, Number(displacement) + i * Number(stride)]),
  );
  const spelled = [...typeMap.text.matchAll(/\(([^(),]+), (-?\d+)\)/g)].map(
    ([, type, displacement]): [string, number] => [type ?? '', Number(displacement)],
  );
  if (elements.length <= fewElements) compareValue(`${where} typeMap.truncated`, false, typeMap.truncated, result);
  compareBytes(`${where} typeMap.runs`, bytes, elements, false, types, result);
  compareBytes(`${where} typeMap.text ${typeMap.text}`, bytes, spelled, typeMap.truncated, types, result);
  compareValue(
    `${where} typeMap.holes`,
    holesOf(bytes, Number(told['lb']), Number(told['extent'])),
    typeMap.holes,
    result,
  );
  if (told['text'] !== undefined) compareValue(`${where} typeMap.text`, told['text'], typeMap.text, result);
}

/** `isPrefix`: the elements may be just the first ones. */
function compareBytes(
  what: string,
  expected: readonly ByteRun[],
  elements: readonly [type: string, displacement: number][],
  isPrefix: boolean,
  types: NamedTypes,
  result: Comparison,
): void {
  const found: ByteRun[] = [];
  for (const [type, displacement] of elements) {
    const parts = types.get(type);
    if (parts === undefined) {
      result.differences.push(`${what} has a type ${type} of which MPI told nothing`);
      return;
    }
    for (const [start, length] of parts) append(found, displacement + start, length);
  }
  compareValue(what, isPrefix ? firstBytes(expected, lengthOf(found)) : expected, found, result);
}

function append(runs: ByteRun[], displacement: number, length: number): void {
  const last = runs.at(-1);
  if (last !== undefined && last[0] + last[1] === displacement) runs[runs.length - 1] = [last[0], last[1] + length];
  else runs.push([displacement, length]);
}

function lengthOf(runs: readonly ByteRun[]): number {
  return runs.reduce((sum, [, length]) => sum + length, 0);
}

function firstBytes(runs: readonly ByteRun[], length: number): ByteRun[] {
  const first: ByteRun[] = [];
  let left = length;
  for (const [displacement, here] of runs) {
    if (left <= 0) break;
    first.push([displacement, Math.min(here, left)]);
    left -= here;
  }
  return first;
}

/** Bytes of [lb, lb + extent) that no run covers. */
function holesOf(runs: readonly ByteRun[], lb: number, extent: number): number {
  const covered = new Set<number>();
  for (const [displacement, length] of runs) {
    for (let i = displacement; i < displacement + length; i++) {
      if (i >= lb && i < lb + extent) covered.add(i);
    }
  }
  return Math.max(0, extent) - covered.size;
}
