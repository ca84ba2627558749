/** What the name of a POINTER or ALLOCATABLE of Fortran means where gdb takes it for a pointer. */
import { deferredText } from '../gdb/python/deferred-text';
import { prepareComponents } from '../gdb/python/fortran-components';
import { textByLength } from '../gdb/python/fortran-descriptors';
import { deferredCharacter, isPointedScalar } from '../gdb/value-type';
import { typeOf } from '../gdb/variable-objects';
import type { EvaluationFrame } from './evaluation-frame';

/** The number, LOGICAL or text of a component that a value of this type leads to, as gdb reads it; undefined: it leads to none of them. */
export function targetOfType(source: string, type: string): string | undefined {
  if (isPointedScalar(type)) return `(*(${source}))`;
  return deferredCharacter(type)?.isComponent === true ? textByLength(source) : undefined;
}

/** The number, LOGICAL or text that `source` leads to, as gdb reads it; `source` itself where it is none. Rejects with GdbError. */
export async function targetInFortran(
  at: Pick<EvaluationFrame, 'thread' | 'frame' | 'language'>,
  source: string,
): Promise<string> {
  if (at.language !== 'fortran') return source;
  const type = await typeOf(at, source);
  const target = targetOfType(source, type) ?? (deferredCharacter(type) === undefined ? source : deferredText(source));
  await prepareComponents(at.thread.gdb, target);
  return target;
}
