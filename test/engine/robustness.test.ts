import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { targetDetach } from '../../adapter/gdb/mi/target-manipulation';
import { adviceText } from '../../adapter/cli/advice';
import { attach } from '../../adapter/job-sources/attach';
import { launch } from '../../adapter/job-sources/launch';
import { StartError } from '../../adapter/job/start-error';
import type { Rank } from '../../adapter/job/rank';
import { JobQueries } from '../../adapter/query/job-queries';
import { leftBreakpoints } from '../support/left-breakpoints';
import { eventually, hasEnded, parentOf, processState, tracerOf } from '../support/process-state';
import { allMpis, launchers, SampleJob, samplePath } from '../support/sample-job';
import { left } from './job-support';

const root = join(__dirname, '..', '..');

interface Held {
  process: ChildProcess;
  pids: number[];
  error: string | undefined;
}

/** Starts hold.ts and waits for its line. `uid`: as this user. */
function hold(args: readonly string[], uid?: number): Promise<Held> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--require', 'tsx/cjs', join(root, 'test', 'tools', 'hold.ts'), ...args], {
      cwd: root,
      uid,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).once('line', (line) => {
      const { pids = [], error } = JSON.parse(line) as { pids?: number[]; error?: string };
      resolve({ process: child, pids, error });
    });
    child.once('exit', (code) => reject(new Error(`hold.ts ended with status ${code}`)));
  });
}

function untouched(pid: number): boolean {
  return !['T', 't'].includes(processState(pid) ?? '') && tracerOf(pid) === 0;
}

/** How many files of this process are memories of others. */
function openMemories(): number {
  const files = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ''; // It was that of the folder itself.
    }
  });
  return files.filter((file) => /^\/proc\/\d+\/mem$/.test(file)).length;
}

