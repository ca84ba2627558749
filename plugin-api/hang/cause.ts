/** What the mistake of the processes that are stuck is, and whose. */
import { groupedBy } from '../grouped-by';
import { onceFor } from '../once';
import { isUnavailable } from '../result';
import { isSurelyMatched } from './announced-sends';
import { disagreeingBlocks } from './block-disagreements';
import { operationOf } from './calls';
import {
  collectiveOnOtherComm,
  leftCollectives,
  mismatchedArguments,
  otherCollectives,
  otherGroupTag,
  passedCollectives,
  sameOperation,
  skippedByReceiver,
} from './collective-rules';
import { unionOf } from './cycles';
import type { HangType } from './hang-records';
import { namedWithoutRoot, severalRoots } from './intercomm-roots';
import { otherRoots, strayedFromOtherRoot, strayedOnOtherComm, strayedToOtherRoot } from './left-members';
import { sameTag } from './message';
import { nearMissesIn, neverStarted, pairedNearMisses, wasForgotten, type NearMiss } from './near-misses';
import { locksOf } from './openmp-locks';
import type { Need } from './need';
import { isCollective, StuckJob, type Cause, type Rule, type Stuck } from './stuck-job';
import type { WaitForGraph } from './wait-for-graph';

/** In the order of their precedence. */
const rules: readonly (readonly [HangType, Rule])[] = [
  ['root-mismatch', namedWithoutRoot],
  ['root-mismatch', severalRoots],
  ['root-mismatch', otherRoots],
  ['root-mismatch', strayedToOtherRoot],
  ['root-mismatch', strayedFromOtherRoot],
  ['comm-mismatch', messageOnOtherComm],
  ['comm-mismatch', collectiveOnOtherComm],
  ['comm-mismatch', strayedOnOtherComm],
  ['other', disagreeingBlocks],
  ['collective-order-mismatch', otherCollectives],
  ['collective-missing-rank', skippedByReceiver],
  ['other', passedCollectives],
  // A message that was sent with another tag is why its receiver did not come to a collective operation.
  ['tag-mismatch', otherTag],
  ['tag-mismatch', otherGroupTag],
  ['rma', windows],
  ['missing-wait', forgottenRequests],
  ['other', persistentNotStarted],
  ['other', leftCollectives],
  ['collective-missing-rank', missingMembers],
  ['root-mismatch', sameOperation],
  ['other', mismatchedArguments],
  ['other', unreadyPartitions],
  ['threads', ownThreads],
  ['threads', heldLocks],
  ['threads', onlyOwnThreads],
  ['p2p-cycle', ring],
  ['p2p-missing-partner', missingPartner],
];

/** The cause in a graph with processes that are stuck. */
export function causeOf(graph: WaitForGraph): Cause {
  const stuck = new StuckJob(graph);
  for (const [type, rule] of rules) {
    const found = rule(stuck);
    if (found !== undefined) return { type, ...found, culprits: ascending(found.culprits) };
  }
  return { type: 'other', culprits: ascending(stuck.end), needs: stuck.last };
}

function messageOnOtherComm(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  return nearMisses(stuck, 'comm');
}

function otherTag(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  return nearMisses(stuck, 'tag');
}

/** A sender may confuse the messages to several: each of them that waits has come by the same mistake. */
function nearMisses({ last, needs, graph }: StuckJob, differs: NearMiss['differs']): Omit<Cause, 'type'> | undefined {
  const found = pairedNearMisses(last, nearMissesIn(graph.waits, needs, differs));
  if (found.length === 0) return undefined;
  const culprits = found.flatMap(({ each, nearMiss: { found: message } }) =>
    [each.process, message.from, message.to].filter((process) => process !== undefined),
  );
  return { culprits, needs: found.map(({ each }) => each), nearMisses: found.map(({ nearMiss }) => nearMiss) };
}

function missingMembers(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const all = stuck.last.filter(({ need }) => need.kind === 'collective' && !areAllIn(need));
  // Many wait for the same ones in the same operation.
  const alike = ({ wait, need }: Stuck): string => `${operationOf(wait.call)} ${need.comm?.key}`;
  const absent = (of: readonly Stuck[]): number[] => {
    const lists = [...groupedBy(of, ({ need }) => need.on).values()].flatMap((same) =>
      [...groupedBy(same, alike).values()].map(([first]) => {
        const { wait, need } = first!;
        return stuck.missing(need).filter((process) => !stuck.isInSame(process, wait, need));
      }),
    );
    return [...unionOf(lists)];
  };
  // Where the communicator is not known, anybody may be missing: the others tell who is.
  const known = all.filter(({ need }) => isCollective(need));
  const collective = absent(known).length > 0 ? known : all;
  const absentees = absent(collective);
  if (absentees.length === 0) return undefined;
  const receivers = receiversOf(collective, stuck);
  const lastOf = groupedBy(stuck.last, ({ process }) => process);
  const culprits = [...absentees, ...receivers].filter(
    (process) => !waitForOneOf(receivers, lastOf.get(process) ?? []),
  );
  const wrong = new Set(culprits);
  const own = stuck.last.filter(({ process, need }) => wrong.has(process) && !isCollective(need));
  return { culprits, needs: [...own, ...collective] };
}

