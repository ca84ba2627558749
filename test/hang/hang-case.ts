/** A program that hangs, with what is wrong in it, or that goes on. */
import type { HangType } from '../../plugin-api/hang/hang-records';

export interface HangCase {
  program: string;
  args: readonly string[];
  /** undefined: it goes on. */
  expected: { type: HangType; culprits: readonly number[] } | undefined;
  /** Nobody can know whether it goes on: what the verdict has to say then. */
  unknown?: RegExp;
}

export function titleOf({ program, args }: HangCase): string {
  return `${program} ${args.join(' ')}`;
}
