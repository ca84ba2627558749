/** The verdict on one or two looks at a job. */
import { ranksInWords } from '../mpi/rank-names';
import { isUnavailable } from '../result';
import { groupedBy } from '../grouped-by';
import { withoutBystanders } from './bystanders';
import { bufferTexts } from './buffer-text';
import { bystandersText } from './bystanders-text';
import { isOnWindow } from './calls';
import { causeOf } from './cause';
import { deadlockText } from './deadlock-text';
import { Communicators } from './communicators';
import { isFetching, withFetchingLoops } from './fetching';
import { endedMainsText, mainHasEnded } from './ended-mains';
import { instancesText } from './instances';
import { withRootOfMessages } from './intercomm-messages';
import type { HangDocument } from './hang-records';
import type { ProcessState } from './job-state';
import { leavingTexts } from './leaving-text';
import { locksOf, locksText, lockText } from './openmp-locks';
import { isNetworkStill, messagesUnderWay, movedBetween, notRunBetween } from './movement';
import { sentText } from './near-miss-text';
import { withSteadyPolls } from './polling';
import { noDeadlockTexts } from './no-deadlock-text';
import { whoCanChange } from './polled-text';
import { withoutOwnJobs } from './own-jobs';
import { ownLocksText } from './own-locks-text';
import type { Cause } from './stuck-job';
import { positionsWithWaits, ranksOf, withWorlds } from './waiting-positions';
import { isLeaving, waitForGraph, type WaitForGraph } from './wait-for-graph';
import { deathOf, HangWords, sentence } from './words';

export interface Looks {
  target: HangDocument['target'];
  /** The last one counts. */
  looks: readonly (readonly ProcessState[])[];
  /** Between them. */
  seconds: number;
  /** What a rank does in its own code is no sign of progress. */
  ignoresOwnCode?: boolean;
}

/** What the document does not have: whom each process waits for, and why. */
export interface HangVerdict {
  document: HangDocument;
  graph: WaitForGraph;
  cause: Cause | undefined;
  /** What the document's sentence begins with: those of the cause; empty where there is none. */
  causeText: string;
  /** After so many seconds another look tells more: some threads that may act have woken by then. */
  wakesIn?: number | undefined;
}

