/** The performance variables of a region, with their values. */
import type { Known } from '../mpi/records';
import { CorruptError, known, QueryError } from '../result';
import { binds, kindOfBind, pvarClasses, verbosities, wordOf } from './mpi-t-words';
import type { Enumerations } from './enumerations';
import type { Bind, Pvar, PvarClass, PvarInstance } from './records';
import { Parts, spanOf, type Region, type Table, type Texts } from './region';
import { elementOf, secondsSince, valueKinds, type ValueKind } from './values';

const statuses = ['active', 'inactive', 'denied'] as const;
const [readonly, continuous, atomic] = [1, 2, 4];
const [started, freed] = [1, 2];

/** Reads that meet the collector in the middle of writing are made again, so often. */
const maxTries = 5;

/** What an instance is, and which of its values was complete. */
interface Instance {
  pvar: number;
  flags: number;
  object: bigint;
  count: number;
  values: number;
  generation: bigint;
  time: bigint;
  error: number;
  objectName: number;
}

/** What does not change of one: all but its status and what it is bound to. */
export interface DescribedPvar {
  index: number;
  kind: ValueKind;
  pvar: Omit<Pvar, 'status' | 'instances'>;
}

/** Those with such a name. Throws FaultError and CorruptError. */
export async function describePvars(
  region: Region,
  texts: Texts,
  enumerations: Enumerations,
  isWanted: (name: string) => boolean,
): Promise<DescribedPvar[]> {
  const table = await region.table('pvars');
  const all = Array.from({ length: table.count }, (_, index) => index);
  return all
    .filter((index) => isWanted(texts.at(table.uint32(index, 0))))
    .map((index) => ({ index, ...described(table.at(index), texts, enumerations) }));
}

/** With their values. Throws FaultError and CorruptError. */
export async function readPvars(region: Region, texts: Texts, wanted: readonly DescribedPvar[]): Promise<Pvar[]> {
  const table = await region.table('pvars');
  const byIndex = new Map(wanted.map((each) => [each.index, { ...each, instances: new Array<PvarInstance>() }]));
  for (const { instance, values } of await readInstances(region, (index) => byIndex.get(index)?.kind)) {
    const { pvar, instances } = byIndex.get(instance.pvar)!;
    instances.push(instanceOf(instance, pvar.bind, values, region, texts));
  }
  return [...byIndex.values()].map(({ index, pvar, instances }) => {
    const status = wordOf(statuses, table.at(index).getUint8(21), 'the status of a variable');
    return { ...pvar, status, instances };
  });
}

/** The names of all, in the region's order. */
export async function readPvarNames(region: Region, texts: Texts): Promise<Pick<Pvar, 'name' | 'class'>[]> {
  const table = await region.table('pvars');
  return Array.from({ length: table.count }, (_, i) => {
    const bytes = table.at(i);
    return { name: texts.at(bytes.getUint32(0, true)), class: classOf(bytes) };
  });
}

function classOf(bytes: DataView): PvarClass {
  return wordOf(pvarClasses, bytes.getUint8(16), 'the class of a variable');
}

function described(bytes: DataView, texts: Texts, enumerations: Enumerations): Omit<DescribedPvar, 'index'> {
  const flags = bytes.getUint8(19);
  const enumeration = enumerations.at(bytes.getUint32(12, true));
  const pvar: DescribedPvar['pvar'] = {
    name: texts.at(bytes.getUint32(0, true)),
    class: classOf(bytes),
    datatype: texts.at(bytes.getUint32(4, true)),
    bind: wordOf(binds, bytes.getUint8(17), 'what a variable is bound to'),
    verbosity: wordOf(verbosities, bytes.getUint8(18), 'the verbosity of a variable'),
    description: texts.at(bytes.getUint32(8, true)),
    readonly: (flags & readonly) !== 0,
    continuous: (flags & continuous) !== 0,
    atomic: (flags & atomic) !== 0,
    ...(enumeration === undefined ? {} : { enumeration }),
    origin: 'collector',
  };
  return { kind: wordOf(valueKinds, bytes.getUint8(20), 'the kind of a value'), pvar };
}

