/** For whom an OpenMP thread waits, in a sentence. */
import { listed } from '../../listed';
import type { OmptThread, OmptWait } from '../../overlays/ompt-records';
import type { ToldCall } from '../../overlays/records';
import { callWords, placeText } from './calls-text';

/** The threads of a rank, with the MPI call that each one is in. */
export interface TeamOfRank {
  threads: readonly OmptThread[];
  callOf: (thread: OmptThread) => ToldCall | undefined;
}

/** `thread 2`: its number in its team, where it has one that says who is meant; else the kernel's. */
export function nameOfThread({ thread, parallel }: OmptThread): string {
  return parallel?.index === undefined ? `thread ${thread}` : `thread ${parallel.index}`;
}

/** `waits in the barrier of the region at x.c:40 for thread 0, which is in MPI_Recv` */
export function waitSentence(thread: OmptThread, wait: OmptWait, rank: TeamOfRank): string {
  const { kind, waitId, code } = wait;
  const at = code === undefined ? '' : ` at ${placeText(code)}`;
  switch (kind) {
    case 'barrier':
    case 'reduction':
      return `waits in the ${kind}${at}${regionWords(thread)}${forThreads(missingAtBarrier(thread, rank.threads), rank)}`;
    case 'taskwait':
    case 'taskgroup':
      return `waits in the ${kind}${at}${regionWords(thread)} for tasks`;
    case 'target':
      return `waits for the target region${at}`;
    default:
      return `waits${at} for the ${mutexName(kind)} ${waitId ?? ''}${holderWords(thread, waitId, rank)}`;
  }
}

export function mutexName(kind: string): string {
  return kind === 'nest_lock' ? 'nested lock' : kind === 'critical' || kind === 'ordered' ? `${kind} region` : kind;
}

function regionWords({ parallel }: OmptThread): string {
  return parallel?.code === undefined ? '' : ` of the region at ${placeText(parallel.code)}`;
}

/** Those of its team that are not at a barrier too. */
export function missingAtBarrier({ thread, parallel }: OmptThread, threads: readonly OmptThread[]): OmptThread[] {
  if (parallel === undefined) return [];
  return threads.filter(
    (other) =>
      other.thread !== thread &&
      other.parallel?.id === parallel.id &&
      other.waitsFor?.kind !== 'barrier' &&
      other.waitsFor?.kind !== 'reduction',
  );
}

function forThreads(missing: readonly OmptThread[], rank: TeamOfRank): string {
  const names = missing.map((thread) => nameOfThread(thread).replace('thread ', ''));
  if (names.length === 0) return '';
  if (names.length > 1) return ` for threads ${listed(names, 'and')}`;
  const call = rank.callOf(missing[0]!);
  return ` for thread ${names[0]}${call === undefined ? '' : `, which is in ${callWords(call)}`}`;
}

function holderWords({ thread }: OmptThread, waitId: string | undefined, { threads }: TeamOfRank): string {
  for (const other of threads) {
    const held = other.holds.find((hold) => hold.waitId === waitId);
    if (held === undefined) continue;
    const who = other.thread === thread ? 'it' : nameOfThread(other);
    return ` that ${who} ${other.thread === thread ? 'holds itself, taken' : 'took'}${held.code === undefined ? '' : ` at ${placeText(held.code)}`}`;
  }
  return '';
}
