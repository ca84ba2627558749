/** Variables as they are shown, made of others. */
import { cutBetweenParts, withoutLibraryShells, withoutPadding } from '../../../plugin-api/answers/values/value-text';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';
import type { TypeMeaning } from '../../expressions/handle-types';
import { inWordsOf } from '../../gdb/fortran-words';
import type { GdbValue } from '../../gdb/mi/value';
import type { RawHandle } from './handle-variables';
import type { Page, ShownVariable } from './shown-variable';

/** Characters of the one line that a structure or list is shown with. */
const maxSummaryLength = 120;

/** What a handle is shown with beside its meaning. */
export function rawOf({ name, value, type, evaluateName, children }: ShownVariable, meaning: TypeMeaning): RawHandle {
  const because = 'because' in meaning && meaning.because !== undefined ? { because: meaning.because } : {};
  return { name, value, type, evaluateName, children, ...because };
}

/** With another text; undefined: with its own, and nothing below it. */
export function withText(bare: ShownVariable, text: string | undefined): ShownVariable {
  return { ...bare, children: undefined, ...(text !== undefined && { value: text, plain: undefined }) };
}

/** A structure or list written out, as far as it fits on a line. */
export function shortened({ language }: EvaluationFrame, written: GdbValue): Pick<ShownVariable, 'value' | 'plain'> {
  const text = inWordsOf(language, withoutLibraryShells(withoutPadding(written.text)));
  if (text.length <= maxSummaryLength) return { value: text, plain: written };
  return { value: cutBetweenParts(text, maxSummaryLength), plain: undefined };
}

/** An INTEGER that the program uses as handles of several kinds stays one; the reason is shown below it. */
export function withConflict(plain: ShownVariable, conflict: string | undefined): ShownVariable {
  if (conflict === undefined) return plain;
  const told: ShownVariable = { name: 'handles of several kinds', value: conflict };
  const list = async (page: Page): Promise<ShownVariable[]> => [...((await plain.children?.list(page)) ?? []), told];
  return { ...plain, children: plain.children?.indexed === undefined ? { list } : plain.children };
}

/** What a pointer leads to, and the pointer itself among its parts. */
export function pointerTo(target: ShownVariable, pointer: ShownVariable): ShownVariable {
  const own: ShownVariable = { ...pointer, name: 'pointer', children: undefined };
  const list = async (page: Page): Promise<ShownVariable[]> => [...((await target.children?.list(page)) ?? []), own];
  return { ...pointer, value: target.value, plain: target.plain, children: { list } };
}
