/** What a register or a slot of the stack holds, told by where it came from. Equal values are one object. */

export type Value =
  /** What the caller passed, counted from 0; of 32 bits only the lower half is known. */
  | { kind: 'argument'; index: number; bits: 32 | 64 }
  /** An address on the stack, counted from the frame's CFA. */
  | { kind: 'frame'; offset: number }
  /** An address in the module, as its file counts. */
  | { kind: 'module'; address: number }
  /** What lay at that address when it was read; `depth`: how many such reads are in it. */
  | { kind: 'loaded'; from: Value; displacement: number; depth: number };

const all = new Map<string, Value>();

export function argument(index: number, bits: 32 | 64 = 64): Value {
  return once(`argument ${index} ${bits}`, () => ({ kind: 'argument', index, bits }));
}

export function frameAddress(offset: number): Value {
  return once(`frame ${offset}`, () => ({ kind: 'frame', offset }));
}

export function moduleAddress(address: number): Value {
  return once(`module ${address}`, () => ({ kind: 'module', address }));
}

const maxDepth = 4;

/** undefined: it is not followed further. */
export function loaded(from: Value, displacement: number): Value | undefined {
  if (from.kind === 'frame' || (from.kind === 'argument' && from.bits === 32)) return undefined;
  const depth = from.kind === 'loaded' ? from.depth + 1 : 1;
  if (depth > maxDepth) return undefined;
  return once(`loaded ${displacement} ${keyOf(from)}`, () => ({ kind: 'loaded', from, displacement, depth }));
}

/** Its lower half. */
export function lowerHalf(value: Value | undefined): Value | undefined {
  return value?.kind === 'argument' ? argument(value.index, 32) : undefined;
}

/** What both are. */
export function common(one: Value | undefined, other: Value | undefined): Value | undefined {
  if (one === other) return one;
  const isSame = one?.kind === 'argument' && other?.kind === 'argument' && one.index === other.index;
  return isSame ? argument(one.index, 32) : undefined;
}

function once(key: string, make: () => Value): Value {
  let value = all.get(key);
  if (value === undefined) all.set(key, (value = make()));
  return value;
}

function keyOf(value: Value): string {
  switch (value.kind) {
    case 'argument':
      return `argument ${value.index} ${value.bits}`;
    case 'frame':
      return `frame ${value.offset}`;
    case 'module':
      return `module ${value.address}`;
    case 'loaded':
      return `loaded ${value.displacement} ${keyOf(value.from)}`;
  }
}
