/** The event types of a region with their totals, and the sources that raise them. */
import type { HandleRef } from '../mpi/records';
import type { Enumerations } from './enumerations';
import { binds, kindOfBind, orderings, safeties, verbosities, wordOf } from './mpi-t-words';
import type { Bind, EventSource, EventType, Hint } from './records';
import { Parts, type Region, type Texts } from './region';
import { integer, secondsSince, valueKinds, type ValueKind } from './values';

const freed = 1;

/** `kinds`: how the value of each element is kept. `objects`: what callbacks were registered on, by handle. */
export interface DescribedType {
  type: EventType;
  kinds: ValueKind[];
  objects: ReadonlyMap<bigint, HandleRef>;
}

/** `clock`: undefined where the source does not tell its time, or at no steady rate. */
export interface DescribedSource {
  source: EventSource;
  clock?: { ticks: bigint; time: bigint; ticksPerSecond: bigint; maxTicks: bigint };
}

/** Throws FaultError and CorruptError. */
export async function readEventTypes(
  region: Region,
  texts: Texts,
  enumerations: Enumerations,
): Promise<DescribedType[]> {
  const table = await region.table('eventTypes');
  const [elements, hints] = [await partsOf(region, 'elements'), await partsOf(region, 'hints')];
  const described = Array.from({ length: table.count }, (_, i) =>
    describedType(table.at(i), texts, enumerations, elements, hints),
  );
  const registrations = await region.table('registrations');
  for (let i = 0; i < registrations.count; i++) {
    const bytes = registrations.at(i);
    const of = wordOf(described, bytes.getUint32(0, true), 'what a callback is registered for');
    const handle = bytes.getBigUint64(8, true);
    const object = objectOf(of.type.bind, handle, texts.at(bytes.getUint32(16, true)));
    const safety = bytes.getUint32(20, true);
    if (object !== undefined) of.objects.set(handle, object);
    of.type.registrations.push({
      ...(object === undefined ? {} : { object }),
      safety: safeties.filter((_, level) => (safety & (1 << level)) !== 0),
      ...((bytes.getUint32(4, true) & freed) === 0 ? {} : { freed: true }),
    });
  }
  return described;
}

/** Undefined: nothing is bound to an object there. */
export function objectOf(bind: Bind, handle: bigint, name: string): HandleRef | undefined {
  const kind = kindOfBind[bind];
  if (kind === undefined) return undefined;
  return { kind, handle: `0x${handle.toString(16)}`, ...(name === '' ? {} : { name }) };
}

function describedType(
  bytes: DataView,
  texts: Texts,
  enumerations: Enumerations,
  elements: Parts,
  hints: Parts,
): DescribedType & { objects: Map<bigint, HandleRef> } {
  const enumeration = enumerations.at(bytes.getUint32(8, true));
  const parts = elements.take(bytes.getUint32(12, true), bytes.getUint32(16, true));
  const type: EventType = {
    name: texts.at(bytes.getUint32(0, true)),
    verbosity: wordOf(verbosities, bytes.getUint8(28), 'the verbosity of an event'),
    bind: wordOf(binds, bytes.getUint8(29), 'what an event is bound to'),
    description: texts.at(bytes.getUint32(4, true)),
    elements: parts.map((element, i) => {
      const name = enumeration?.items.find(({ value }) => value === i)?.name;
      return {
        datatype: texts.at(element.getUint32(0, true)),
        displacement: integer(element.getBigInt64(8, true)),
        ...(name === undefined ? {} : { name }),
      };
    }),
    ...(enumeration === undefined ? {} : { enumeration }),
    ...hintsOf(hints, bytes.getUint32(20, true), bytes.getUint32(24, true), texts),
    registrations: [],
    raised: integer(bytes.getBigUint64(32, true)),
    dropped: integer(bytes.getBigUint64(40, true)),
  };
  const kinds = parts.map((element) => wordOf(valueKinds, element.getUint8(4), 'the kind of an element'));
  return { type, kinds, objects: new Map() };
}

/** Throws FaultError and CorruptError. */
export async function readSources(region: Region, texts: Texts): Promise<DescribedSource[]> {
  const table = await region.table('sources');
  const hints = await partsOf(region, 'hints');
  return Array.from({ length: table.count }, (_, i) => describedSource(table.at(i), region, texts, hints));
}

function describedSource(bytes: DataView, region: Region, texts: Texts, hints: Parts): DescribedSource {
  const [ticksPerSecond, maxTicks] = [bytes.getBigInt64(24, true), bytes.getBigInt64(32, true)];
  const generation = bytes.getBigUint64(48, true);
  const slot = generation % 2n === 0n ? 56 : 72;
  const [ticks, time] = [bytes.getBigInt64(slot, true), bytes.getBigUint64(slot + 8, true)];
  const refusal = texts.at(bytes.getUint32(12, true));
  const reason = refusal === '' && generation === 0n ? 'the collector has not asked for it yet' : refusal;
  const source: EventSource = {
    name: texts.at(bytes.getUint32(0, true)),
    description: texts.at(bytes.getUint32(4, true)),
    ordering: wordOf(orderings, bytes.getUint8(8), 'the ordering of a source'),
    ticksPerSecond: integer(ticksPerSecond),
    maxTicks: integer(maxTicks),
    ...hintsOf(hints, bytes.getUint32(16, true), bytes.getUint32(20, true), texts),
    reference:
      reason === ''
        ? { ticks: integer(ticks), time: secondsSince(region.header.start, time) }
        : { code: 'MPIDBG_ERR_UNAVAILABLE', reason },
    dropped: integer(bytes.getBigUint64(40, true)),
  };
  if (reason !== '' || ticksPerSecond <= 0n) return { source };
  return { source, clock: { ticks, time, ticksPerSecond, maxTicks } };
}

async function partsOf(region: Region, name: 'elements' | 'hints'): Promise<Parts> {
  return new Parts(await region.table(name), name);
}

function hintsOf(hints: Parts, first: number, count: number, texts: Texts): { hints?: Hint[] } {
  if (count === 0) return {};
  const told = hints.take(first, count).map((hint) => ({
    key: texts.at(hint.getUint32(0, true)),
    value: texts.at(hint.getUint32(4, true)),
  }));
  return { hints: told };
}
