/** Rules for collective operations whose members are in them, or in others. */
import { groupedBy } from '../grouped-by';
import { withOtherAmount } from './amounts';
import { pendingBlocks } from './block-disagreements';
import { onceFor } from '../once';
import { isUnavailable } from '../result';
import { givesBlocks, hasOwnCounts, isOfGroup, isRooted, operationOf, spreadsBlocks } from './calls';
import type { Communicator } from './communicators';
import { haveSameMembers } from './groups';
import { behindOthers, goesStraight, mayHavePassed, operationKey } from './passed-operations';
import { skippedOperation } from './skipped-operations';
import {
  disagreement,
  isCollective,
  minority,
  stuckOf,
  type Cause,
  type Stuck,
  type StuckJob,
  type StuckNeed,
} from './stuck-job';
import type { Waits } from './waits';
import { tagText } from './words';

export function otherCollectives(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = collectivesThatDiffer(stuck);
  if (found === undefined) return undefined;
  const needs = found.needs.map(stuckOf);
  if (mayHavePassed(needs, stuck.graph.waits)) return undefined;
  const skipped = skippedOperation(found.needs, stuck);
  if (skipped === undefined) return found;
  return skipped.culprits.every((process) => isAmong(process, found.needs)) ? skipped : undefined;
}

/** Others are in different operations only as some have left one, whose message lies at one that is in none. */
export function skippedByReceiver(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = collectivesThatDiffer(stuck);
  const skipped = found && skippedOperation(found.needs, stuck);
  return skipped?.culprits.some((process) => isAmong(process, found!.needs)) === false ? skipped : undefined;
}

function isAmong(process: number, needs: readonly StuckNeed[]): boolean {
  return needs.some(({ wait }) => wait.process === process);
}

/**
 * Members are in different operations, though all may have called them in one order: an operation that some have completed may
 * wait for others for ever where edges or counts disagree.
 */
export function passedCollectives(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = collectivesThatDiffer(stuck);
  if (found === undefined) return undefined;
  const behind = behindOthers(found.needs.map(stuckOf), stuck.graph.waits);
  const own = behind.map(({ process }) => process);
  const blocks = pendingBlocks(
    behind.filter(({ wait, need }) => goesStraight(wait, need) && need.on.some((other) => !own.includes(other))),
    stuck,
  );
  if (blocks !== undefined) return blocks;
  const awaited = behind.flatMap(({ need }) => stuck.missing(need)).filter((process) => !own.includes(process));
  const isMinority = minority(own, behind[0]!.need).length === own.length;
  return { culprits: isMinority ? [...own, ...awaited] : awaited, needs: behind, isPassed: true };
}

/**
 * Others than those who are awaited have been through the operation, in which each member gives something to each, or the awaited root to
 * all, as its counts say: so may these have been, where counts disagree.
 */
export function leftCollectives(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const needs = stuck.last.filter(({ need }) => need.kind === 'collective');
  const areLeft = needs.every(({ process, wait, need }) => {
    const { call, position } = wait;
    const { members } = need.comm ?? { members: [] };
    const root = typeof position.root === 'number' ? members[position.root] : undefined;
    const isOfRoot = spreadsBlocks(call) && root !== undefined && need.on.includes(root);
    if (need.isPartial !== true || !(hasOwnCounts(call) || isOfRoot)) return false;
    const others = members.filter((member) => member !== undefined && member !== process);
    const gone = others.filter((member) => !stuck.isInSame(member!, wait, need));
    const isAwaited = (member: number | undefined): boolean => need.on.includes(member!);
    return gone.some(isAwaited) && !gone.every(isAwaited);
  });
  return areLeft ? pendingBlocks(needs, stuck) : undefined;
}

