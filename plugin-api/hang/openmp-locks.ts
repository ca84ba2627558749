/** Locks of OpenMP that threads of ranks that are stuck wait for, in words. */
import { groupedBy } from '../grouped-by';
import type { CodeRef } from '../mpi/code-ref';
import type { ProcessState } from './job-state';
import type { OpenMpWait } from './openmp-waits';
import type { StuckNeed } from './stuck-job';
import type { WaitForGraph } from './wait-for-graph';
import { calledFrom, HangWords, sentence } from './words';

/** Barriers are no mistake: all threads of a team wait there for one that is in MPI. */
export function locksOf({ stuck, waitsOf }: WaitForGraph): StuckNeed[] {
  return [...stuck].flatMap((process) =>
    waitsOf[process]!.flatMap((wait) =>
      wait.needs
        .filter(({ openmp }) => openmp !== undefined && openmp.kind !== 'barrier')
        .map((need) => ({ wait, need })),
    ),
  );
}

/** "Rank 2: thread 3 waits at x.c:122 for the lock that thread 1 took at x.c:97, and thread 1 waits in MPI_Recv (x.c:99)." */
export function locksText(graph: WaitForGraph): string[] {
  const { processes } = graph.waits;
  const words = new HangWords(processes);
  return [...groupedBy(locksOf(graph), (lock) => lockText(lock, processes))].map(([text, of]) =>
    sentence(`${words.ranks(of.map(({ wait }) => wait.process))}: ${text}`),
  );
}

export function lockText({ wait, need }: StuckNeed, processes: readonly ProcessState[]): string {
  const { positions } = processes[wait.process]!;
  const { kind, on, taken, thread } = need.openmp!;
  const { where, thread: waiting } = wait.position;
  const [holding] = on;
  const holder = positions.find(({ tid }) => tid === holding);
  const who = holding === thread ? 'itself' : holder === undefined ? 'another thread' : `thread ${holder.thread}`;
  const verb = holding === thread ? `it ${heldBy(kind)} itself` : `${who} ${heldBy(kind)}`;
  const at = where === undefined ? '' : ` at ${where}`;
  const call = holder?.call;
  const held = call === undefined ? '' : `, and ${who} waits in ${calledFrom(holder!, call)}`;
  return `thread ${waiting} waits${at} for the ${nameOf(kind)} that ${verb}${placeText(taken)}${held}`;
}

function nameOf(kind: OpenMpWait['kind']): string {
  if (kind === 'nest_lock') return 'nested lock';
  return kind === 'critical' || kind === 'ordered' || kind === 'atomic' ? `${kind} region` : kind;
}

function heldBy(kind: OpenMpWait['kind']): string {
  return kind === 'lock' || kind === 'nest_lock' ? 'took' : 'entered';
}

function placeText(code: CodeRef | undefined): string {
  if (code?.file === undefined || code.line === undefined) return '';
  return ` at ${code.file.replace(/^.*\//s, '')}:${code.line}`;
}
