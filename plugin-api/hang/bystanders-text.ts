/** In a deadlock: the threads beside it, which might still end it. */
import { groupedBy } from '../grouped-by';
import { isUnavailable } from '../result';
import type { Bystander } from './bystanders';
import type { ProcessState } from './job-state';
import type { WaitForGraph } from './wait-for-graph';
import { HangWords, sentence } from './words';

/** The text about threads outside MPI in the ranks that are stuck. */
export function bystandersText(graph: WaitForGraph, bystanders: readonly Bystander[]): string[] {
  const { stuck, waits } = graph;
  const words = new HangWords(waits.processes);
  const beside = bystanders.filter(({ process }) => stuck.has(process));
  const of = (...whys: Bystander['why'][]): Bystander[] => beside.filter(({ why }) => whys.includes(why));
  return [
    ...sleepersText(of('sleeps'), words),
    ...sleepersText(of('never'), words, 'calls no function of MPI that sends'),
    ...levelsText(of('level'), graph, words),
    ...unknownLevels(beside, graph, words),
  ];
}

/** "Only a thread that sleeps in monitor.c:40 could still send (ranks 0-1)." */
function sleepersText(sleepers: readonly Bystander[], words: HangWords, code?: string): string[] {
  if (sleepers.length === 0) return [];
  const places = [
    ...new Set(sleepers.map(({ position: { where, outside } }) => where ?? outside?.sleep?.call ?? 'it')),
  ];
  const who = words.ranks(sleepers.map(({ process }) => process));
  const [what, whose] = places.length === 1 ? ['a thread that sleeps', 'its'] : ['threads that sleep', 'their'];
  const then = code === undefined ? '' : `, and ${whose} code ${code}`;
  return [sentence(`only ${what} in ${places.join(' and ')} could still send${then} (${who})`)];
}

function levelsText(outside: readonly Bystander[], { waits: { processes } }: WaitForGraph, words: HangWords): string[] {
  return [...groupedBy(outside, ({ process }) => levelOf(processes[process]!))].map(([level, of]) =>
    sentence(`other threads of ${words.ranks(of.map(({ process }) => process))} may not call MPI now (${level})`),
  );
}

function unknownLevels(
  beside: readonly Bystander[],
  { waits: { processes } }: WaitForGraph,
  words: HangWords,
): string[] {
  const unknown = [...new Set(beside.map(({ process }) => process))].flatMap((process) => {
    const { threadLevel } = processes[process]!;
    return isUnavailable(threadLevel) ? [{ process, reason: threadLevel.reason }] : [];
  });
  return [...groupedBy(unknown, ({ reason }) => reason)].map(([reason, of]) =>
    sentence(`the thread level of ${words.ranks(of.map(({ process }) => process))} is not known: ${reason}`),
  );
}

function levelOf({ threadLevel }: ProcessState): string {
  return isUnavailable(threadLevel) ? 'unknown' : threadLevel;
}
