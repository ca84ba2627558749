/** mpidbg run: the user's launcher as it is, a look at the job when it stands still, and files that tell what came of it. */
import { version } from '../../../package.json';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { collectorLibraries, collectorVariables } from '../../collector/preload';
import { markedDescriptors } from '../../hosts/inherited-descriptors';
import { localHost } from '../../hosts/local-host';
import { MemoryKills } from '../../hosts/memory-kills';
import { tell } from '../../hosts/standard-streams';
import { follow } from '../../hosts/time-limit';
import { realClock } from '../../job/clock';
import { startsContainer } from '../../launchers/container-runtimes';
import { mayNameHosts } from '../../launchers/other-hosts';
import type { DeathLook } from '../../query/deaths/death-look';
import { knownMpisOf, pluginsWhenNeeded } from '../../query/plugins-when-needed';
import { carriedText, carriedWays } from '../../../plugin-api/answers/text/carried-text';
import { deathText } from '../../../plugin-api/answers/text/death-text';
import { carriedFindings } from './carried-finding';
import { DeathWatch } from './death-watch';
import { maxDiedJobs, type DiedJobs } from './died-jobs';
import { hold } from './hold';
import type { HostsOfRun } from './hosts-of-run';
import { afterDeath, outcomeOf, ranksOf, type RunCommand, type Watch } from './job-outcome';
import { withStatusOf, type OnInternalError } from './launcher-status';
import { loadLaterParts } from './later-parts';
import { LookTurns } from './look-turns';
import { batchJobOf, isAutomatic } from './report-name';
import { RunFiles } from './run-files';
import { StopWatch } from './stop-watch';
import { traceable } from './traceable';
import { unannouncedEnd } from './unannounced-end';
import { UserLauncher } from './user-launcher';
import { WatchRecord } from './watch-record';
import { WatchWitness } from './watch-witness';

/** Seconds that ranks wait at a place for a debugger where the user gives no time. */
const defaultHoldAtStop = 1800;

/** Resolves, when the launcher has ended, with the exit status. Rejects with PluginError, and with StartError for the files and without the collector. */
export async function runJob(command: RunCommand): Promise<number> {
  const descriptors = markedDescriptors();
  const known = await knownMpisOf(command.plugins);
  const hosts = await hostsOf(command.launcher, known);
  try {
    return await runOn(command, known, hosts, descriptors);
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

/** `hosts`: as hostsOf resolves. `descriptors`: for the launcher. */
async function runOn(
  command: RunCommand,
  known: KnownMpis,
  hosts: HostsOfRun | string | undefined,
  descriptors: readonly number[],
): Promise<number> {
  const files = await RunFiles.at(command.files, batchJobOf(known, process.env));
  const started = new Date();
  const { collect, holdDying, trapFloats, gdb, plugins, libraryCode } = command;
  const elsewhere = typeof hosts === 'string' ? undefined : hosts;
  const collector =
    collect === undefined
      ? { libraries: [], variables: {} }
      : { libraries: collectorLibraries(collect), variables: collectorVariables(collect) };
  const turns = new LookTurns();
  const kills = await MemoryKills.begin();
  // Who asks for the way of a NaN wants the job to go it.
  const floatsGoOn = collect?.watchNan !== undefined && trapFloats.length > 0;
  const reading = { gdb, plugins, libraryCode, turns, hosts: elsewhere };
  const holdAtStop = command.hold ?? defaultHoldAtStop;
  const stops =
    command.stopAt &&
    new StopWatch({
      ...{ ...reading, at: command.stopAt, ending: () => launcher.ending },
      hold: () => turns.takeFirst(launcher.ending, () => hold(holdAtStop, launcher, known)).catch(ignore),
    });
  const watching = {
    ...{ patience: holdDying, hold: stops === undefined ? (command.hold ?? 0) : holdAtStop, trapFloats, floatsGoOn },
    ...{ ...reading, kills, stops, inContainers: startsContainer(command.launcher) },
  };
  const deaths = await DeathWatch.open(watching, process.env, collector);
  const words = elsewhere?.command ?? (await traceable(command.launcher, known));
  const added = { ...deaths.environment, ...elsewhere?.environment };
  const launcher = new UserLauncher(words, added, descriptors);
  void tellIfForeign(command, known).catch(ignore);
  loadLaterParts();
  const running: Running = { command, known, hosts, files, started, turns, kills, deaths, stops, floatsGoOn, launcher };
  return withStatusOf(launcher, (onInternalError) => watchAndTell(running, onInternalError));
}

/** While the job starts. */
async function tellIfForeign({ launcher }: RunCommand, known: KnownMpis): Promise<void> {
  const { foreignLauncher } = await import('./foreign-launcher.js');
  const sentence = await foreignLauncher(launcher, known);
  if (sentence !== undefined) await tell(sentence);
}

/** A job that its launcher has started. `hosts`: as hostsOf resolves. */
interface Running {
  command: RunCommand;
  known: KnownMpis;
  hosts: HostsOfRun | string | undefined;
  files: RunFiles;
  started: Date;
  turns: LookTurns;
  kills: MemoryKills;
  deaths: DeathWatch;
  stops: StopWatch | undefined;
  floatsGoOn: boolean;
  launcher: UserLauncher;
}

/** Resolves with the exit status when the job has ended and all is told. */
async function watchAndTell(running: Running, onInternalError: OnInternalError): Promise<number> {
  const { command, known, hosts, files, deaths, launcher } = running;
  const { plugins, libraryCode } = command;
  const elsewhere = typeof hosts === 'string' ? undefined : hosts;
  const reach = elsewhere && { find: async () => elsewhere.find(await pluginsWhenNeeded(plugins, libraryCode)) };
  const told = new Set<DeathLook>();
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
      told.add(look);
      // What stands still for us does not hang.
      toWatch.abort();
      await tell(...deathText(look, undefined));
      await hold(command.hold, launcher, known);
    },
    onInternalError,
    onStuck: ({ look }) => {
      told.add(look);
      void tell(...deathText(look, undefined), '  the launcher has not ended since then');
    },
  });
  const isWatched = command.hangAfter !== undefined && launcher.pid !== undefined;
  const witness = isWatched ? new WatchWitness(launcher.pid, command.requireWatch) : undefined;
  const watch = await watched(running, toWatch.signal);
  const died = await deaths.result();
  const ended = await tellOfEnd(running, watch, died).catch(onInternalError);
  witness?.dismiss();
  const page = ended?.page;
  const jobs = died.all;
  const untold = jobs.filter(({ look }) => !told.has(look));
  for (const each of untold) {
    const [first = '', ...others] = deathText(each.look, each === jobs[0] ? page : undefined);
    await tell(
      first,
      ...(jobs.length > 1 && each.command !== undefined ? [`  program: ${each.command}`] : []),
      ...others,
    );
  }
  if (died.areMore)
    await tell(
      `a rank has died in each of ${maxDiedJobs} jobs: how ranks of the jobs after them die was not looked at`,
    );
  if (untold.length === 0 && page !== undefined && isAutomatic(command.files.report))
    await tell(`what is known of the job: ${page}`);
  return ended?.status ?? (await launcher.ended).status;
}

