/** mpidbg run: the user's launcher as it is, a look at the job when it stands still, and files that tell what came of it. */
import { version } from '../../../package.json';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import { collectorEnvironment, collectorLibraries, collectorVariables } from '../../collector/preload';
import { localHost } from '../../hosts/local-host';
import { MemoryKills } from '../../hosts/memory-kills';
import { tell } from '../../hosts/standard-streams';
import { follow } from '../../hosts/time-limit';
import { realClock } from '../../job/clock';
import type { StandStill } from '../../query/hang/hang-watch';
import { mayNameHosts } from '../../launchers/other-hosts';
import { loadPlugins } from '../../query/load-plugin';
import type { Report } from '../../report/report';
import {
  crashProblems,
  hangProblem,
  statusProblem,
  unwatchedProblem,
  type RunProblem,
} from '../../report/run/run-result';
import type { DeathLook } from '../../query/deaths/death-look';
import { carriedText, carriedWays } from '../../text/carried-text';
import { deathLines, deathText } from '../../text/death-text';
import type { Command } from '../arguments/command';
import type { HeldOptions } from '../held-job';
import type { AfterRun } from './after-run';
import { carriedFindings } from './carried-finding';
import { deathProblem } from './death-problem';
import { DeathWatch, type Died } from './death-watch';
import { hold } from './hold';
import type { HostsOfRun } from './hosts-of-run';
import { LookTurns } from './look-turns';
import { batchJobOf, isAutomatic } from './report-name';
import { RunFiles } from './run-files';
import { traceable } from './traceable';
import { unannouncedEnd } from './unannounced-end';
import { UserLauncher } from './user-launcher';
import { WatchRecord } from './watch-record';
import { WatchWitness } from './watch-witness';

export type RunCommand = Extract<Command, { name: 'run' }>;

/** The status of a job that was ended because it stood still, as timeout(1) has it. */
const stoodStill = 124;

/** And of one that was ended because it could not be watched. */
const notWatched = 125;

/** What came of a job. */
interface Outcome {
  status: number;
  problems: readonly RunProblem[];
  /** undefined: the job ended well, or no report was asked for. */
  report?: Report;
}

/** Resolves, when the launcher has ended, with the exit status. Rejects with PluginError, and with StartError for the files and without the collector. */
export async function runJob(command: RunCommand): Promise<number> {
  const { known } = loadPlugins(command.plugins, command.libraryCode);
  const hosts = await hostsOf(command.launcher, known);
  try {
    return await runOn(command, known, hosts);
  } finally {
    if (typeof hosts === 'object') hosts.close();
  }
}

/** undefined: all ranks will run on this host; a sentence: why other hosts cannot be reached. */
async function hostsOf(launcher: readonly string[], known: KnownMpis): Promise<HostsOfRun | string | undefined> {
  const [name = '', ...args] = launcher;
  if (!mayNameHosts(name, args, process.env, known)) return undefined;
  const { HostsOfRun } = await import('./hosts-of-run.js');
  return HostsOfRun.open(launcher, known).catch((error: Error) => error.message);
}

