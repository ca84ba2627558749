/** Decides whether a source has free or fixed form. */
import { sourceFormOf, type SourceForm } from './source-lines';

/** Impossible in fixed form, where the first five columns are for labels and a letter in the first starts a comment. */
const onlyInFreeForm = /^(?:[abe-z]| {1,4}[a-z])/gim;
/** Fixed-form comments, and continuation marks in column 6. */
const onlyInFixedForm = /^(?:[c*](?![a-z(])| {5}[^\sa-z0!])/gim;

/**
 * By file name, as compilers do, and by content: some programs (WRF, CP2K) compile .F files as free form by an option.
 */
export function sourceFormIn(file: string, text: string): SourceForm {
  const form = sourceFormOf(file);
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  return form === 'fixed' && count(onlyInFreeForm) > count(onlyInFixedForm) ? 'free' : form;
}
