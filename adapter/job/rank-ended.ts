/** Errors that occur because a rank or its gdb may end at any time. */
import { GdbError } from '../gdb/mi/mi-connection';
import type { Rank } from './rank';

/** A rank ended, or its gdb did, while something waited for it to stop. */
export class RankEndedError extends Error {
  constructor(readonly rank: Rank) {
    super(lossOf(rank) ?? `${rank.label} ended`);
    this.name = 'RankEndedError';
  }
}

/** That its gdb has ended, and how; undefined when that has not. */
export function lossOf({ gdb, label }: Rank): string | undefined {
  return gdb.howEnded === undefined ? undefined : `gdb of ${label} ${gdb.howEnded}`;
}

/** A command that failed because its thread or its gdb has just ended. */
export function ignoreIfGone(error: unknown): void {
  if (!(error instanceof GdbError)) throw error;
}

/** Ignores that the rank or its gdb is gone, also that the rank ended instead of stopping. */
export function forgiveEnd(error: unknown): void {
  if (!(error instanceof RankEndedError)) ignoreIfGone(error);
}
