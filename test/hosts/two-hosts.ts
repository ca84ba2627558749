/** Sessions on a cluster of two hosts, of which the first has the adapter. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DebugRun, type StartOptions } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { launchers } from '../support/sample-job';
import { Cluster, environment, launcherArgs } from './cluster';

export const ranks = 8;
export const allRanks = Array.from({ length: ranks }, (_, rank) => rank);
/** Those of the host without the adapter. */
export const farRanks = allRanks.slice(ranks / 2);

export class TwoHosts {
  /** Every host sees it. */
  private readonly folder = mkdtempSync('/var/tmp/mpidbg-hosts-');

  private constructor(readonly cluster: Cluster) {}

  static async start(): Promise<TwoHosts> {
    return new TwoHosts(await Cluster.start(['nodea', 'nodeb']));
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A new folder that every host sees. */
  newFolder(): string {
    return mkdtempSync(join(this.folder, 'shared-'));
  }

  /** `forwarded`: variables for the ranks. */
  options(start: StartOptions, forwarded: Readonly<Record<string, string>> = {}): StartOptions {
    const { mpi, attributes = {} } = start;
    const names = mpi === 'openmpi' ? Object.keys(forwarded).flatMap((name) => ['-x', name]) : [];
    return {
      ranks,
      through: this.cluster.on('nodea', []),
      ...start,
      attributes: {
        launcherArgs: [...launcherArgs(mpi, `nodea:${ranks / 2},nodeb:${ranks / 2}`), ...names],
        env: { ...launchers[mpi].env, ...environment, ...forwarded },
        ...attributes,
      },
    };
  }

  launch(start: StartOptions, forwarded?: Readonly<Record<string, string>>): Promise<DebugRun> {
    return DebugRun.launch(this.options(start, forwarded));
  }

  /** On no host anything runs any more. */
  async isQuiet(deadlineMs?: number): Promise<void> {
    const left = (): string[] =>
      this.cluster.hosts.flatMap(({ name }) => this.cluster.processes(name).map(({ commandLine }) => `${name}: ${commandLine}`));
    await eventually(() => `the end of ${left().join('\n')}`, () => left().length === 0, deadlineMs);
  }
}
