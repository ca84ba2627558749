/** Holds processes of several hosts at the same time. What cannot be held on one of them does not keep the others from being held. */
import { Holder, type HeldThread } from '../../agent/holder';
import type { Host } from '../../hosts/host';

type Held = ReadonlyMap<number, readonly HeldThread[]>;

export class HoldersOfHosts {
  private readonly pids = new Map<Host, number[]>();
  private readonly holders = new Map<Host, Promise<Holder>>();
  private readonly held = new Map<Host, Held>();
  private readonly reasons = new Map<Host, string>();

  constructor(processes: readonly { host: Host; pid: number }[]) {
    for (const { host, pid } of processes) this.pids.set(host, [...(this.pids.get(host) ?? []), pid]);
  }

  /** Until end(), or until `signal` is aborted. Never rejects. */
  async hold(signal: AbortSignal): Promise<void> {
    await Promise.all(
      [...this.pids].map(async ([host, pids]) => {
        const holder = Holder.on(host);
        this.holders.set(host, holder);
        try {
          const held = await (await holder).hold(pids, signal);
          if (held !== undefined) this.held.set(host, held);
        } catch (error) {
          this.reasons.set(host, (error as Error).message);
        }
      }),
    );
  }

  get haveAll(): boolean {
    return [...this.pids].every(([host, pids]) => pids.every((pid) => this.threads(host, pid).length > 0));
  }

  /** The first thread first; empty: the process could not be held. */
  threads(host: Host, pid: number): readonly HeldThread[] {
    return this.held.get(host)?.get(pid) ?? [];
  }

  whyNot(host: Host): string {
    return this.reasons.get(host) ?? 'it could not be held';
  }

  /** Lets all of them go on; resolves, when they do, with the hosts on which they may have gone on before. Never rejects. */
  async end(): Promise<ReadonlySet<Host>> {
    const early = new Set<Host>();
    await Promise.all(
      [...this.holders].map(async ([host, holder]) => {
        const wasInTime = await holder.then(
          (each) => each.end(),
          () => true,
        );
        if (!wasInTime) early.add(host);
      }),
    );
    return early;
  }
}
