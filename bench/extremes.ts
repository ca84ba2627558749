/**
 * What extreme programs cost mpidbg: npm run bench:extremes [-- MPI... CASE...]. For each question, seconds until it is
 * answered, and the largest resident memory of mpidbg and of its largest gdb.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop } from '../test/support/compile';
import { DapClient } from '../test/support/dap-client';
import { allMpis, launchers, SampleJob, type Mpi } from '../test/support/sample-job';
import { residentBelow } from './process-cost';
import { startRunningJob } from './running-job';

const dist = join(__dirname, '..', 'dist');
const source = join(__dirname, 'extremes.c');
const sampleInterval = 100;
const maxSession = 3_600_000;

interface Extreme {
  ranks: number;
  count: number;
  /** Commands of mpidbg for a job that waits, without the target. */
  asks?: readonly (readonly string[])[];
  /** What a session does with a job that it launches. */
  session?: (client: DapClient, extreme: Extreme) => Promise<string>;
  /** A kind of `samples/many.c`, which makes `count` objects of it, instead of a case of extremes.c. */
  kind?: string;
}

const report = ['report', '-o', join(tmpdir(), 'mpidbg-extremes.html')];

/** MPICH makes at most about 2 000 communicators. */
const extremes: Record<string, Extreme> = {
  threads: { ranks: 2, count: 300, asks: [['stacks'], ['info']] },
  recursion: { ranks: 2, count: 100_000, asks: [['stacks']] },
  'thread-recursion': { ranks: 2, count: 1_000_000, asks: [['stacks'], ['info'], ['hang'], report] },
  array: { ranks: 2, count: 10_000_000, asks: [['print', 'numbers[0]@10000000'], report] },
  gigabyte: { ranks: 2, count: 134_217_728, asks: [['print', 'numbers[0]@134217728']] },
  communicators: { ranks: 1, count: 10_000, kind: 'comm', asks: [['info'], ['handles', 'comm'], ['queues'], report] },
  requests: { ranks: 1, count: 100_000, kind: 'request', asks: [['handles', 'request'], ['queues']] },
  hits: { ranks: 8, count: 100_000, session: atLastHit },
  output: { ranks: 64, count: 100_000, session: allOutput },
};

interface Measured {
  seconds: number;
  /** MiB. */
  mpidbg: number;
  gdb: number;
  said: string;
}

/** While `work` goes on, of the process and of the gdbs that it has started. */
async function measured(pid: number, work: () => Promise<string>): Promise<Measured> {
  const most = { mpidbg: 0, gdb: 0 };
  const look = (): void => {
    most.mpidbg = Math.max(most.mpidbg, ...residentBelow(pid, (each) => each.pid === pid));
    most.gdb = Math.max(most.gdb, ...residentBelow(pid, ({ name }) => name === 'gdb'));
  };
  const timer = setInterval(look, sampleInterval);
  const begin = performance.now();
  try {
    const said = await work();
    return { seconds: (performance.now() - begin) / 1000, ...most, said };
  } finally {
    clearInterval(timer);
  }
}

function ask(args: readonly string[], launcherPid: number): Promise<Measured> {
  const target = ['--launcher', String(launcherPid), '--timeout', '600'];
  const command = spawn(process.execPath, [join(dist, 'cli.js'), ...args, ...target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let length = 0;
  command.stdout.on('data', (chunk: Buffer) => (length += chunk.length));
  return measured(command.pid!, async () => {
    const [status] = (await once(command, 'close')) as [number];
    return `status ${status}, ${length} characters`;
  });
}

async function atLastHit(client: DapClient, { count, ranks }: Extreme): Promise<string> {
  const stop = client.waitFor<DebugProtocol.StoppedEvent>('stopped', ({ body }) => body.allThreadsStopped === true, {
    timeoutMs: maxSession,
  });
  const end = client.waitFor('terminated', () => true, { timeoutMs: maxSession });
  const stopped = await Promise.race([stop, end.then(() => undefined)]);
  if (stopped === undefined) return 'ended without a stop';
  const { threads } = await client.request<DebugProtocol.ThreadsResponse['body']>('threads');
  let right = 0;
  for (const { id, name } of threads) {
    if (!/^rank \d+$/.test(name)) continue;
    const { stackFrames } = await client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
      threadId: id,
    });
    const { result } = await client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
      expression: 'hits',
      frameId: stackFrames[0]!.id,
    });
    if (Number(result) === count - 1) right += 1;
  }
  return `${stopped.body.description}; hits is ${count - 1} in ${right} of ${ranks} ranks`;
}

