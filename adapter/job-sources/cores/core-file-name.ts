/** The rank from the name of a core file, if nothing else tells it. */
import { basename, dirname } from 'node:path';

/** No job of today has more. */
const maxRanks = 10_000_000;
/** A number without a word is a rank when it is small: process ids, also those of another namespace, are mostly larger. */
const maxWithoutWord = 1024;

/** core.rank3, rank-3/core, core.node7.3. `pid`: of the process; a number that is the same, as %p writes it, is no rank. */
export function rankInName(path: string, pid: number | undefined): number | undefined {
  const name = basename(path).replace(/\.(gz|zst|xz|lz4)$/, '');
  const word =
    /(?:^|[^a-z])rank[-_.]?(\d+)/i.exec(name)?.[1] ??
    /(?:^|[^a-z])rank[-_.]?(\d+)$/i.exec(basename(dirname(path)))?.[1];
  const bare = word === undefined ? /^core\.(?=[^.]*[a-z])[\w-]+\.(\d+)$/i.exec(name)?.[1] : undefined;
  const number = word ?? bare;
  if (number === undefined || Number(number) === pid) return undefined;
  return Number(number) < (word === undefined ? maxWithoutWord : maxRanks) ? Number(number) : undefined;
}
