/** Looks at the files of ranks: those that stop together, or are to run together, and see the same files share one. */
import type { HostProcess } from '../hosts/host-process';

export interface NamedStates {
  /** Ranks with the same one have the same names, which lead to the same files. */
  readonly key: string;
  readonly names: readonly string[];
  /** As Host.fileStates. */
  readonly states: readonly (string | undefined)[];
}

export class FileLooks {
  /** Asked for, and not begun: whoever joins gets what is true afterwards. */
  private readonly next = new Map<string, Promise<readonly (string | undefined)[]>>();

  /** Rejects only with a lost host. */
  statesNow(process: HostProcess, { key, names }: NamedStates): Promise<readonly (string | undefined)[]> {
    const shared = this.next.get(key);
    if (shared !== undefined) return shared;
    const look = new Promise<void>((begin) => {
      setImmediate(begin);
    }).then(() => {
      this.next.delete(key);
      return process.namedStates(names);
    });
    this.next.set(key, look);
    return look;
  }
}
