/** mpidbg run: the user's launcher as it is, a look at the job when it stands still, and files that tell what came of it. */
import { version } from '../../../package.json';
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import { verdictOf } from '../../../plugin-api/hang/verdict';
import { collectorEnvironment } from '../../collector/preload';
import { localHost } from '../../hosts/local-host';
import { realClock } from '../../job/clock';
import { untilStill } from '../../query/hang/hang-watch';
import { loadPlugins } from '../../query/load-plugin';
import type { Report } from '../../report/report';
import { crashProblems, hangProblem, statusProblem, type RunProblem } from '../../report/run/run-result';
import { hangText } from '../../text/hang-text';
import type { Command } from '../arguments/command';
import type { HeldOptions } from '../held-job';
import { tell } from '../standard-streams';
import { ofCores, ofRanks } from './after-run';
import { endJob } from './end-job';
import { looksAt } from './hang-looks';
import { RunFiles } from './run-files';
import { traceable } from './traceable';
import { UserLauncher } from './user-launcher';

export type RunCommand = Extract<Command, { name: 'run' }>;

/** The status of a job that was ended because it stood still, as timeout(1) has it. */
const endedByUs = 124;

/** What came of a job. */
interface Outcome {
  status: number;
  problems: readonly RunProblem[];
  /** undefined: the job ended well, or no report was asked for. */
  report?: Report;
}

/** Resolves, when the launcher has ended, with the exit status. Rejects with PluginError, and with StartError for the files and without the collector. */
export async function runJob(command: RunCommand): Promise<number> {
  const { known } = loadPlugins(command.plugins);
  const files = await RunFiles.at(command.files);
  const started = new Date();
  const { collect, hangAfter } = command;
  const added = collect === undefined ? {} : collectorEnvironment(collect, process.env);
  const words = hangAfter === undefined ? command.launcher : await traceable(command.launcher, known);
  const launcher = new UserLauncher(words, added);
  const hang = await Promise.race([launcher.ended.then(() => undefined), watch(command, launcher)]);
  const outcome =
    hang === undefined
      ? await ofEnded(command, launcher, started, files.areWanted)
      : await ofHang(command, launcher, hang, files.areWanted);
  const { status, problems, report } = outcome;
  const seconds = (Date.now() - started.getTime()) / 1000;
  const where = { command: command.launcher, cwd: process.cwd(), host: localHost.name, version };
  const failures = await files.write({ ...where, started, seconds, status, problems }, report);
  for (const failure of failures) await tell(failure);
  return status;
}

/** Resolves with the verdict when the job stands still; undefined: it never did. */
async function watch(command: RunCommand, launcher: UserLauncher): Promise<HangDocument | undefined> {
  const { hangAfter, hangAfterAny } = command;
  if (hangAfter === undefined || launcher.pid === undefined) return undefined;
  const over = new AbortController();
  const signal = AbortSignal.any([launcher.endingAsked, over.signal]);
  void launcher.ended.then(() => over.abort());
  const look = looksAt({
    ...ranksOf(command, launcher.pid),
    signal,
    onFailure: (reason) => void tell(`the job is not watched: ${reason}`),
  });
  const still = await untilStill(
    { period: hangAfter * 1000, ignoresOwnCode: hangAfterAny, clock: realClock, look },
    signal,
  );
  return still && verdictOf({ target: 'live', ...still }).document;
}

function ranksOf({ gdb, plugins }: RunCommand, launcherPid: number): HeldOptions {
  return { target: { kind: 'launcher', launcherPid }, gdb, plugins, ranks: undefined, sourceMap: [] };
}

async function ofHang(
  command: RunCommand,
  launcher: UserLauncher,
  document: HangDocument,
  isReportWanted: boolean,
): Promise<Outcome> {
  const { hangAfter = 0 } = command;
  const ended = `the job has stood still for ${hangAfter} s and is ended`;
  await tell(ended, ...hangText(document).trimEnd().split('\n'));
  const problem = hangProblem(document, hangAfter);
  const after = { target: command.launcher.join(' '), ended, hang: problem.text };
  const aftermath = isReportWanted ? await ofRanks(ranksOf(command, launcher.pid!), after) : undefined;
  await endJob(launcher);
  return { status: endedByUs, problems: [problem], ...(aftermath && { report: aftermath.report }) };
}

async function ofEnded(
  command: RunCommand,
  launcher: UserLauncher,
  started: Date,
  isReportWanted: boolean,
): Promise<Outcome> {
  const { status, notStarted } = await launcher.ended;
  if (notStarted !== undefined) await tell(notStarted);
  if (status === 0 || !isReportWanted) return { status, problems: [] };
  const problem = notStarted === undefined ? statusProblem(status) : { ...statusProblem(status), text: notStarted };
  const after = { target: command.launcher.join(' '), ended: problem.text, hang: undefined };
  const { target: _, ...options } = ranksOf(command, 0);
  const { report, crashed } = await ofCores(options, started, after);
  return { status, report, problems: [...crashProblems(crashed), problem] };
}
