/** Of the processes that are stuck, what the mistake is, and whose. */
import { groupedBy } from '../grouped-by';
import { isUnavailable } from '../result';
import { isRooted, operationOf } from './calls';
import type { Communicator } from './communicators';
import type { HangType } from './hang-records';
import { otherRoots, strayedFromOtherRoot, strayedOnOtherComm, strayedToOtherRoot } from './left-members';
import { nearMissesOf, neverStarted, wasForgotten, type NearMiss } from './near-misses';
import { locksOf } from './openmp-locks';
import { disagreement, isCollective, StuckJob, type Cause, type Rule, type Stuck, type StuckNeed } from './stuck-job';
import type { WaitForGraph } from './wait-for-graph';
import type { Need } from './need';

/** In the order of their precedence. */
const rules: readonly (readonly [HangType, Rule])[] = [
  ['root-mismatch', otherRoots],
  ['root-mismatch', strayedToOtherRoot],
  ['root-mismatch', strayedFromOtherRoot],
  ['comm-mismatch', messageOnOtherComm],
  ['comm-mismatch', collectiveOnOtherComm],
  ['comm-mismatch', strayedOnOtherComm],
  ['collective-order-mismatch', otherCollectives],
  // A message that was sent with another tag is why its receiver did not come to a collective operation.
  ['tag-mismatch', otherTag],
  ['rma', windows],
  ['missing-wait', forgottenRequests],
  ['collective-missing-rank', missingMembers],
  ['root-mismatch', sameOperation],
  ['other', mismatchedArguments],
  ['other', persistentNotStarted],
  ['other', unreadyPartitions],
  ['threads', ownThreads],
  ['threads', heldLocks],
  ['p2p-cycle', ring],
  ['p2p-missing-partner', missingPartner],
];

/** Of a graph with processes that are stuck. */
export function causeOf(graph: WaitForGraph): Cause {
  const stuck = new StuckJob(graph);
  for (const [type, rule] of rules) {
    const found = rule(stuck);
    if (found !== undefined) return { type, ...found, culprits: ascending(found.culprits) };
  }
  return { type: 'other', culprits: ascending(stuck.end), needs: stuck.last };
}

function otherCollectives({ needs, end, last }: StuckJob): Omit<Cause, 'type'> | undefined {
  const all = needs.flatMap(({ need }) => need.comm ?? []);
  const keyOf = ({ need }: StuckNeed): string | undefined => need.comm && originalOf(need.comm, all).key;
  const keys = new Set(last.map(keyOf));
  const found = disagreement(
    needs.filter((each) => isCollective(each.need) && keys.has(keyOf(each))),
    (each) => keyOf(each)!,
    ({ wait, need }) => (need.isNonblocking === true ? 'nonblocking' : operationOf(wait.call)),
  );
  const isAtEnd = found?.needs.some(({ wait }) => end.has(wait.process)) === true;
  return found !== undefined && isAtEnd && waitForEachOther(found.needs) ? found : undefined;
}

/**
 * Of a window or a file whose communicator the library does not tell: one with the same members, which is what the user has made
 * it from, or might have.
 */
function originalOf(comm: Communicator, others: readonly Communicator[]): Communicator {
  if (comm.ref.serves === undefined) return comm;
  const members = comm.members.join();
  return others.find(({ ref, members: its }) => ref.serves === undefined && its.join() === members) ?? comm;
}

/** Of each operation somebody waits for one in another: else those may have been through it. */
function waitForEachOther(needs: readonly StuckNeed[]): boolean {
  const groups = groupedBy(needs, ({ wait }) => operationOf(wait.call));
  return [...groups.values()].every((group) => {
    const own = new Set(group.map(({ wait }) => wait.process));
    const others = needs.filter(({ wait }) => !own.has(wait.process)).map(({ wait }) => wait.process);
    return group.some(({ need }) => need.on.some((process) => others.includes(process)));
  });
}

function collectiveOnOtherComm({ last }: StuckJob): Omit<Cause, 'type'> | undefined {
  const collective = last.filter(({ need }) => isCollective(need) && need.isNonblocking !== true);
  return disagreement(
    collective.filter(({ need, process, wait }) =>
      // Both are members of both communicators.
      collective.some(
        (other) =>
          operationOf(other.wait.call) === operationOf(wait.call) &&
          other.need.comm!.key !== need.comm!.key &&
          need.on.includes(other.process) &&
          other.need.on.includes(process),
      ),
    ),
    ({ wait }) => operationOf(wait.call),
    ({ need }) => need.comm!.key,
  );
}

function messageOnOtherComm(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  return nearMisses(stuck, 'comm');
}

function otherTag(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  return nearMisses(stuck, 'tag');
}

/** A sender may confuse the messages to several: each of them that waits has come by the same mistake. */
function nearMisses({ last, needs, graph }: StuckJob, differs: NearMiss['differs']): Omit<Cause, 'type'> | undefined {
  const found = last.flatMap((each) => {
    const nearMiss = nearMissesOf(each.need, graph.waits, needs).find((miss) => miss.differs === differs);
    return nearMiss === undefined ? [] : [{ each, nearMiss }];
  });
  if (found.length === 0) return undefined;
  const culprits = found.flatMap(({ each, nearMiss: { found: message } }) =>
    [each.process, message.from, message.to].filter((process) => process !== undefined),
  );
  return { culprits, needs: found.map(({ each }) => each), nearMisses: found.map(({ nearMiss }) => nearMiss) };
}

