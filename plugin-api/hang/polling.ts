/** Ranks that ask in a loop, and the messages that lie at them meanwhile. */
import { counted } from '../counted';
import { groupedBy } from '../grouped-by';
import { isUnavailable } from '../result';
import type { ProcessState } from './job-state';
import { tagsText } from './merged-waits';
import type { PendingMessage } from './message';
import { sameProcessIn } from './movement';
import type { RankPosition } from './position';
import type { WaitForGraph } from './wait-for-graph';
import { sentence, type HangWords } from './words';

type Look = readonly ProcessState[];

/**
 * Between two questions a rank is in its own code, and moves: that is no progress. In both looks it polls then, wherever it was.
 * `ignoresOwnCode`: neither is anything else that it does in its own code.
 */
export function withSteadyPolls(looks: readonly Look[], ignoresOwnCode: boolean): readonly Look[] {
  const [first, last] = [looks[0], looks.at(-1)];
  if (first === undefined || last === undefined || looks.length < 2) return looks;
  return [steady(first, last, last, ignoresOwnCode), steady(last, first, last, ignoresOwnCode)];
}

function steady(look: Look, other: Look, last: Look, ignoresOwnCode: boolean): ProcessState[] {
  const inOther = sameProcessIn(other);
  return look.map((state) => {
    const there = inOther(state);
    const positions = state.positions.map((position) => {
      const match = there?.positions.find(({ thread }) => thread === position.thread);
      if (match === undefined || !isOwn(position) || !isOwn(match)) return position;
      const latest = look === last ? [position, match] : [match, position];
      return latest.find(({ state: each }) => each === 'polling') ?? (ignoresOwnCode ? latest[0]! : position);
    });
    return { ...state, positions };
  });
}

function isOwn({ state }: RankPosition): boolean {
  return state === 'polling' || state === 'running';
}

const maxTold = 3;

/**
 * "Rank 0 has a receive from rank 1 with tag 9 on MPI_COMM_WORLD pending.": ranks that poll with calls of MPI, and what may be what they
 * poll for.
 */
export function pendingText({ waits }: WaitForGraph, words: HangWords): string[] {
  const { processes, messages } = waits;
  const told = processes.flatMap(({ positions }, process) => {
    if (!positions.some(({ state, polls }) => state === 'polling' && polls === undefined)) return [];
    const own = messages
      .at(process)
      .filter(({ queue, isInternal, collective }) => queue !== 'unexpected' && !isInternal && collective === undefined);
    if (own.length === 0) return [];
    const first = own.slice(0, maxTold).map((message) => words.pending(message));
    const others = own.length - first.length;
    const list = others > 0 ? `${first.join(', ')} and ${counted(others, 'other message')}` : first.join(' and ');
    return [sentence(`${words.ranks([process])} has ${list} pending`)];
  });
  return told.slice(0, maxTold);
}

/** "Rank 2's message with tag 9 on MPI_COMM_WORLD lies at rank 3, which asks for tag 8." */
export function untakenText({ waits }: WaitForGraph, words: HangWords): string[] {
  const { processes, messages } = waits;
  const found = messages.all.flatMap((message) => {
    const { queue, isInternal, at, from, comm, tag } = message;
    if (queue !== 'unexpected' || isInternal || from === undefined || typeof tag !== 'number') return [];
    const polls = processes[at]!.positions.filter(({ state }) => state === 'polling');
    if (polls.length === 0 || polls.some((position) => mayTake(position, message))) return [];
    const asked = polls.flatMap(({ tag: its }) => (typeof its === 'number' ? [its] : []));
    return [{ from, at, tag, comm, asked }];
  });
  const groups = groupedBy(found, ({ from, at, comm }) => `${from} ${at} ${comm?.key}`);
  const told = [...groups.values()].map((of) => {
    const [{ from, at, comm, asked }] = of as [(typeof of)[number]];
    const tags = new Set(of.map(({ tag }) => tag));
    const [what, lie, it] = tags.size === 1 ? ['message', 'lies', 'it'] : ['messages', 'lie', 'them'];
    const asks = asked.length === 0 ? `, and nobody has taken ${it}` : `, which asks for tag ${asked.join(' and ')}`;
    const which = `${what}${tagsText([...tags])}${words.onComm(comm)}`;
    return sentence(`${words.ranks([from])}'s ${which} ${lie} at ${words.ranks([at])}${asks}`);
  });
  return told.slice(0, maxTold);
}

function mayTake({ tag }: RankPosition, message: PendingMessage): boolean {
  if (tag === undefined) return false;
  return isUnavailable(tag) || tag === 'MPI_ANY_TAG' || tag === message.tag;
}
