/** What a job came to that `mpidbg run` started: what SARIF and JUnit tell to other programs. */
import { isCulpritOf } from '../../../plugin-api/hang/culprits';
import { namedRanks } from '../../../plugin-api/mpi/rank-names';
import type { HangDocument, WaitingPosition } from '../../../plugin-api/hang/hang-records';
import type { Crash, RankId } from '../../../plugin-api/mpi/records';
import { groupedBy } from '../../../plugin-api/grouped-by';
import { mergeEqual } from '../../../plugin-api/answers/merge';

export interface RunResult {
  command: readonly string[];
  cwd: string;
  host: string;
  /** The version of mpidbg. */
  version: string;
  started: Date;
  seconds: number;
  /** That mpidbg ends with. */
  status: number;
  /** The worst first; empty: the job ended well. */
  problems: readonly RunProblem[];
  /** What is worth knowing, and may be as the program wants it. */
  findings: readonly RunProblem[];
  /** What mpidbg was to do for the job and could not: one sentence each. */
  notes: readonly string[];
}

export interface RunProblem {
  /** "hang/tag-mismatch", "crash/SIGSEGV", "mpi-error/MPI_ERR_TRUNCATE", "death/exit", "status", "unwatched", "carried/nan" */
  rule: string;
  /** One sentence or a few. */
  text: string;
  /** Where to look first. */
  places: readonly Place[];
  /** Where the other ranks are. */
  others: readonly Place[];
}

/** Ranks that are at the same place. */
export interface Place {
  /** "ranks 0-2: MPI_Recv" */
  text: string;
  /** As the debug information has it. */
  file: string | undefined;
  line: number | undefined;
}

/** `seconds`: how long it has stood still. */
export function hangProblem(document: HangDocument, seconds: number): RunProblem {
  const { verdict, type, sentence } = document;
  const positions = document.ranks.filter((rank): rank is WaitingPosition => !('error' in rank));
  const isCulprit = isCulpritOf(document);
  return {
    rule: verdict === 'deadlock' ? `hang/${type}` : 'hang/unknown',
    text: verdict === 'deadlock' ? sentence : `The job has stood still in MPI for ${seconds} s. ${sentence}`,
    places: placesOf(positions.filter(isCulprit).map(placeOf)),
    others: placesOf(positions.filter((position) => !isCulprit(position)).map(placeOf)),
  };
}

function placeOf(position: WaitingPosition): PlaceOfRank {
  return {
    rank: position,
    text: position.call ?? (position.state === 'running' ? 'in its own code' : position.state),
    file: position.code?.file,
    line: position.code?.line,
  };
}

/** One for each way of dying at a place. */
export function crashProblems(crashed: readonly { rank: RankId; crash: Crash }[]): RunProblem[] {
  const places = crashed.map(({ rank, crash: { text, signal, frame } }) => ({
    ...{ rank, text, signal },
    ...{ file: frame?.source, line: frame?.line },
  }));
  return [...groupedBy(places, ({ signal, text }) => `${signal} ${text}`).values()].map((group) => {
    const at = placesOf(group);
    return {
      rule: `crash/${group[0]!.signal}`,
      text: at.map(({ text }) => text).join('; '),
      places: at,
      others: [],
    };
  });
}

export function statusProblem(status: number): RunProblem {
  return { rule: 'status', text: `The launcher ended with status ${status}.`, places: [], others: [] };
}

/** `reason`: a sentence without its end. */
export function unwatchedProblem(reason: string): RunProblem {
  const text = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}; it was ended (--require-watch).`;
  return { rule: 'unwatched', text, places: [], others: [] };
}

export type PlaceOfRank = Place & { rank: RankId };

/** One for all ranks at the same place. */
export function placesOf(places: readonly PlaceOfRank[]): Place[] {
  const groups = groupedBy(places, ({ text, file, line }) => JSON.stringify([text, file, line]));
  return [...groups.values()].map((group) => {
    const { text, file, line } = group[0]!;
    const { ranks } = mergeEqual(group)[0]!;
    return { text: `${namedRanks(ranks)}: ${text}`, file, line };
  });
}