function missingMembers(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const all = stuck.last.filter(({ need }) => need.kind === 'collective');
  const absent = (of: readonly Stuck[]): number[] =>
    of.flatMap(({ wait, need }) => stuck.missing(need).filter((process) => !stuck.isInSame(process, wait, need)));
  // Where the communicator is not known, anybody may be missing: the others tell who is.
  const known = all.filter(({ need }) => isCollective(need));
  const collective = absent(known).length > 0 ? known : all;
  const culprits = absent(collective);
  if (culprits.length === 0) return undefined;
  const own = stuck.last.filter(({ process, need }) => culprits.includes(process) && !isCollective(need));
  return { culprits, needs: [...own, ...collective] };
}

/** All are in one operation, and wait for each other, though no two roots are known to be the same. */
function sameOperation({ last, end }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = last.filter(({ process, need, wait }) => end.has(process) && isCollective(need) && isRooted(wait.call));
  if (found.filter(({ wait }) => typeof wait.position.root === 'number').length > 1) return undefined;
  const operations = new Set(found.map(({ wait, need }) => `${operationOf(wait.call)} ${need.comm!.key}`));
  if (found.length === 0 || found.length < last.length || operations.size > 1) return undefined;
  return { culprits: found.map(({ process }) => process), needs: found };
}

/** All are in one operation, and wait for each other. */
function mismatchedArguments({ last }: StuckJob): Omit<Cause, 'type'> | undefined {
  const isFound = last.length > 0 && last.every(({ need }) => need.isComplete === true);
  return isFound ? { culprits: last.map(({ process }) => process), needs: last } : undefined;
}

function windows(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const onWindows = stuck.last.filter(
    ({ need, wait }) => need.kind === 'window' || operationOf(wait.call) === 'MPI_Win_fence',
  );
  if (onWindows.length === 0) return undefined;
  const waiting = new Set(onWindows.map(({ process }) => process));
  const missing = onWindows.flatMap(({ need }) => stuck.missing(need));
  const holders = missing.filter((process) => holdsWindow(stuck, process));
  const accessing = onWindows
    .filter(({ wait }) => operationOf(wait.call) === 'MPI_Win_wait')
    .flatMap(({ need }) => stuck.missing(need).filter((process) => hasEpoch(stuck, process, /^start/)));
  const others = missing.filter((process) => !waiting.has(process));
  const culprits = [holders, accessing, others].find((found) => found.length > 0) ?? missing;
  return { culprits, needs: onWindows };
}

/** As far as the library tells: it has locked a window. */
function holdsWindow(stuck: StuckJob, process: number): boolean {
  return hasEpoch(stuck, process, /^lock/);
}

/** Who has begun an access epoch has not completed it. */
function hasEpoch({ graph }: StuckJob, process: number, access: RegExp): boolean {
  return graph.waits.processes[process]!.wins.some(
    ({ epoch }) => epoch !== undefined && !isUnavailable(epoch) && access.test(epoch.access),
  );
}

/** In MPI_Finalize, with what would release the others still pending: the library does not complete it there. */
function forgottenRequests(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = stuck.last.flatMap((each) => {
    const owners = stuck.missing(each.need).filter((process) => stuck.hasLeft(process));
    return [{ each, owners: owners.filter((owner) => wasForgotten(owner, each.need, stuck.graph.waits)) }];
  });
  const needs = found.filter(({ owners }) => owners.length > 0);
  return needs.length === 0
    ? undefined
    : { culprits: needs.flatMap(({ owners }) => owners), needs: needs.map(({ each }) => each) };
}

function persistentNotStarted({ last, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  for (const each of last) {
    const owner = neverStarted(each.need, graph.waits);
    if (owner !== undefined) return { culprits: [owner], needs: [each], isNeverStarted: true };
  }
  return undefined;
}

/** The receiver waits for the message: what its sender waits for are partitions that it has not marked ready itself. */
function unreadyPartitions({ last }: StuckJob): Omit<Cause, 'type'> | undefined {
  const isAwaited = ({ process, need: { on, comm } }: Stuck): boolean =>
    last.some(
      (other) =>
        isPartitioned(other, 'receive') &&
        on.includes(other.process) &&
        other.need.on.includes(process) &&
        other.need.comm?.key === comm?.key,
    );
  const found = last.filter((each) => isPartitioned(each, 'send') && isAwaited(each));
  return found.length === 0 ? undefined : { culprits: found.map(({ process }) => process), needs: found };
}

function isPartitioned({ need }: Stuck, kind: Need['kind']): boolean {
  return need.isPartitioned === true && need.kind === kind;
}

function ownThreads({ last, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = last.filter(
    ({ process, need }) => graph.waitsOf[process]!.length > 1 && need.on.every((other) => other === process),
  );
  return found.length === 0 ? undefined : { culprits: found.map(({ process }) => process), needs: found };
}

/** A thread waits for a lock of OpenMP that another one of its process holds, and will not release. */
function heldLocks({ graph, last, end }: StuckJob): Omit<Cause, 'type'> | undefined {
  const culprits = locksOf(graph).flatMap(({ wait: { process } }) => (end.has(process) ? [process] : []));
  if (culprits.length === 0) return undefined;
  return { culprits, needs: last.filter(({ process }) => culprits.includes(process)) };
}

function ring({ last, end }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = last.filter(({ process, need }) => end.has(process) && need.kind !== 'collective');
  return found.length === 0 ? undefined : { culprits: found.map(({ process }) => process), needs: found };
}

function missingPartner(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = stuck.last.filter(({ need }) => stuck.missing(need).length > 0);
  return found.length === 0 ? undefined : { culprits: found.flatMap(({ need }) => stuck.missing(need)), needs: found };
}

function ascending(processes: Iterable<number>): number[] {
  return [...new Set(processes)].sort((a, b) => a - b);
}
