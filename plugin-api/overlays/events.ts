/** The last events of a region: what was raised, by whom, when, and with which data. */
import type { HandleRef } from '../mpi/records';
import { CorruptError } from '../result';
import { objectOf, type DescribedSource, type DescribedType } from './event-types';
import { referredObject } from './known-events';
import { safeties, wordOf } from './mpi-t-words';
import type { MpiTEvent } from './records';
import type { Region } from './region';
import { recordKinds, type RingRecord } from './rings';
import { elementOf, integer, secondsSince, type ValueKind } from './values';

const payloads: readonly MpiTEvent['payload'][] = ['none', 'read', 'copied', 'denied'];
/** Ticks, bits, and the object of the registration come before the elements. */
const headWords = 3;
const noSource = 0xffff_ffffn;

export function isEvent({ kind }: RingRecord): boolean {
  return kind === recordKinds.event || kind === recordKinds.dropped;
}

/** Throws CorruptError. */
export function typeOfEvent(record: RingRecord, types: readonly DescribedType[]): DescribedType {
  return wordOf(types, record.what, 'the type of an event');
}

/** Decodes a record for which isEvent() is true. Throws CorruptError. */
export function eventOf(
  record: RingRecord,
  types: readonly DescribedType[],
  sources: readonly DescribedSource[],
  region: Region,
): MpiTEvent {
  const described = typeOfEvent(record, types);
  const [ticks, bits, handle] = record.words;
  if (ticks === undefined || bits === undefined || handle === undefined)
    throw new CorruptError('the region of the collector is damaged: a record of an event is too short');
  const sourceIndex = bits & 0xffff_ffffn;
  const source = sourceIndex === noSource ? undefined : wordOf(sources, Number(sourceIndex), 'the source of an event');
  const { type, objects } = described;
  const payload = wordOf(payloads, Number((bits >> 40n) & 0xffn), 'how the data of an event was taken');
  const elements = elementsOf(described, payload, record.words.slice(headWords));
  const registeredOn = objects.get(handle) ?? objectOf(type.bind, handle, '');
  const refersTo = referredTo(type.name, elements, registeredOn);
  const isNotice = record.kind === recordKinds.dropped;
  return {
    type: type.name,
    source: source?.source.name ?? '',
    thread: record.thread,
    ...timesOf(record, BigInt.asIntN(64, ticks), isNotice ? undefined : source, region.header.start),
    safety: wordOf(safeties, Number((bits >> 32n) & 0xffn), 'the safety level of an event'),
    elements,
    payload,
    ...(registeredOn === undefined ? {} : { registeredOn }),
    ...(refersTo === undefined ? {} : { refersTo }),
    ...(isNotice ? { dropped: integer(record.words[headWords] ?? 0n) } : {}),
  };
}

function elementsOf(
  { type, kinds }: DescribedType,
  payload: MpiTEvent['payload'],
  words: readonly bigint[],
): MpiTEvent['elements'] {
  if (payload !== 'read' && payload !== 'copied') return [];
  if (words.length !== kinds.length)
    throw new CorruptError('the region of the collector is damaged: an event has other elements than its type');
  return kinds.map((kind, i) => {
    const { datatype, name } = type.elements[i]!;
    return { ...(name === undefined ? {} : { name }), datatype, value: valueOf(words[i]!, kind) };
  });
}

function valueOf(word: bigint, kind: ValueKind): MpiTEvent['elements'][number]['value'] {
  if (kind === 'text') return String.fromCharCode(Number(word & 0xffn));
  const bits = new DataView(new ArrayBuffer(8));
  bits.setBigUint64(0, word, true);
  return elementOf(bits, kind);
}

function referredTo(
  type: string,
  elements: MpiTEvent['elements'],
  registeredOn: HandleRef | undefined,
): HandleRef | undefined {
  const object = referredObject(type, elements);
  return object !== undefined && object.handle === registeredOn?.handle ? registeredOn : object;
}

/** A notice of dropped events has no time of its source; neither has a source without a clock. */
function timesOf(
  record: RingRecord,
  ticks: bigint,
  source: DescribedSource | undefined,
  start: bigint,
): Pick<MpiTEvent, 'time' | 'delivered' | 'ticks'> {
  const delivered = secondsSince(start, record.time);
  if (source === undefined) return { time: delivered };
  const { clock } = source;
  if (clock === undefined) return { time: delivered, delivered, ticks: integer(ticks) };
  const passed = sinceReference(ticks - clock.ticks, clock.maxTicks);
  const time = secondsSince(start, clock.time) + Number(passed) / Number(clock.ticksPerSecond);
  return { time, delivered, ticks: integer(ticks) };
}

/** The source's clock may have begun again between the two. */
function sinceReference(passed: bigint, maxTicks: bigint): bigint {
  if (maxTicks <= 0n) return passed;
  if (passed > maxTicks / 2n) return passed - maxTicks - 1n;
  return passed < -maxTicks / 2n ? passed + maxTicks + 1n : passed;
}