async function allOutput(client: DapClient, { count, ranks }: Extreme): Promise<string> {
  await client.waitFor('terminated', () => true, { timeoutMs: maxSession });
  const next = new Map<string, number>();
  let inOrder = 0;
  for (const [, rank = '', line] of client.outputText('stdout').matchAll(/^\[(\d+)\] line (\d+) of this rank$/gm)) {
    if (Number(line) === (next.get(rank) ?? 0)) inOrder += 1;
    next.set(rank, Number(line) + 1);
  }
  return `${inOrder} of ${ranks * count} lines in their rank's order`;
}

async function inSession(mpi: Mpi, program: string, name: string, extreme: Extreme): Promise<Measured> {
  const { client, process: adapter } = DapClient.spawn(join(dist, 'adapter.js'));
  const work = async (): Promise<string> => {
    await client.request('initialize', { adapterID: 'mpidbg' });
    const { command, env } = launchers[mpi];
    const args = [name, String(extreme.count)];
    const launched = client.request('launch', { program, args, ranks: extreme.ranks, launcher: command, env });
    await Promise.race([client.waitFor('initialized', () => true, { timeoutMs: 120_000 }), launched]);
    if (name === 'hits') {
      const line =
        readFileSync(source, 'utf8')
          .split('\n')
          .findIndex((text) => text.includes('/* stop:')) + 1;
      const breakpoints = [{ line, condition: `hits == ${extreme.count - 1}` }];
      // The workshop compiles a copy of the source beside the program.
      await client.request('setBreakpoints', { source: { path: `${program}.c` }, breakpoints });
    }
    await client.request('configurationDone');
    await launched;
    return extreme.session!(client, extreme);
  };
  const result = await measured(adapter.pid!, work);
  const exited = once(adapter, 'exit');
  await client.request('disconnect', { terminateDebuggee: true });
  adapter.stdin?.end();
  await exited;
  return result;
}

async function startJob(mpi: Mpi, program: string, name: string, { kind, ranks, count }: Extreme) {
  if (kind !== undefined) {
    const args = [kind, String(count)];
    const job = await SampleJob.startWaiting(mpi, 'many', { ranks, args, deadlineMs: 300_000 });
    return { launcherPid: job.launcherPid, end: () => job.kill() };
  }
  const { command: launcher, args: launcherArgs } = launchers[mpi];
  return startRunningJob(
    { launcher, launcherArgs, program, ranks },
    [],
    [name === 'gigabyte' ? 'array' : name, String(count)],
  );
}

async function main(given: readonly string[]): Promise<void> {
  Object.assign(process.env, launchers.openmpi.env);
  const mpis = allMpis.filter(
    (mpi) => given.includes(mpi) || !given.some((each) => allMpis.some((one) => one === each)),
  );
  const cases = Object.entries(extremes).filter(
    ([name]) => given.includes(name) || !given.some((each) => each in extremes),
  );
  const workshop = openWorkshop();
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Linux\n`);
  console.log(
    '| MPI | case | ranks | | s | mpidbg, MiB | gdb, MiB | answer | load |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const mpi of mpis) {
    const program = workshop.compile(`extremes-${mpi}`, readFileSync(source, 'utf8'), `mpicc.${mpi}`, [
      '-g',
      '-O0',
      '-pthread',
    ]);
    for (const [name, extreme] of cases) {
      const tell = (what: string, { seconds, mpidbg, gdb, said }: Measured): void => {
        const figures = [seconds.toFixed(1), mpidbg.toFixed(0), gdb.toFixed(0), said, loadavg()[0]!.toFixed(0)];
        console.log(`| ${[mpi, `${name} ${extreme.count}`, extreme.ranks, what, ...figures].join(' | ')} |`);
      };
      if (extreme.session !== undefined) tell('session', await inSession(mpi, program, name, extreme));
      if (extreme.asks === undefined) continue;
      const job = await startJob(mpi, program, name, extreme);
      for (const args of extreme.asks) tell(args.join(' '), await ask(args, job.launcherPid));
      await job.end();
    }
  }
  workshop.close();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
