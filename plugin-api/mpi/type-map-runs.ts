/**
 * Lists of runs, each equal elements at equal distances, so that a list stays short however many elements there are.
 */

export interface Run {
  type: string;
  /** Bytes of one element. */
  size: bigint;
  /** Bytes from the buffer's address to the first element. */
  displacement: bigint;
  count: bigint;
  /** Bytes from the start of one element to the next; for a single element, its size. */
  stride: bigint;
}

export interface Runs {
  list: Run[];
  /** The list was cut off at runLimit runs. */
  isCut: boolean;
}

export const runLimit = 1024;

export const empty: Runs = { list: [], isCut: false };

export function shift({ list, isCut }: Runs, bytes: bigint): Runs {
  return bytes === 0n
    ? { list, isCut }
    : { list: list.map((run) => ({ ...run, displacement: run.displacement + bytes })), isCut };
}

/** `count` copies, each `stride` bytes after the previous one. */
export function repeat(runs: Runs, count: number, stride: bigint): Runs {
  if (count <= 0) return empty;
  const [first] = runs.list;
  if (first === undefined || count === 1) return runs;
  if (runs.list.length === 1 && !runs.isCut) {
    const joined = repeatRun(first, BigInt(count), stride);
    if (joined !== undefined) return { list: [joined], isCut: false };
  }
  const all: Runs = { list: [], isCut: false };
  for (let i = 0; i < count && !all.isCut; i++) appendRuns(all, shift(runs, BigInt(i) * stride));
  return all;
}

function repeatRun(run: Run, count: bigint, stride: bigint): Run | undefined {
  if (run.count === 1n) return { ...run, count, stride };
  return stride === run.count * run.stride ? { ...run, count: run.count * count } : undefined;
}

export function concatRuns(parts: readonly Runs[]): Runs {
  const all: Runs = { list: [], isCut: false };
  for (const part of parts) appendRuns(all, part);
  return all;
}

/** Appends to `all`; a run that continues the last one is joined with it. */
export function appendRuns(all: Runs, { list, isCut }: Runs): void {
  for (const run of list) {
    if (all.isCut) return;
    const last = all.list.at(-1);
    const joined = last === undefined ? undefined : join(last, run);
    if (joined !== undefined) all.list[all.list.length - 1] = joined;
    else if (all.list.length < runLimit) all.list.push(run);
    else all.isCut = true;
  }
  all.isCut ||= isCut;
}

/** Both as one run; undefined: `b` does not continue `a`. */
function join(a: Run, b: Run): Run | undefined {
  if (a.type !== b.type || a.size !== b.size || b.displacement !== a.displacement + a.count * a.stride)
    return undefined;
  if (b.count > 1n && b.stride !== a.stride) return undefined;
  return { ...a, count: a.count + b.count };
}

/** With more pieces, coveredBytes gives up. */
const maxPieces = 1n << 16n;

/** Bytes from `start` to `end` that at least one element covers; undefined if there are too many pieces to count. */
export function coveredBytes(list: readonly Run[], start: bigint, end: bigint): bigint | undefined {
  if (list.reduce((sum, run) => sum + piecesOf(run), 0n) > maxPieces) return undefined;
  const pieces = list.flatMap((run): [bigint, bigint][] => {
    if (run.stride === run.size) return [[run.displacement, run.displacement + run.count * run.size]];
    return Array.from({ length: Number(run.count) }, (_, i) => {
      const at = run.displacement + BigInt(i) * run.stride;
      return [at, at + run.size];
    });
  });
  pieces.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  let covered = 0n;
  let done = start;
  for (const [from, to] of pieces) {
    const first = from > done ? from : done;
    const last = to < end ? to : end;
    if (last <= first) continue;
    covered += last - first;
    done = last;
  }
  return covered;
}

function piecesOf({ count, stride, size }: Run): bigint {
  return stride === size ? 1n : count;
}
