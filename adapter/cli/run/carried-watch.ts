/** Reports of ranks whose MPI calls carry their first NaN or infinity. A rank that reports waits until the place of its call has been read. */
import type { Carried } from '../../../plugin-api/deaths/carried-record';
import type { CarriedRecord } from '../../../plugin-api/deaths/carried-record';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { pluginsWhenNeeded } from '../../query/plugins-when-needed';
import type { DoorOfHost } from './death-door';

export interface CarriedWatchOptions {
  gdb: string | undefined;
  plugins: readonly string[];
  libraryCode: readonly string[];
}

/** Ranks whose library is read at a time. */
const maxTurns = 4;

/** The most announcements of one rank: a NaN and an infinity, out of it and into it. */
const maxOfRank = 4;

export class CarriedWatch {
  private readonly looks: Promise<Carried | undefined>[] = [];
  private readonly counts = new Map<string, number>();
  private readonly waiting: (() => void)[] = [];
  private turns = 0;
  private registry: PluginRegistry | undefined;

  constructor(private readonly options: CarriedWatchOptions) {}

  /** `letGo`: the rank goes on. */
  told(record: CarriedRecord, from: DoorOfHost, letGo: () => void): void {
    const process = `${from.host.name} ${record.pid}`;
    const count = (this.counts.get(process) ?? 0) + 1;
    this.counts.set(process, count);
    if (count > maxOfRank) letGo();
    else this.looks.push(this.look(record, from, letGo));
  }

  /** Resolves when every report has been read. */
  async result(): Promise<readonly Carried[]> {
    return (await Promise.all(this.looks)).filter((carried) => carried !== undefined);
  }

  private async look(
    record: CarriedRecord,
    { host, socket }: DoorOfHost,
    letGo: () => void,
  ): Promise<Carried | undefined> {
    const { gdb = 'gdb', plugins, libraryCode } = this.options;
    // A job in which nothing of this happens starts as if alone.
    const { lookAtCarried } = await import('../../query/deaths/carried-look.js');
    this.registry ??= await pluginsWhenNeeded(plugins, libraryCode);
    return lookAtCarried(record, { plugins: this.registry, gdb, host, socket }, (act) => this.inTurn(act), letGo);
  }

  private async inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (this.turns >= maxTurns) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.turns++;
    try {
      return await act();
    } finally {
      this.turns--;
      this.waiting.shift()?.();
    }
  }
}