/** All but the lines about `died`, which come last. `page`: the file that has been written for people. */
async function tellOfEnd(
  running: Running,
  watch: Watch,
  died: DiedJobs,
): Promise<{ status: number; page: string | undefined }> {
  const { command, hosts, files, started, kills, deaths, stops, floatsGoOn, launcher } = running;
  const wanted = { started, isReportWanted: files.areWanted, died };
  const { status, problems, report } = await outcomeOf(command, launcher, watch, wanted);
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
  const { whyBlind } = deaths;
  if (status !== 0 && whyBlind !== undefined) await tell(`how ranks die was not watched: ${whyBlind}`);
  if (command.collect?.watchNan !== undefined) {
    if (whyBlind !== undefined) await tell(`what MPI carries was not watched: ${whyBlind}`);
    else if (ways.length > 0 || deaths.ends.hasBegun) await tell(...carriedText(numbers));
  }
  const notStopped = deaths.whyBlind === undefined ? await stops?.lacks() : `ranks did not wait: ${deaths.whyBlind}`;
  if (stops !== undefined && notStopped !== undefined) await tell(notStopped);
  const seen = await deaths.ends.result();
  if (status !== 0) for (const line of unreached(hosts)) await tell(line);
  if (died.all.length === 0 && watch.end.kind === 'ended') {
    const lines = unannouncedEnd(launcher, await launcher.ended, seen, await kills.result());
    const hint = startsContainer(command.launcher) && lines.length > 0 ? [containerHint] : [];
    for (const line of [...lines, ...hint]) await tell(line);
  }
  return { status, page };
}

const containerHint =
  'in a container, ranks can only say how they die if it shows them /tmp (--bind /tmp) and gives them no process numbers of its own (--pid)';

/** What was not watched on other hosts: one sentence each. `hosts`: as hostsOf resolves. */
function unreached(hosts: HostsOfRun | string | undefined): string[] {
  if (hosts === undefined) return [];
  if (typeof hosts === 'string') return [`how ranks on other hosts die was not watched: ${hosts}`];
  return hosts.lacks;
}

/** `toEnd`: aborted when nothing is to be watched any more. */
async function watched({ command, launcher, turns, deaths }: Running, toEnd: AbortSignal): Promise<Watch> {
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
    haveDied: () => deaths.hasFound,
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

/** The job has ended before. */
function ignore(): void {}
