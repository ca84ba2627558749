/** Rules for operations that some members have left already: what they have left behind tells of other roots and communicators. */
import { groupedBy } from '../grouped-by';
import { isGathering, isRooted, operationOf } from './calls';
import { gotFromElsewhere, sentElsewhere, sentOnOther } from './strayed-messages';
import { disagreement, isCollective, minority, type Cause, type Stuck, type StuckJob } from './stuck-job';

interface Rooted extends Stuck {
  root: number;
}

export function otherRoots({ needs, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  const rooted = needs.flatMap((each) => {
    const { root } = each.wait.position;
    const isOne = isCollective(each.need) && isRooted(each.wait.call) && !each.need.comm!.isIntercomm;
    return isOne && typeof root === 'number' ? [{ ...each, root }] : [];
  });
  return disagreement(
    rooted,
    ({ wait, need }) => `${operationOf(wait.call)} ${need.comm!.key}`,
    ({ root }) => String(root),
    (group) => group.length + servedBy(group, rooted, graph.waits.processes.length).length,
  );
}

/**
 * Members that have left the operation with this group's root: it gathers, and waits for others; or it spreads, and has
 * left, too, or still sends to others.
 */
function servedBy(group: readonly Rooted[], all: readonly Rooted[], processes: number): number[] {
  const [{ wait, need, root: named }] = group as [Rooted];
  const { members } = need.comm!;
  const gone = Array.from({ length: processes }, (_, process) => process).filter(
    (process) => members.includes(process) && !all.some((each) => each.process === process),
  );
  const root = all.find(({ process }) => process === members[named]);
  const isWaiting = root?.root === named && root.need.isPartial === true;
  if (isGathering(wait.call)) return isWaiting ? gone.filter((process) => !root.need.on.includes(process)) : [];
  const same = all.filter(
    (each) => operationOf(each.wait.call) === operationOf(wait.call) && each.need.comm!.key === need.comm!.key,
  );
  const others = [...groupedBy(same, (each) => String(each.root)).values()].filter(([each]) => each!.root !== named);
  const isOther = others.some((other) => mayHaveServed(other, all, gone));
  // One that is there still sends to others, or has not begun: who has left itself is the likelier one.
  return mayHaveServed(group, all, gone) && (!isOther || root === undefined) ? gone : [];
}

/** For an operation that spreads: whether this group's root may be where those who have left have it from. */
function mayHaveServed(group: readonly Rooted[], all: readonly Rooted[], gone: readonly number[]): boolean {
  const [{ need: of, root: named }] = group as [Rooted];
  const root = of.comm!.members[named];
  const here = all.find(({ process }) => process === root);
  const waitsFor = (process: number | undefined, { need: { isPartial, on } }: Rooted): boolean =>
    isPartial === true && process !== undefined && on.includes(process);
  // It would have sent to its own group, too.
  if (here === undefined) return !group.some((each) => waitsFor(root, each));
  return here.root === named && !gone.some((process) => waitsFor(process, here));
}

/** The root waits for who has sent to somebody else. */
export function strayedToOtherRoot({ needs, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = needs
    .filter(({ need }) => isCollective(need))
    .map((each) => ({ each, sent: sentElsewhere(each.process, each.wait, each.need, graph.waits) }))
    .filter(({ sent }) => sent.length > 0);
  if (found.length === 0) return undefined;
  const strays = found.flatMap(({ sent }) => sent);
  const culprits = strays.map(({ from }) => from);
  return { culprits: minority(culprits, found[0]!.each.need), needs: found.map(({ each }) => each), strays };
}

/** It waits for another root than the one that it got a message from. */
export function strayedFromOtherRoot({ needs, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = needs
    .filter(({ need }) => isCollective(need))
    .map((each) => ({ each, got: gotFromElsewhere(each.process, each.wait, each.need, graph.waits) }))
    .filter(({ got }) => got.length > 0);
  if (found.length === 0) return undefined;
  const culprits = found.map(({ each }) => each.process);
  const strays = found.flatMap(({ got }) => got);
  return { culprits: minority(culprits, found[0]!.each.need), needs: found.map(({ each }) => each), strays };
}

/** Who they wait for has been in the same operation on another communicator. A library has one of its own, whatever the program calls on others. */
export function strayedOnOtherComm({ last, graph }: StuckJob): Omit<Cause, 'type'> | undefined {
  const found = last
    .filter(({ need, wait }) => isCollective(need) && wait.position.library === undefined)
    .map((each) => ({ each, senders: sentOnOther(each.process, each.wait, each.need, graph.waits) }))
    .filter(({ senders }) => senders.length > 0);
  if (found.length === 0) return undefined;
  const culprits = found.flatMap(({ senders }) => senders);
  return { culprits: minority(culprits, found[0]!.each.need), needs: found.map(({ each }) => each) };
}
