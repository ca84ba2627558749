/** The live objects of each kind, from the pools, including those that a call has allocated but not filled yet. */
import { once, onceByKey } from '../../once';
import type { StructValues } from '../../struct';
import { classNumber, type Decoder, type PoolKind } from './handles';
import { objectsIn } from './liveness';
import { isMessage } from './request-kinds';
import { commSpec, requestSpec } from './specs';

type Comm = StructValues<typeof commSpec>;

interface LiveObject {
  handle: bigint;
  address: bigint;
}

/** The live objects of the kind's pools. Throws FaultError, QueryError. */
export const liveObjects = onceByKey(findLiveObjects);

async function findLiveObjects(decoder: Decoder, kind: PoolKind): Promise<LiveObject[]> {
  const { pools, requestPools, reader } = decoder.objects;
  const number = classNumber(kind);
  const pool = pools.get(number);
  const ofKind = kind === 'request' || kind === 'message' ? requestPools : pool === undefined ? [] : [pool];
  const found: LiveObject[] = [];
  for (const each of ofKind)
    for (const { handle, address } of await objectsIn(decoder.objects, kind, each))
      found.push({ handle: BigInt(handle), address });
  if (kind !== 'message' && kind !== 'request') return found;
  // A message is an object of the same pools.
  const areMessages = await Promise.all(
    found.map(async ({ address }) => isMessage(await reader.read(requestSpec, address))),
  );
  return found.filter((_, i) => areMessages[i] === (kind === 'message'));
}

/** All communicators, the predefined ones first. Throws FaultError, QueryError. */
export const liveComms = once(async (decoder: Decoder): Promise<Comm[]> => {
  const { reader, process } = decoder.objects;
  const predefined = process === undefined ? [] : [process.commWorld, process.commSelf].filter((c) => c !== 0n);
  const made = (await liveObjects(decoder, 'comm')).map(({ address }) => address);
  return Promise.all([...predefined, ...made].map((address) => reader.read(commSpec, address)));
});
