/** Settings that apply to every gdb of a job, including those that are started later. */
import type { Gdb } from '../gdb/gdb';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Host } from '../hosts/host';

/** `host`: of its ranks, where that is known. */
type Setting = (gdb: Gdb, host: Host | undefined) => Promise<unknown>;

export class GdbSettings {
  private readonly settings = new Map<string, Setting>();

  constructor(
    private readonly gdbs: () => readonly Gdb[],
    private readonly hostOf: (gdb: Gdb) => Host | undefined,
  ) {}

  /** Takes the place of what was set by this name before. Rejects as `setting` does. */
  async set(name: string, setting: Setting): Promise<void> {
    this.settings.set(name, setting);
    await Promise.all(this.gdbs().map((gdb) => setting(gdb, this.hostOf(gdb))));
  }

  /** In the order in which they were first set. Refusals are ignored: the user saw them when the setting was made. */
  async tell(gdb: Gdb, host: Host): Promise<void> {
    for (const setting of this.settings.values()) {
      await setting(gdb, host).catch((error: unknown) => {
        if (!(error instanceof GdbError)) throw error;
      });
    }
  }
}
