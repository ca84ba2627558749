/** The performance variables of a region, with their values. */
import type { Known } from '../mpi/records';
import { CorruptError, known, QueryError } from '../result';
import { binds, kindOfBind, pvarClasses, verbosities, wordOf } from './mpi-t-words';
import type { Enumerations } from './enumerations';
import type { Bind, Pvar, PvarInstance } from './records';
import { Parts, type Region, type Table, type Texts } from './region';
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

/** All; the values of those with such a name. */
export async function readPvars(
  region: Region,
  texts: Texts,
  enumerations: Enumerations,
  isWanted: (name: string) => boolean,
): Promise<Pvar[]> {
  const table = await region.table('pvars');
  const byPvar = new Map<number, PvarInstance[]>();
  const descriptions = Array.from({ length: table.count }, (_, i) => pvarOf(table.at(i), texts, enumerations));
  const isWantedPlace = descriptions.map(({ pvar }) => isWanted(pvar.name));
  const wanted = await readInstances(
    region,
    (i) => descriptions[i]?.kind,
    (i) => isWantedPlace[i] !== false,
  );
  for (const { instance, values } of wanted) {
    const pvar = descriptions[instance.pvar]?.pvar;
    if (pvar === undefined) throw new CorruptError('the region of the collector is damaged: a value is of no variable');
    const told = instanceOf(instance, pvar.bind, values, region, texts);
    byPvar.set(instance.pvar, [...(byPvar.get(instance.pvar) ?? []), told]);
  }
  return descriptions.map(({ pvar }, i) => ({ ...pvar, instances: byPvar.get(i) ?? [] }));
}

function pvarOf(bytes: DataView, texts: Texts, enumerations: Enumerations): { pvar: Pvar; kind: ValueKind } {
  const flags = bytes.getUint8(19);
  const enumeration = enumerations.at(bytes.getUint32(12, true));
  const pvar: Pvar = {
    name: texts.at(bytes.getUint32(0, true)),
    class: wordOf(pvarClasses, bytes.getUint8(16), 'the class of a variable'),
    datatype: texts.at(bytes.getUint32(4, true)),
    bind: wordOf(binds, bytes.getUint8(17), 'what a variable is bound to'),
    verbosity: wordOf(verbosities, bytes.getUint8(18), 'the verbosity of a variable'),
    description: texts.at(bytes.getUint32(8, true)),
    readonly: (flags & readonly) !== 0,
    continuous: (flags & continuous) !== 0,
    atomic: (flags & atomic) !== 0,
    ...(enumeration === undefined ? {} : { enumeration }),
    origin: 'collector',
    status: wordOf(statuses, bytes.getUint8(21), 'the status of a variable'),
    instances: [],
  };
  return { pvar, kind: wordOf(valueKinds, bytes.getUint8(20), 'the kind of a value') };
}

interface ReadInstance {
  instance: Instance;
  values: Known<Pvar['instances'][number]['values']>;
}

/** The values between two looks at the instances: those whose generation is the same in both are whole. */
async function readInstances(
  region: Region,
  kindOf: (pvar: number) => ValueKind | undefined,
  isWanted: (pvar: number) => boolean,
): Promise<ReadInstance[]> {
  for (let tries = 1; ; tries++) {
    const before = instancesOf(await region.table('instances'), isWanted);
    const values = new Parts(await region.table('values'), 'values');
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
  const entries = Array.from({ length: table.count }, (_, i) => table.at(i));
  const wanted = entries.filter((bytes) => isWanted(bytes.getUint32(0, true)));
  return wanted.map((bytes) => {
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
