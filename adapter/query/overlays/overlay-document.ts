/** What the collectors of a job's ranks tell. */
import type { Known } from '../../../plugin-api/mpi/records';
import type { OverlayMemory } from '../../../plugin-api/overlays/overlay-memory';
import { pvarsOfMemory } from '../../../plugin-api/overlays/memory-pvars';
import {
  readOverlay,
  type CategoryPart,
  type OverlayPart,
  type ProcessOverlay,
} from '../../../plugin-api/overlays/read-overlay';
import type { Category, CollectorState, OverlayDocument, RankOverlay } from '../../../plugin-api/overlays/records';
import { RingTail } from '../../../plugin-api/overlays/rings';
import type { LibraryCode } from '../../../plugin-api/mpi/library-code';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { guard, isUnavailable } from '../../../plugin-api/result';
import { localHost } from '../../hosts/local-host';
import { canBeRead, type Rank } from '../../job/rank';
import { targetOf } from '../rank-ids';
import { withOmptPlaces, withPlaces } from '../history/code-places';
import { seeRunning, seeStopped, type SeenRank } from './seen-ranks';

/** Which of it. `patterns`: globs; only variables and types of events with such a name, and categories that have one. None: all. */
export interface OverlayChoice {
  part: OverlayPart;
  patterns: readonly string[];
  /** How many of the newest events, and of the calls in each thread; default 20. */
  last?: number;
  /** Reads the lines of calls; default: gdb in PATH. */
  gdb?: string;
  /** See LineReader. */
  libraries?: LibraryCode;
  /** Instead: what is new since the last look of the same follower. */
  follower?: Follower;
}

const defaultLast = 20;

/** Keeps which records of each rank are known. */
export class Follower {
  private readonly tails = new Map<OverlayMemory, RingTail>();

  /** `maxSlots`: see RingTail. */
  constructor(private readonly maxSlots?: number) {}

  tailOf(memory: OverlayMemory): RingTail {
    const tail = this.tails.get(memory) ?? new RingTail(this.maxSlots);
    this.tails.set(memory, tail);
    return tail;
  }
}

/** For ranks of a job, running or not. */
export async function overlayOfRanks(
  ranks: readonly Rank[],
  plugins: PluginRegistry,
  choice: OverlayChoice,
): Promise<OverlayDocument> {
  const running = new Map(ranks.flatMap((rank) => (canBeRead(rank) ? [] : [[rank, seeRunning(rank, plugins)]])));
  const seen = ranks.map((rank) => running.get(rank) ?? seeStopped(rank, plugins));
  try {
    return await overlayDocument(targetOf(ranks), seen, { libraries: plugins.libraryCode, ...choice });
  } finally {
    for (const { image } of running.values()) image.invalidate();
  }
}

export async function overlayDocument(
  target: 'live' | 'core',
  ranks: readonly SeenRank[],
  choice: OverlayChoice,
): Promise<OverlayDocument> {
  const isWanted = matcher(choice.patterns);
  const { part, last = defaultLast, gdb = 'gdb', libraries } = choice;
  const reader = { gdb, ...(libraries && { libraries }) };
  const read = async ({ id, image, memory, mpi, lasting }: SeenRank): Promise<RankOverlay> => {
    const tail = choice.follower?.tailOf(memory);
    const overlay = await readOverlay(image, part, { isWanted, last, ...(tail === undefined ? {} : { tail }) }, memory);
    if (!isUnavailable(overlay.collector)) {
      await lasting?.hold(image);
      if (target === 'live' && id.host === localHost.name && lasting?.outlives !== true) setNow(overlay.collector);
    }
    if (part === 'pvars' && isUnavailable(overlay.collector))
      overlay.pvars = (await ofMemory(mpi, isWanted)) ?? overlay.collector;
    const { eventTypes, categories, calls, ompt } = overlay;
    return {
      ...{ ...id, ...overlay },
      ...(eventTypes === undefined ? {} : { eventTypes: filtered(eventTypes, ({ name }) => isWanted(name)) }),
      ...(calls === undefined || isUnavailable(calls) ? {} : { calls: await withPlaces(image, calls, reader) }),
      ...(ompt === undefined || isUnavailable(ompt) ? {} : { ompt: await withOmptPlaces(image, ompt, reader) }),
      ...(categories === undefined || part === 'calls' || part === 'ompt'
        ? {}
        : { categories: ofPart(categories, part, isWanted) }),
    };
  };
  return { schema: 'mpidbg/1', target, ranks: await Promise.all(ranks.map(read)) };
}

/**
 * The collector itself last looked at its clock when it read the variables: it does not in MPI_Init and MPI_Finalize, nor while the
 * rank is stopped.
 */
function setNow({ clock }: CollectorState): void {
  clock.now = Math.max(clock.now, (Date.now() - Date.parse(clock.start)) / 1000);
}

/** Without a collector, of a process that does not run: what its own structures tell. */
async function ofMemory(mpi: SeenRank['mpi'], isWanted: (name: string) => boolean): Promise<ProcessOverlay['pvars']> {
  const counted = await guard(async () => {
    const process = await mpi?.();
    return process === undefined ? undefined : pvarsOfMemory(process);
  });
  return counted.ok ? counted.value?.filter(({ name }) => isWanted(name)) : undefined;
}

function filtered<T>(all: Known<T[]>, isWanted: (each: T) => boolean): Known<T[]> {
  return isUnavailable(all) ? all : all.filter(isWanted);
}

/** What was chosen of the same categories last: looks have them again as long as nothing is added. */
const lastChosen = new WeakMap<Category[], { isWanted: (name: string) => boolean; chosen: Category[] }>();

function ofPart(
  categories: Known<Category[]>,
  part: CategoryPart,
  isWanted: (name: string) => boolean,
): Known<Category[]> {
  if (isUnavailable(categories)) return categories;
  const last = lastChosen.get(categories);
  if (last?.isWanted === isWanted) return last.chosen;
  const chosen = chosenOf(categories, part, isWanted);
  lastChosen.set(categories, { isWanted, chosen });
  return chosen;
}

/** With the members that were asked for; without those that have none. */
function chosenOf(
  categories: readonly Category[],
  part: CategoryPart,
  isWanted: (name: string) => boolean,
): Category[] {
  return categories
    .map((category) => ({
      ...category,
      pvars: part === 'pvars' ? category.pvars.filter(({ name }) => isWanted(name)) : [],
      cvars: part === 'cvars' ? category.cvars.filter(isWanted) : [],
      events: part === 'events' ? category.events.filter(isWanted) : [],
    }))
    .filter((category) => category[part].length > 0);
}

/** The matchers of the last looks, and how many. */
const matchers = new Map<string, (name: string) => boolean>();
const maxMatchers = 32;

/** The same function for the same patterns: what was chosen with it is kept. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const key = JSON.stringify(patterns);
  const known = matchers.get(key) ?? newMatcher(patterns);
  if (matchers.size === maxMatchers) matchers.clear();
  matchers.set(key, known);
  return known;
}

function newMatcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(globExpression);
  if (expressions.length === 0) return () => true;
  // The same names come again in each rank and category.
  const known = new Map<string, boolean>();
  return (name) => {
    const isWanted = known.get(name) ?? expressions.some((expression) => expression.test(name));
    known.set(name, isWanted);
    return isWanted;
  };
}

/** `*` is any text, `?` any character. */
function globExpression(glob: string): RegExp {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
}
