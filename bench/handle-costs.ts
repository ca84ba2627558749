/**
 * Measures the queries of one rank: npx tsx bench/handle-costs.ts PID prints HandleCosts as JSON. A process of its own for
 * each rank, so that its first question is one to a debugger that has just started.
 */
import { attach } from '../adapter/job-sources/attach';
import { CachedImage } from '../adapter/images/cached-image';
import { CountingImage, type ReadRange } from '../adapter/images/counting-image';
import type { EpochImage } from '../adapter/images/epoch-image';
import { LiveImage } from '../adapter/images/live/live-image';
import { GdbImage } from '../adapter/gdb/gdb-image';
import type { RankThread } from '../adapter/job/rank';
import { readPointer } from '../plugin-api/memory';
import { handleKinds } from '../plugin-api/mpi/describe';
import type { MpiProcess } from '../plugin-api/mpi/plugin';
import type { HandleKind } from '../plugin-api/mpi/records';
import { PluginRegistry } from '../plugin-api/plugins/registry';
import { distinct, readFromProc, readOverMi } from './raw-reads';
import { localProcess } from '../test/support/local-process';

/** Milliseconds. */
export interface Times {
  p50: number;
  p95: number;
}

export interface Cost {
  /** What decoders ask for; medians, where it is the cost of several handles. */
  reads: number;
  /** Reads of the process' memory below the cache, and their bytes. */
  processReads: number;
  bytes: number;
  time: Times;
  /** The decoders' reads, each once, without decoders. */
  mi: Times;
  proc: Times;
  /** The reads below the cache, over MI too. */
  miOfProcessReads: Times;
}

export interface HandleCosts {
  version: string;
  /** Finding the library and verifying its layout, once per stop. */
  open: Cost;
  /** One handle of the kind, the first that is asked about in its stop. */
  kinds: (Cost & { kind: HandleKind; handles: number })[];
  /** The lists of all kinds, and all objects in them. */
  rank: Cost & { own: number; others: number };
  /** The first time, in milliseconds. */
  first: number;
}

const stops = 20;
const stopsPerHandle = 2;
const rawRepetitions = 3;

class Bench {
  private readonly process: CountingImage;
  private readonly asked: CountingImage;

  constructor(
    private readonly pid: number,
    private readonly thread: RankThread,
  ) {
    this.process = new CountingImage(new LiveImage(localProcess(pid)));
    // As RankQueries puts them together.
    const image: EpochImage = new GdbImage(new CachedImage(this.process), () => thread);
    this.asked = new CountingImage(image);
  }

  async run(): Promise<HandleCosts> {
    const first = await timed(() => this.allHandles());
    const { implementation } = await this.open();
    const { own, others, ofKind } = await this.allHandles();
    const open = await this.cost(stops, [undefined]);
    const kinds: HandleCosts['kinds'] = [];
    for (const kind of handleKinds) {
      const handles = ofKind.get(kind) ?? [];
      if (handles.length === 0) continue;
      const cost = await this.cost(
        stopsPerHandle,
        handles.map((handle) => (mpi) => mpi.query(kind, handle)),
      );
      kinds.push({ kind, handles: handles.length, ...cost });
    }
    const rank = { own, others, ...(await this.cost(stops, [(mpi) => this.ask(mpi)], true)) };
    return { version: `${implementation.name} ${implementation.version}`, open, kinds, rank, first };
  }

  /** The rank has run: nothing is known any more. */
  private async open(): Promise<MpiProcess> {
    this.asked.invalidate();
    const mpi = await new PluginRegistry().open(this.asked);
    if (mpi === undefined) throw new Error(`no MPI in process ${this.pid}`);
    return mpi;
  }

  private async allHandles() {
    return this.ask(await this.open());
  }

