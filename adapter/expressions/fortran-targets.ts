/** What the name of a POINTER or ALLOCATABLE of Fortran means where gdb takes it for a pointer. */
import { deferredText } from '../gdb/python/deferred-text';
import { prepareComponents } from '../gdb/python/fortran-components';
import { textByLength } from '../gdb/python/fortran-descriptors';
import { deferredCharacter, isPointedScalar } from '../gdb/value-type';
import { typeOf } from '../gdb/variable-objects';
import type { EvaluationFrame } from './evaluation-frame';

/** The number, LOGICAL or text that it leads to, as gdb reads it; `source` itself where it is none. Rejects with GdbError. */
export async function targetInFortran(
  at: Pick<EvaluationFrame, 'thread' | 'frame' | 'language'>,
  source: string,
): Promise<string> {
  if (at.language !== 'fortran') return source;
  const type = await typeOf(at, source);
  if (isPointedScalar(type)) return `(*(${source}))`;
  const character = deferredCharacter(type);
  if (character === undefined) return source;
  const text = (character.isComponent ? textByLength(source) : deferredText(source)) ?? source;
  await prepareComponents(at.thread.gdb, text);
  return text;
}
