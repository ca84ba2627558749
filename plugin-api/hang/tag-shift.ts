/** Messages of which each has a tag that is higher, by the same number, than its partner's. */
import { groupedBy } from '../grouped-by';
import type { NearMiss } from './near-misses';

export interface TagShift {
  /** The process whose tags are higher, or lower if `by` is negative, in all of them. */
  process: number;
  by: number;
  partners: readonly number[];
  /** One of them: the tag on the side of `process`, and on its partner's. */
  own: number;
  other: number;
  partner: number;
  count: number;
}

/** Undefined: fewer than two, no process that is in all of them, or no such number. */
export function tagShiftOf(nearMisses: readonly NearMiss[]): TagShift | undefined {
  // A message for which both sides wait is one.
  const sides = [...groupedBy(nearMisses.map(sidesOf), (side) => Object.values(side).join()).values()].flatMap(
    ([side]) => side ?? [],
  );
  const [first] = sides;
  if (first === undefined || sides.length < 2) return undefined;
  const { from, to } = first;
  // If both are in all of them, the one whose tags are higher.
  const found = [from, to].flatMap((process) => shiftOf(process, sides) ?? []);
  return found.sort((a, b) => b.by - a.by)[0];
}

interface Sides {
  from: number | undefined;
  to: number | undefined;
  /** What the sender sent, and what the receiver asked for. */
  sent: unknown;
  asked: unknown;
}

function sidesOf({ differs, need, found }: NearMiss): Sides {
  const { from, to } = found.queue === 'posted' ? (need.message ?? found) : found;
  const tags = { waiting: need.message?.tag, there: found.tag };
  if (differs !== 'tag') return { from, to, sent: undefined, asked: undefined };
  return need.kind === 'send'
    ? { from, to, sent: tags.waiting, asked: tags.there }
    : { from, to, sent: tags.there, asked: tags.waiting };
}

function shiftOf(process: number | undefined, all: readonly Sides[]): TagShift | undefined {
  const ofProcess = all.flatMap(({ from, to, sent, asked }) => {
    const partner = from === process ? to : to === process ? from : undefined;
    if (partner === undefined || typeof sent !== 'number' || typeof asked !== 'number') return [];
    return from === process ? [{ partner, own: sent, other: asked }] : [{ partner, own: asked, other: sent }];
  });
  const [first] = ofProcess;
  if (process === undefined || first === undefined || ofProcess.length < all.length) return undefined;
  const by = first.own - first.other;
  if (ofProcess.some(({ own, other }) => own - other !== by)) return undefined;
  const partners = [...new Set(ofProcess.map(({ partner }) => partner))].sort((a, b) => a - b);
  return { process, by, partners, ...first, count: ofProcess.length };
}
