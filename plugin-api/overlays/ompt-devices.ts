/** Devices that OpenMP has initialised: what is loaded on them, and what they have traced. */
import type { Known } from '../mpi/records';
import { unavailable } from '../result';
import { callbackName, fieldsOf } from './ompt-fields';
import type { OmptDevice } from './ompt-records';
import type { Region, Texts } from './region';
import type { RingRecord } from './rings';
import { integer, secondsSince } from './values';

/** Device, its time, thread and target come before the fields. */
const headWords = 4;

/** `traced`: records of all devices. Throws FaultError and CorruptError. */
export async function readDevices(region: Region, texts: Texts, traced: readonly RingRecord[]): Promise<OmptDevice[]> {
  const [devices, images] = [await region.table('devices'), await region.table('images')];
  const loaded = Array.from({ length: images.count }, (_, i) => images.at(i)).filter(
    (image) => image.getUint32(4, true) === 0,
  );
  return Array.from({ length: devices.count }, (_, i): OmptDevice => {
    const bytes = devices.at(i);
    const number = bytes.getInt32(0, true);
    const documentation = texts.at(bytes.getUint32(8, true));
    return {
      number,
      type: texts.at(bytes.getUint32(4, true)),
      ...(documentation === '' ? {} : { documentation }),
      images: loaded
        .filter((image) => image.getInt32(0, true) === number)
        .map((image) => ({
          address: `0x${image.getBigUint64(16, true).toString(16)}` as const,
          bytes: integer(image.getBigUint64(24, true)),
        })),
      tracing: tracingOf(bytes.getUint32(12, true)),
      buffersLost: integer(bytes.getBigUint64(16, true)),
      records: traced
        .filter(({ words }) => Number(BigInt.asIntN(32, words[0] ?? -1n)) === number)
        .map((record) => tracedOf(record, region, texts)),
    };
  });
}

/** Decodes enum device_tracing in region.h. */
function tracingOf(state: number): Known<boolean> {
  if (state === 2) return true;
  if (state === 3) return false;
  const reason =
    state === 1 ? 'the runtime refused to trace the device' : 'the runtime has no functions that trace the device';
  return unavailable('MPIDBG_ERR_NOT_SUPPORTED', reason);
}

function tracedOf({ what, time, words }: RingRecord, region: Region, texts: Texts): OmptDevice['records'][number] {
  const [, , thread = 0n, target = 0n] = words;
  return {
    type: callbackName(what) ?? String(what),
    time: secondsSince(region.header.start, time),
    ...(thread === 0n ? {} : { threadId: integer(thread) }),
    ...(target === 0n ? {} : { targetId: integer(target) }),
    fields: fieldsOf(what, words.slice(headWords), texts, undefined),
  };
}
