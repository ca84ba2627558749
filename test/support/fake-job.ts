/** A Job of processes that were attached to: its gdbs play scripts, and its clock stands still. */
import assert from 'node:assert/strict';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { targetAttach } from '../../adapter/gdb/mi/target-manipulation';
import type { Job, JobHost } from '../../adapter/job/job';
import { newJob } from '../../adapter/job/job-record';
import type { Rank, RankThread, ThreadStop } from '../../adapter/job/rank';
import { reveal } from '../../adapter/job/shown-ranks';
import { learnRoles } from '../../adapter/job/thread-role';
import { FakeClock } from './fake-clock';
import { FakeGdb, type Arrival } from './fake-gdb';

export interface FakeRanks {
  /** gdb's numbers of each rank's threads. */
  threads: readonly (readonly number[])[];
  /** Those that belong to the MPI library. */
  helpers?: readonly number[];
}

export class FakeJob {
  private told: string[] = [];

  private constructor(
    /** Where the scripts are played. */
    readonly gdb: FakeGdb,
    readonly clock: FakeClock,
    readonly job: Job,
    readonly jobHost: JobHost,
  ) {
    const tell = (what: string): number => this.told.push(what);
    job.on('stopped', ({ rank, thread, stop }) =>
      tell(`${rank.label} stopped in ${thread.gdbThread}: ${describe(stop)}`),
    );
    job.on('continued', (rank) => tell(`${rank.label} runs`));
    job.on('threadStarted', ({ gdbThread }) => tell(`thread ${gdbThread} began`));
    job.on('threadEnded', ({ gdbThread }) => tell(`thread ${gdbThread} ended`));
    job.on('rankEnded', (rank) => tell(`${rank.label} ${rank.state} ${JSON.stringify(rank.end)}`));
    job.on('message', (message) => tell(`message: ${message}`));
  }

  /** All ranks are shown as stopped, in one gdb; inferior i1 is rank 0, … */
  static async attached(arrival: Arrival, { threads, helpers = [] }: FakeRanks): Promise<FakeJob> {
    const fake = await FakeJob.empty(arrival);
    for (const helper of helpers) fake.gdb.helpers.add(helper);
    for (const [number, own] of threads.entries()) {
      const rank = fake.add(number);
      const attached = fake.attach(rank);
      await fake.gdb.plays(attachScript(rank, own));
      await attached;
      await fake.jobHost.group(rank).loadSymbols(rank);
    }
    for (const rank of fake.job.ranks) {
      reveal(rank, 'attach');
      await learnRoles(rank, fake.job.plugins.known);
    }
    return fake;
  }

  /** A job whose rank 0 runs; by default it has two threads. */
  static async running(arrival: Arrival, ranks: FakeRanks = { threads: [[1, 2]] }): Promise<FakeJob> {
    const fake = await FakeJob.attached(arrival, ranks);
    const [threads = []] = ranks.threads;
    const continued = fake.job.continue([fake.rank(0)]);
    await fake.gdb.plays(`
      > 1-exec-continue --thread-group i1
      < 1^running
      ${threads.map((id) => `< *running,thread-id="${id}"`).join('\n')}
    `);
    await continued;
    assert.deepEqual(fake.takeTold(), ['rank 0 runs']);
    return fake;
  }

  /** Without ranks. */
  static async empty(arrival: Arrival): Promise<FakeJob> {
    const [gdb, clock] = [new FakeGdb(arrival), new FakeClock()];
    const nothing = (): Promise<void> => Promise.resolve();
    const source = { kind: 'attach', plugins: new PluginRegistry(), start: nothing, release: nothing } as const;
    const { job, jobHost } = newJob(source, [await gdb.connect()], clock);
    return new FakeJob(gdb, clock, job, jobHost);
  }

  /** A rank that has no process yet, in a host that nobody can look into. */
  readonly add = (number: number): Rank => {
    const identity = { number, host: 'elsewhere', pid: 1000 + number };
    return this.jobHost.addRank(identity, this.job.gdbs[0]!, `i${number + 1}`);
  };

  /** Resolves when the rank is held. */
  readonly attach = async (rank: Rank): Promise<void> => {
    await targetAttach(rank, rank.pid!);
    await this.jobHost.group(rank).held(rank);
  };

  readonly rank = (number: number): Rank => this.job.ranks[number]!;

  /** The thread with gdb's number. */
  readonly thread = (gdbThread: number): RankThread =>
    this.job.threads.find((thread) => thread.gdbThread === gdbThread)!;

  /** What the job has told since this was asked last. */
  readonly takeTold = (): string[] => this.told.splice(0);
}

/** Where attaching stops each thread. */
export const frameOfAttach = 'frame={addr="0x5545"}';

function stoppedByAttach(id: number): string {
  return stopped('signal-received', id, `,signal-name="0",signal-meaning="Signal 0",${frameOfAttach}`);
}

/** As gdb 13.1 writes it. */
export function attachScript({ threadGroup, pid }: Rank, [first, ...others]: readonly number[]): string {
  return `
    > 1-target-attach --thread-group ${threadGroup} ${pid}
    < =thread-group-started,id="${threadGroup}",pid="${pid}"
    < =thread-created,id="${first}",group-id="${threadGroup}"
    ${others.map((id) => `< =thread-created,id="${id}",group-id="${threadGroup}"\n< *running,thread-id="${id}"`).join('\n')}
    < 1^done
    < *stopped,${frameOfAttach},thread-id="${first}",stopped-threads=["${first}"]
    ${others.map((id) => `< ${stoppedByAttach(id)}`).join('\n')}`;
}

/** What gdb writes when a thread has stopped by itself. */
export function stopped(reason: string, thread: number, results = ''): string {
  return `*stopped,reason="${reason}"${results},thread-id="${thread}",stopped-threads=["${thread}"]`;
}

/** What gdb says of a thread that was told to stop. */
export function interrupted(thread: number): string {
  return stopped('signal-received', thread, ',signal-name="0",signal-meaning="Signal 0"');
}

/** Thread 2 of rank 0, which runs with threads 1 and 2, meets a breakpoint; its stop is told when its symbols are read. */
export const hitBeforeSymbols = `
  < =library-loaded,id="/lib/part.so",thread-group="i1"
  < ${stopped('breakpoint-hit', 2)}
  > 2-exec-interrupt --thread-group i1
  < 2^done
  < ${interrupted(1)}
  > 3-interpreter-exec --thread 1 console "sharedlibrary"`;

function describe({ reason, breakpoints, signal }: ThreadStop): string {
  return [reason, signal?.name, ...breakpoints.map(({ kind }) => kind)].filter((part) => part !== undefined).join(' ');
}
