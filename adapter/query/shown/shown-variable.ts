/** One line of the Variables view, before it has a number. */
import type { Answer } from '../../../plugin-api/mpi/records';
import type { GdbValue } from '../../gdb/mi/value';

/** The requested children; undefined: all. */
export interface Page {
  start: number;
  count: number | undefined;
  /** Numbers in base 16. */
  hex?: boolean;
}

export interface Children {
  /** How many elements a list has, so that a client can ask for pages of them. */
  indexed?: number;
  list(page: Page): Promise<ShownVariable[]>;
}

export interface ShownVariable {
  /** Unique among its siblings. */
  name: string;
  value: string;
  /** What `value` is, where it is what gdb tells of the variable itself: neither decoded nor made of its parts. */
  plain?: GdbValue | undefined;
  /** `value` in a list, where few words must do. */
  brief?: string;
  /** What a handle is. */
  handle?: Answer;
  /** `value` is a line about a value that is longer. */
  isShort?: boolean;
  type?: string;
  /** An expression that evaluates to it in its frame. */
  evaluateName?: string;
  /** Where a pointer leads. */
  address?: bigint;
  children?: Children | undefined;
}

/** A structure without a line of its own. */
export function isStructure({ plain, children }: ShownVariable): boolean {
  return plain?.kind === 'struct' || (plain?.kind === 'none' && children !== undefined);
}

/** A client that does not ask for pages gets at most this many elements at once. */
export const maxListLength = 1000;

/** The part of a list of `length` elements that `page` asks for. */
export function pageOf(page: Page, length: number): { from: number; to: number } {
  const from = Math.min(page.start, length);
  return { from, to: Math.min(length, from + (page.count ?? maxListLength)) };
}

/**
 * The line in place of the elements that a client without pages does not get. `example`: an expression for the first of
 * them.
 */
export function restOfList(page: Page, length: number, example: string | undefined): ShownVariable[] {
  const left = length - page.start - maxListLength;
  if (page.count !== undefined || left <= 0) return [];
  const how = example === undefined ? '' : `: ask for a part of it, such as ${example}`;
  return [{ name: '…', value: `${left} more${how}` }];
}
