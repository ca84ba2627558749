/** One debug session: which request is answered by whom, and the session's own life from initialize to disconnect. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { StepKind } from '../gdb/mi/program-execution';
import type { Job } from '../job/job';
import { capabilities } from './capabilities';
import { ChosenStops, type StopCommand } from './chosen-stops';
import { DapConnection, type Channel, type Handler } from './client/connection';
import { alreadyStarted, jobEnded, notStarted, startCancelled, unknownRequest } from './client/errors';
import { jobRequests } from './job-requests';
import { JobSession } from './job-session';
import { parseAttachArguments, parseLaunchArguments, type SharedArguments } from './start/launch-arguments';
import { postmortemAnswer, postmortemCapabilities } from './start/postmortem';
import { Runs } from './references/runs';
import { attachJob, launchJob } from './start/start-job';
import { StartProgress } from './start/start-progress';

export class Session {
  private readonly client: DapConnection;
  /** Aborted when the session ends: a start that is under way is given up. */
  private readonly end = new AbortController();
  private starting: Promise<JobSession> | undefined;
  private started = deferred<JobSession>();
  /** What launch or attach does with its arguments, checked, and those of the last job. */
  private opener: { read(args: unknown): Opening; last: unknown } | undefined;
  /** The one whose end is the session's. */
  private job: Job | undefined;
  private restarting: Promise<unknown> = Promise.resolve();
  private readonly runs = new Runs();
  private readonly stops = new ChosenStops();
  private stopOnEntry = false;
  private isConfigured = false;
  private progress: StartProgress | undefined;
  private ending: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private hasTerminated = false;
  private isPostmortem = false;

  /** `closed` is called once, when nothing of the session is left and its client is gone. */
  constructor(private readonly closed: () => void) {
    this.client = new DapConnection(
      (command) => this.handler(command),
      () => void this.close(),
    );
  }

  run(channel: Channel): void {
    this.client.open(channel);
  }

  /** Ends the session as a client that goes away would. Resolves when nothing of it is left. */
  close(): Promise<void> {
    this.closing ??= this.finish().then(this.closed);
    return this.closing;
  }

  private handler(command: string): Handler {
    const handler = this.handlers.get(command);
    const ofJob = jobRequests.get(command);
    if (handler === undefined && ofJob === undefined) throw unknownRequest(command);
    return async (args) => {
      const postmortem = this.isPostmortem ? postmortemAnswer(command, args) : undefined;
      if (postmortem !== undefined || handler !== undefined) return postmortem ?? handler?.(args);
      return ofJob?.(await this.jobSession(command), args);
    };
  }

  private readonly handlers: ReadonlyMap<string, Handler> = new Map(
    Object.entries<Handler>({
      initialize: (args) => {
        this.client.know(args as DebugProtocol.InitializeRequestArguments);
        this.progress = new StartProgress(this.client, args as DebugProtocol.InitializeRequestArguments);
        return capabilities;
      },
      launch: (args) =>
        this.start(args, (given) => {
          const parsed = parseLaunchArguments(given);
          return {
            parsed,
            stopOnEntry: parsed.stopOnEntry,
            title: 'MPI: starting the ranks',
            begin: () => launchJob(parsed, this.client, this.end.signal, this.progress),
          };
        }),
      attach: (args) =>
        this.start(args, (given) => {
          const parsed = parseAttachArguments(given);
          return {
            parsed,
            stopOnEntry: false,
            title: parsed.target.kind === 'cores' ? 'MPI: opening core files' : 'MPI: attaching to the ranks',
            begin: () => attachJob(parsed, this.client, this.end.signal, this.progress),
          };
        }),
      configurationDone: async () => {
        const { execution } = await this.jobSession('configurationDone');
        this.isConfigured = true;
        await execution.start(this.stopOnEntry);
      },
      restart: (args) => {
        // One after another: a second one would not find the first one's job.
        const turn = this.restarting.then(() => this.restart((args as DebugProtocol.RestartArguments).arguments));
        this.restarting = turn.catch(() => undefined);
        return turn;
      },
      disconnect: (args) => this.finish((args as DebugProtocol.DisconnectArguments).terminateDebuggee),
      terminate: () => this.finish(true),
      cancel: async (args) => {
        const { requestId, progressId } = args as DebugProtocol.CancelArguments;
        if (requestId !== undefined) this.client.cancel(requestId);
        if (progressId !== undefined && this.progress?.id === progressId) await this.finish();
      },

      setBreakpoints: (args) => this.set('setBreakpoints', args),
      setFunctionBreakpoints: (args) => this.set('setFunctionBreakpoints', args),
      setExceptionBreakpoints: (args) => this.set('setExceptionBreakpoints', args),
      setDataBreakpoints: (args) => this.set('setDataBreakpoints', args),
      setInstructionBreakpoints: (args) => this.set('setInstructionBreakpoints', args),

      threads: async () => ({ threads: this.hasJob() ? (await this.jobSession('threads')).threads.list() : [] }),
      stackTrace: async (args) =>
        (await this.jobSession('stackTrace')).frames.stackTrace(args as DebugProtocol.StackTraceArguments),
      scopes: async (args) => {
        const { frames, variables } = await this.jobSession('scopes');
        return { scopes: variables.scopes(frames.get((args as DebugProtocol.ScopesArguments).frameId)) };
      },
      variables: async (args) => {
        const { variables } = await this.jobSession('variables');
        return { variables: await variables.list(args as DebugProtocol.VariablesArguments) };
      },
      evaluate: async (args) =>
        (await this.jobSession('evaluate')).evaluation.evaluate(args as DebugProtocol.EvaluateArguments),

      continue: async (args) =>
        (await this.jobSession('continue')).execution.continue(args as DebugProtocol.ContinueArguments),
      next: async (args) =>
        (await this.jobSession('next')).execution.step(args as DebugProtocol.NextArguments, stepKind(args, 'over')),
      stepIn: async (args) =>
        (await this.jobSession('stepIn')).execution.step(args as DebugProtocol.StepInArguments, stepKind(args, 'in')),
      stepOut: async (args) =>
        (await this.jobSession('stepOut')).execution.step(args as DebugProtocol.StepOutArguments, 'out'),
      pause: async (args) => (await this.jobSession('pause')).execution.pause(args as DebugProtocol.PauseArguments),

      'mpidbg/ranks': async (args) => {
        if (!this.hasJob()) return { ranks: [] };
        const { custom } = await this.jobSession('mpidbg/ranks');
        return (args as { places?: unknown }).places === true ? custom.ranksWithPlaces() : custom.ranks();
      },
      'mpidbg/focus': async (args) => (await this.jobSession('mpidbg/focus')).rankRequests.focus(args as object),
      'mpidbg/rankSet': async (args) => (await this.jobSession('mpidbg/rankSet')).rankRequests.rankSet(args as object),
      'mpidbg/value': async (args) => (await this.jobSession('mpidbg/value')).rankRequests.value(args as object),
      'mpidbg/show': async (args) => (await this.jobSession('mpidbg/show')).custom.show(args as object),
      'mpidbg/handles': async (args) => (await this.jobSession('mpidbg/handles')).custom.handles(args as object),
      'mpidbg/stacks': async (args) => (await this.jobSession('mpidbg/stacks')).custom.stacks(args as object),
      'mpidbg/annotate': async (args) => (await this.jobSession('mpidbg/annotate')).custom.annotate(args as object),
    }),
  );

  private async start(args: unknown, read: (args: unknown) => Opening): Promise<void> {
    if (this.starting !== undefined) throw alreadyStarted();
    if (this.end.signal.aborted) throw jobEnded();
    this.opener = { read, last: args };
    await this.startJob(async () => this.open(read(args)));
    this.client.send('initialized', undefined);
  }

  /**
   * The job ends, and the next one begins in the same session: breakpoints, exceptions and focus stay. `given`: undefined
   * for the arguments that the job had.
   */
  private async restart(given: unknown): Promise<void> {
    const before = await this.jobSession('restart');
    if (this.hasTerminated) throw jobEnded();
    const args = given ?? this.opener!.last;
    // Arguments that cannot be meant leave the job as it is.
    const opening = this.opener!.read(args);
    this.opener!.last = args;
    this.started = deferred();
    const next = await this.startJob(async () => {
      this.job = undefined;
      await before.endForNext();
      const session = await this.open(opening, before);
      await this.stops.setAgain(session);
      return session;
    });
    if (this.isConfigured) await next.execution.start(this.stopOnEntry);
  }

  private async startJob(begin: () => Promise<JobSession>): Promise<JobSession> {
    this.starting = begin();
    try {
      const session = await this.starting;
      this.started.resolve(session);
      return session;
    } catch (error) {
      const reason = this.end.signal.aborted ? startCancelled() : error;
      this.started.reject(reason);
      // After the answer, which says why.
      setImmediate(() => this.terminated());
      throw reason;
    } finally {
      this.progress?.end();
    }
  }

  private async open({ parsed, stopOnEntry, title, begin }: Opening, before?: JobSession): Promise<JobSession> {
    this.stopOnEntry = stopOnEntry;
    this.progress?.begin(title);
    const job = await begin();
    try {
      const session = new JobSession(job, this.client, parsed, this.runs, before);
      this.isPostmortem = job.kind === 'core';
      if (this.isPostmortem) {
        this.client.send('capabilities', { capabilities: postmortemCapabilities });
        await session.tellCrashes();
      }
      this.job = job;
      job.on('ended', () => {
        if (this.job === job) this.terminated();
      });
      return session;
    } catch (error) {
      await job.release();
      throw error;
    }
  }

  /** What was launched ends; what was attached to runs on, or ends when the user wants that. */
  private finish(terminateDebuggee?: boolean): Promise<void> {
    this.ending ??= this.release(terminateDebuggee);
    return this.ending;
  }

  private async release(terminateDebuggee: boolean | undefined): Promise<void> {
    this.end.abort();
    const session = await this.starting?.catch(() => undefined);
    try {
      await session?.end(terminateDebuggee);
    } catch (error) {
      this.client.defect('the end of the session', error);
    }
    this.terminated();
  }

  private terminated(): void {
    if (this.hasTerminated) return;
    this.hasTerminated = true;
    this.client.send('terminated', undefined);
  }

  private async set(command: StopCommand, args: unknown): Promise<unknown> {
    return this.stops.set(await this.started.promise, command, args);
  }

  private hasJob(): boolean {
    return this.starting !== undefined;
  }

  /** Waits while the job starts. */
  private async jobSession(command: string): Promise<JobSession> {
    if (this.starting === undefined) throw notStarted(command);
    if (this.ending !== undefined) throw jobEnded();
    return this.started.promise;
  }
}

/** A job that can be opened. */
interface Opening {
  parsed: SharedArguments;
  stopOnEntry: boolean;
  /** Of the progress that the user sees. */
  title: string;
  begin: () => Promise<Job>;
}

/** By lines, which are gdb's statements, or by machine instructions. */
function stepKind(args: unknown, kind: 'over' | 'in'): StepKind {
  const isInstruction = (args as { granularity?: DebugProtocol.SteppingGranularity }).granularity === 'instruction';
  return isInstruction ? `${kind}Instruction` : kind;
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Nobody has to wait for it. */
function deferred<T>(): Deferred<T> {
  const made = {} as Deferred<T>;
  made.promise = new Promise<T>((resolve, reject) => Object.assign(made, { resolve, reject }));
  made.promise.catch(() => undefined);
  return made;
}
