/**
 * The demo: launches a sample on 4 ranks of Open MPI, stops it at its breakpoint, and prints each rank's communicators.
 * It talks to the debug adapter as VS Code does.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Document } from '../plugin-api/mpi/records';
import { showText } from '../plugin-api/answers/text/show-text';
import { DapClient } from '../test/support/dap-client';

const root = join(__dirname, '..');
const source = join(root, 'samples', 'communicators.c');
const marker = 'stop: all communicators made';
const communicators = ['MPI_COMM_WORLD', 'ocean', 'grid', 'star', 'stream', 'even_odd', 'annotated', 'freed'];

/** What mpirun asks of root. */
const asRoot = process.getuid?.() === 0 ? 'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ' : '';

async function demo(): Promise<void> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build-samples.mjs'), 'communicators', 'queues'], {
    stdio: 'inherit',
  });
  const { client, process: adapter } = DapClient.spawn(join(root, 'dist', 'adapter.js'));
  await client.request('initialize', { adapterID: 'mpidbg', linesStartAt1: true, columnsStartAt1: true });
  const launched = client.request('launch', {
    program: join(root, 'samples', 'build', 'openmpi', 'communicators'),
    ranks: 4,
  });
  launched.catch(() => undefined); // told below, where it is awaited
  await Promise.race([client.waitFor('initialized'), launched]);
  const line =
    readFileSync(source, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes(marker)) + 1;
  await client.request('setBreakpoints', { source: { path: source }, breakpoints: [{ line }] });
  await client.request('configurationDone');
  await launched;
  print(client.outputText('console'));
  const stopped = await client.waitFor<DebugProtocol.StoppedEvent>('stopped');
  const { threads } = await client.request<DebugProtocol.ThreadsResponse['body']>('threads');
  print(`${stopped.body.description ?? 'stopped'}; at communicators.c:${line}; ${threads.length} threads\n\n`);
  const document = await client.request<Document>('mpidbg/show', { expressions: communicators });
  print(showText(document));
  print('\nThe fields of one of them:\n\n');
  print(showText(await client.request<Document>('mpidbg/show', { expressions: ['grid'] }), true));
  print(`\nTry next, with this job or your own behind --launcher:

  ${asRoot}mpirun --oversubscribe -n 4 samples/build/openmpi/queues --wait > /dev/null &
  node dist/cli.js info --launcher $!
  node dist/cli.js queues --launcher $!
  node dist/cli.js print 'all[0].comm' rank --launcher $!
`);
  await client.request('disconnect', { terminateDebuggee: true });
  adapter.stdin?.end();
}

function print(text: string): void {
  process.stdout.write(text);
}

demo().catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
