/** A deadlock in a few sentences: the cause first, then those who queue behind it. */
import { groupedBy } from '../grouped-by';
import { describeRef } from '../mpi/describe-ref';
import { isUnavailable } from '../result';
import { amountsText, sameAmountText } from './amounts';
import { blockTexts, leftByCount, leftOrNotCalled } from './block-text';
import { freedTexts } from './freed-communicators';
import { mayHaveLeft } from './passed-operations';
import { isGathering, operationOf } from './calls';
import { windowRef } from './epochs';
import { nearMissTexts } from './near-miss-text';
import type { Cause, StuckNeed } from './stuck-job';
import {
  cancelledTexts,
  matchedTexts,
  neverStartedText,
  neverStartedTexts,
  strayTexts,
  takenTexts,
} from './taken-messages';
import { untakenSpreadTexts } from './untaken-spreads';
import { happensFor, type WaitForGraph } from './wait-for-graph';
import { limited, WaitsText } from './waits-text';
import type { Need } from './need';
import { ringText } from './ring-text';
import { awaitedTexts, leftText, makersText, membersOf } from './order-text';
import { tagShiftOf, type TagShift } from './tag-shift';
import { forCount } from './for-count';
import { calledFrom, firstAndLast, rootOf, sentence, tagText, type HangWords } from './words';

/** `cause`: what variables of the program may explain; `then`: where who is. Each in whole sentences, perhaps none. */
export interface DeadlockText {
  cause: string;
  then: string;
}

export function deadlockText(cause: Cause, graph: WaitForGraph, words: HangWords): DeadlockText {
  const isTold = new Set([...cause.needs.map(({ wait }) => wait.process), ...cause.culprits]);
  const waits = new WaitsText(graph, isTold, words);
  const { nearMisses, needs } = cause;
  const shift = nearMisses && tagShiftOf(nearMisses);
  const told = shift === undefined ? tell(cause, graph, words, waits) : [shiftText(shift, needs, words)];
  const places = shift === undefined ? [] : [calls(needs, words, () => '').replace(/ (?=,|$)/g, '')];
  const then = [...places, ...whereMessagesAre(cause, graph, words), ...waits.rest()];
  const [first, rest] = [told, then].map((texts) => texts.map(sentence).join(' '));
  return { cause: first!, then: rest! };
}

/** Where they differ in the tag or the communicator, that is told already. */
function whereMessagesAre(
  { needs, nearMisses, isNeverStarted }: Cause,
  graph: WaitForGraph,
  words: HangWords,
): string[] {
  const texts = [
    ...[takenTexts, matchedTexts, cancelledTexts],
    ...(nearMisses === undefined ? [strayTexts] : []),
    ...(isNeverStarted === true ? [] : [neverStartedTexts]),
  ];
  return [
    ...[...texts, freedTexts].flatMap((text) => text(needs, graph.waits, words)),
    ...untakenSpreadTexts(needs, graph, words),
  ];
}

const unreadyText =
  'The receiver waits for this message: the sender has not called MPI_Pready for all of its partitions';