for (const mpi of allMpis) {
  describe(`what is left behind under ${mpi}`, () => {
    let sample: SampleJob | undefined;

    async function waiting(): Promise<SampleJob> {
      sample = await SampleJob.startWaiting(mpi, 'communicators');
      return sample;
    }

    afterEach(async () => {
      await sample?.kill();
      sample = undefined;
    });

    it('is nothing after attaching and releasing', async () => {
      const running = await waiting();
      const job = await attach({ pids: running.pids });
      assert.deepEqual(
        job.ranks.map(({ number, pid, state }) => ({ number, pid, state })),
        running.pids.map((pid, number) => ({ number, pid, state: 'stopped' })),
      );
      await job.release();
      assert.deepEqual(
        running.pids.filter((pid) => !untouched(pid)),
        [],
      );
      await running.finish();
    });

    it('is no file that was opened to ask what a handle is without gdb', async () => {
      const running = await waiting();
      const job = await attach({ pids: running.pids });
      const queries = new JobQueries(job, adviceText);
      const rank = queries.of(job.ranks[0]!);
      const world = (await (await rank.mpi())!.constants()).get('MPI_COMM_WORLD');
      assert.ok(world?.kind === 'handle');
      const before = openMemories();
      for (let i = 0; i < 3; i++) assert.ok((await rank.handleWithoutGdb('comm', world.handle, 'c')).facts);
      assert.equal(openMemories(), before);
      await job.release();
      await running.finish();
    });

    it('is no breakpoint when attaching is cancelled while some are held', async () => {
      const running = await waiting();
      for (const count of [1, 2, 3]) {
        const cancel = new AbortController();
        const attaching = attach({
          pids: running.pids,
          signal: cancel.signal,
          onHeld: (held) => held === count && cancel.abort(),
        });
        await assert.rejects(attaching, /^StartError: the start was cancelled$/);
        assert.deepEqual(running.pids.flatMap(leftBreakpoints), []);
        assert.ok(running.pids.every(untouched));
      }
      await running.finish();
    });

    it('is no breakpoint of a gdb that leaves some in what it lets go while it runs', async () => {
      const running = await waiting();
      const job = await attach({ pids: running.pids });
      const [breakpoint] = await job.breakpoints.replaceFunctions([{ kind: 'function', function: 'MPI_Finalize' }]);
      assert.ok(breakpoint?.verified);
      await job.continue(job.ranks);
      await Promise.all(job.ranks.map((rank) => targetDetach(rank)));
      await job.release();
      assert.deepEqual(running.pids.flatMap(leftBreakpoints), []);
      await running.finish();
    });

    it('is nothing of a gdb that does not answer any more', async () => {
      const running = await waiting();
      const job = await attach({ pids: running.pids });
      process.kill(tracerOf(running.pids[0] ?? 0) ?? 0, 'SIGSTOP');
      await job.release();
      assert.ok(running.pids.every(untouched));
      assert.deepEqual(gdbsBelow(process.pid), []);
      await running.finish();
    });

    it('is a process that was stopped before, stopped', async () => {
      const running = await waiting();
      const [first = 0] = running.pids;
      process.kill(first, 'SIGSTOP');
      await eventually('the process is stopped', () => processState(first) === 'T');
      const job = await attach({ pids: running.pids });
      await job.release();
      await eventually('it is stopped again', () => processState(first) === 'T' && tracerOf(first) === 0);
      assert.ok(running.pids.slice(1).every(untouched));
      process.kill(first, 'SIGCONT');
      await running.finish();
    });

    it('is no stopped rank when the debugger is killed', async () => {
      const running = await waiting();
      const held = await hold(['attach', ...running.pids.map(String)]);
      assert.ok(
        running.pids.every((pid) => tracerOf(pid) !== 0),
        held.error,
      );
      held.process.kill('SIGKILL');
      await eventually('all ranks run', () => running.pids.every(untouched));
      await running.finish();
    });

    it('is no breakpoint when the debugger is killed while ranks run', async () => {
      const running = await waiting();
      // The ranks come by there on their way to the end.
      const held = await hold(['run', 'MPI_Finalize', ...running.pids.map(String)]);
      assert.equal(held.error, undefined);
      held.process.kill('SIGKILL');
      await eventually('nothing traces the ranks', () => running.pids.every(untouched));
      await running.finish();
    });

    it('is no stopped rank when gdb is killed, and the job says which ranks it lost', async () => {
      const running = await waiting();
      const job = await attach({ pids: running.pids });
      const ended: Rank[] = [];
      const messages: string[] = [];
      job.on('rankEnded', (rank) => ended.push(rank));
      job.on('message', (message) => messages.push(message));
      // The ranks come by there on their way to the end.
      const [breakpoint] = await job.breakpoints.replaceFunctions([{ kind: 'function', function: 'MPI_Finalize' }]);
      assert.ok(breakpoint?.verified);
      await job.continue(job.ranks);
      process.kill(tracerOf(running.pids[0] ?? 0) ?? 0, 'SIGKILL');
      await eventually('the ranks are lost', () => ended.length === running.pids.length);
      assert.ok(job.ranks.every(({ state }) => state === 'lost'));
      const loss = 'gdb of ranks 0-3 was killed by SIGKILL: mpidbg can no longer tell what they do';
      assert.deepEqual(messages, [loss]);
      const { errors } = await new JobQueries(job, adviceText).stacks(job.ranks);
      const reasons = errors.map(({ error }) => error.reason);
      assert.deepEqual(reasons, Array(4).fill('gdb was killed by SIGKILL'));
      await eventually('all ranks run', () => running.pids.every(untouched));
      // Only now is the guardian done: it puts back what the breakpoints replaced.
      await job.release();
      await running.finish();
    });

    for (const others of [['first'], ['second'], ['first', 'second']] as const)
      it(`is no stopped rank and no breakpoint when gdb and its ${others.join(' and ')} guardian are killed together`, async () => {
        const running = await waiting();
        const job = await attach({ pids: running.pids });
        const messages: string[] = [];
        job.on('message', (message) => messages.push(message));
        // The ranks come by there on their way to the end.
        const [breakpoint] = await job.breakpoints.replaceFunctions([{ kind: 'function', function: 'MPI_Finalize' }]);
        assert.ok(breakpoint?.verified);
        await job.continue(job.ranks);
        const { gdb, ...guardians } = debuggersOf(running.pids[0] ?? 0);
        killWhileItStops(running.pids, [gdb, ...others.map((which) => guardians[which])]);
        await eventually('all ranks run, and their loss is told', () => {
          return running.pids.every(untouched) && messages.length > 0;
        });
        await job.release();
        await running.finish();
        // Only its parent, the first guardian, learns how gdb has ended.
        const how =
          others[0] === 'first'
            ? 'ended for an unknown reason (its guardian was killed by SIGKILL)'
            : 'was killed by SIGKILL';
        assert.deepEqual(messages, [`gdb of ranks 0-3 ${how}: mpidbg can no longer tell what they do`]);
      });

    for (const which of ['gdb', 'first', 'second'] as const)
      it(`is no stopped rank and no breakpoint when the debugger and gdb are killed together${which === 'gdb' ? '' : `, and its ${which} guardian`}`, async () => {
        const running = await waiting();
        const held = await hold(['run', 'MPI_Finalize', ...running.pids.map(String)]);
        assert.equal(held.error, undefined);
        const { gdb, [which]: other } = debuggersOf(running.pids[0] ?? 0);
        killWhileItStops(running.pids, [...new Set([held.process.pid ?? 0, gdb, other])]);
        await eventually('all ranks run', () => running.pids.every(untouched));
        await running.finish();
      });

    it('is no stopped rank when the guardians are killed, and gdb after them', async () => {
      const running = await waiting();
      const job = await attach({ pids: running.pids });
      await job.continue(job.ranks);
      const { gdb, first, second } = debuggersOf(running.pids[0] ?? 0);
      killAtOnce([first, second]);
      await eventually('the guardians are gone', () => [first, second].every(hasEnded));
      killWhileItStops(running.pids, [gdb]);
      await eventually('all ranks run', () => running.pids.every(untouched));
      await job.release();
      await running.finish();
    });

    it('is nothing when a debugger that launched is killed', async () => {
      const held = await hold(['launch', mpi, 'hang']);
      assert.equal(held.error, undefined);
      const launcherPids = descendantsCalled(/agent\.pl (follow|supervise)/, held.process.pid ?? 0);
      assert.equal(launcherPids.length, 1);
      held.process.kill('SIGKILL');
      await eventually('nothing is left', () => left([...held.pids, ...launcherPids]).length === 0);
    });

    it('is nothing when the start is cancelled', async () => {
      for (const after of ['the command line', 'some milliseconds']) {
        const cancel = new AbortController();
        const starting = launch({
          launcher: launchers[mpi].command,
          programs: [{ program: samplePath(mpi, 'hang'), args: [], ranks: 2 }],
          cwd: root,
          signal: cancel.signal,
          onOutput: () => (after === 'the command line' ? cancel.abort() : setTimeout(() => cancel.abort(), 100)),
        });
        // A fast machine may be done before some milliseconds have passed.
        await starting.then(
          (job) => job.release(),
          (error: unknown) => assert.ok(error instanceof StartError && /cancelled/.test(error.message)),
        );
        assert.deepEqual(descendantsCalled(/agent\.pl|gdb/, process.pid), []);
      }
    });
  });
}

