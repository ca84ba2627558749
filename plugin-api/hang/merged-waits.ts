/** Waits of many processes in few sentences: those that differ only in whom they wait for, and in the tag, are told together. */
import { groupedBy } from '../grouped-by';
import { numbersText } from '../mpi/rank-names';
import type { Message } from './message';
import type { Need, Wait } from './need';
import { areMutual, calledFrom, type HangWords, type Partners } from './words';

/** What is told of each of these processes in the same words. */
export interface AlikeWaits {
  processes: ReadonlySet<number>;
  wait: Wait;
  /** Several: one is enough. */
  needs: readonly [Need, ...Need[]];
}

export interface ToldWaits {
  processes: ReadonlySet<number>;
  text: string;
}

interface Sentence extends ToldWaits {
  /** In a sentence that tells several: where they wait, and for what. */
  merged?: { at: string; what: string };
}

/** Fewer are told one by one. */
const fewest = 3;

export function mergedWaits(all: readonly AlikeWaits[], words: HangWords): ToldWaits[] {
  const groups = [...groupedBy(all, (each) => keyOf(each, words)).values()].flatMap((of) => byDistance(of, words));
  return joined(groups.flatMap((of) => together(of, words) ?? of.map((each) => alone(each, words))));
}

/** Those who wait for the next higher rank apart from those who wait for the next lower one, where many do either. */
function byDistance(of: readonly AlikeWaits[], words: HangWords): (readonly AlikeWaits[])[] {
  const pairs = of.flatMap(partnersIn);
  const tags = new Set(of.map(({ needs: [need] }) => need.message?.tag));
  if (pairs.length > 0 && areMutual(pairs) && tags.size === 1) return [of];
  const groups = groupedBy(of, ({ processes, needs: [need] }) => {
    const [[process], partner] = [[...processes], partnerOf(need)];
    return processes.size > 1 || partner === undefined ? undefined : words.distance(process!, partner);
  });
  const isEach = [...groups].every(([distance, its]) => distance !== undefined && its.length >= fewest);
  return isEach ? [...groups.values()] : [of];
}

function alone({ processes, wait, needs }: AlikeWaits, words: HangWords): Sentence {
  return { processes, text: `${words.ranks(processes)} ${words.waitForAny(wait, needs, processes.size)}` };
}

/** Equal for waits that differ in their partners and tags only. */
function keyOf({ wait, needs }: AlikeWaits, words: HangWords): string {
  const [need, ...others] = needs;
  if (others.length > 0 || need.vague !== undefined || need.win !== undefined) return words.waitForAny(wait, needs, 2);
  if (need.message === undefined) return `${need.kind} ${words.wait(wait, { ...need, on: [] }, 2)}`;
  const isOne = partnerOf(need) !== undefined && typeof need.message.tag === 'number';
  return isOne ? words.wait(wait, need, 2, { partner: '', tags: '' }) : words.wait(wait, need, 2);
}

function together(of: readonly AlikeWaits[], words: HangWords): Sentence[] | undefined {
  const [first] = of;
  if (first === undefined || of.length < fewest) return undefined;
  const { wait, needs } = first;
  const what = needs[0].message === undefined ? whatOfCollective(of, words) : whatOfMessages(of, words);
  if (what === undefined) return undefined;
  const processes = new Set(of.flatMap((each) => [...each.processes]));
  const at = `${processes.size === 1 ? 'waits' : 'wait'} in ${calledFrom(wait.position, wait.call)}`;
  return [{ processes, text: `${words.ranks(processes)} ${at} ${what}`, merged: { at, what } }];
}

