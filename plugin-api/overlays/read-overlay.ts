/** What a process's collector tells, as records. */
import { counted } from '../counted';
import type { ProcessImage } from '../image';
import type { Known, RankId } from '../mpi/records';
import { CorruptError, known, QueryError } from '../result';
import { readCalls } from './calls';
import { readCategories, type Members } from './categories';
import { readCvarNames, readCvars } from './cvars';
import { readEventTypes, readSources } from './event-types';
import { eventOf, isEvent, typeOfEvent } from './events';
import { readOmpt } from './ompt';
import { OverlayMemory } from './overlay-memory';
import { readPvarNames, readPvars } from './pvars';
import type { Category, CollectorState, RankOverlay } from './records';
import { collectBits, regionVersion, type Region, type Texts } from './region';
import { lastRecords, lostRecords, type RingRecord, type RingTail } from './rings';
import { integer, secondsSince } from './values';

export const overlayParts = ['pvars', 'cvars', 'events', 'ompt', 'calls'] as const;
export type OverlayPart = (typeof overlayParts)[number];
/** What MPI_T has categories of. */
export type CategoryPart = Exclude<OverlayPart, 'ompt' | 'calls'>;
export type ProcessOverlay = Omit<RankOverlay, keyof RankId>;

/**
 * What is read: variables and events with such a name; which records of rings: the last ones, or what is new since the last look
 * through the same tail.
 */
export interface RecordChoice {
  last: number;
  tail?: RingTail;
  /** By its name; types of events are all there. A look costs less with the filter of an earlier one. */
  isWanted: (name: string) => boolean;
}

/** Never rejects because of the process: what cannot be known is unavailable, with the reason. */
export async function readOverlay(
  image: ProcessImage,
  part: OverlayPart,
  choice: RecordChoice,
  memory = new OverlayMemory(),
): Promise<ProcessOverlay> {
  const opened = await known(async () => {
    const region = await memory.open(image);
    const texts = await memory.textsOf(region);
    const problem = texts.at(region.header.problem);
    if (problem !== '')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', `the collector is off: MPI_T_init_thread answered ${problem}`);
    const denied = await memory.deniedOf(region, () => readDenied(region, texts));
    return { region, texts, collector: await stateOf(region, denied) };
  });
  if ('code' in opened) return { collector: opened, [part]: opened };
  const { region, texts, collector } = opened;
  const told = await known(() => partOf(image, region, texts, part, choice, memory));
  if ('code' in told) return { collector, [part]: told satisfies Known<never>, categories: told };
  const lost = (choice.tail?.lost ?? []).map(({ thread, time }) => ({
    ...{ thread, before: secondsSince(region.header.start, time) },
  }));
  const lostPart = lost.length === 0 ? {} : { lost };
  return { collector, ...told, ...lostPart, categoriesChanged: region.header.changed };
}

async function partOf(
  image: ProcessImage,
  region: Region,
  texts: Texts,
  part: OverlayPart,
  choice: RecordChoice,
  memory: OverlayMemory,
): Promise<Partial<ProcessOverlay>> {
  if (part === 'calls') {
    if ((region.header.collects & collectBits.calls) === 0)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'calls are not collected: start the job with --collect calls');
    return { calls: await readCalls(region, texts, choice) };
  }
  if (part === 'ompt') return { ompt: await readOmpt(image, region, texts, choice) };
  const categoriesOf = (membersOf: () => Members | Promise<Members>): Promise<Category[]> =>
    memory.categoriesOf(region, part, async () => readCategories(region, texts, await membersOf()));
  if (part === 'pvars') {
    if ((region.header.collects & collectBits.pvars) === 0)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'pvars are not collected: start the job with --collect pvars');
    const pvars = await readPvars(region, texts, await memory.pvarsOf(region, texts, choice.isWanted));
    const categories = await categoriesOf(async () => ({ pvars: await readPvarNames(region, texts) }));
    return { pvars, categories };
  }
  if (part === 'cvars') {
    if ((region.header.collects & (collectBits.pvars | collectBits.events)) === 0)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'cvars are not collected: start the job with --collect pvars');
    const cvars = await readCvars(region, texts, await memory.cvarsOf(region, texts, choice.isWanted));
    const categories = await categoriesOf(async () => ({ cvars: await readCvarNames(region, texts) }));
    return { cvars, categories };
  }
  const types = await readEventTypes(region, texts, await memory.enumerationsOf(region, texts));
  const eventTypes = types.map(({ type }) => type);
  const categories = await categoriesOf(() => ({ eventTypes }));
  const sources = await readSources(region, texts);
  const isWanted = (record: RingRecord): boolean =>
    isEvent(record) && choice.isWanted(typeOfEvent(record, types).type.name);
  const events = await known(async () => {
    if ((region.header.collects & collectBits.events) === 0)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'events are not collected: start the job with --collect events');
    const records =
      choice.tail === undefined
        ? await lastRecords(region, choice.last, isWanted)
        : (await choice.tail.next(region)).filter(isWanted);
    return records.map((record) => eventOf(record, types, sources, region)).sort((a, b) => a.time - b.time);
  });
  return { events, eventTypes, sources: sources.map(({ source }) => source), categories };
}

async function readDenied(region: Region, texts: Texts): Promise<CollectorState['denied']> {
  const denied = await region.table('denied');
  return Array.from({ length: denied.count }, (_, i) => {
    const bytes = denied.at(i);
    return { name: texts.at(bytes.getUint32(0, true)), reason: texts.at(bytes.getUint32(4, true)) };
  });
}

async function stateOf(region: Region, denied: CollectorState['denied']): Promise<CollectorState> {
  const { start, startReal, sampled, collects } = region.header;
  return {
    version: String(regionVersion),
    clock: { start: dateOf(startReal), now: secondsSince(start, sampled) },
    collects: (['pvars', 'events', 'ompt', 'calls'] as const).filter((what) => (collects & collectBits[what]) !== 0),
    overwritten: integer(await lostRecords(region)),
    denied: [...denied, ...lostHistory(region.refused('lives'))],
  };
}

function lostHistory(lost: number): CollectorState['denied'] {
  const reason = `the table is full: ${counted(lost, 'object')} that were made or freed are not in the history of handles`;
  return lost === 0 ? [] : [{ name: 'history', reason }];
}

/** `nanoseconds`: since 1970. */
function dateOf(nanoseconds: bigint): string {
  const date = new Date(Number(nanoseconds / 1_000_000n));
  if (Number.isNaN(date.getTime()))
    throw new CorruptError('the region of the collector is damaged: its start time is invalid');
  return date.toISOString();
}