function tell(cause: Cause, graph: WaitForGraph, words: HangWords, waits: WaitsText): string[] {
  const { type, needs, nearMisses, blocks, isPassed } = cause;
  if (nearMisses !== undefined) return nearMissTexts(needs, nearMisses, words, waits);
  if (blocks !== undefined) return limited(blockTexts(needs, blocks, words));
  if (isPassed === true) return [...waits.of(needs), ...absences(cause, words), passedText(cause, words)];
  if (cause.untaken !== undefined) return [untakenText(cause, cause.untaken, words)];
  switch (type) {
    case 'root-mismatch':
      return [`${calls(needs, words, (each) => rootText(each, words))}: ${rootsDiffer(cause, words)}`];
    case 'comm-mismatch':
      return [`${calls(needs, words, (each) => whatText(each, words))}: the communicators differ`];
    case 'collective-order-mismatch':
      return [
        `${calls(needs, words, (each) => whatText(each, words))}: ` +
          `${membersOf(needs)} have to call its collective operations in the same order` +
          leftText(needs),
        ...awaitedTexts(needs, words),
        ...makersText(needs, words),
      ];
    case 'tag-mismatch':
      return [`${calls(needs, words, (each) => groupTagText(each, words))}: the tags differ`];
    case 'missing-wait':
      return [...waits.of(needs), ...absences(cause, words).map((text) => `${text}, but ${neverCompleted(cause)}`)];
    case 'other':
      if (needs.length > 0 && needs.every(({ need }) => need.isPartitioned === true && need.kind === 'send'))
        return [...waits.of(needs), unreadyText];
      if (cause.isNeverStarted === true)
        return [...waits.of(needs), ...absences(cause, words), neverStartedText(cause.culprits, words)];
      return needs.some(({ need }) => need.isPartial === true)
        ? [...waits.of(needs), `They are in one operation, and wait for each other there: ${amountOf(needs, words)}`]
        : others(cause, words, waits);
    case 'rma':
      return [
        ...waits.of(needs),
        ...absences(cause, words, (absent) => forWhom(absent, graph, words)),
        ...disagreement(needs, words),
        ...lockedTexts(cause, graph, words),
      ];
    case 'p2p-cycle': {
      const ring = ringText(needs, words);
      return ring === undefined ? others(cause, words, waits) : [ring];
    }
    case 'collective-missing-rank':
      return [
        ...waits.of(needs),
        ...doubtedAbsences(cause, graph, words),
        ...elsewhereTexts(cause, graph, words),
        ...disagreement(needs, words),
      ];
    default:
      return others(cause, words, waits);
  }
}

/** " for ranks 1-3": whom one that holds a lock waits for in a collective operation; empty: it waits in none. */
function forWhom(process: number, { stuck, waitsOf, free }: WaitForGraph, words: HangWords): string {
  const needs = stuck.has(process) ? waitsOf[process]!.flatMap((wait) => wait.needs) : [];
  const need = needs.find((each) => each.kind === 'collective' && !happensFor(each, free));
  return need === undefined || need.on.length === 0 ? '' : ` for ${words.ranks(need.on)}`;
}

/** "rank 0 has locked MPI_Win "A"", of those who wait for a window that is not known. */
function lockedTexts({ needs }: Cause, { waits: { processes } }: WaitForGraph, words: HangWords): string[] {
  const vague = needs.filter(({ need }) => need.kind === 'window' && need.win === undefined);
  const locked = vague.flatMap(({ wait: { process } }) =>
    processes[process]!.wins.flatMap((win) => {
      const { epoch } = win;
      const isLocked = epoch !== undefined && !isUnavailable(epoch) && epoch.access.startsWith('lock');
      return isLocked ? [{ process, win: describeRef(windowRef(win)) }] : [];
    }),
  );
  return [...groupedBy(locked, ({ win }) => win)].map(([win, of]) => {
    const who = new Set(of.map(({ process }) => process));
    return `${words.ranks(who)} ${who.size === 1 ? 'has' : 'have'} locked ${win}`;
  });
}

function others(cause: Cause, words: HangWords, waits: WaitsText): string[] {
  return [...waits.of(cause.needs), ...absences(cause, words), ...disagreement(cause.needs, words)];
}

/** Fewer different things that are told of one call are told one by one. */
const fewestOfOneCall = 4;

/** "rank 2 is in MPI_Bcast (x.c:5) with root 1, ranks 0-1 are in MPI_Bcast (x.c:7) with root 0" */
function calls(needs: readonly StuckNeed[], words: HangWords, about: (need: StuckNeed) => string): string {
  const ranksOf = (of: readonly StuckNeed[]): Set<number> => new Set(of.map(({ wait }) => wait.process));
  const places = groupedBy(needs, ({ wait }) => calledFrom(wait.position, operationOf(wait.call)));
  const told = [...places].flatMap(([place, of]) => {
    const groups = [...groupedBy(of, about)];
    const each = groups.map(([text, its]) => ({ its, at: needs.indexOf(its[0]!), text: `${place} ${text}` }));
    if (groups.length < fewestOfOneCall) return each;
    const ascending = groups.sort(([, a], [, b]) => Math.min(...ranksOf(a)) - Math.min(...ranksOf(b)));
    const all = firstAndLast(ascending.map(([text, its]) => `${words.ranks(ranksOf(its))} ${text}`));
    return [{ its: of, at: needs.indexOf(of[0]!), text: `${place}: ${all}` }];
  });
  return told
    .sort((a, b) => a.at - b.at)
    .map(({ its, text }) => `${words.ranks(ranksOf(its))} ${ranksOf(its).size === 1 ? 'is' : 'are'} in ${text}`)
    .join(', ');
}