/** `hosts`: as hostsOf resolves. */
async function runOn(command: RunCommand, known: KnownMpis, hosts: HostsOfRun | string | undefined): Promise<number> {
  const files = await RunFiles.at(command.files, batchJobOf(known, process.env));
  const started = new Date();
  const { collect, holdDying, trapFloats, gdb, plugins, libraryCode } = command;
  const elsewhere = typeof hosts === 'string' ? undefined : hosts;
  const collector = collect === undefined || elsewhere !== undefined ? {} : collectorEnvironment(collect, process.env);
  const carriedCollector =
    collect === undefined
      ? { libraries: [], variables: {} }
      : { libraries: collectorLibraries(collect), variables: collectorVariables(collect) };
  const turns = new LookTurns();
  const kills = await MemoryKills.begin();
  // Who asks for the way of a NaN wants the job to go it.
  const floatsGoOn = collect?.watchNan !== undefined && trapFloats.length > 0;
  const watching = {
    ...{ patience: holdDying, hold: command.hold ?? 0, trapFloats, floatsGoOn },
    ...{ gdb, plugins, libraryCode, turns, kills, hosts: elsewhere },
  };
  const deaths = await DeathWatch.open(watching, { ...process.env, ...collector }, carriedCollector);
  const words = elsewhere?.command ?? (await traceable(command.launcher, known));
  const launcher = new UserLauncher(words, { ...collector, ...deaths.environment, ...elsewhere?.environment });
  const reach = elsewhere && { find: () => elsewhere.find(loadPlugins(plugins, libraryCode)) };
  let isTold = false;
  const toWatch = new AbortController();
  follow(launcher.ending, toWatch);
  deaths.watch(launcher, {
    ask: async (look, letGo, signal) => {
      const { askDying } = await import('./dying-ranks.js');
      const isDeath = look.deaths.some(({ death }) => !death.goesOn);
      const after = files.isReportWanted && isDeath ? afterDeath(command) : undefined;
      return askDying(look, { options: { ...ranksOf(command, launcher.pid!), reach }, after, letGo }, signal);
    },
    hold: async ({ look }) => {
      if (command.hold === undefined) return;
      isTold = true;
      // What stands still for us does not hang.
      toWatch.abort();
      await tell(...deathText(look, undefined));
      await hold(command.hold, launcher, known);
    },
    onStuck: ({ look }) => {
      isTold = true;
      void tell(...deathText(look, undefined), '  the launcher has not ended since then');
    },
  });
  const isWatched = command.hangAfter !== undefined && launcher.pid !== undefined;
  const witness = isWatched ? new WatchWitness(launcher.pid, command.requireWatch) : undefined;
  const watch = await watched(command, launcher, turns, toWatch.signal);
  const died = await deaths.result();
  const wanted = { started, isReportWanted: files.areWanted, died };
  const outcome = await outcomeOf(command, launcher, watch, wanted);
  const { status, problems, report } = outcome;
  const carried = await deaths.carried.result();
  const numbers = { carried, made: floatsGoOn ? deaths.made : undefined };
  const ways = carriedWays(numbers);
  const seconds = (Date.now() - started.getTime()) / 1000;
  const where = { command: command.launcher, cwd: process.cwd(), host: localHost.name, version };
  const page = report && files.reportName(launcher.pid);
  const failures = await files.write(
    { ...where, started, seconds, status, problems, findings: carriedFindings(numbers), notes: watch.notes },
    report && { ...report, notes: [...report.notes, ...ways.map(([first, ...more]) => [first!, ...more].join('; '))] },
    page,
  );
  for (const line of [...watch.notes, ...failures]) await tell(line);
  witness?.dismiss();
  const { whyBlind } = deaths;
  if (status !== 0 && whyBlind !== undefined) await tell(`how ranks die was not watched: ${whyBlind}`);
  if (command.collect?.watchNan !== undefined) {
    if (whyBlind !== undefined) await tell(`what MPI carries was not watched: ${whyBlind}`);
    else if (ways.length > 0 || deaths.ends.hasBegun) await tell(...carriedText(numbers));
  }
  const seen = await deaths.ends.result();
  if (status !== 0) for (const line of unreached(hosts)) await tell(line);
  if (died === undefined && watch.end.kind === 'ended')
    for (const line of unannouncedEnd(launcher, await launcher.ended, seen, await kills.result())) await tell(line);
  if (died !== undefined && !isTold) await tell(...deathText(died.look, page));
  else if (page !== undefined && isAutomatic(command.files.report)) await tell(`what is known of the job: ${page}`);
  return status;
}

/** What was not watched on other hosts: one sentence each. `hosts`: as hostsOf resolves. */
function unreached(hosts: HostsOfRun | string | undefined): string[] {
  if (hosts === undefined) return [];
  if (typeof hosts === 'string') return [`how ranks on other hosts die was not watched: ${hosts}`];
  return hosts.lacks;
}

/** How the watch ended: with the launcher, or with a reason to end that. */
interface Watch {
  end: { kind: 'ended' } | { kind: 'still'; still: StandStill } | { kind: 'unwatched'; reason: string };
  /** For the end of the job and its files: that it was not watched, or not all the time. */
  notes: readonly string[];
}

/** `toEnd`: aborted when nothing is to be watched any more. */
async function watched(
  command: RunCommand,
  launcher: UserLauncher,
  turns: LookTurns,
  toEnd: AbortSignal,
): Promise<Watch> {
  const { hangAfter, hangAfterAny, requireWatch } = command;
  const ended = launcher.ended.then(() => ({ kind: 'ended' as const }));
  if (hangAfter === undefined || launcher.pid === undefined) return { end: await ended, notes: [] };
  const rules = { period: hangAfter * 1000, ignoresOwnCode: hangAfterAny, clock: realClock };
  let giveUp = (_: string): void => undefined;
  const unwatched = new Promise<Watch['end']>(
    (resolve) => (giveUp = (reason) => resolve({ kind: 'unwatched', reason })),
  );
  const record = new WatchRecord({
    ...rules,
    onChange: (isWatched, sentence) => {
      if (requireWatch && !isWatched) giveUp(sentence);
      else void tell(sentence);
    },
  });
  const [{ looksAt }, { untilStill }] = await Promise.all([
    import('./hang-looks.js'),
    import('../../query/hang/hang-watch.js'),
  ]);
  const looks = looksAt(ranksOf(command, launcher.pid), record, turns, toEnd);
  const still = untilStill({ ...rules, look: looks.look }, toEnd).then((found): Watch['end'] | Promise<Watch['end']> =>
    found === undefined ? ended : { kind: 'still', still: found },
  );
  // A job may run as long as it likes.
  // eslint-disable-next-line no-restricted-syntax
  const end = await Promise.race([ended, still, unwatched]);
  await looks.end();
  const note = end.kind === 'unwatched' ? undefined : record.summary();
  return { end, notes: note === undefined ? [] : [note] };
}