describe('refusals to attach', () => {
  let sleeper: ChildProcess;
  let pid: number;

  beforeEach(() => {
    sleeper = spawn('sleep', ['60']);
    pid = sleeper.pid ?? 0;
  });
  afterEach(() => {
    sleeper.kill('SIGKILL');
  });

  it('say that there is no such process', async () => {
    await assert.rejects(attach({ pids: [2 ** 22 + 1] }), /^StartError: there is no process 4194305 on this host$/);
  });

  it('say that it sleeps in the kernel, where it cannot be stopped', async () => {
    // A fork whose parent sleeps uninterruptibly until the child, in a group of its own with it, ends.
    const clone = process.arch === 'arm64' ? 220 : 56;
    const script = `$| = 1; if (syscall(${clone}, 0x4011, 0, 0, 0, 0) == 0) { print "child\\n"; sleep 600 }`;
    const parent = spawn('perl', ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(parent.stdout, 'data');
      await assert.rejects(
        attach({ pids: [parent.pid!] }),
        new RegExp(`^StartError: process ${parent.pid} \\(perl\\) sleeps uninterruptibly in the kernel`),
      );
    } finally {
      process.kill(-parent.pid!, 'SIGKILL');
    }
  });

  it('name the process that traces it already', async () => {
    const job = await attach({ pids: [pid] });
    const tracer = tracerOf(pid);
    await assert.rejects(attach({ pids: [pid] }), new RegExp(`is already being traced by process ${tracer} \\(gdb\\)`));
    await job.release();
    assert.ok(untouched(pid));
  });

  it('name the user to whom it belongs', async () => {
    // Root attaches to everything, so the test becomes somebody else; an ordinary user meets root's process 1.
    const isRoot = process.getuid?.() === 0;
    const held = await hold(['attach', String(isRoot ? pid : 1)], isRoot ? 65534 : undefined);
    assert.match(held.error ?? '', /belongs to the user root: run mpidbg as that user or as root/);
  });

  it('name a gdb that is missing, is none, or is too old', async () => {
    await assert.rejects(attach({ pids: [pid], gdb: '/nonexistent/gdb' }), /^UnusableGdbError: gdb cannot be run/);
    await assert.rejects(
      attach({ pids: [pid], gdb: '/bin/false' }),
      /^UnusableGdbError: \/bin\/false cannot be used as gdb: it ended with status 1$/,
    );
    const killed = join(__dirname, 'killed-gdb.sh');
    await assert.rejects(attach({ pids: [pid], gdb: killed }), (error: Error) => {
      assert.equal(error.name, 'UnusableGdbError');
      const why = 'it was killed by SIGINT; its last words: KeyboardInterrupt';
      assert.equal(error.message, `${killed} cannot be used as gdb: ${why}`);
      return true;
    });
    await assert.rejects(
      attach({ pids: [pid], gdb: join(__dirname, 'old-gdb.sh') }),
      /^UnusableGdbError: \S+ cannot be used as gdb: gdb 11\.2 is too old$/,
    );
    assert.ok(untouched(pid));
  });
});

