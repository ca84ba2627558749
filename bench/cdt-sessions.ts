/**
 * The same job with one session of cdt-gdb-adapter per rank, all in this process. Such a session starts gdb by itself and
 * one program with it, so it cannot take part in a launch by mpirun: it is measured where it attaches.
 */
import { createRequire } from 'node:module';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapClient } from '../test/support/dap-client';
import { costBelow, type Cost } from './process-cost';
import type { Scenario, StoppedJob } from './scenario';

interface DebugSessionClass {
  new (): { start(input: Readable, output: Writable): void };
}

/** Undefined: the package is not installed. */
export function findCdt(): DebugSessionClass | undefined {
  try {
    const from = createRequire(process.env.MPIDBG_BENCH_CDT ?? __filename);
    const { GDBDebugSession } = from('cdt-gdb-adapter/dist/desktop/GDBDebugSession') as {
      GDBDebugSession: DebugSessionClass;
    };
    return GDBDebugSession;
  } catch {
    return undefined;
  }
}

export async function startCdtSessions({ program, pids = [] }: Scenario): Promise<StoppedJob> {
  const Session = findCdt();
  if (Session === undefined) throw new Error('cdt-gdb-adapter is missing');
  const before = ownCost();
  const clients = await Promise.all(pids.map((pid) => attach(Session, program, pid)));
  const threadIds = await Promise.all(
    clients.map(async (client) => {
      const { threads } = await client.request<DebugProtocol.ThreadsResponse['body']>('threads');
      return threads[0]!.id;
    }),
  );
  return {
    async stepAll() {
      await Promise.all(
        clients.map(async (client, i) => {
          const since = client.events.length;
          await client.request('next', { threadId: threadIds[i] });
          await client.waitFor('stopped', () => true, { since });
        }),
      );
    },
    threads: async () => void (await Promise.all(clients.map((client) => client.request('threads')))),
    stacks: async () =>
      void (await Promise.all(
        clients.map((client, i) => client.request('stackTrace', { threadId: threadIds[i], levels: 50 })),
      )),
    cost: () => {
      const gdbs = costBelow(process.pid, ({ name }) => name === 'gdb');
      const own = ownCost();
      return { cpu: gdbs.cpu + own.cpu - before.cpu, memory: gdbs.memory + own.memory - before.memory };
    },
    end: async () => void (await Promise.all(clients.map((client) => client.request('disconnect')))),
  };
}

async function attach(Session: DebugSessionClass, program: string, processId: number): Promise<DapClient> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  new Session().start(input, output);
  const client = new DapClient(output, input);
  await client.request('initialize', { adapterID: 'gdb', linesStartAt1: true, pathFormat: 'path' });
  const attached = client.request('attach', { program, processId: String(processId) });
  await client.waitFor('initialized', () => true, { timeoutMs: 120_000 });
  await client.request('configurationDone');
  await attached;
  // It lets the process go again.
  await client.request('pause', { threadId: 1 });
  await client.waitFor('stopped', () => true, { timeoutMs: 120_000 });
  return client;
}

function ownCost(): Cost {
  return costBelow(process.pid, ({ pid }) => pid === process.pid);
}
