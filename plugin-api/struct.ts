/**
 * Reading foreign structs declaratively. A spec names the struct and the fields that a decoder wants, each with the kind
 * it must have; StructReader finds the layout once, reads the struct's bytes once, and hands back plain values.
 * Specs are data: a test can check every one of them against every shipped table.
 */
import type { ProcessImage } from './image';
import type { FieldKind, FieldLayout, LayoutSource, TypeLayout } from './layout';
import { onceByKey, onceFor } from './once';
import { CorruptError, MissingTypeError } from './result';

/** One wanted field: its path in the struct ("a.b" for a nested one), its size, and how its bytes become a value. */
export interface Field<T> {
  readonly path: string;
  /** Bytes that the layout must give it; undefined: any (inline arrays, nested structs). */
  readonly size: number | undefined;
  /** What the field must be where the layout tells that; undefined: anything. */
  readonly kind?: FieldKind;
  /** Optional fields come with some releases only: their value is undefined where the layout lacks them. */
  readonly isOptional: boolean;
  /** `offset` is where the field starts in `bytes`; `struct` where its struct lies in the process, `inStruct` bytes before it. */
  decode(bytes: DataView, offset: number, size: number, struct: bigint, inStruct: number): T;
}

type Decode<T> = Field<T>['decode'];

function field<T>(path: string, size: number | undefined, decode: Decode<T>, kind?: FieldKind): Field<T> {
  return { path, size, isOptional: false, decode, ...(kind === undefined ? {} : { kind }) };
}

function integer<T>(path: string, size: number | undefined, decode: Decode<T>): Field<T> {
  return field(path, size, decode, 'integer');
}

export const u8 = (path: string): Field<number> => integer(path, 1, (b, o) => b.getUint8(o));
export const bool = (path: string): Field<boolean> => integer(path, 1, (b, o) => b.getUint8(o) !== 0);
export const u16 = (path: string): Field<number> => integer(path, 2, (b, o) => b.getUint16(o, true));
export const i32 = (path: string): Field<number> => integer(path, 4, (b, o) => b.getInt32(o, true));
export const u32 = (path: string): Field<number> => integer(path, 4, (b, o) => b.getUint32(o, true));
export const i64 = (path: string): Field<bigint> => integer(path, 8, (b, o) => b.getBigInt64(o, true));
export const u64 = (path: string): Field<bigint> => integer(path, 8, (b, o) => b.getBigUint64(o, true));
/** An address; 0n for NULL. */
export const pointer = (path: string): Field<bigint> => ({ ...u64(path), kind: 'pointer' });
/** The address of the field itself: of a nested struct or inline array that is read on its own. */
export const addressOf = (path: string): Field<bigint> =>
  field(path, undefined, (_b, _o, _size, struct, inStruct) => struct + BigInt(inStruct));
/** An inline char array as text, up to its NUL. */
export const chars = (path: string): Field<string> =>
  field(path, undefined, (b, o, size) => decodeText(new Uint8Array(b.buffer, b.byteOffset + o, size)), 'array');
/** A small integer whose width changed between releases: signed, 1 to 4 bytes. */
export const int = (path: string): Field<number> =>
  integer(path, undefined, (b, o, size) => {
    if (size === 1) return b.getInt8(o);
    if (size === 2) return b.getInt16(o, true);
    if (size === 4) return b.getInt32(o, true);
    throw new MissingTypeError(`with an integer of ${size} bytes`, path);
  });

/** A small integer whose width changed between releases: unsigned, 1 to 4 bytes. */
export const uint = (path: string): Field<number> =>
  integer(path, undefined, (b, o, size) => {
    if (size === 1) return b.getUint8(o);
    if (size === 2) return b.getUint16(o, true);
    if (size === 4) return b.getUint32(o, true);
    throw new MissingTypeError(`with an integer of ${size} bytes`, path);
  });

/** A field that only some releases have. */
export function optional<T>(wanted: Field<T>): Field<T | undefined> {
  return { ...wanted, isOptional: true };
}

type FieldValues<F> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export interface StructSpec<F extends Record<string, Field<unknown>> = Record<string, Field<unknown>>> {
  readonly struct: string;
  readonly fields: F;
}

/** What reading a struct by this spec gives: the fields' values and the struct's own address. */
export type StructValues<S> = S extends StructSpec<infer F> ? FieldValues<F> & { readonly address: bigint } : never;

export function struct<F extends Record<string, Field<unknown>>>(name: string, fields: F): StructSpec<F> {
  return { struct: name, fields };
}

interface BoundField {
  key: string;
  field: Field<unknown>;
  layout: FieldLayout | undefined;
}

interface BoundSpec {
  size: number;
  /** The range that covers every wanted field: only this is read. */
  start: number;
  end: number;
  fields: BoundField[];
}

/**
 * Reads structs of one process at one stop by specs; layouts come from the ordered sources, the first that knows a struct
 * wins. Decoders come to the same structs again and again: each is read once by a spec.
 */
export class StructReader {
  private readonly bind = onceFor(async (spec: StructSpec) => {
    const bound = bindSpec(await this.findLayout(spec), spec);
    this.bound.set(spec, bound);
    return bound;
  });
  /** Those whose layout has been found. */
  private readonly bound = new Map<StructSpec, BoundSpec>();
  private readonly known = onceFor((spec: StructSpec) => onceFor((address: bigint) => this.readNow(spec, address)));

  constructor(
    readonly image: ProcessImage,
    private readonly sources: readonly LayoutSource[],
  ) {}

