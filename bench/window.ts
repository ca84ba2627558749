/**
 * How soon the window of VS Code is complete and quiet after a step of all ranks, with 4, 16 and 64 sleeping ranks: from the key to
 * the last change of the page; beside it what the adapter alone takes for that step, asked as VS Code asks it; and how long
 * anything has blocked the extension host meanwhile. Needs `npm run package` and test/e2e/rig/setup.sh.
 * usage: npm run bench:window [-- RANKS…]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DapClient } from '../test/support/dap-client';
import { putLaunchJson } from '../test/e2e/project';
import { Workbench } from '../test/e2e/workbench';
import { ExtensionHostDelay } from './extension-host-delay';

const steps = 5;
/** The page is quiet when it has not changed for so long. */
const quietMs = 1500;

const source = `#include <mpi.h>
#include <unistd.h>
typedef struct { int rank; double level[8]; MPI_Comm comm; } tide;
int main(int argc, char **argv)
{
    tide own = {0};
    MPI_Init(&argc, &argv);
    own.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(own.comm, &own.rank);
    for (;;) {
        own.level[0] += own.rank;
        usleep(1000);
    }
}
`;
const firstLine = source.split('\n').findIndex((line) => line.includes('+=')) + 1;

function prepare(folder: string): string {
  writeFileSync(path.join(folder, 'tide.c'), source);
  execFileSync('mpicc.openmpi', ['-g', '-O0', 'tide.c', '-o', 'tide'], { cwd: folder });
  return path.join(folder, 'tide');
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** What runs in the page is text: here is no page whose names could be checked. The blinking of the cursor is no change. */
const watchPage = `
  globalThis.lastChange = 0;
  const isOfCursor = ({ target }) => (target.nodeType === 1 ? target : target.parentElement)?.closest('.cursors-layer, .monaco-hover') != null;
  new MutationObserver((changes) => {
    if (!changes.every(isOfCursor)) globalThis.lastChange = performance.now();
  }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
`;

/** Milliseconds from the key to the last change. */
async function stepInWindow({ page }: Workbench): Promise<number> {
  const begin = await page.evaluate<number>('performance.now()');
  await page.keyboard.press('F10');
  const end = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      const quiet = performance.now() - Math.max(globalThis.lastChange, ${begin});
      if (globalThis.lastChange > ${begin} && quiet > ${quietMs}) resolve(globalThis.lastChange);
      else setTimeout(look, 50);
    };
    look();
  })`);
  return end - begin;
}

async function inWindow(ranks: number): Promise<{ window: number[]; blocked: number }> {
  const workbench = await Workbench.open(`bench-${ranks}`, (folder) => {
    prepare(folder);
    putLaunchJson(folder, { program: '${workspaceFolder}/tide', ranks });
  });
  try {
    await workbench.openFile('tide.c');
    await workbench.setBreakpoint(firstLine);
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    await workbench.removeAllBreakpoints();
    await workbench.page.evaluate(watchPage);
    await stepInWindow(workbench);
    const delay = await ExtensionHostDelay.watch(workbench.extensionHost());
    const window: number[] = [];
    for (let i = 0; i < steps; i++) window.push(await stepInWindow(workbench));
    await workbench.screenshot(`after-steps`);
    return { window, blocked: await delay.most() };
  } finally {
    await workbench.close();
  }
}

/** Milliseconds of a step of all ranks, to the event that tells the last of them as stopped. */
async function inAdapter(program: string, ranks: number): Promise<number[]> {
  const { client, process: adapter } = DapClient.spawn(path.join(__dirname, '../dist/adapter.js'));
  await client.request('initialize', { adapterID: 'mpidbg', linesStartAt1: true, pathFormat: 'path' });
  const launched = client.request('launch', { program, ranks });
  await client.waitFor('initialized');
  const where = { source: { path: path.join(path.dirname(program), 'tide.c') }, breakpoints: [{ line: firstLine }] };
  await client.request('setBreakpoints', where);
  await client.request('configurationDone');
  await launched;
  const untilAllStop = async (since: number): Promise<void> => {
    await client.waitFor(
      'stopped',
      ({ body }) => (body as { allThreadsStopped?: boolean }).allThreadsStopped === true,
      {
        since,
      },
    );
  };
  await untilAllStop(0);
  await client.request('setBreakpoints', { ...where, breakpoints: [] });
  const { threads } = await client.request<{ threads: { id: number }[] }>('threads');
  const times: number[] = [];
  for (let i = 0; i <= steps; i++) {
    const [since, begin] = [client.events.length, performance.now()];
    await client.request('next', { threadId: threads[0]!.id });
    await untilAllStop(since);
    if (i > 0) times.push(performance.now() - begin);
  }
  await client.request('disconnect', { terminateDebuggee: true });
  adapter.kill();
  return times;
}

async function main(counts: readonly number[]): Promise<void> {
  const folder = path.join(__dirname, '../dist/bench-window');
  mkdirSync(folder, { recursive: true });
  const program = prepare(folder);
  for (const ranks of counts.length === 0 ? [4, 16, 64] : counts) {
    const adapter = await inAdapter(program, ranks);
    const { window, blocked } = await inWindow(ranks);
    console.log(
      `${ranks} ranks: quiet ${median(window).toFixed(0)} ms after the key (${window.map((each) => each.toFixed(0)).join(' ')}); ` +
        `the adapter alone steps in ${median(adapter).toFixed(0)} ms; the extension host was blocked for at most ${blocked.toFixed(0)} ms`,
    );
  }
}

void main(process.argv.slice(2).map(Number));
