/** Whether a source is of free or fixed form. */
import { sourceFormOf, type SourceForm } from './source-lines';

/** In fixed form the first five columns are for labels, and a letter in the first one begins a comment. */
const onlyInFreeForm = /^(?:[abe-z]| {1,4}[a-z])/gim;
/** Comments, and continuation by a mark in column 6. */
const onlyInFixedForm = /^(?:[c*](?![a-z(])| {5}[^\sa-z0!])/gim;

/** By the name, as compilers do; some programs (WRF, CP2K) have free form in files that are called .F, and tell the compiler. */
export function sourceFormIn(file: string, text: string): SourceForm {
  const form = sourceFormOf(file);
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  return form === 'fixed' && count(onlyInFreeForm) > count(onlyInFixedForm) ? 'free' : form;
}