it('a gdb that is killed while it attaches is told so, and not the end of the process', async () => {
  const sleeper = spawn('sleep', ['60']);
  try {
    const pid = sleeper.pid ?? 0;
    const kill = (): void => {
      for (const gdb of gdbsBelow(process.pid)) process.kill(gdb, 'SIGKILL');
    };
    await assert.rejects(attach({ pids: [pid], beforeHold: kill }), (error: Error) => {
      assert.equal(error.message, `gdb was killed by SIGKILL while it attached to process ${pid}`);
      return true;
    });
    await eventually('the process runs', () => untouched(pid));
  } finally {
    sleeper.kill('SIGKILL');
  }
});

it('instructions that a program has put into its own code stay, whatever they look like', async () => {
  const program = spawn(samplePath('openmpi', 'patched'), { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(createInterface({ input: program.stdout }), 'line');
    const job = await attach({ pids: [program.pid ?? 0] });
    await job.release();
    const ended = once(program, 'exit');
    program.stdin.end('go on\n');
    assert.deepEqual(await ended, [0, null]);
  } finally {
    program.kill('SIGKILL');
  }
});

/** The gdbs of this process' guardians. */
function gdbsBelow(debuggerPid: number): number[] {
  return descendantsCalled(/agent\.pl guardian/, debuggerPid).flatMap((guardian) =>
    descendantsCalled(/^gdb /, guardian),
  );
}

/** The gdb that holds a process, and its guardians. */
function debuggersOf(pid: number): Record<'gdb' | 'first' | 'second', number> {
  const gdb = tracerOf(pid) ?? 0;
  const first = parentOf(gdb) ?? 0;
  const [second = 0] = descendantsCalled(/second guardian/, first);
  assert.ok(gdb !== 0 && first !== 0 && second !== 0);
  return { gdb, first, second };
}

/** None of them sees the end of another one. */
function killAtOnce(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

/** In the moment in which gdb has told the ranks to stop, and has not seen yet that they did: the kernel stops them then. */
function killWhileItStops(ranks: readonly number[], pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  for (const pid of ranks) process.kill(pid, 'SIGSTOP');
  killAtOnce(pids);
}

/** Descendants of a process, and what these left behind in the care of others, whose command line matches. */
function descendantsCalled(pattern: RegExp, ancestor: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
        return parentOf(pid) === ancestor && pattern.test(command);
      } catch {
        return false;
      }
    });
}
