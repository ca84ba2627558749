/** The expressions that a question is about. */
import { matching, type Check } from './argument-checks';

export const expression = matching('an expression', (value): value is string => isText(value) && value.trim() !== '');

export const expressionsArgument: Check<readonly string[]> = matching(
  'a list of at least one expression',
  (value): value is readonly string[] => isTexts(value) && value.length > 0,
);

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