/** "for a message from the next higher rank with tags 1-4 on MPI_COMM_WORLD", "for messages from ranks 0,2 with tags 7-8 on …" */
function whatOfMessages(of: readonly AlikeWaits[], words: HangWords): string {
  const pairs = of.flatMap(partnersIn).sort(([a], [b]) => a - b);
  const partners = new Set(pairs.map(([, partner]) => partner));
  const areSeveral = new Set(pairs.map(([process]) => process)).size < pairs.length;
  const partner = areSeveral || partners.size === 1 ? words.ranks(partners) : words.partnersOfEach(pairs);
  const tags = tagsText(of.map(({ needs: [need] }) => need.message!.tag));
  const [{ wait, needs }] = of as [AlikeWaits];
  return words.need(needs[0], wait.position, { partner, tags, areSeveral });
}

/** " with tag 7", " with various tags (1-4,9)", " with various tags (32 from 100 to 3100)" */
export function tagsText(all: readonly Message['tag'][]): string {
  const tags = [...new Set(all.filter((tag) => typeof tag === 'number'))].sort((a, b) => a - b);
  if (tags.length === 1) return ` with tag ${tags[0]!}`;
  const text = numbersText(tags);
  return ` with various tags (${text.length <= 20 ? text : `${tags.length} from ${tags[0]!} to ${tags.at(-1)!}`})`;
}

/**
 * "on MPI_COMM_WORLD for rank 0 (ranks 5-7 through rank 4)": whom those wait for in the end who wait for each other in one operation.
 * "for each other": for any one among them. undefined: not all wait for somebody outside.
 */
function whatOfCollective(of: readonly AlikeWaits[], words: HangWords): string | undefined {
  const all = of.flatMap(({ processes, needs: [{ on }] }) => [...processes].map((process) => ({ process, on })));
  const own = new Map(all.map(({ process, on }) => [process, on]));
  if (own.size < all.length) return undefined;
  const [{ wait, needs }] = of as [AlikeWaits];
  const isEach = of.every(({ needs: [{ mode, on }] }) => on.length > 0 && (mode === 'AND' || on.length === 1));
  if (!isEach) {
    const isAmongThem = all.every(({ on }) => on.length > 0 && on.every((process) => own.has(process)));
    return isAmongThem ? words.need(needs[0], wait.position, { partner: 'each other', tags: '' }) : undefined;
  }
  const outside = new Set(all.flatMap(({ on }) => on.filter((process) => !own.has(process))));
  const direct = all.filter(({ on }) => on.some((process) => outside.has(process)));
  const behind = all.filter((each) => !direct.includes(each));
  const reached = new Set(direct.map(({ process }) => process));
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    for (const { process, on } of behind) if (on.some((each) => reached.has(each))) reached.add(process);
  }
  if (outside.size === 0 || reached.size < own.size) return undefined;
  const what = words.need({ ...needs[0], on: [...outside] }, wait.position);
  const areAll = direct.every(({ on }) => [...outside].every((process) => on.includes(process)));
  const through = behind.flatMap(({ on }) => on);
  const notes = [
    ...(areAll ? [] : ['each for some of them']),
    ...(behind.length === 0
      ? []
      : [`${words.ranks(behind.map(({ process }) => process))} through ${words.ranks(through)}`]),
  ];
  return notes.length === 0 ? what : `${what} (${notes.join('; ')})`;
}

/** None where anybody may act. */
function partnersIn({ processes, needs: [need] }: AlikeWaits): Partners[] {
  const partner = partnerOf(need);
  return partner === undefined ? [] : [...processes].map((process) => [process, partner]);
}

/** The process that has to send, or to receive; undefined: any. */
function partnerOf({ kind, message }: Need): number | undefined {
  return kind === 'receive' ? message?.from : message?.to;
}

/** What the same processes wait for in one call: "…, and until rank 5 receives its message …". */
function joined(sentences: readonly Sentence[]): ToldWaits[] {
  const groups = groupedBy(sentences, ({ processes, merged, text }) =>
    merged === undefined ? text : `${[...processes].sort((a, b) => a - b).join()} ${merged.at}`,
  );
  return [...groups.values()].map(([first, ...others]) => ({
    processes: first!.processes,
    text: [first!.text, ...others.map(({ merged }) => merged!.what)].join(', and '),
  }));
}