/** "on MPI_Comm "grid"", "for a nonblocking operation on MPI_COMM_WORLD" */
function whatText({ wait, need }: StuckNeed, words: HangWords): string {
  const what = words.onWhat(need.comm, wait.position);
  return need.isNonblocking === true ? `for a nonblocking operation${what}` : what.trimStart();
}

/** The culprits that do not wait themselves in what was told. */
function absences(cause: Cause, words: HangWords, more = (_absent: number): string => ''): string[] {
  const groups = groupedBy(absentees(cause), (process) => `${words.absence(process)}${more(process)}`);
  return [...groups].map(([text, processes]) => `${words.ranks(processes)} ${forCount(text, processes.length)}`);
}

function absentees({ culprits, needs }: Cause): number[] {
  const told = new Set(needs.map(({ wait }) => wait.process));
  return culprits.filter((process) => !told.has(process));
}

/**
 * "rank 2 is in MPI_Finalize (a.c:9): it has not called MPI_Gatherv, or has left it without giving rank 0 its block, …", "…: it has not called
 * MPI_Allreduce, or has left it already, as where its count is 0"
 */
function doubtedAbsences(cause: Cause, graph: WaitForGraph, words: HangWords): string[] {
  return absences(cause, words, (absent) => {
    const [of, exchange] = mayHaveLeft(absent, cause.needs, graph.waits) ?? [];
    const text = of === undefined ? leftByCount(absent, cause.needs) : leftOrNotCalled(of, exchange!, words);
    return text === undefined ? '' : `: ${text}`;
  });
}

/**
 * "Rank 3 is elsewhere: it has not called MPI_Gatherv, or has left it without giving rank 0 its block, as where counts or roots differ", of culprits
 * that wait on another communicator.
 */
function elsewhereTexts({ culprits, needs }: Cause, { waits }: WaitForGraph, words: HangWords): string[] {
  const told = new Set(needs.map(({ wait }) => wait.process));
  return limited(
    culprits.flatMap((culprit) => {
      const [of, exchange] = (told.has(culprit) && mayHaveLeft(culprit, needs, waits)) || [];
      if (of === undefined) return [];
      return `${words.ranks([culprit])} is elsewhere: ${leftOrNotCalled(of, exchange!, words)}`;
    }),
  );
}

/**
 * "…: rank 0, the root, has left MPI_Bcast already, and rank 3 has not taken the message of it that rank 2 passes on", "…: rank 3
 * has sent its part of MPI_Reduce already, which rank 2 has not taken"
 */
function untakenText(
  { needs, culprits }: Cause,
  { root, from }: NonNullable<Cause['untaken']>,
  words: HangWords,
): string {
  const told = calls(needs, words, ({ wait, need }) => words.onWhat(need.comm, wait.position).trimStart());
  const operation = operationOf(needs[0]!.wait.call);
  const who = `${words.ranks(culprits)} ${culprits.length === 1 ? 'has' : 'have'} not taken`;
  if (root === undefined)
    return `${told}: ${words.ranks([from])} has sent its part of ${operation} already, which ${who}`;
  return (
    `${told}: ${words.ranks([root])}, the root, has left ${operation} already, and ${who} the message of it that ` +
    (from === root ? 'it has sent' : `${words.ranks([from])} passes on`)
  );
}

function neverCompleted({ culprits, needs: [first] }: Cause): string {
  const operations = { receive: 'send', send: 'receive', collective: 'operation' } as Record<Need['kind'], string>;
  const operation = operations[first!.need.kind];
  return culprits.length === 1
    ? `never completed the ${operation} that it had started`
    : `never completed the ${operation}s that they had started`;
}

function groupTagText({ wait, need }: StuckNeed, words: HangWords): string {
  return `${words.onComm(need.comm).trimStart()} ${tagText(wait.position)}`;
}

