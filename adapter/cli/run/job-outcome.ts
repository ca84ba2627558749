/** What came of a job that has ended, or that `run` ends: the status, and what is known of it. */
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import { tell } from '../../hosts/standard-streams';
import type { StandStill } from '../../query/hang/hang-watch';
import { knownMpisOf } from '../../query/plugins-when-needed';
import type { Report } from '../../report/report';
import {
  crashProblems,
  hangProblem,
  statusProblem,
  unwatchedProblem,
  type RunProblem,
} from '../../report/run/run-result';
import type { DeathLook } from '../../query/deaths/death-look';
import { deathLines } from '../../../plugin-api/answers/text/death-text';
import type { Command } from '../arguments/command';
import type { HeldOptions } from '../held-job';
import type { AfterRun } from './after-run';
import { deathProblem } from './death-problem';
import type { DiedJobs } from './died-jobs';
import { hold } from './hold';
import type { UserLauncher } from './user-launcher';

export type RunCommand = Extract<Command, { name: 'run' }>;

/** The status of a job that was ended because it stood still, as timeout(1) has it. */
const stoodStill = 124;

/** And of one that was ended because it could not be watched. */
const notWatched = 125;

/** What came of a job. */
export interface Outcome {
  status: number;
  problems: readonly RunProblem[];
  /** undefined: the job ended well, or no report was asked for. */
  report?: Report;
}

/** How the watch ended: with the launcher, or with a reason to end that. */
export interface Watch {
  end: { kind: 'ended' } | { kind: 'still'; still: StandStill } | { kind: 'unwatched'; reason: string };
  /** For the end of the job and its files: that it was not watched, or not all the time. */
  notes: readonly string[];
}

/** What is to be told of a job. */
export interface Wanted {
  started: Date;
  isReportWanted: boolean;
  died: DiedJobs;
}

/** Resolves when the launcher has ended. */
export async function outcomeOf(
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
      const [{ verdictOf }, { withDead }] = await Promise.all([
        import('../../../plugin-api/hang/verdict.js'),
        import('./dead-ranks.js'),
      ]);
      const still = withDead(end.still, wanted.died.last?.look.deaths ?? []);
      const { document } = verdictOf({ target: 'live', ...still, ignoresOwnCode: command.hangAfterAny });
      return ofHang(command, launcher, document, { isReportWanted, notes });
    }
    case 'unwatched':
      return ofUnwatched(command, launcher, end.reason, isReportWanted);
  }
}

/** The ranks below the launcher, for a look. */
export function ranksOf({ gdb, plugins, libraryCode }: RunCommand, launcherPid: number): HeldOptions {
  return { target: { kind: 'launcher', launcherPid }, gdb, plugins, libraryCode, ranks: undefined, sourceMap: [] };
}

async function ofHang(
  command: RunCommand,
  launcher: UserLauncher,
  document: HangDocument,
  { isReportWanted, notes }: { isReportWanted: boolean; notes: readonly string[] },
): Promise<Outcome> {
  const { hangAfter = 0 } = command;
  const [{ hangText }, { linesNote }, { ofRanks }, { endJob }] = await Promise.all([
    import('../../../plugin-api/answers/text/hang-text.js'),
    import('../lines-note.js'),
    import('./after-run.js'),
    import('./end-job.js'),
  ]);
  const still = `the job has stood still for ${hangAfter} s`;
  const ended = `${still} and is ended`;
  await tell(
    command.hold === undefined ? ended : still,
    ...hangText(document).trimEnd().split('\n'),
    ...linesNote(command.gdb),
  );
  const problem = hangProblem(document, hangAfter);
  const after = { target: command.launcher.join(' '), ended, hang: problem.text, notes };
  const aftermath = isReportWanted ? await ofRanks(ranksOf(command, launcher.pid!), after) : undefined;
  if (command.hold !== undefined) await hold(command.hold, launcher, await knownMpisOf(command.plugins));
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
  const [first] = died.all;
  if (first !== undefined) {
    const problems = died.all.map(({ look }) => deathProblem(look, deathLines(look)));
    if (status !== 0) problems.push(ended);
    if (!isReportWanted) return { status, problems };
    const report = first.report ?? (await ofDeathAlone(command, first.look));
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
export function afterDeath(command: RunCommand): AfterRun {
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

/** Ends the job because it cannot be watched. */
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