  /** One struct. Throws FaultError, MissingTypeError. */
  read<S extends StructSpec>(spec: S, address: bigint): Promise<StructValues<S>> {
    return this.known(spec)(address) as Promise<StructValues<S>>;
  }

  private async readNow(spec: StructSpec, address: bigint): Promise<unknown> {
    const bound = this.bound.get(spec) ?? (await this.bind(spec));
    const [start, length] = [address + BigInt(bound.start), bound.end - bound.start];
    const bytes = this.image.knownMemory?.(start, length) ?? (await this.image.readMemory(start, length));
    return decodeStruct(bound, bytes, 0, address);
  }

  /** `count` structs that lie side by side, in one read. Throws CorruptError when the array would exceed `maxBytes`. */
  async readArray<S extends StructSpec>(
    spec: S,
    address: bigint,
    count: number,
    maxBytes = 1 << 22,
  ): Promise<StructValues<S>[]> {
    const bound = await this.bind(spec);
    if (count < 0 || count * bound.size > maxBytes)
      throw new CorruptError(`an array of ${count} ${spec.struct} at 0x${address.toString(16)} is not plausible`);
    if (count === 0) return [];
    const bytes = await this.image.readMemory(address, count * bound.size);
    return Array.from({ length: count }, (_, i) => {
      const start = i * bound.size;
      return decodeStruct(bound, bytes, start + bound.start, address + BigInt(start)) as StructValues<S>;
    });
  }

  /** Where a field of the spec, by its key there, lies in the struct, in bytes. Throws MissingTypeError where the layout lacks it. */
  async offsetOf<S extends StructSpec>(spec: S, key: string & keyof S['fields']): Promise<number> {
    const found = (await this.bind(spec)).fields.find((f) => f.key === key)?.layout;
    if (found === undefined) throw new MissingTypeError(spec.struct, spec.fields[key]?.path);
    return found.offset;
  }

  /** Where a field of the spec lies in the struct at `address`, and its bytes. Throws MissingTypeError where the layout lacks it. */
  async placeOf<S extends StructSpec>(
    spec: S,
    key: string & keyof S['fields'],
    address: bigint,
  ): Promise<{ address: bigint; length: number }> {
    const found = (await this.bind(spec)).fields.find((f) => f.key === key)?.layout;
    if (found === undefined) throw new MissingTypeError(spec.struct, spec.fields[key]?.path);
    return { address: address + BigInt(found.offset), length: found.size };
  }

  /** sizeof the struct, in bytes. Throws MissingTypeError. */
  async sizeOf(spec: StructSpec): Promise<number> {
    return (await this.bind(spec)).size;
  }

  private async findLayout(spec: StructSpec): Promise<TypeLayout> {
    const paths = Object.values(spec.fields).map((f) => f.path);
    for (const source of this.sources) {
      const layout = await source.find(spec.struct, paths);
      if (layout !== undefined) return layout;
    }
    throw new MissingTypeError(spec.struct);
  }
}

/** What a layout must fulfil for a spec, one sentence per violation; empty when it fits. */
export function checkSpec(spec: StructSpec, layout: TypeLayout | undefined): string[] {
  if (layout === undefined) return [`no struct ${spec.struct}`];
  const problems: string[] = [];
  for (const wanted of Object.values(spec.fields)) {
    const found = layout.fields[wanted.path];
    if (found === undefined) {
      if (!wanted.isOptional) problems.push(`${spec.struct} has no field ${wanted.path}`);
    } else if (wanted.size !== undefined && found.size !== wanted.size) {
      problems.push(`${spec.struct}.${wanted.path} has ${found.size} bytes instead of ${wanted.size}`);
    } else if (!isOfKind(wanted, found)) {
      problems.push(`${spec.struct}.${wanted.path} is of kind ${found.kind} and not ${wanted.kind}`);
    } else if (found.offset < 0 || found.offset + found.size > layout.size) {
      problems.push(`${spec.struct}.${wanted.path} lies outside the struct`);
    }
  }
  return problems;
}

/** A union is what one of its members is. */
function isOfKind({ kind: wanted }: Field<unknown>, { kind: found }: FieldLayout): boolean {
  return wanted === undefined || found === undefined || found === 'union' || found === wanted;
}

/** A shipped table's layouts outlive a stop, and so does what a spec finds in them. */
const bindSpec = onceByKey((layout: TypeLayout, spec: StructSpec): BoundSpec => {
  const problem = checkSpec(spec, layout)[0];
  if (problem !== undefined) throw new MissingTypeError(`${spec.struct} that fits: ${problem}`);
  const fields = Object.entries(spec.fields).map(([key, wanted]) => ({
    key,
    field: wanted,
    layout: layout.fields[wanted.path],
  }));
  const present = fields.flatMap((f) => (f.layout === undefined ? [] : [f.layout]));
  return {
    size: layout.size,
    start: Math.min(...present.map((f) => f.offset)),
    end: Math.max(...present.map((f) => f.offset + f.size)),
    fields,
  };
});

/** `at`: where bound.start lies in bytes; `address`: of the struct. */
function decodeStruct(bound: BoundSpec, bytes: Uint8Array, at: number, address: bigint): Record<string, unknown> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values: Record<string, unknown> = { address };
  for (const { key, field, layout } of bound.fields) {
    values[key] =
      layout === undefined
        ? undefined
        : field.decode(view, at + layout.offset - bound.start, layout.size, address, layout.offset);
  }
  return values;
}

const utf8 = new TextDecoder();

/** Bytes up to the first NUL as text; bytes that are no UTF-8 become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return utf8.decode(end < 0 ? bytes : bytes.subarray(0, end));
}
