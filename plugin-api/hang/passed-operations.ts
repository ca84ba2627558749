/**
 * Whether members of a communicator that are in different operations have called them in another order, or some of them have been
 * through an operation that others still wait in: what shows it are the numbers of their calls, as a collector has counted them, and
 * messages.
 */
import { groupedBy } from '../grouped-by';
import { givesBlocks, isGathering, operationOf } from './calls';
import { asSent } from './collective-waits';
import type { Need, Wait } from './need';
import { stuckOf, type Stuck, type StuckNeed } from './stuck-job';
import type { Waits } from './waits';

/** Each of its messages goes straight from the one who gives to the one who takes, or may do so. */
export function goesStraight(wait: Wait, need: Need): boolean {
  return need.isNonblocking === true || givesBlocks(wait.call) || hasGathered(wait, need);
}

/** A root that has got what libraries ask for first, in whichever order: the parts of those that follow it, or come before it. */
function hasGathered({ call, process, position: { root } }: Wait, { comm, isPartial, pending }: Need): boolean {
  if (!isGathering(call) || comm === undefined || comm.isIntercomm || isPartial !== true) return false;
  const { members } = comm;
  const own = members.indexOf(process);
  if (root !== own) return false;
  const first = [1, members.length - 1].map((step) => members[(own + step) % members.length]);
  const { from = [], to = [] } = pending ?? {};
  return from.length > 0 && to.length === 0 && from.every((other) => !first.includes(other));
}

/** Operations that are one: those of nonblocking requests do not tell. */
export function operationKey({ wait, need }: StuckNeed): string {
  return need.isNonblocking === true ? 'nonblocking' : operationOf(wait.call);
}

/** `needs`: of the members of one communicator, in different operations. */
export function mayHavePassed(needs: readonly Stuck[], waits: Waits): boolean {
  const counted = instancesOf(needs, waits);
  if (counted !== undefined) return new Set(counted.values()).size > 1 && !haveStrayed(needs, counted, waits);
  return [...groupedBy(needs, operationKey).values()].some((group) => {
    // Where the root has got some parts, those who have given them have been through it, whatever the others do.
    // In a tree, the root's last part may be that of one that waits in it, too.
    const isInGroup = (other: number): boolean => group.some(({ process }) => process === other);
    const isGathered = group.some(({ wait, need }) => hasGathered(wait, need) && !need.on.some(isInGroup));
    const isClear = ({ wait, need }: Stuck): boolean => isGathered || goesStraight(wait, need);
    if (!group.every((each) => isClear(each) && each.need.pending !== undefined)) return false;
    const inOthers = needs.filter((each) => !group.includes(each)).map(({ process }) => process);
    const untaken = inOthers.filter((other) => group.some((each) => hasUntaken(other, each, waits)));
    const awaited = new Set(group.flatMap(({ need }) => need.on));
    // In a tree not everybody exchanges messages with everybody.
    const isTree =
      group.some(({ need }) => need.isNonblocking === true) && untaken.some((other) => !awaited.has(other));
    return !isTree && inOthers.some((other) => !awaited.has(other) && !untaken.includes(other));
  });
}

/** Those among them that the others have overtaken, as far as that is known. */
export function behindOthers(needs: readonly Stuck[], waits: Waits): Stuck[] {
  const counted = instancesOf(needs, waits);
  if (counted === undefined) return needs.filter(({ wait, need }) => goesStraight(wait, need));
  const least = Math.min(...counted.values());
  return needs.filter(({ process }) => counted.get(process) === least);
}

/** The ordinal of the communicator's operation that each is in; undefined: not known of all. */
function instancesOf(needs: readonly Stuck[], waits: Waits): ReadonlyMap<number, number> | undefined {
  const found = new Map<number, number>();
  for (const { process, wait } of needs) {
    const told = waits.processes[process]!.collectives?.find(({ thread }) => thread === wait.position.tid);
    if (told === undefined) return undefined;
    found.set(process, told.instance);
  }
  return found;
}

/** Those behind have got messages of an operation that they have not called: what the others have been through is another one. */
function haveStrayed(needs: readonly Stuck[], counted: ReadonlyMap<number, number>, { messages }: Waits): boolean {
  const least = Math.min(...counted.values());
  const isOwn = (process: number, collective: string): boolean =>
    needs.some((each) => each.process === process && asSent(each.wait.call) === collective);
  return needs.some(
    ({ process, need }) =>
      counted.get(process) === least &&
      messages.all.some(
        ({ at, queue, comm, collective, from }) =>
          at === process &&
          queue === 'unexpected' &&
          comm.key === need.comm!.key &&
          collective !== undefined &&
          from !== undefined &&
          !isOwn(process, collective) &&
          !isOwn(from, collective),
      ),
  );
}

/** Whether a message of the operation that one waits in lies at `process`: it has not come to it, or does not take anything. */
function hasUntaken(process: number, { process: from, wait: { call }, need }: Stuck, { messages }: Waits): boolean {
  return messages.all.some(
    (each) =>
      each.at === process &&
      each.queue === 'unexpected' &&
      each.isInternal &&
      each.from === from &&
      each.comm.key === need.comm!.key &&
      (need.isNonblocking === true ? each.collective === undefined : each.collective === asSent(call)),
  );
}

/**
 * Whether a process that is elsewhere may have been in the operation in which others wait for it, though it has not given them their
 * blocks: none of their own lies at it. undefined: it has not been in it, or messages do not go straight there.
 */
export function mayHaveLeft(
  absent: number,
  needs: readonly StuckNeed[],
  waits: Waits,
): [StuckNeed, { takers: number[]; givers: number[] }] | undefined {
  const awaiting = needs.filter(({ need }) => need.kind === 'collective' && need.on.includes(absent));
  const [first] = awaiting;
  const isClear = awaiting.every(
    ({ wait, need }) =>
      goesStraight(wait, need) && need.pending !== undefined && !hasUntaken(absent, stuckOf({ wait, need }), waits),
  );
  if (first === undefined || !isClear) return undefined;
  const those = (side: 'from' | 'to'): number[] =>
    awaiting.flatMap(({ wait, need }) => (need.pending![side].includes(absent) ? [wait.process] : []));
  const [takers, givers] = [those('from'), those('to')];
  return takers.length + givers.length === 0 ? undefined : [first, { takers, givers }];
}
