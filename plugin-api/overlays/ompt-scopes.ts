/** Parallel regions and explicit tasks that have begun, by their ids. */
import type { Region, Table, TableName } from './region';

/** OMP_PROBES of region.h. */
const probes = 16;
const ended = 1n << 63n;

export interface Scope {
  /** The id of the region around it; 0: none. */
  enclosing: bigint;
  /** The id of the task that has met it. */
  task: bigint;
  code: bigint;
  flags: number;
  requested: number;
}

export class Scopes {
  private constructor(private readonly table: Table) {}

  /** Throws FaultError. */
  static async of(region: Region, table: TableName & ('parallels' | 'tasks')): Promise<Scopes> {
    return new Scopes(await region.table(table));
  }

  /** Whether one has begun that has not ended. */
  hasLive(): boolean {
    for (let i = 0; i < this.table.count; i++) {
      const id = this.table.at(i).getBigUint64(0, true);
      if (id !== 0n && (id & ended) === 0n) return true;
    }
    return false;
  }

  /** Undefined: there was no room for it, or its place was taken after its end. */
  get(id: bigint): Scope | undefined {
    const { count } = this.table;
    for (let i = 0; id !== 0n && i < Math.min(probes, count); i++) {
      const bytes = this.table.at(Number((id + BigInt(i)) % BigInt(count)));
      if ((bytes.getBigUint64(0, true) & ~ended) !== id) continue;
      return {
        enclosing: bytes.getBigUint64(8, true),
        task: bytes.getBigUint64(16, true),
        code: bytes.getBigUint64(24, true),
        flags: bytes.getUint32(32, true),
        requested: bytes.getUint32(36, true),
      };
    }
    return undefined;
  }
}