/** What is to be told of a job. */
interface Wanted {
  started: Date;
  isReportWanted: boolean;
  /** undefined: no rank was seen to die. */
  died: Died | undefined;
}

async function outcomeOf(
  command: RunCommand,
  launcher: UserLauncher,
  { end, notes }: Watch,
  wanted: Wanted,
): Promise<Outcome> {
  const { isReportWanted } = wanted;
  switch (end.kind) {
    case 'ended':
      return ofEnded(command, launcher, notes, wanted);
    case 'still': {
      const { verdictOf } = await import('../../../plugin-api/hang/verdict.js');
      return ofHang(
        command,
        launcher,
        verdictOf({ target: 'live', ...end.still, ignoresOwnCode: command.hangAfterAny }).document,
        { isReportWanted, notes },
      );
    }
    case 'unwatched':
      return ofUnwatched(command, launcher, end.reason, isReportWanted);
  }
}

function ranksOf({ gdb, plugins, libraryCode }: RunCommand, launcherPid: number): HeldOptions {
  return { target: { kind: 'launcher', launcherPid }, gdb, plugins, libraryCode, ranks: undefined, sourceMap: [] };
}

async function ofHang(
  command: RunCommand,
  launcher: UserLauncher,
  document: HangDocument,
  { isReportWanted, notes }: { isReportWanted: boolean; notes: readonly string[] },
): Promise<Outcome> {
  const { hangAfter = 0 } = command;
  const [{ hangText }, { ofRanks }, { endJob }] = await Promise.all([
    import('../../text/hang-text.js'),
    import('./after-run.js'),
    import('./end-job.js'),
  ]);
  const still = `the job has stood still for ${hangAfter} s`;
  const ended = `${still} and is ended`;
  await tell(command.hold === undefined ? ended : still, ...hangText(document).trimEnd().split('\n'));
  const problem = hangProblem(document, hangAfter);
  const after = { target: command.launcher.join(' '), ended, hang: problem.text, notes };
  const aftermath = isReportWanted ? await ofRanks(ranksOf(command, launcher.pid!), after) : undefined;
  if (command.hold !== undefined)
    await hold(command.hold, launcher, loadPlugins(command.plugins, command.libraryCode).known);
  await endJob(launcher);
  return { status: stoodStill, problems: [problem], ...(aftermath && { report: aftermath.report }) };
}

async function ofEnded(
  command: RunCommand,
  launcher: UserLauncher,
  notes: readonly string[],
  { started, isReportWanted, died }: Wanted,
): Promise<Outcome> {
  const { status, notStarted } = await launcher.ended;
  if (notStarted !== undefined) await tell(notStarted);
  const ended = statusProblem(status);
  if (died !== undefined) {
    const problems = [deathProblem(died.look, deathLines(died.look)), ...(status === 0 ? [] : [ended])];
    if (!isReportWanted) return { status, problems };
    const report = died.report ?? (await ofDeathAlone(command, died.look));
    return { status, problems, report: { ...report, ended: ended.text, notes: [...notes, ...report.notes] } };
  }
  if (!isReportWanted || (status === 0 && notes.length === 0)) return { status, problems: [] };
  const { nothingKnown, ofCores } = await import('./after-run.js');
  const problem = notStarted === undefined ? ended : { ...ended, text: notStarted };
  const after = { target: command.launcher.join(' '), ended: problem.text, hang: undefined, notes };
  if (status === 0) return { status, problems: [], report: nothingKnown(after).report };
  const { target: _, ...options } = ranksOf(command, 0);
  const { report, crashed } = await ofCores(options, started, after);
  return { status, report, problems: [...crashProblems(crashed), problem] };
}

/** How the launcher ends is not known yet. */
function afterDeath(command: RunCommand): AfterRun {
  return { target: command.launcher.join(' '), ended: '', hang: undefined, notes: [] };
}

/** Variables and handles could not be read before the ranks went on dying. */
async function ofDeathAlone(command: RunCommand, look: DeathLook): Promise<Report> {
  const { nothingKnown } = await import('./after-run.js');
  const { report } = nothingKnown(
    afterDeath(command),
    'the ranks went on dying before their variables and handles were read',
  );
  return { ...report, crash: deathLines(look), ...(look.stacks && { stacks: look.stacks }) };
}

/** The job is ended because nobody watches it. */
async function ofUnwatched(
  command: RunCommand,
  launcher: UserLauncher,
  reason: string,
  isReportWanted: boolean,
): Promise<Outcome> {
  const [{ nothingKnown }, { endJob }] = await Promise.all([import('./after-run.js'), import('./end-job.js')]);
  const problem = unwatchedProblem(reason);
  await tell(`${reason}; it is ended (--require-watch)`);
  await endJob(launcher);
  const after = { target: command.launcher.join(' '), ended: problem.text, hang: undefined, notes: [] };
  return { status: notWatched, problems: [problem], ...(isReportWanted && { report: nothingKnown(after).report }) };
}
