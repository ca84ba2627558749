/** The shape of a value: which parts it has. */
import { isCharPointer } from '../gdb/value-type';
import type { VariableObject } from '../gdb/variable-objects';
import { dimensions, elementCount, lowBounds } from '../gdb/fortran-type';
import { isPointerType } from '../gdb/value-type';

export type Shape =
  /** It has no parts. */
  | { kind: 'scalar' }
  /** `hasParts`: gdb knows what it leads to; `hasText`: characters, which gdb writes with it. */
  | { kind: 'pointer'; isNull: boolean; hasParts: boolean; hasText: boolean }
  /** An array of C, or one dimension after the other of Fortran. `first`: the lowest index. */
  | { kind: 'array'; count: number; first: number }
  | { kind: 'struct' }
  /** What a pretty printer shows; `parts` are those of a smart pointer, a pair and their like. */
  | { kind: 'container'; of: 'map' | 'list' | 'parts'; isEmpty: boolean }
  /** A text that a pretty printer shows. */
  | { kind: 'text' };

export function shapeOf(variable: VariableObject): Shape {
  const { type = '', value, childCount, dynamic, displayHint, hasMore } = variable;
  if (dynamic) {
    if (displayHint === 'string') return { kind: 'text' };
    const of = displayHint === 'map' ? 'map' : displayHint === 'array' ? 'list' : 'parts';
    return { kind: 'container', of, isEmpty: childCount === 0 && !hasMore };
  }
  const fortran = dimensions(type);
  if (fortran.length > 0 || value.kind === 'array') {
    const first = fortran.length === 0 ? 0 : lowBounds(type).at(-1)!;
    return { kind: 'array', count: elementCount(type, childCount), first };
  }
  if (isPointerType(type)) {
    const hasText = isCharPointer(type) && value.kind === 'pointer' && value.isText;
    const isNull = value.kind === 'pointer' && value.address === 0n;
    return { kind: 'pointer', isNull, hasParts: childCount > 0, hasText };
  }
  return { kind: childCount > 0 ? 'struct' : 'scalar' };
}
