/**
 * Members of an operation that gathers which others wait for, while those who are elsewhere too have given their part: what shows that is the
 * part, which lies at one who waits, or the order in which a root takes the parts.
 */
import { isGathering, operationOf } from './calls';
import { asSent } from './collective-waits';
import { carries } from './communicators';
import { firstAsked, hasGathered } from './passed-operations';
import { minority, type Cause, type StuckJob, type StuckNeed } from './stuck-job';

/** `needs`: of members of one communicator that are in different operations. undefined: it is not known who has given a part. */
export function withheldPart(needs: readonly StuckNeed[], stuck: StuckJob): Omit<Cause, 'type'> | undefined {
  const first = needs.find(({ wait, need }) => isGathering(wait.call) && need.isPartial === true);
  if (first === undefined || first.need.comm?.isIntercomm !== false) return undefined;
  const group = needs.filter(({ wait }) => operationOf(wait.call) === operationOf(first.wait.call));
  const own = new Set(group.map(({ wait }) => wait.process));
  const elsewhere = needs.map(({ wait }) => wait.process).filter((process) => !own.has(process));
  const isAwaited = (process: number): boolean =>
    group.some(({ need }) => need.isPartial === true && need.on.includes(process));
  const withheld = [...new Set(elsewhere.filter(isAwaited))];
  const given = [...new Set(elsewhere.filter((process) => !isAwaited(process) && hasGiven(process, group, stuck)))];
  const isMinority = withheld.length > 0 && minority(withheld, first.need).length === withheld.length;
  if (
    !isMinority ||
    given.length === 0 ||
    elsewhere.some((process) => isAwaited(process) && lies(process, group, stuck))
  )
    return undefined;
  const waiting = group.filter(({ need }) => need.on.some((process) => withheld.includes(process)));
  const told = needs.filter(({ wait }) => withheld.includes(wait.process));
  const others = needs.filter((each) => !waiting.includes(each) && !told.includes(each));
  return { culprits: withheld, needs: [...waiting, ...told, ...others], given };
}

function hasGiven(process: number, group: readonly StuckNeed[], stuck: StuckJob): boolean {
  return lies(process, group, stuck) || group.some((each) => isTaken(process, each, group));
}

/** Its part lies at one that is in the operation. */
function lies(process: number, group: readonly StuckNeed[], { graph }: StuckJob): boolean {
  return group.some(({ wait, need }) =>
    graph.waits.messages.all.some(
      ({ at, from, queue, isInternal, collective, comm }) =>
        at === wait.process &&
        from === process &&
        queue === 'unexpected' &&
        isInternal &&
        collective === asSent(wait.call) &&
        (comm.key === need.comm!.key || carries(comm, need.comm!)),
    ),
  );
}

/** The root waits for another part than one of those that it asks for first, and `process` is the only one of these that can have given its own. */
function isTaken(process: number, { wait, need }: StuckNeed, group: readonly StuckNeed[]): boolean {
  if (!hasGathered(wait, need)) return false;
  const asked = firstAsked(wait, need);
  return asked.includes(process) && asked.every((other) => other === process || isOpen(other, group));
}

/** It is in the operation itself, or one who is waits for it. */
function isOpen(process: number | undefined, group: readonly StuckNeed[]): boolean {
  return group.some(({ wait, need }) => wait.process === process || need.on.includes(process!));
}
