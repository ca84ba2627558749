/** mpidbg: the command line. Exit status and output: see the contract in README.md. */
import { version } from '../package.json';
import { parseCommand, usage, UsageError } from './cli/arguments';
import { runLayout } from './cli/layout-command';
import { abortSignal, runQuery } from './cli/query-command';
import { runReport } from './cli/report-command';
import { StartError } from './job-sources/start-error';
import { PluginError } from './query/load-plugin';

async function main(argv: readonly string[]): Promise<number> {
  const command = parseCommand(argv);
  if (command.name === 'help') return print(usage, 0);
  if (command.name === 'version') return print(`mpidbg ${version}\n`, 0);
  if (command.name === 'layout') {
    const { output, notes } = await runLayout(command, abortSignal(command.timeout));
    for (const note of notes) process.stderr.write(`mpidbg: ${note}\n`);
    return print(output, 0);
  }
  const signal = abortSignal(command.options.timeout);
  const { output, errors, status } =
    command.name === 'report' ? await runReport(command, signal) : await runQuery(command, signal);
  for (const error of errors) process.stderr.write(`mpidbg: ${error}\n`);
  return print(output, status);
}

/** Resolves when everything is written: a pipe takes long output in parts. */
function print(text: string, status: number): Promise<number> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve(status)));
}

// Whoever read our output has seen enough.
process.stdout.on('error', () => process.exit(0));

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error: unknown) => {
    const isTold = error instanceof UsageError || error instanceof StartError || error instanceof PluginError;
    const text =
      isTold || !(error instanceof Error) ? String((error as Error).message) : (error.stack ?? error.message);
    process.stderr.write(`mpidbg: ${text}\n`);
    process.exit(2);
  },
);
