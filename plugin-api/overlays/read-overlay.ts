/** What a process's collector tells, as records. */
import type { ProcessImage } from '../image';
import type { Known, RankId } from '../mpi/records';
import { CorruptError, known, QueryError } from '../result';
import { readCategories } from './categories';
import { readCvars } from './cvars';
import { Enumerations } from './enumerations';
import { readPvars, secondsSince } from './pvars';
import type { CollectorState, RankOverlay } from './records';
import { Region, regionVersion, type Texts } from './region';

export type OverlayPart = 'pvars' | 'cvars';
export type ProcessOverlay = Omit<RankOverlay, keyof RankId>;

/** Never rejects because of the process: what cannot be known is unavailable, with the reason. */
export async function readOverlay(image: ProcessImage, part: OverlayPart): Promise<ProcessOverlay> {
  const opened = await known(async () => {
    const region = await Region.open(image);
    const texts = await region.texts();
    const problem = texts.at(region.header.problem);
    if (problem !== '')
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', `the collector is off: MPI_T_init_thread answered ${problem}`);
    return { region, texts, collector: await stateOf(region, texts) };
  });
  if ('code' in opened) return { collector: opened, [part]: opened };
  const { region, texts, collector } = opened;
  return { collector, ...(await partOf(region, texts, part)), categoriesChanged: region.header.changed };
}

async function partOf(region: Region, texts: Texts, part: OverlayPart): Promise<Partial<ProcessOverlay>> {
  const read = await known(async () => {
    const enumerations = await Enumerations.of(region, texts);
    const pvars = await readPvars(region, texts, enumerations);
    const cvars = await readCvars(region, texts, enumerations);
    return { pvars, cvars, categories: await readCategories(region, texts, pvars, cvars) };
  });
  if ('code' in read) return { [part]: read satisfies Known<never>, categories: read };
  return { [part]: read[part], categories: read.categories };
}

async function stateOf(region: Region, texts: Texts): Promise<CollectorState> {
  const denied = await region.table('denied');
  const { start, startReal, sampled } = region.header;
  return {
    version: String(regionVersion),
    clock: { start: dateOf(startReal), now: secondsSince(start, sampled) },
    collects: ['pvars'],
    overwritten: 0,
    denied: Array.from({ length: denied.count }, (_, i) => {
      const bytes = denied.at(i);
      return { name: texts.at(bytes.getUint32(0, true)), reason: texts.at(bytes.getUint32(4, true)) };
    }),
  };
}

/** `nanoseconds`: since 1970. */
function dateOf(nanoseconds: bigint): string {
  const date = new Date(Number(nanoseconds / 1_000_000n));
  if (Number.isNaN(date.getTime()))
    throw new CorruptError('the region of the collector is damaged: its start is no time');
  return date.toISOString();
}