export function verdictOf({ target, looks: seen, seconds, ignoresOwnCode = false }: Looks): HangVerdict {
  const { looks, aside, bystanders, acting, wakesIn } = withoutBystanders(
    withSteadyPolls(
      withFetchingLoops(seen.map((look) => withoutOwnJobs(look).map(withRootOfMessages))),
      ignoresOwnCode,
    ),
    seconds,
  );
  const processes = looks.at(-1) ?? [];
  const before = looks.length > 1 ? looks[0] : undefined;
  const movedNow = before === undefined ? new Map<number, string>() : movedBetween(before, processes);
  const placesOnly = isFetching(processes);
  const moved = before === undefined || !placesOnly ? movedNow : movedBetween(before, processes, { placesOnly });
  const underWay = messagesUnderWay(processes, new Communicators(processes));
  const notRun = before === undefined ? [] : notRunBetween(before, processes);
  const graphWith = (goingOn: ReadonlyMap<number, string>): WaitForGraph =>
    waitForGraph(processes, new Map([...notRun, ...goingOn]), acting, underWay);
  const quiet = graphWith(moved);
  // Who waits for none of those that fetch may still be getting messages.
  const graph = quiet.stuck.size > 0 && moved !== movedNow ? graphWith(movedNow) : quiet;
  const proof = graph.stuck.size === 0 ? undefined : proofOf(graph, target, before);
  const words = new HangWords(processes);
  const common = {
    ...{ schema: 'mpidbg/1' as const, target },
    looks: { count: looks.length, seconds: looks.length > 1 ? seconds : 0 },
    ranks: positionsWithWaits(graph, aside, words),
  };
  const died = crashText(processes, words);
  const absent = target === 'core' ? absentRanks(processes) : [];
  if (proof !== undefined) {
    const cause = causeOf(graph);
    const culprits = ranksOf(cause.culprits, processes);
    const locks = locksText(graph);
    const [first, then] = cause.type === 'threads' ? [locks, []] : [[], locks];
    const text = deadlockText(cause, graph, words);
    const causeText = [...died, ...first, text.cause].filter((each) => each !== '').join(' ');
    const told = [
      ...[causeText, text.then].filter((each) => each !== ''),
      ...then,
      ...ownLocksText(graph, words),
      ...leavingTexts(processes, words),
      ...endedMainsText(processes, words),
      ...bufferTexts(processes, words),
      ...bystandersText(graph, bystanders),
      ...instancesText(graph),
      ...absenceText(absent),
    ].join(' ');
    const evidence = [...evidenceOf(graph, cause, words), ...beside(processes)];
    const document = {
      ...common,
      verdict: 'deadlock' as const,
      proof,
      type: cause.type,
      sentence: told,
      culprits,
      ...withWorlds('culpritRanks', cause.culprits, processes),
      evidence,
    };
    return { document, graph, cause, causeText };
  }
  const isProgress =
    moved.size > 0 || (!ignoresOwnCode && graph.stuck.size === 0 && absent.length === 0 && isGoingOn(graph));
  const verdict = isProgress ? 'progress' : 'unknown';
  const missingProof = looks.length > 1 ? 'looks at several hosts' : 'one look';
  const isSilent = absent.length > 0 && processes.every(isLeaving);
  const changers = whoCanChange(seen.at(-1) ?? [], words);
  const rest = isSilent ? [] : noDeadlockTexts(graph, verdict, moved, words, missingProof, changers);
  const isStoppedOnce = verdict === 'unknown' && graph.stuck.size > 0 && target === 'live' && looks.length === 1;
  const told = [
    ...died,
    ...absenceText(absent),
    ...rest,
    ...bufferTexts(processes, words),
    ...leavingTexts(processes, words),
    ...endedMainsText(processes, words),
  ].join(' ');
  const document = {
    ...common,
    verdict,
    type: null,
    sentence: told,
    ...(isStoppedOnce && { advice: 'Let the ranks run for a second, pause them and ask again.' }),
    culprits: [],
    evidence: [...reasons(graph), ...beside(processes)],
  } as HangDocument;
  return { document, graph, cause: undefined, causeText: '', wakesIn };
}

/** Ranks of an MPI_COMM_WORLD whose core file is not there, or was not asked for. */
function absentRanks(processes: readonly ProcessState[]): { rank: number; world: string | undefined }[] {
  return [...groupedBy(processes, ({ id: { world } }) => world)].flatMap(([world, of]) => {
    const sizes = of.flatMap(({ comms }) =>
      comms.flatMap(({ name, localProcs }) =>
        name === 'MPI_COMM_WORLD' && !isUnavailable(localProcs) ? [localProcs.length] : [],
      ),
    );
    const there = new Set(of.map(({ id }) => id.rank));
    const all = Array.from({ length: Math.max(0, ...sizes) }, (_, rank) => ({ rank, world }));
    return all.filter(({ rank }) => !there.has(rank));
  });
}

function absenceText(ranks: ReturnType<typeof absentRanks>): string[] {
  if (ranks.length === 0) return [];
  return [
    `Nothing is known of ${ranksInWords(ranks)}: no core file of ${ranks.length === 1 ? 'it' : 'them'} was read.`,
  ];
}

/** undefined: nothing shows that no message is under way. */
function proofOf(
  { stuck, waitsOf, waits: { processes } }: WaitForGraph,
  target: string,
  before: readonly ProcessState[] | undefined,
): HangDocument['proof'] {
  // Accesses to a window do not change the message counters.
  const isCounted = (process: number): boolean =>
    !isUnavailable(processes[process]!.counters) && !waitsOf[process]!.some(({ call }) => isOnWindow(call));
  if ([...stuck].every(isCounted)) return 'counters';
  if (before !== undefined) {
    // What goes from host to host leaves no trace in the memory that ranks of one host share.
    const isOneHost = new Set(processes.map(({ id }) => id.host)).size === 1;
    return isOneHost || isNetworkStill(before, processes) ? 'two-looks' : undefined;
  }
  // Between two cores a job may have gone from one collective operation to the next.
  const isComplete = [...stuck].some((process) =>
    waitsOf[process]!.some(({ needs }) => needs.some((need) => need.isComplete === true)),
  );
  if (isComplete) return undefined;
  const areAllInMpi = processes.every((state, process) => stuck.has(process) || isLeaving(state));
  return target === 'core' && areAllInMpi && areOfOneMoment(processes) ? 'one-look' : undefined;
}