function rootText({ wait, need }: StuckNeed, words: HangWords): string {
  const comm = need.comm?.isIntercomm === true ? `${words.onComm(need.comm).trimStart()} ` : '';
  return `${comm}${rootOf(wait.position)}`;
}

function rootsDiffer({ needs, strays = [] }: Cause, words: HangWords): string {
  const roots = needs.map(({ wait }) => wait.position.root);
  const areAllKnown = roots.every((root) => typeof root === 'number' || typeof root === 'string');
  if (needs.some(({ need }) => need.comm?.isIntercomm === true) && areAllKnown && strays.length === 0)
    return betweenGroups(needs);
  if (new Set(roots).size > 1 && roots.every((root) => typeof root === 'number')) return 'the roots differ';
  if (strays.length > 0) {
    const told = groupedBy(strays, ({ to }) => to);
    const parts = [...told].map(([to, of]) => `${words.ranks(of.map(({ from }) => from))} to ${words.ranks([to])}`);
    return (
      `a message of ${operationOf(needs[0]!.wait.call)} that nobody takes has gone from ${parts.join(' and from ')}, ` +
      'as happens if they name different roots, pass different counts, or call it a different number of times'
    );
  }
  return 'they wait for each other, as with different roots or counts, but which roots they have passed is not known';
}

function betweenGroups(needs: readonly StuckNeed[]): string {
  const roots = needs.map(({ wait }) => wait.position.root);
  if (roots.every((root) => root === 'MPI_ROOT'))
    return 'each of them passes MPI_ROOT, and waits for the other, as only one root of an operation between two groups may';
  if (roots.includes('MPI_ROOT')) return 'the others have to name the one that passes MPI_ROOT';
  const naming = needs.filter(({ wait }) => typeof wait.position.root === 'number');
  const areBoth = naming.some(({ need }) =>
    naming.some(({ wait }) => need.comm?.peers.includes(wait.process) === true),
  );
  const act = isGathering(needs[0]!.wait.call) ? 'send' : 'receive';
  return (
    'none of them passes MPI_ROOT, as the root of an operation between two groups has to' +
    (areBoth ? `: both groups ${act}` : '')
  );
}

/** All are where they should be. */
function disagreement(needs: readonly StuckNeed[], words: HangWords): string[] {
  if (needs.length === 0 || !needs.every(({ need }) => need.isComplete === true)) return [];
  return needs.every(({ need }) => need.isNonblocking === true)
    ? [
        'All members have started nonblocking operations on this communicator, and wait for each other there, as where they start them in ' +
          'different orders, or with different roots or counts',
      ]
    : [`All members are in this operation, and wait for each other there: ${amountOf(needs, words)}`];
}

function amountOf(needs: readonly StuckNeed[], words: HangWords): string {
  return amountsText(needs, words) ?? sameAmountText(needs) ?? 'how much each of them passes is not known';
}

/** "whether rank 1 has completed this operation or has not called it is not known" */
function passedText({ culprits, needs }: Cause, words: HangWords): string {
  const own = new Set(needs.map(({ wait }) => wait.process));
  const others = culprits.filter((process) => !own.has(process));
  const [completed, called] = others.length === 1 ? ['has completed', 'has'] : ['have completed', 'have'];
  return `whether ${words.ranks(others)} ${completed} this operation or ${called} not called it is not known`;
}

/** "The tags of rank 1 are 100 higher than those of ranks 0,2,5, in all 8 messages …: tag 1302, where rank 0 has 1202" */
function shiftText(shift: TagShift, needs: readonly StuckNeed[], words: HangWords): string {
  const { process, by, partners, own, other, partner, count } = shift;
  const [comm] = needs.map(({ need }) => words.onComm(need.comm));
  const areOfOneComm = needs.every(({ need }) => words.onComm(need.comm) === comm);
  return (
    `the tags of ${words.ranks([process])} are ${Math.abs(by)} ${by > 0 ? 'higher' : 'lower'} than those of ` +
    `${words.ranks(partners)}, in all ${count} messages between them that nobody takes${areOfOneComm ? (comm ?? '') : ''}: ` +
    `tag ${own}, where ${words.ranks([partner])} has ${other}`
  );
}
