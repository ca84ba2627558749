/** The process from which all ranks of a job come, as mpirun, where what `run` has started is a script that may start several jobs. */
import { ancestorsOf } from '../../hosts/ancestors';
import { localHost } from '../../hosts/local-host';
import { HostProcess } from '../../hosts/host-process';

export class Starter {
  private constructor(
    private readonly process: HostProcess,
    private readonly startTime: string,
  ) {}

  /** `ranks`: pids on this host. undefined: they come from `script` itself, or it cannot be told. */
  static async of(ranks: readonly number[], script: number): Promise<Starter | undefined> {
    const chains = await Promise.all(ranks.map((pid) => aboveOf(pid, script)));
    const [first = [], ...others] = chains;
    const common = first.find((pid) => others.every((chain) => chain.includes(pid)));
    if (common === undefined) return undefined;
    const process = new HostProcess(localHost, common);
    const life = await process.life().catch(() => undefined);
    return life && new Starter(process, life.startTime);
  }

  /** Ranks that begin from now on are those of another job. */
  async hasEnded(): Promise<boolean> {
    const life = await this.process.life().catch(() => undefined);
    return life?.startTime !== this.startTime || life.endStatus !== undefined;
  }
}

/** The processes between a rank and the script, the rank's parent first; none: the script has not started it. */
async function aboveOf(rank: number, script: number): Promise<number[]> {
  const above = (await ancestorsOf(new HostProcess(localHost, rank))).map(({ pid }) => pid);
  return above.includes(script) ? above.slice(0, above.indexOf(script)) : [];
}