  private async ask(mpi: MpiProcess) {
    const ofKind = new Map<HandleKind, bigint[]>();
    let all = 0;
    for (const kind of handleKinds) {
      const listed = await mpi.handles(kind);
      const handles = listed.ok ? listed.value : await this.inVariables(kind);
      const own: bigint[] = [];
      for (const handle of handles) {
        const answer = await mpi.query(kind, handle);
        if (!answer.ok) throw new Error(`${kind} 0x${handle.toString(16)}: ${answer.reason}`);
        const flags: readonly string[] = 'flags' in answer.value ? answer.value.flags : [];
        if (!flags.includes('predefined') && !flags.includes('internal')) own.push(handle);
      }
      ofKind.set(kind, own);
      all += handles.length;
    }
    const own = [...ofKind.values()].reduce((sum, handles) => sum + handles.length, 0);
    return { ofKind, own, others: all - own };
  }

  /** The handles of kinds that this MPI keeps no list of. */
  private async inVariables(kind: HandleKind): Promise<bigint[]> {
    const status = await this.asked.findSymbol('status');
    const files = await this.asked.findSymbol('files');
    if (kind === 'status') return [status!.address];
    if (kind === 'file') return Promise.all([0n, 8n].map((at) => readPointer(this.asked, files!.address + at)));
    return [];
  }

  /**
   * Each question `times` times, each time in a new stop; a question that is undefined is the opening itself, which
   * otherwise counts only `withOpening`.
   */
  private async cost(
    times: number,
    questions: readonly (((mpi: MpiProcess) => Promise<unknown>) | undefined)[],
    withOpening = false,
  ): Promise<Cost> {
    const samples: {
      time: number;
      reads: number;
      processReads: number;
      bytes: number;
      ranges: ReadRange[];
      below: ReadRange[];
    }[] = [];
    for (const question of questions) {
      for (let i = 0; i < times; i++) {
        const begin = () => [this.process, this.asked].forEach((image) => image.reset());
        const includesOpening = withOpening || question === undefined;
        begin();
        let mpi: MpiProcess | undefined = includesOpening ? undefined : await this.open();
        if (!includesOpening) begin();
        const time = await timed(async () => {
          mpi ??= await this.open();
          await question?.(mpi);
        });
        const { reads: processReads, bytes } = this.process.counts;
        const { reads } = this.asked.counts;
        const ranges = distinct(this.asked.ranges);
        samples.push({ time, reads, processReads, bytes, ranges, below: [...this.process.ranges] });
      }
    }
    const mi: number[] = [];
    const proc: number[] = [];
    // The first sample of each question: what is read does not change.
    const firstOf = questions.map((_, i) => samples[i * times]!);
    const miOfProcessReads: number[] = [];
    for (let i = 0; i < Math.max(1, rawRepetitions / questions.length); i++) {
      for (const { ranges, below } of firstOf) {
        miOfProcessReads.push(await timed(() => readOverMi(this.thread, below)));
        mi.push(await timed(() => readOverMi(this.thread, ranges)));
        proc.push(await timed(async () => readFromProc(this.pid, ranges)));
      }
    }
    const median = (key: 'reads' | 'processReads' | 'bytes') => percentile(samples.map((s) => s[key]), 0.5); // prettier-ignore
    return {
      reads: median('reads'),
      processReads: median('processReads'),
      bytes: median('bytes'),
      time: timesOf(samples.map(({ time }) => time)),
      mi: timesOf(mi),
      proc: timesOf(proc),
      miOfProcessReads: timesOf(miOfProcessReads),
    };
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
}

function timesOf(samples: readonly number[]): Times {
  return { p50: percentile(samples, 0.5), p95: percentile(samples, 0.95) };
}

function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]!;
}

async function main(pid: number): Promise<void> {
  const job = await attach({ pids: [pid] });
  try {
    console.log(JSON.stringify(await new Bench(pid, job.ranks[0]!.threads[0]!).run()));
  } finally {
    await job.release();
  }
}

if (require.main === module)
  main(Number(process.argv[2])).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