function collectivesThatDiffer({ needs, end, last, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  const all = needs.flatMap(({ need }) => need.comm ?? []);
  const keyOf = ({ need }: StuckNeed): string | undefined => need.comm && originalOf(need.comm, all).key;
  const keys = new Set(last.map(keyOf));
  const concerned = membersOfGroup(needs, graph.waits);
  const found = disagreement(
    needs.filter((each) => isCollective(each.need) && keys.has(keyOf(each)) && concerned(each)),
    (each) => keyOf(each)!,
    operationKey,
  );
  const isAtEnd = found?.needs.some(({ wait }) => end.has(wait.process)) === true;
  return found !== undefined && isAtEnd && waitForEachOther(found.needs) ? found : undefined;
}

/** Whether a process is a member, in an operation that is for some members alone. */
function membersOfGroup(needs: readonly Stuck[], { processes }: Waits): (each: Stuck) => boolean {
  const group = needs.find(({ wait }) => isOfGroup(wait.call))?.wait.position.members;
  if (group === undefined || isUnavailable(group)) return () => true;
  return ({ process }) => group.includes(processes[process]!.id.rank ?? -1);
}

/** MPI_Comm_create_group tells those that are made at the same time by their tags. */
export function otherGroupTag({ needs }: StuckJob): Omit<Cause, 'type'> | undefined {
  return disagreement(
    needs.filter(
      ({ wait, need }) => isCollective(need) && isOfGroup(wait.call) && typeof wait.position.tag === 'number',
    ),
    ({ need, wait }) => `${need.comm!.key} ${JSON.stringify(wait.position.members)}`,
    ({ wait }) => tagText(wait.position),
  );
}

/**
 * The communicator of a window or a file where the library does not tell: one with the same members, which is what the user has
 * made it from, or might have.
 */
function originalOf(comm: Communicator, others: readonly Communicator[]): Communicator {
  if (comm.ref.serves === undefined) return comm;
  return others.find(({ ref, members }) => ref.serves === undefined && haveSameMembers(members, comm.members)) ?? comm;
}

/** True if somebody in each operation waits for one in another: else those may have been through it. */
function waitForEachOther(needs: readonly StuckNeed[]): boolean {
  const groups = groupedBy(needs, ({ wait }) => operationOf(wait.call));
  return [...groups.values()].every((group) => {
    const own = new Set(group.map(({ wait }) => wait.process));
    const others = needs.filter(({ wait }) => !own.has(wait.process)).map(({ wait }) => wait.process);
    return group.some(({ need }) => need.on.some((process) => others.includes(process)));
  });
}

/** What a library calls on a communicator of its own, the program itself calls on another one without a mistake. */
export function collectiveOnOtherComm({ last, needs }: StuckJob): Omit<Cause, 'type'> | undefined {
  const isOne = ({ need }: Stuck): boolean => isCollective(need) && need.isNonblocking !== true;
  const keyOf = ({ need, wait }: Stuck): string => `${operationOf(wait.call)} ${need.comm!.key}`;
  const collective = last.filter(isOne);
  const onOneComm = groupedBy(collective, keyOf);
  const onOtherComms = onceFor((key: string) => {
    const [{ wait, need }] = onOneComm.get(key) as [Stuck];
    return collective.filter(
      (other) => operationOf(other.wait.call) === operationOf(wait.call) && other.need.comm!.key !== need.comm!.key,
    );
  });
  const crossed = collective.filter((each) =>
    // Both are members of both communicators.
    onOtherComms(keyOf(each)).some(
      (other) =>
        other.wait.position.library?.function === each.wait.position.library?.function &&
        each.need.on.includes(other.process) &&
        other.need.on.includes(each.process),
    ),
  );
  // Those beside them in the same operation wait for some of its members alone, as the library has it.
  const keys = new Set(crossed.map(keyOf));
  return disagreement(
    needs.filter((each) => isOne(each) && keys.has(keyOf(each))),
    ({ wait }) => operationOf(wait.call),
    ({ need }) => need.comm!.key,
  );
}

/** All are in one operation, and wait for each other, though no two roots are known to be the same. */
export function sameOperation({ last, end }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = last.filter(({ process, need, wait }) => end.has(process) && isCollective(need) && isRooted(wait.call));
  const isKnown = ({ wait }: Stuck): boolean => /^(number|string)$/.test(typeof wait.position.root);
  if (found.filter(isKnown).length > 1) return undefined;
  const operations = new Set(found.map(({ wait, need }) => `${operationOf(wait.call)} ${need.comm!.key}`));
  if (found.length === 0 || found.length < last.length || operations.size > 1) return undefined;
  return { culprits: found.map(({ process }) => process), needs: found };
}

/** All are in one operation, and wait for each other. */
export function mismatchedArguments(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const { last } = stuck;
  const areInOne = ({ wait, need }: Stuck): boolean =>
    need.isComplete === true ||
    (givesBlocks(wait.call) && need.isPartial === true && need.on.every((other) => stuck.isInSame(other, wait, need)));
  const isFound = last.length > 0 && last.every(areInOne);
  if (!isFound) return undefined;
  const [first] = last;
  // Those of it who do not wait at the end of the chain have passed something, too.
  const all = stuck.needs.filter(
    ({ wait, need }) =>
      isCollective(need) &&
      operationOf(wait.call) === operationOf(first!.wait.call) &&
      need.comm?.key === first!.need.comm?.key,
  );
  const others = withOtherAmount(all);
  return others === undefined
    ? { culprits: last.map(({ process }) => process), needs: last }
    : { culprits: others, needs: all };
}
