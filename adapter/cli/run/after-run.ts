/** What `run` finds out about a job that did not end well: from its ranks, while they are there, or from their core files. */
import { version } from '../../../package.json';
import type { Crash, RankId, StacksDocument } from '../../../plugin-api/mpi/records';
import { withinTime } from '../../hosts/time-limit';
import type { Job } from '../../job/job';
import { StartError } from '../../job/start-error';
import type { JobQueries } from '../../query/job-queries';
import { rankId } from '../../query/rank-ids';
import type { Report } from '../../report/report';
import { withHeldJob, type HeldOptions } from '../held-job';
import { reportContent, type ReportContent } from '../report-command';
import { leftCores } from './left-cores';

/** However many ranks there are. */
const maxSeconds = 600;

/** Milliseconds, to release what is held. */
const patience = 10_000;

export interface Aftermath {
  report: Report;
  crashed: readonly Crashed[];
}

interface Crashed {
  rank: RankId;
  crash: Crash;
}

/** What a look has found that needed no debugger. */
export interface KnownOfDeath {
  /** How the job died, one line each. */
  lines: readonly string[];
  stacks: StacksDocument | undefined;
}

export interface AfterRun {
  target: string;
  /** How it ended: one sentence. */
  ended: string;
  /** What was found out of why it hangs. */
  hang: string | undefined;
  /** What else is to be told. */
  notes: readonly string[];
}

/** The ranks that are still there. */
export async function ofRanks(options: HeldOptions, after: AfterRun): Promise<Aftermath> {
  return asked(options, after).catch((error: Error) => nothingKnown(after, error.message));
}

/**
 * The findings about ranks that wait with their end: with variables and handles, unless `signal` is aborted before all is read.
 * `first`: before these are.
 */
export async function ofDying(
  options: HeldOptions,
  after: AfterRun,
  { lines, stacks }: KnownOfDeath,
  first: (job: Job) => Promise<void>,
  signal: AbortSignal,
): Promise<Report> {
  const found = await asked(options, after, signal, first).catch((error: Error) => nothingKnown(after, error.message));
  const { report } = found;
  return { ...report, hang: undefined, crash: lines, ...(stacks === undefined ? {} : { stacks }) };
}

/** The ranks that have died since then. */
export async function ofCores(options: Omit<HeldOptions, 'target'>, since: Date, after: AfterRun): Promise<Aftermath> {
  const { files, reason } = await leftCores(since);
  if (files.length === 0) return nothingKnown(after, `no core file of a rank was found: ${reason}`);
  const target = { kind: 'cores' as const, cores: files, program: undefined, searchPath: [] };
  return asked({ ...options, target }, after).catch((error: Error) => nothingKnown(after, error.message));
}

async function asked(
  options: HeldOptions,
  after: AfterRun,
  ended?: AbortSignal,
  first?: (job: Job) => Promise<void>,
): Promise<Aftermath> {
  const limit = {
    milliseconds: maxSeconds * 1000,
    signal: ended,
    late: () => new StartError(`gave up after ${maxSeconds} s`),
    patience,
  };
  const { answer, held, warnings } = await withinTime(limit, (signal) =>
    withHeldJob(options, signal, async (job, queries) => {
      await first?.(job);
      return { content: await reportContent(job, queries, false), crashed: await crashedRanks(job, queries) };
    }),
  );
  const { content, crashed } = answer;
  const report = reportOf(after, content, options.target.kind === 'cores' ? undefined : held);
  return { crashed, report: { ...report, notes: [...warnings, ...report.notes] } };
}

async function crashedRanks({ ranks }: Job, queries: JobQueries): Promise<Crashed[]> {
  const crashes = await Promise.all(ranks.map((rank) => queries.of(rank).crash()));
  return ranks.flatMap((rank, index) => {
    const crash = crashes[index];
    return crash === undefined ? [] : [{ rank: rankId(rank), crash }];
  });
}

/** `reasons`: why. */
export function nothingKnown(after: AfterRun, ...reasons: readonly string[]): Aftermath {
  const head = { schema: 'mpidbg/1' as const, target: 'live' as const };
  const content: ReportContent = {
    ...{ processes: [], crash: [], hang: undefined, overlays: undefined, notes: reasons },
    handles: { ...head, ranks: [] },
    stacks: { ...head, tree: [], outliers: [], errors: [] },
  };
  return { report: reportOf(after, content, undefined), crashed: [] };
}

function reportOf({ target, ended, hang, notes }: AfterRun, content: ReportContent, held: number | undefined): Report {
  const told = { ...content, hang: hang ?? content.hang, notes: [...notes, ...content.notes] };
  return { ...told, target, ended, held, full: false, made: new Date(), version };
}
