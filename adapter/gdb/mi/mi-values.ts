/** The values of MI records and how to read and write them. */

/** A list of results ([frame={},frame={}]) loses its repeated names; a tuple that repeats a name holds an array there. */
export type MiValue = string | MiTuple | readonly MiValue[];
export interface MiTuple {
  readonly [name: string]: MiValue | undefined;
}

/** An answer of gdb that lacks what its manual promises: an internal error or an unknown gdb, not a user error. */
class MiShapeError extends Error {
  constructor(wanted: string, tuple: MiValue | undefined) {
    super(`gdb's answer has no ${wanted}: ${JSON.stringify(tuple)?.slice(0, 300)}`);
    this.name = 'MiShapeError';
  }
}

function isTuple(value: MiValue | undefined): value is MiTuple {
  return typeof value === 'object' && !Array.isArray(value);
}

/** A string result; throws MiShapeError without it. */
export function text(tuple: MiTuple, name: string): string {
  const value = tuple[name];
  if (typeof value !== 'string') throw new MiShapeError(`text ${name}`, tuple);
  return value;
}

export function optionalText(tuple: MiTuple, name: string): string | undefined {
  const value = tuple[name];
  return typeof value === 'string' ? value : undefined;
}

/** A decimal number; throws MiShapeError without it. */
export function integer(tuple: MiTuple, name: string): number {
  const value = Number(text(tuple, name));
  if (!Number.isSafeInteger(value)) throw new MiShapeError(`number ${name}`, tuple);
  return value;
}

export function optionalInteger(tuple: MiTuple, name: string): number | undefined {
  return tuple[name] === undefined ? undefined : integer(tuple, name);
}

/** An address ("0x00007f28…"); undefined for gdb's "<unavailable>" and where there is none. */
export function optionalAddress(tuple: MiTuple, name: string): bigint | undefined {
  const value = optionalText(tuple, name);
  return value !== undefined && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : undefined;
}

export function tuple(of: MiTuple, name: string): MiTuple {
  const value = of[name];
  if (!isTuple(value)) throw new MiShapeError(`tuple ${name}`, of);
  return value;
}

/** The tuples of a list; none when the list is absent. */
export function tuples(of: MiTuple, name: string): readonly MiTuple[] {
  return list(of, name).filter(isTuple);
}

/** The strings of a list; none when the list is absent. */
export function texts(of: MiTuple, name: string): readonly string[] {
  return list(of, name).filter((value): value is string => typeof value === 'string');
}

function list(of: MiTuple, name: string): readonly MiValue[] {
  const value = of[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly MiValue[]) : [value];
}

/** A C string as MI commands take it. A line feed would end the command, so control characters are escaped. */
export function quote(value: string): string {
  const escaped = value
    .replace(/["\\]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/[\u0000-\u001f\u007f]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"${escaped}"`;
}