/** All members have started nonblocking operations, whatever they wait for now. */
function areAllIn({ isNonblocking, isComplete }: Need): boolean {
  return isNonblocking === true && isComplete === true;
}

/** Members that wait for a message and are in no operation, whoever the others wait for, as in a tree not everybody waits for everybody. */
function receiversOf(needs: readonly Stuck[], { last, end }: StuckJob): number[] {
  const members = new Set([...new Set(needs.map(({ need }) => need.comm?.members ?? []))].flat());
  const inOne = new Set(last.flatMap(({ process, need }) => (need.kind === 'receive' ? [] : [process])));
  return last.flatMap(({ process, need }) =>
    need.kind === 'receive' && end.has(process) && members.has(process) && !inOne.has(process) ? [process] : [],
  );
}

/** The needs of a process that is in an operation in which it only waits for those, as the messages show. */
function waitForOneOf(receivers: readonly number[], own: readonly Stuck[]): boolean {
  return (
    own.length > 0 &&
    own.every(
      ({ need: { kind, isPartial, on } }) =>
        kind === 'collective' && isPartial === true && on.every((other) => receivers.includes(other)),
    )
  );
}

function windows(stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const onWindows = stuck.last.filter(
    ({ need, wait }) => need.kind === 'window' || operationOf(wait.call) === 'MPI_Win_fence',
  );
  if (onWindows.length === 0) return undefined;
  const waiting = new Set(onWindows.map(({ process }) => process));
  const missing = [...unionOf(onWindows.map(({ need }) => stuck.missing(need)))];
  const holders = missing.filter((process) => holdsWindow(stuck, process));
  const accessing = onWindows
    .filter(({ wait, need }) => operationOf(wait.call) === 'MPI_Win_wait' && need.mode === 'OR')
    .flatMap(({ need }) => stuck.missing(need).filter((process) => hasEpoch(stuck, process, /^start/)))
    .filter((process) => !waiting.has(process));
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
  const haveLeft = onceFor((missing: readonly number[]) => missing.filter((process) => stuck.hasLeft(process)));
  const found = stuck.last.map((each) => {
    const owners = haveLeft(stuck.missing(each.need));
    return { each, owners: owners.filter((owner) => wasForgotten(owner, each.need, stuck.graph.waits)) };
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
function unreadyPartitions({ last, graph: { waits } }: StuckJob): Omit<Cause, 'type'> | undefined {
  const isAwaited = ({ process, need: { on, message } }: Stuck): boolean =>
    last.some(({ process: to, need }) => {
      if (need.isPartitioned !== true || need.kind !== 'receive' || message === undefined) return false;
      if (!on.includes(to) || !need.on.includes(process) || need.comm?.key !== message.comm.key) return false;
      return message.tag === undefined
        ? isSurelyMatched({ from: process, to, comm: message.comm }, waits.processes, waits.comms)
        : sameTag(need.message?.tag, message.tag);
    });
  const found = last.filter((each) => each.need.isPartitioned === true && each.need.kind === 'send' && isAwaited(each));
  return found.length === 0 ? undefined : { culprits: found.map(({ process }) => process), needs: found };
}

function ownThreads({ last, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = last.filter(
    ({ process, need }) => graph.waitsOf[process]!.length > 1 && need.on.every((other) => other === process),
  );
  return found.length === 0 ? undefined : { culprits: found.map(({ process }) => process), needs: found };
}

/** Nobody of it is in MPI, and its threads wait for each other, or for themselves. */
function onlyOwnThreads({ graph, end }: StuckJob): Omit<Cause, 'type'> | undefined {
  const culprits = [...end].filter(
    (process) => graph.stuck.has(process) && graph.waitsOf[process]!.every(({ call }) => call === ''),
  );
  return culprits.length === 0 ? undefined : { culprits, needs: [] };
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
  return found.length === 0
    ? undefined
    : { culprits: [...unionOf(found.map(({ need }) => stuck.missing(need)))], needs: found };
}

function ascending(processes: Iterable<number>): number[] {
  return [...new Set(processes)].sort((a, b) => a - b);
}
