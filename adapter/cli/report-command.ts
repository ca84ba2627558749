/** mpidbg report: everything known about a job, on one page. */
import { counted } from '../../plugin-api/counted';
import { version } from '../../package.json';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { guard } from '../../plugin-api/result';
import { visibleListing } from '../../plugin-api/visible-text';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Job } from '../job/job';
import type { Rank } from '../job/rank';
import type { JobTarget } from '../job-sources/open-job';
import type { ProcessCode } from '../expressions/code-modules';
import { notOpenedText } from '../../plugin-api/answers/text/rank-table';
import { explained } from '../query/hang/explanation';
import { lookAt } from '../query/hang/look';
import type { JobQueries } from '../query/job-queries';
import { targetOf } from '../query/rank-ids';
import { listableKinds } from '../query/list-handles';
import { localValues, type LocalValue } from '../query/across-ranks/local-values';
import { textOfWhereabouts } from '../query/across-ranks/stacks';
import type { Report, ReportedProcess } from '../report/report';
import { reportHtml } from '../report/report-html';
import type { Command } from './arguments/command';
import { withHeldJob } from './held-job';
import { learnAllRoles } from '../job/thread-role';
import { OutputFile } from './output-file';
import { reportedOverlays } from './reported-overlays';
import type { Outcome } from './query-command';

export type ReportCommand = Extract<Command, { name: 'report' }>;

/** Asks the ranks and writes the page; rejects as withHeldJob does, and with StartError where it cannot be written. */
export async function runReport({ file, full, options }: ReportCommand, signal: AbortSignal): Promise<Outcome> {
  const output = await OutputFile.unlessStandard(file);
  const { answer, ranks, held, warnings } = await withHeldJob(options, signal, (job, queries) =>
    reportContent(job, queries, full),
  );
  const isLive = options.target.kind !== 'cores';
  const report: Report = {
    ...answer,
    full,
    ended: undefined,
    target: targetText(options.target),
    made: new Date(),
    version,
    held: isLive ? held : undefined,
    notes: [...warnings, ...answer.notes],
  };
  const page = reportHtml(report);
  await output?.write(page);
  const failed = report.handles.ranks.some((rank) => 'error' in rank) || report.stacks.errors.length > 0;
  const count = counted(ranks, 'rank');
  const written = `${file}: ${count}${isLive ? `, held for ${(held / 1000).toFixed(2)} s` : ''}`;
  return {
    output: output === undefined ? page : visibleListing([written]),
    errors: warnings,
    status: failed ? 1 : 0,
  };
}

function targetText(target: JobTarget): string {
  switch (target.kind) {
    case 'launcher':
      return `launcher ${target.launcherPid}`;
    case 'batchJob':
      return `batch job ${target.job}`;
    case 'pids':
      return `processes ${target.pids.join(', ')}`;
    case 'cores': {
      const [first = ''] = target.cores;
      const others = target.cores.length - 1;
      return others === 0 ? `core file ${first}` : `${first} and ${counted(others, 'more core file')}`;
    }
  }
}

/** The ranks' part of a report. */
export type ReportContent = Pick<Report, 'processes' | 'handles' | 'stacks' | 'crash' | 'hang' | 'notes' | 'overlays'>;

export async function reportContent(
  { ranks, unopened, plugins }: Job,
  queries: JobQueries,
  full: boolean,
): Promise<ReportContent> {
  if (!full) await learnAllRoles(ranks, plugins.known);
  const [stacks, processes, handles, crash, look, overlays] = await Promise.all([
    queries.stacks(ranks, full ? 'all' : 'calls', full),
    Promise.all(ranks.map((rank) => processOf(rank, queries))),
    queries.handles(ranks, listableKinds, true),
    queries.crashes(ranks),
    lookAt(queries, ranks, plugins.known),
    reportedOverlays(ranks, plugins),
  ]);
  const seen = verdictOf({ target: targetOf(ranks), looks: [look], seconds: 0 });
  const { verdict, sentence } = await explained(seen, { ranks, queries });
  const hang = verdict === 'deadlock' ? sentence : undefined;
  return { stacks, processes, handles, crash, hang, overlays, notes: notOpenedText(unopened) };
}

async function processOf(rank: Rank, queries: JobQueries): Promise<ReportedProcess> {
  const code = await guard(() => queries.of(rank).code());
  const whereabouts = await queries.whereabouts(rank);
  return {
    ...queries.idOf(rank),
    program: code.ok ? code.value.modules.find(({ isExecutable }) => isExecutable)?.path : undefined,
    whereabouts: whereabouts && textOfWhereabouts(whereabouts),
    variables: code.ok ? await variablesOf(rank, code.value) : [],
    threads: rank.threads.length,
  };
}

/** None of a rank whose gdb is lost. */
async function variablesOf(rank: Rank, code: ProcessCode): Promise<LocalValue[]> {
  const thread = rank.current ?? rank.threads[0];
  if (thread === undefined) return [];
  try {
    return await localValues(thread, code);
  } catch (error) {
    if (error instanceof GdbError) return [];
    throw error;
  }
}
