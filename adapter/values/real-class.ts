/** Objects that are declared as a base class, by a pointer or a reference, and are of a class that is derived from it. */
import { textOfStruct, type GdbValue } from '../gdb/mi/value';
import { isDereferenced, prepareContainers } from '../gdb/python/container-functions';
import { castToPointer, realClass } from '../gdb/python/dynamic-cast-function';
import { isReference, mayBeOfClass } from '../gdb/value-type';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import type { Shape } from './value-shape';

/** A value as it is declared. */
export interface DeclaredValue {
  evalFrame: EvaluationFrame;
  shape: Shape;
  value: GdbValue;
  type: string | undefined;
  /** As gdb reads it; undefined: it has no expression. */
  source: string | undefined;
  /** As the user would write it. */
  expression: string | undefined;
  /** It is no part of another value. */
  isRoot: boolean;
}

/** The value as one of its object's own class. */
export interface RealClass {
  name: string;
  /** As gdb reads it. */
  source: string;
  /** As the user would write it; undefined: no expression leads there. */
  text: string | undefined;
}

/** undefined: it is declared as what it is, or its class is not known. */
export async function castToRealClass(declared: DeclaredValue): Promise<RealClass | undefined> {
  const { evalFrame, shape, value, source, type = '', expression, isRoot } = declared;
  if (evalFrame.language !== 'c' || source === undefined) return undefined;
  // gdb lists no parts of a class without data, as an interface is.
  const isPointer = shape.kind === 'pointer' && !shape.isNull && !shape.hasText;
  const isTarget = isReference(type) || (isRoot && isDereferenced(source));
  const isObject = isTarget && (shape.kind === 'struct' || value.text === textOfStruct);
  if ((!isPointer && !isObject) || !mayBeOfClass(type)) return undefined;
  const { thread, frame } = evalFrame;
  await prepareContainers(thread.gdb, source);
  const name = await realClass(thread, frame, source);
  if (name === undefined) return undefined;
  const pointer = castToPointer(`${quoted(name)} *`, isPointer ? source : `&(${source})`);
  const text = expression && `dynamic_cast<${name} *>(${isPointer ? expression : `&(${expression})`})`;
  return isPointer ? { name, source: pointer, text } : { name, source: `*${pointer}`, text: text && `*${text}` };
}

/** As gdb reads a name with "(anonymous namespace)" or the parameters of a function in it. */
function quoted(name: string): string {
  return name.includes('(') ? `'${name}'` : name;
}
