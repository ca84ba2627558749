/** The expressions that a question is about. */
import { matching } from './argument-checks';

export const expression = matching('an expression', (value): value is string => isText(value) && value.trim() !== '');

export interface ExpressionsArguments {
  /** At least one. */
  expressions: readonly string[];
}

/** What the questions about expressions take, in a request and in the debug console. */
export const aboutExpressions = {
  arguments: {
    expressions: matching(
      'a list of at least one expression',
      (value): value is readonly string[] => isTexts(value) && value.length > 0,
    ),
  },
  ofWords: (words: string): ExpressionsArguments => ({ expressions: [words] }),
};

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
