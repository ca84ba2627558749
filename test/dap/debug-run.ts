/** One adapter with one client, driven as VS Code drives it, and a look at what it leaves behind. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { firstMissing, parseRankSet, rankSetHas, rankSetOf } from '../../plugin-api/answers/rank-set';
import { DapClient } from '../support/dap-client';
import { eventually, processesWith } from '../support/process-state';
import { launchers, markerLine, samplePath, type Mpi } from '../support/sample-job';
import { patienceMs } from '../support/patience';

const root = join(__dirname, '..', '..');
const adapterFile = join(root, 'dist', 'adapter.js');

export interface Place {
  /** In samples/. */
  source: string;
  marker: string;
  condition?: string;
  hitCondition?: string;
  logMessage?: string;
}

export interface StartOptions {
  mpi: Mpi;
  program: string;
  ranks?: number; // default 4
  breakpoints?: Place[];
  /** Further attributes of the launch configuration. */
  attributes?: object;
  /** See DapClient.spawn. */
  through?: readonly string[];
}

export type Stopped = DebugProtocol.StoppedEvent['body'];

/** Those that were begun and have not ended well yet. */
const open = new Set<DebugRun>();
let isInTest = false;

// A test that fails has not closed its run: its adapter and its ranks would stay, and slow down every other test.
beforeEach(() => void (isInTest = true));
afterEach(async () => {
  isInTest = false;
  for (const run of open) if (run.isOfOneTest) await run.kill();
});
after(async () => {
  for (const run of open) await run.kill();
});

export class DebugRun {
  /** In the environment of every process that the adapter starts. */
  private readonly mark = randomUUID();
  readonly client: DapClient;
  readonly adapter: ChildProcess;
  /** Otherwise several tests share it. */
  readonly isOfOneTest = isInTest;
  private seen = 0;

  private constructor(through: readonly string[] = []) {
    const spawned = DapClient.spawn(adapterFile, { env: { ...process.env, MPIDBG_TEST_RUN: this.mark }, through });
    this.client = spawned.client;
    this.adapter = spawned.process;
    open.add(this);
  }

  /** An adapter that has not been told initialize yet. */
  static unopened(through: readonly string[] = []): DebugRun {
    return new DebugRun(through);
  }

  /** An adapter that has been told initialize. `abilities`: what else the client tells of itself; `through`: see DapClient. */
  static async open(abilities: object = {}, through: readonly string[] = []): Promise<DebugRun> {
    const run = DebugRun.unopened(through);
    const common = { adapterID: 'mpidbg', linesStartAt1: true, pathFormat: 'path', supportsInvalidatedEvent: true };
    await run.client.request('initialize', { ...common, ...abilities });
    return run;
  }

  /** Launches, sets breakpoints and lets the ranks go. */
  static async launch(
    options: StartOptions,
    configure: (client: DapClient) => Promise<unknown> = async () => undefined,
  ): Promise<DebugRun> {
    const run = await DebugRun.open({}, options.through);
    try {
      await run.launch(options, () => configure(run.client));
      return run;
    } catch (error) {
      await run.close();
      throw error;
    }
  }

  /** Starts a session and waits for its first stop. */
  static async stopped(options: StartOptions): Promise<{ run: DebugRun; stop: Stopped }> {
    const run = await DebugRun.launch(options);
    try {
      return { run, stop: await run.nextStop() };
    } catch (error) {
      await run.close();
      throw error;
    }
  }

  /** `configure` is called where VS Code sets its breakpoints. */
  async launch(
    { mpi, program, ranks = 4, breakpoints = [], attributes = {} }: StartOptions,
    configure: () => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    const { command, env } = launchers[mpi];
    const configuration = { program: samplePath(mpi, program), ranks, launcher: command, env, ...attributes };
    const launched = this.client.request('launch', configuration);
    await Promise.race([this.client.waitFor('initialized'), launched]);
    for (const source of new Set(breakpoints.map((each) => each.source))) {
      const here = breakpoints.filter((each) => each.source === source);
      const answer = await this.setBreakpoints(source, here);
      for (const breakpoint of answer) assert.equal(breakpoint.verified, true, breakpoint.message);
    }
    await configure();
    await this.client.request('configurationDone');
    await launched;
  }

