/**
 * What a condition on a function of MPI costs at a hit that does not stop: npm run bench:conditions [-- COUNT]. The program tells how
 * long its calls took; plain gdb, one for each rank, compares the register of the communicator in the same run.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { openWorkshop } from '../test/support/compile';
import { DapClient } from '../test/support/dap-client';
import { allMpis, launchers, type Mpi } from '../test/support/sample-job';

const ranks = 2;
const timeoutMs = 600_000;

/** Conditions of breakpoints on MPI_Allreduce: none ever stops. */
const conditions = [
  '$count == 7',
  '$comm == MPI_COMM_SELF',
  '$comm == "ocean"',
  '$comm == "ocean" && $bytes > 1000',
  '$nth == 1000000000',
];

/** Seconds of the slowest rank. */
function slowest(said: string): number {
  const told = [...said.matchAll(/LOOP \d+ ([\d.]+)/g)].map(([, seconds]) => Number(seconds));
  if (told.length !== ranks) throw new Error(`${told.length} of ${ranks} ranks have told their time:\n${said}`);
  return Math.max(...told);
}

function alone(mpi: Mpi, command: readonly string[]): number {
  const { command: launcher, args, env } = launchers[mpi];
  const run = spawnSync(launcher, [...args, '-n', String(ranks), ...command], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return slowest(run.stdout + run.stderr);
}

/** The sixth argument is in r9. */
function inGdb(program: string, count: string): string[] {
  const commands = [
    'set breakpoint pending on',
    'set debuginfod enabled off',
    'break MPI_Allreduce if $r9 == 1',
    'run',
  ];
  return ['gdb', '-nx', '-batch', ...commands.flatMap((each) => ['-ex', each]), '--args', program, count];
}

async function inSession(mpi: Mpi, program: string, count: string, condition: string): Promise<number> {
  const { client, process: adapter } = DapClient.spawn(join(__dirname, '..', 'dist', 'adapter.js'));
  await client.request('initialize', { adapterID: 'mpidbg' });
  const { command, env } = launchers[mpi];
  const launched = client.request('launch', { program, args: [count], ranks, launcher: command, env });
  await Promise.race([client.waitFor('initialized', () => true, { timeoutMs }), launched]);
  await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'MPI_Allreduce', condition }] });
  await client.request('configurationDone');
  await launched;
  await client.waitFor('terminated', () => true, { timeoutMs });
  const said = client.outputText('stdout');
  const exited = once(adapter, 'exit');
  await client.request('disconnect', { terminateDebuggee: true });
  adapter.stdin?.end();
  await exited;
  return slowest(said);
}

async function main(count = '300'): Promise<void> {
  Object.assign(process.env, launchers.openmpi.env);
  const workshop = openWorkshop();
  const source = readFileSync(join(__dirname, 'conditions.c'), 'utf8');
  console.log('| MPI | condition | ms for each hit | times plain gdb | load |\n|---|---|---|---|---|');
  for (const mpi of allMpis) {
    const program = workshop.compile(`conditions-${mpi}`, source, `mpicc.${mpi}`, ['-g', '-O0']);
    const perHit = (seconds: number) => (1000 * seconds) / Number(count);
    const plain = perHit(alone(mpi, inGdb(program, count)));
    const tell = (what: string, each: number): void =>
      console.log(
        `| ${[mpi, what, each.toFixed(2), (each / plain).toFixed(1), loadavg()[0]!.toFixed(0)].join(' | ')} |`,
      );
    tell('no debugger', perHit(alone(mpi, [program, count])));
    tell('plain gdb, $r9 == 1', plain);
    for (const condition of conditions) tell(condition, perHit(await inSession(mpi, program, count, condition)));
  }
  workshop.close();
}

main(...process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
