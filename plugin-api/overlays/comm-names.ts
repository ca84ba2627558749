/** The names of a region's communicators, which may have had the same handle one after the other. */
import { groupedBy } from '../grouped-by';
import type { HandleRef } from '../mpi/records';
import type { Region, Texts } from './region';

interface NamedComm {
  handle: bigint;
  name: string;
  /** Nanoseconds. `since`: its handle was free before; `until`: it was freed, 0 if it was not. */
  since: bigint;
  until: bigint;
}

export class CommNames {
  private readonly byHandle: ReadonlyMap<bigint, readonly NamedComm[]>;

  private constructor(comms: readonly NamedComm[]) {
    this.byHandle = groupedBy(comms, ({ handle }) => handle);
  }

  static async of(region: Region, texts: Texts): Promise<CommNames> {
    const table = await region.table('comms');
    return new CommNames(
      Array.from({ length: table.count }, (_, i) => {
        const bytes = table.at(i);
        return {
          handle: bytes.getBigUint64(0, true),
          since: bytes.getBigUint64(8, true),
          until: bytes.getBigUint64(16, true),
          name: texts.at(bytes.getUint32(24, true)),
        };
      }),
    );
  }

  /** The communicator that had this handle at that time. */
  ref(handle: bigint, time: bigint): HandleRef {
    const found = this.byHandle
      .get(handle)
      ?.find(({ since, until }) => time >= since && (until === 0n || time <= until));
    const hex = `0x${handle.toString(16)}` as const;
    return { kind: 'comm', handle: hex, ...(found === undefined || found.name === '' ? {} : { name: found.name }) };
  }
}
