/** The same job with one plain gdb per rank, started by the launcher: gdb's own defaults, in its machine interface. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { MiConnection } from '../adapter/gdb/mi-connection';
import { costBelow } from './process-cost';
import type { Scenario, StoppedJob } from './scenario';

export async function startGdbPerRank(scenario: Scenario): Promise<StoppedJob> {
  const { launcher, launcherArgs, program, ranks, source, line } = scenario;
  const server = createServer();
  const connected = new Promise<Socket[]>((resolve) => {
    const sockets: Socket[] = [];
    server.on('connection', (socket) => {
      socket.setNoDelay();
      if (sockets.push(socket) === ranks) resolve(sockets);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const wrapped = ['perl', join(__dirname, 'gdb-per-rank.pl'), String(port), program];
  const job = spawn(launcher, [...launcherArgs, '-n', String(ranks), ...wrapped], { stdio: 'ignore' });
  const gdbs = (await connected).map((socket) => new MiConnection(socket));
  await allStopped(gdbs, async (gdb) => {
    await gdb.command(`-break-insert ${source}:${line}`);
    await gdb.command('-exec-run');
  });
  return {
    stepAll: () => allStopped(gdbs, (gdb) => gdb.command('-exec-next')),
    cost: () => costBelow(job.pid!, ({ name }) => name === 'gdb'),
    async end() {
      const exited = once(job, 'exit');
      for (const gdb of gdbs) gdb.command('-gdb-exit').catch(() => undefined); // it does not wait for the answer
      job.kill('SIGTERM');
      await exited;
      server.close();
    },
  };
}

/** Does `act` with every gdb; resolves when the rank of each has stopped because of it. */
async function allStopped(gdbs: readonly MiConnection[], act: (gdb: MiConnection) => Promise<unknown>): Promise<void> {
  const stopped = gdbs.map(
    (gdb) =>
      new Promise<void>((resolve) => {
        const listener = ({ class: what }: { class: string }): void => {
          if (what !== 'stopped') return;
          gdb.off('async', listener);
          resolve();
        };
        gdb.on('async', listener);
      }),
  );
  await Promise.all(gdbs.map(act));
  await Promise.all(stopped);
}