  /** All of the job is stopped, and no exception filter stops it later. */
  static async attachedWithoutFilters(launcherPid: number): Promise<DebugRun> {
    const run = await DebugRun.open();
    await run.attach({ launcherPid }, () => run.client.request('setExceptionBreakpoints', { filters: [] }));
    await run.nextStop();
    return run;
  }

  /** Attaches; `configure` as above. */
  async attach(
    attributes: ({ launcherPid: number } | { job: string } | { waitForJob: string }) & {
      ranks?: string;
      world?: string;
      gdb?: string;
    },
    configure: () => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    const attached = this.client.request('attach', attributes);
    await Promise.race([this.client.waitFor('initialized'), attached]);
    await configure();
    await this.client.request('configurationDone');
    await attached;
  }

  async setBreakpoints(source: string, places: Place[]): Promise<DebugProtocol.Breakpoint[]> {
    const { breakpoints } = await this.client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
      source: { path: join(root, 'samples', source) },
      breakpoints: places.map(({ marker, source: _, ...rules }) => ({ line: markerLine(source, marker), ...rules })),
    });
    return breakpoints;
  }

  /** The next `stopped` event that no call has answered yet. */
  async nextStop(timeoutMs = patienceMs): Promise<Stopped> {
    const event = await this.client.waitFor<DebugProtocol.StoppedEvent>('stopped', () => true, {
      since: this.seen,
      timeoutMs,
    });
    this.seen = this.client.events.indexOf(event) + 1;
    return event.body;
  }

  /**
   * The event with which the last of these ranks is told as stopped, all for one reason. On an idle machine it is the only
   * one; where ranks wait for a processor longer than a burst lasts, they are told in parts.
   */
  async nextStops(ranks: readonly number[], reason: string): Promise<Stopped> {
    const missing = new Set(ranks);
    for (;;) {
      const stop = await this.nextStop();
      const [, set = '', why] = /^ranks? ([\d,-]+): (.*)$/.exec(stop.description ?? '') ?? [];
      assert.equal(why, reason, stop.description);
      const stopped = parseRankSet(set);
      assert.equal(firstMissing(stopped, rankSetOf(ranks)), undefined, `${stop.description}: of ${ranks.join()} only`);
      for (const rank of ranks) if (rankSetHas(stopped, rank)) missing.delete(rank);
      if (missing.size === 0) return stop;
    }
  }

  /** How often the job has printed this so far. */
  printed(text: string): number {
    const outputs = this.client.events.filter(({ event }) => event === 'output') as DebugProtocol.OutputEvent[];
    return (
      outputs
        .map(({ body }) => body.output)
        .join('')
        .split(text).length - 1
    );
  }

  /** How many `stopped` events there were so far. */
  get stops(): number {
    return this.client.events.filter(({ event }) => event === 'stopped').length;
  }

  async threads(): Promise<DebugProtocol.Thread[]> {
    return (await this.client.request<DebugProtocol.ThreadsResponse['body']>('threads')).threads;
  }

  /** The first thread of a rank. */
  async threadOf(rank: number): Promise<number> {
    const thread = (await this.threads()).find(({ name }) => name === `rank ${rank}`);
    assert.ok(thread, `no thread of rank ${rank}`);
    return thread.id;
  }

  async frames(threadId: number, args: object = {}): Promise<DebugProtocol.StackFrame[]> {
    const body = await this.client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
      threadId,
      ...args,
    });
    return body.stackFrames;
  }

  async topFrame(rank: number): Promise<DebugProtocol.StackFrame> {
    const [frame] = await this.frames(await this.threadOf(rank));
    assert.ok(frame, `rank ${rank} has no frame`);
    return frame;
  }

  /** The Locals of a frame. */
  async locals(frameId: number): Promise<DebugProtocol.Variable[]> {
    const { scopes } = await this.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId });
    assert.equal(scopes[0]?.name, 'Locals');
    return this.variables(scopes[0].variablesReference);
  }

  async local(rank: number, name: string): Promise<DebugProtocol.Variable> {
    const locals = await this.locals((await this.topFrame(rank)).id);
    const variable = locals.find((each) => each.name === name);
    assert.ok(variable, `${name} is not among ${locals.map((each) => each.name).join(', ')}`);
    return variable;
  }

  async variables(variablesReference: number, args: object = {}): Promise<DebugProtocol.Variable[]> {
    const body = await this.client.request<DebugProtocol.VariablesResponse['body']>('variables', {
      variablesReference,
      ...args,
    });
    return body.variables;
  }

  async evaluate(
    expression: string,
    context: string,
    frameId?: number,
  ): Promise<DebugProtocol.EvaluateResponse['body']> {
    return this.client.request('evaluate', { expression, context, frameId });
  }

  /** Lets all ranks go again at each stop, until `end` has come. */
  async continueUntil(end: Promise<unknown>): Promise<void> {
    let hasEnded = false;
    const ended = end.then(() => (hasEnded = true));
    const [{ id: threadId }] = (await this.threads()) as [DebugProtocol.Thread];
    while (!hasEnded) {
      await this.client.request('continue', { threadId });
      await Promise.race([ended, this.nextStop()]);
    }
  }

  /** The job's own end: waits for `terminated` and answers the launcher's status. */
  async terminated(timeoutMs = patienceMs): Promise<number | undefined> {
    await this.client.waitFor('terminated', () => true, { timeoutMs });
    const exited = this.client.events.find(({ event }) => event === 'exited') as DebugProtocol.ExitedEvent | undefined;
    return exited?.body.exitCode;
  }

  /** Ends the session as VS Code does; then nothing of it may be left, but what `othersEnd`: the daemons of a batch system. */
  async close({ othersEnd = false } = {}): Promise<void> {
    if (this.adapter.exitCode === null) {
      await this.client.request('disconnect', {});
      this.adapter.stdin?.end();
    }
    if (othersEnd) await eventually('all has ended', () => this.processes().length === 0);
    await this.ended();
  }

  /** Waits for the adapter's end, and checks that it was a good one and that no process of the session is left. */
  async ended(): Promise<void> {
    if (this.adapter.exitCode === null && this.adapter.signalCode === null) {
      await once(this.adapter, 'exit', { signal: AbortSignal.timeout(patienceMs) });
    }
    assert.deepEqual(processesWith(`MPIDBG_TEST_RUN=${this.mark}`), [], 'processes are left behind');
    assert.equal(this.adapter.exitCode, 0, 'the adapter did not end well');
    open.delete(this);
  }

  /** The living processes of the session, but for the adapter. */
  processes(): { pid: number; commandLine: string }[] {
    return processesWith(`MPIDBG_TEST_RUN=${this.mark}`).map((line) => {
      const [, pid, commandLine] = /^(\d+) (.*)$/s.exec(line) ?? [];
      return { pid: Number(pid), commandLine: commandLine ?? '' };
    });
  }

  /** The pids of mpirun or mpiexec; Open MPI's becomes prterun since 5.0. */
  launchers(): number[] {
    const isLauncher = /^(\S*\/)?(mpirun|mpiexec|prterun)/;
    return this.processes().flatMap(({ pid, commandLine }) => (isLauncher.test(commandLine) ? [pid] : []));
  }

  /** The only one of them. */
  launcher(): number {
    const [only, ...others] = this.launchers();
    if (only === undefined || others.length > 0) throw new Error(`not one launcher but: ${this.launchers().join(' ')}`);
    return only;
  }

  /** Ends whatever is left, also after a failure. */
  async kill(): Promise<void> {
    open.delete(this);
    this.adapter.kill('SIGKILL');
    // Its guardians end the ranks.
    await eventually('the end of the job', () => this.processes().length === 0, 5000).catch(() => {
      for (const { pid } of this.processes()) process.kill(pid, 'SIGKILL');
    });
  }
}
