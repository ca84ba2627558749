/** What types of Fortran are, by how gdb writes them. */

/** A CLASS; `isArray`: one of several objects; `isUnlimited`: CLASS(*). undefined: it is none. */
export function classOf(type: string | undefined): { isArray: boolean; isUnlimited: boolean } | undefined {
  const match = /^Type __class_(\w*?)(_\d+_\d+)?_?[tpa]$/i.exec(type ?? '');
  return match === null ? undefined : { isArray: match[2] !== undefined, isUnlimited: match[1] === '_STAR' };
}

/** An array of CHARACTER whose length is in a variable beside it: gdb counts its elements as if they had no size. */
export function isOfUnsizedTexts(type: string | undefined): boolean {
  return /^character\*\(\*\) \(/i.test(type ?? '');
}

/** One object of a derived type. */
export function isDerivedType(type: string | undefined): boolean {
  return /^Type /i.test(type ?? '');
}

/** An INTEGER, or an array of them. */
export function isOfIntegers(type: string | undefined): boolean {
  return /^integer/i.test(type ?? '');
}

/** "real(kind=8), allocatable (3,0:3)" → ["3", "0:3"]: Fortran's dimensions in their order. */
export function dimensions(type: string | undefined): string[] {
  return /\s\(([-\d:,*]+)\)\s*\)?$/.exec(type ?? '')?.[1]?.split(',') ?? [];
}

/** The first index of each dimension of a Fortran array. */
export function lowBounds(type: string | undefined): number[] {
  return dimensions(type).map((bounds) => Number(/^(-?\d+):/.exec(bounds)?.[1] ?? 1));
}

/** The first and the last index of a dimension. */
export interface Bounds {
  low: number;
  high: number;
}

/** The bounds of each dimension of a Fortran array; undefined where one is not known, and for what is no array. */
export function boundsOf(type: string | undefined): Bounds[] | undefined {
  const all = dimensions(type).map((bounds) => {
    const [, low, high] = /^(?:(-?\d+):)?(-?\d+)$/.exec(bounds) ?? [];
    return high === undefined ? undefined : { low: Number(low ?? 1), high: Number(high) };
  });
  return all.length === 0 || all.includes(undefined) ? undefined : (all as Bounds[]);
}

/** The type of an array as gdb prints it, with other bounds. */
export function withBounds(type: string | undefined, bounds: readonly Bounds[]): string | undefined {
  const written = bounds.map(({ low, high }) => (low === 1 ? `${high}` : `${low}:${high}`));
  return type?.replace(/\([-\d:,*]+\)(?=\s*\)?$)/, `(${written.join(',')})`);
}

/** How many elements an array has, by its type in C or, for the last dimension, in Fortran; undefined: it does not tell. */
export function lengthIn(type: string | undefined): number | undefined {
  const [, first, last] = /^(?:(-?\d+):)?(-?\d+)$/.exec(dimensions(type).at(-1) ?? '') ?? [];
  if (last !== undefined) return Math.max(0, Number(last) - Number(first ?? 1) + 1);
  const inC = /\[(\d+)\]/.exec(type ?? '')?.[1];
  return inC === undefined ? undefined : Number(inC);
}

/** How many elements an array has, of the `children` gdb tells of: for a strided one gdb 13 counts those between, too. */
export function elementCount(type: string | undefined, children: number): number {
  return dimensions(type).length > 0 ? (lengthIn(type) ?? children) : children;
}
