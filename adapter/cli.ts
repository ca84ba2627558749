/** mpidbg: the command line. Exit status and output: see the contract in README.md. */
import { version } from '../package.json';
import { adviceText } from './cli/advice';
import { parseCommand } from './cli/arguments/parse-command';
import { UsageError } from './cli/arguments/usage-error';
import { commandTable } from './cli/arguments/command-table';
import { commandHelp, manPage, usage } from './cli/help';
import type { Outcome } from './cli/query-command';
import { withSuspension } from './cli/suspension';
import { orShortage, ShortageError } from './elf/shortage-error';
import { minGdbVersion, UnusableGdbError } from './gdb/unusable-gdb';
import { print, StandardOutputError, tell } from './hosts/standard-streams';
import { whyNoFolder, workingFolder } from './hosts/working-folder';
import { isReaderGone } from './hosts/write-failure';
import { noticeText } from './job/advice';
import { StartError } from './job/start-error';
import { PluginError } from './query/plugin-error';

async function outcomeOf(argv: readonly string[]): Promise<Outcome> {
  const command = parseCommand(argv);
  const said = (output: string): Outcome => ({ output, errors: [], status: 0 });
  if (command.name === 'help')
    return said(command.about === undefined ? usage() : commandHelp(command.about, commandTable[command.about]));
  if (command.name === 'man') return said(manPage());
  if (command.name === 'version') return said(`mpidbg ${version}\n`);
  if (command.name === 'completion') {
    const { completionScript } = await import('./cli/completion.js');
    return said(completionScript(command.shell));
  }
  // Each command loads what it needs: `run` stands before every launcher, and is to start as fast as it.
  if (command.name === 'collector') {
    const { collectorWords } = await import('./cli/collector-words.js');
    return said(`${collectorWords(command.options)}\n`);
  }
  if (command.name === 'wait') {
    const { waitForJob } = await import('./cli/wait-command.js');
    return said(await waitForJob(command.job));
  }
  // Before anything is started: relative names are of this folder.
  workingFolder();
  if (command.name === 'run') {
    const { runJob } = await import('./cli/run/run-command.js');
    return { output: '', errors: [], status: await runJob(command) };
  }
  const { abortSignal, runQuery } = await import('./cli/query-command.js');
  if (command.name === 'layout') {
    const { runLayout } = await import('./cli/layout-command.js');
    const { output, notes } = await runLayout(command, abortSignal(command.timeout));
    return { output, errors: notes, status: 0 };
  }
  const isEndless = 'follow' in command && command.follow;
  const begin = (): AbortSignal => abortSignal(isEndless ? endless : command.options.timeout);
  switch (command.name) {
    case 'report': {
      const { runReport } = await import('./cli/report-command.js');
      return withSuspension(begin, (signal) => runReport(command, signal));
    }
    case 'hang': {
      const { runHang } = await import('./cli/hang-command.js');
      return withSuspension(begin, (signal) => runHang(command, signal));
    }
    case 'pvars':
    case 'cvars':
    case 'events':
    case 'ompt':
    case 'calls': {
      const { runOverlay } = await import('./cli/overlays/overlay-command.js');
      return runOverlay(command, begin());
    }
    default:
      return withSuspension(begin, (signal) => runQuery(command, signal));
  }
}

/** Seconds: as long as a timer can wait. */
const endless = 2_147_483;

/** Answers the exit status. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const { output, errors, status } = await outcomeOf(argv);
    // In a terminal, the answer comes first.
    await print(output);
    let isTold = true;
    for (const error of errors) isTold = (await tell(error)) && isTold;
    return isTold ? status : 2;
  } catch (error) {
    if (isReaderGone(error)) return 0;
    await tell(...wordsOf(error));
    return 2;
  }
}

/** With its stack where the mistake is ours. */
function wordsOf(of: unknown): string[] {
  const error = orShortage(of);
  if (!(error instanceof Error)) return [String(error)];
  if (error instanceof UnusableGdbError && error.isAtFault)
    return [`${error.message}: install gdb ${minGdbVersion} or newer, or name one with --gdb`];
  if (error instanceof StartError) return [noticeText(error.notice, adviceText)];
  const noFolder = whyNoFolder(error);
  if (noFolder !== undefined) return [noFolder];
  const told = [UsageError, PluginError, ShortageError, UnusableGdbError, StandardOutputError];
  const isTold = told.some((kind) => error instanceof kind);
  return isTold ? [error.message] : (error.stack ?? error.message).split('\n');
}

// Ranks that are held are released by the guardians of this process when it ends.
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    // While the user's launcher runs, `run` takes them.
    if (process.listenerCount(event) === 1) void tell(...wordsOf(error)).then(() => process.exit(2));
  });

void main(process.argv.slice(2)).then((status) => process.exit(status));
