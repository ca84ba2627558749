/** A rank in words. */
import * as l10n from '@vscode/l10n';
import type { RankId } from '../../plugin-api/mpi/records';
import { isOneRank } from '../../plugin-api/mpi/rank-names';
import { visible } from '../../plugin-api/visible-text';
import type { RankRow } from './job-client';
import { isRankText, nameInSet } from './rank-numbers';
import { wordOfState, wordOfStop } from './state-words';

/** Place first, then state: "MPI_Barrier · solver.c:88 · breakpoint", "running", "exited, status 3", "SIGSEGV". */
export function doingOf(row: RankRow): string {
  return doingAt(row, placeOf(row.place, row.source));
}

/** Characters that a row of a side bar shows beside the ranks. */
const maxInRow = 22;
/** The same of a call of MPI, whose name matters most, with its line. */
const maxCallInRow = 28;

/** As doingOf; of what a row has no room for, the line stands first: "ocean.cpp:102 · Ocean::exchange · breakpoint". */
export function doingInRow(row: RankRow): string {
  const { place, source } = row;
  if (place === undefined || source === undefined) return doingOf(row);
  const line = lineText(source);
  const end = ` at ${line}`;
  // A call of MPI is told without its line, which follows.
  const isCall = !place.includes(' at ');
  const told = isCall ? `${place} · ${line}` : place;
  if (told.length <= (isCall ? maxCallInRow : maxInRow) || !(isCall || place.endsWith(end))) return doingOf(row);
  const short = line.length > maxInRow ? `…${line.slice(1 - maxInRow)}` : line;
  return doingAt(row, [short, isCall ? place : place.slice(0, -end.length)]);
}

function doingAt(row: RankRow, place: readonly string[]): string {
  const { state, waits, openmp, mainHasEnded, stopReason, exitCode, signal } = row;
  const end = signal ?? (exitCode === undefined ? undefined : l10n.t('status {0}', exitCode));
  // How the process of a core file died says more than that it is a core file, which the icon shows.
  const main = mainHasEnded === true ? l10n.t('the main thread has ended') : undefined;
  const where = [...place, waits, openmp, main].filter((each) => each !== undefined);
  if (state === 'core') return [...where, end ?? wordOfState(state)].join(' · ');
  const now = state === 'stopped' && stopReason !== undefined ? wordOfStop(stopReason) : wordOfState(state);
  return [...where, end === undefined ? now : `${now}, ${end}`].join(' · ');
}

function placeOf(place: string | undefined, source: RankRow['source']): string[] {
  if (place === undefined) return [];
  const isLineNamed = source === undefined || place.includes(' at ');
  return isLineNamed ? [place] : [place, lineText(source)];
}

/** "solver.c:88" */
function lineText({ file, line }: NonNullable<RankRow['source']>): string {
  return `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
}

/** "rank 3", or the core file or process where the rank is not known. */
export function nameOf(rank: RankRow): string {
  const name = nameInSet(rank);
  return name === undefined ? processOf(rank) : nameOfRank(name);
}

/** "ranks 0-3,0.1:0", "rank 2"; for processes without a rank number "pid 4711". */
export function wordsOfRanks(set: string): string {
  if (!isRankText(set)) return set;
  return isOneRank(set) ? nameOfRank(set) : l10n.t('ranks {0}', set);
}

/** "pid 4711" or the core file. */
export function processOf({ pid, core }: RankRow): string {
  return core ?? nameOfProcess(pid);
}

/** "rank 3" */
export function nameOfRank(rank: number | string): string {
  return l10n.t('rank {0}', rank);
}

/** "pid 4711" */
export function nameOfProcess(pid: number | undefined): string {
  return l10n.t('pid {0}', pid ?? '?');
}

/** "rank 3", or "pid 4711" where the rank is not known. */
export function nameOfId(id: RankId): string {
  const name = nameInSet(id);
  return name === undefined ? nameOfProcess(id.pid) : nameOfRank(name);
}

export function tooltipOf(rank: RankRow): string {
  const why = rank.reason === undefined ? '' : `: ${rank.reason}`;
  return `${visible(`${doingOf(rank)}${why}`)}\n${visible(`${rank.host}, ${processOf(rank)}`)}`;
}
