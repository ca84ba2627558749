/**
 * npx tsx test/tools/compare-events.ts LAUNCHER -n RANKS PROGRAM: starts tool-events of any MPI library with the collector, and
 * compares what it sees of MPI_T's events with what mpidbg reads of them while it runs. For libraries that no Debian has:
 * docs/testing-releases.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runCli } from '../support/run-cli';
import { askEvents, assertSameEvents, toldIn } from '../support/tool-events';

async function main(words: readonly string[]): Promise<void> {
  const before = (await runCli(['collector'])).stdout.trim().split(' ');
  const [command = '', ...args] = [...before, ...words, '--truth', '--wait'];
  const job = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ranks = Number(words[words.indexOf('-n') + 1]);
  const lines: string[] = [];
  const pids: number[] = [];
  try {
    for await (const line of createInterface({ input: job.stdout })) {
      lines.push(line);
      const waiting = /^MPIDBG-WAITING .*"pid":(\d+)/.exec(line);
      if (waiting !== null) pids.push(Number(waiting[1]));
      if (pids.length === ranks && toldIn(lines).length === ranks) break;
    }
    const told = await askEvents(['--last', '100000', '--pid', pids.join()]);
    console.log(`${assertSameEvents(toldIn(lines), told)} events of ${told.length} ranks are the same`);
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    if (job.exitCode === null && job.signalCode === null) await once(job, 'close');
  }
}

void main(process.argv.slice(2));