interface ReadInstance {
  instance: Instance;
  values: Known<Pvar['instances'][number]['values']>;
}

/**
 * The values between two looks at the instances: those whose generation is the same in both are whole. `kindOf`: undefined for
 * variables that are not wanted.
 */
async function readInstances(region: Region, kindOf: (pvar: number) => ValueKind | undefined): Promise<ReadInstance[]> {
  const isWanted = (pvar: number): boolean => {
    if (pvar >= region.count('pvars'))
      throw new CorruptError('the region of the collector is damaged: a value is of no variable');
    return kindOf(pvar) !== undefined;
  };
  for (let tries = 1; ; tries++) {
    const before = instancesOf(await region.table('instances'), isWanted);
    const slots = before.map(({ values, count }) => ({ first: values, count: 2 * count }));
    const values = new Parts(await region.table('values', spanOf(slots)), 'values');
    const after = instancesOf(await region.table('instances'), isWanted);
    const isWhole = before.map((instance, i) => isSame(instance, after[i]));
    if (tries < maxTries && isWhole.includes(false)) continue;
    return Promise.all(
      before.map(async (instance, i) => ({
        instance,
        values: await known(() => valuesOf(instance, isWhole[i]!, values, kindOf(instance.pvar) ?? 'unknown')),
      })),
    );
  }
}

/** Not written again, nor given to another object. */
function isSame({ generation, object }: Instance, after: Instance | undefined): boolean {
  return generation === after?.generation && object === after.object;
}

function instancesOf(table: Table, isWanted: (pvar: number) => boolean): Instance[] {
  const all = Array.from({ length: table.count }, (_, index) => index);
  const wanted = all.filter((index) => isWanted(table.uint32(index, 0)));
  return wanted.map((index) => {
    const bytes = table.at(index);
    const generation = bytes.getBigUint64(24, true);
    return {
      pvar: bytes.getUint32(0, true),
      flags: bytes.getUint32(4, true),
      object: bytes.getBigUint64(8, true),
      count: bytes.getUint32(16, true),
      values: bytes.getUint32(20, true),
      generation,
      time: bytes.getBigUint64(generation % 2n === 0n ? 32 : 40, true),
      error: bytes.getUint32(48, true),
      objectName: bytes.getUint32(52, true),
    };
  });
}

function valuesOf(instance: Instance, isWhole: boolean, values: Parts, kind: ValueKind): Integers {
  const { count, generation } = instance;
  const slots = values.take(instance.values, 2 * count);
  if (generation === 0n) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'the collector has not read it yet');
  if (!isWhole) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'the collector was writing it: ask again');
  const slot = Number(generation % 2n) * count;
  return slots.slice(slot, slot + count).map((bits) => elementOf(bits, kind));
}

type Integers = Extract<PvarInstance['values'], unknown[]>;

function instanceOf(
  instance: Instance,
  bind: Bind,
  values: PvarInstance['values'],
  region: Region,
  texts: Texts,
): PvarInstance {
  const { flags, object, count, generation, time, error } = instance;
  const kind = kindOfBind[bind];
  const name = texts.at(instance.objectName);
  const refusal = texts.at(error);
  return {
    ...(kind === undefined
      ? {}
      : { object: { kind, handle: `0x${object.toString(16)}`, ...(name === '' ? {} : { name }) } }),
    ...((flags & freed) === 0 ? {} : { objectFreed: true }),
    started: (flags & started) !== 0,
    count,
    values: refusal === '' ? values : { code: 'MPIDBG_ERR_UNAVAILABLE', reason: refusal },
    ...(generation === 0n ? {} : { time: secondsSince(region.header.start, time) }),
  };
}