/** Seconds between the first and the last core of a job; large ones take a while to write. */
const maxMoment = 60;

function areOfOneMoment(processes: readonly ProcessState[]): boolean {
  const times = processes.flatMap(({ written }) => written ?? []);
  return times.length > 0 && Math.max(...times) - Math.min(...times) <= maxMoment;
}

/** Somebody does what only its own code decides, and nothing stands in the way of who waits for it. */
function isGoingOn({ waits: { processes } }: WaitForGraph): boolean {
  if (processes.every(isLeaving)) return true;
  const all = processes.flatMap(({ positions }) => positions);
  const isKnown =
    processes.every(({ error, found }) => error === undefined && found?.state !== 'stopped') &&
    !all.some(({ state, polls }) => state === 'unknown' || (state === 'polling' && polls === undefined));
  return (
    isKnown &&
    all.some(({ state }) => state === 'running') &&
    !processes.some((state) => waitsForBlocked(state, processes))
  );
}

/** For a lock that another rank has, which waits in MPI. */
function waitsForBlocked({ id, positions }: ProcessState, processes: readonly ProcessState[]): boolean {
  const holders = positions.flatMap(({ waitsIn }) => waitsIn?.holder ?? []);
  return processes.some(
    (other) =>
      other.id.host === id.host &&
      holders.includes(other.id.pid ?? 0) &&
      other.positions.every(({ state }) => state === 'blocked'),
  );
}

function crashText(processes: readonly ProcessState[], words: HangWords): string[] {
  const died = processes.flatMap(({ crash }, process) => (crash === undefined ? [] : [{ process, crash }]));
  return [...groupedBy(died, ({ crash }) => crash.text).values()].map((of) =>
    sentence(`${words.ranks(of.map(({ process }) => process))} ${deathOf(of[0]!.crash, of.length)}`),
  );
}

function evidenceOf(graph: WaitForGraph, cause: Cause, words: HangWords): HangDocument['evidence'] {
  const facts = cause.needs.map(({ wait, need }) => ({ process: wait.process, fact: words.wait(wait, need, 1) }));
  const absent = cause.culprits
    .filter((process) => !facts.some((each) => each.process === process))
    .map((process) => {
      const sent = cause.nearMisses?.find(({ found }) => found.queue !== 'posted' && found.from === process);
      const absence = words.absence(process);
      return { process, fact: sent === undefined ? absence : `${sentText(sent, words)}, and ${absence}` };
    });
  const locks = locksOf(graph).map((lock) => ({
    process: lock.wait.process,
    fact: lockText(lock, graph.waits.processes),
  }));
  return [...facts, ...absent, ...locks].flatMap(({ process, fact }) => {
    const { rank, world } = graph.waits.processes[process]!.id;
    return rank === null ? [] : [{ rank, ...(world && { world }), fact }];
  });
}

function reasons({ free, waits: { processes } }: WaitForGraph): HangDocument['evidence'] {
  return [...free].flatMap(([process, fact]) => {
    const { rank, world } = processes[process]!.id;
    return rank === null ? [] : [{ rank, ...(world && { world }), fact }];
  });
}

/** What the looks know of a process beside its waits: that its main thread has ended, and files of which they tell nothing. */
function beside(processes: readonly ProcessState[]): HangDocument['evidence'] {
  return processes.flatMap(({ id: { rank, world }, lostFiles = [], mainHasEnded: hasEnded }) =>
    rank === null
      ? []
      : [...(hasEnded === true ? [mainHasEnded] : []), ...lostFiles].map((fact) => ({
          rank,
          ...(world && { world }),
          fact,
        })),
  );
}
