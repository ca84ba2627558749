/** Lines with their ranks in a separate column, and the ranks that have no answer. */
import type { RankError } from '../../mpi/records';
import { mergeEqual, type MergedText } from '../merge';

/** Takes any number of texts: a call takes only as many arguments as fit on the stack. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((width, { length }) => Math.max(width, length), 0);
}

/** The ranks in a column of their own. */
export function table(rows: readonly MergedText[]): string[] {
  const width = widest(rows.map(({ ranks }) => ranks));
  return rows.map(({ ranks, text }) => `  ${ranks.padEnd(width)}  ${text}`);
}

/** Why the ranks that could not be asked could not. */
export function failedLines(document: { ranks: readonly (object | RankError)[] }): string[] {
  const failed = document.ranks.filter((rank): rank is RankError => 'error' in rank && !isUnopened(rank));
  return [...table(mergeEqual(failed.map((rank) => ({ rank, text: rank.error.reason })))), ...unopenedLines(document)];
}

export function unopenedLines({ ranks }: { ranks: readonly (object | RankError)[] }): string[] {
  return notOpenedText(ranks.filter(isUnopened).map(({ core, error }) => ({ core, reason: error.reason })));
}

/** "not opened: core.1,core.2: it is not a core file" */
export function notOpenedText(files: readonly { core: string; reason: string }[]): string[] {
  const merged = mergeEqual(files.map(({ core, reason }) => ({ rank: { rank: null, core }, text: reason })));
  return merged.map(({ ranks, text }) => `not opened: ${ranks}: ${text}`);
}

/** A core file that is not a rank's. */
export function isUnopened(rank: object | RankError): rank is RankError & { core: string } {
  return 'error' in rank && rank.rank === null && rank.core !== undefined && rank.pid === undefined;
}
