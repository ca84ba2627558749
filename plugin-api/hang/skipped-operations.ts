/**
 * Members that others have overtaken in an operation which nobody has to stay in: a message of it lies at one that is not in it, and
 * that others in it wait for or pass it on to. It spreads from its root, which has left it; or it gathers, and who has sent has left it.
 */
import { groupedBy } from '../grouped-by';
import { onceFor } from '../once';
import { isGathering, operationOf } from './calls';
import { asSent } from './collective-waits';
import { carries } from './communicators';
import type { PendingMessage } from './message';
import { minority, type Cause, type Stuck, type StuckJob, type StuckNeed } from './stuck-job';

/** `needs`: of members that are in different operations; others may be in none. undefined: no message shows it. */
export function skippedOperation(needs: readonly StuckNeed[], stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const lying = groupedBy(
    stuck.graph.waits.messages.all.filter(({ queue, isInternal }) => queue === 'unexpected' && isInternal),
    ({ collective }) => collective,
  );
  const inEach = groupedBy(needs, ({ wait }) => operationOf(wait.call));
  const isIn = onceFor((operation: string) => new Set(inEach.get(operation)!.map(({ wait }) => wait.process)));
  for (const each of needs) {
    const { wait, need } = each;
    const ofIt = lying.get(asSent(wait.call)) ?? [];
    if (ofIt.length === 0) continue;
    const own = isIn(operationOf(wait.call));
    const isElsewhere = (other: number | undefined): boolean =>
      other !== undefined && !own.has(other) && stuck.isStuck(other);
    const skipped = untakenOf(each, own, isElsewhere, ofIt);
    const [first] = skipped;
    const behind = [...new Set(skipped.map(({ at }) => at))];
    if (first === undefined || minority(behind, need).length !== behind.length) continue;
    const told = behind.map((process) => needOf(process, needs, stuck.needs));
    return {
      culprits: behind,
      needs: [each, ...told, ...needs.filter((one) => one !== each && !behind.includes(one.wait.process))],
      untaken: first,
    };
  }
  return undefined;
}

/** Of the messages of the operation that somebody waits in, and that lie somewhere: those that nobody takes. `own`: who is in it. */
function untakenOf(
  { wait: { call, process, position }, need }: StuckNeed,
  own: ReadonlySet<number>,
  isElsewhere: (process: number | undefined) => boolean,
  ofIt: readonly PendingMessage[],
): NonNullable<Cause['untaken']>[] {
  const { comm } = need;
  if (comm === undefined || comm.isIntercomm || need.isNonblocking === true) return [];
  const lying = ofIt.flatMap(({ at, from, comm: on }) => {
    if (from === undefined || !isElsewhere(at)) return [];
    return on.key === comm.key || carries(on, comm) ? [{ at, from }] : [];
  });
  if (isGathering(call)) return lying.filter(({ at, from }) => !own.has(from) && need.on.includes(at));
  if (!/^MPI_(Bcast|Scatterv?)$/.test(operationOf(call)) || typeof position.root !== 'number') return [];
  const root = comm.members[position.root];
  if (root === undefined || root === process || !isElsewhere(root)) return [];
  return lying
    .filter(({ at, from }) => at !== root && (from === process || (from === root && need.on.includes(at))))
    .map((message) => ({ ...message, root }));
}

/** What a process waits for in the operation that it is in, or else in what it calls. */
function needOf(process: number, needs: readonly StuckNeed[], all: readonly Stuck[]): StuckNeed {
  return needs.find(({ wait }) => wait.process === process) ?? all.find((one) => one.process === process)!;
}
