/** What was found out about places in code, for all ranks: those of a job stand in the same calls. */
import type { Module } from '../../../plugin-api/image';

const maxKnown = 1000;

export class KnownCode<T> {
  private readonly known = new Map<string, Promise<T>>();

  /** `at`: as the module's file counts. What fails is asked again. */
  of({ buildId, path }: Module, at: number, find: () => Promise<T>): Promise<T> {
    // Without a build-id another file may have this name in another process.
    if (buildId === undefined) return find();
    const key = `${buildId} ${path} ${at}`;
    let found = this.known.get(key);
    if (found === undefined) {
      if (this.known.size >= maxKnown) this.known.clear();
      this.known.set(key, (found = find()));
      found.catch(() => this.known.delete(key));
    }
    return found;
  }
}
