/** One debug session: its life from initialize to disconnect. Its requests are in the table of requests. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Job } from '../job/job';
import { Turns } from '../job/turns';
import { capabilitiesOf, withdrawnOnCores } from './capabilities';
import { DapConnection, type Channel, type Departure } from './client/connection';
import { alreadyStarted, jobEnded, notStarted, startCancelled } from './client/errors';
import { Progress } from './client/progress';
import { ReturningClient } from './client/returning-client';
import type { KeptSession } from './client/session-folder';
import type { SessionKeeper } from './client/session-keeper';
import { ChosenStops } from './breakpoints/chosen-stops';
import { JobSession } from './job-session';
import { parseAttachArguments, parseLaunchArguments, type SharedArguments } from './start/launch-arguments';
import { SessionJobs } from './references/session-jobs';
import { requestTable } from './request-table';
import { Dispatcher } from './requests/dispatcher';
import type { RequestTable } from './requests/request';
import { Newcomer, type Handlers } from './newcomer';
import type { SessionLife } from './session-requests';
import { isReturn, parseSessionArguments, type SessionArguments } from './start/session-arguments';
import { attachJob, launchJob } from './start/start-job';

export class Session implements SessionLife {
  readonly stops = new ChosenStops();
  private readonly client = new ReturningClient();
  private readonly requests: Dispatcher<SessionLife, JobSession>;
  private connection: DapConnection | undefined;
  /** Its client was lost, and none has taken it up yet. */
  private isKept = false;
  /** A client has taken it up that has not sent its breakpoints yet. */
  private isReturning = false;
  /** Aborted when the session ends: cancels a start that is under way. */
  private readonly end = new AbortController();
  private starting: Promise<JobSession> | undefined;
  private started = deferred<JobSession>();
  /** What launch or attach does with its arguments, checked, and those of the last job. */
  private opener: Opener | undefined;
  /** The job whose end ends the session. */
  private job: Job | undefined;
  private readonly restarts = new Turns();
  readonly jobs = new SessionJobs();
  private stopOnEntry = false;
  private isConfigured = false;
  private readonly progress = new Progress(this.client, 'start');
  private ending: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private hasTerminated = false;

  /** `closed` is called once, when the session has ended and its client is gone. */
  constructor(
    private readonly closed: () => void,
    private readonly table: RequestTable<SessionLife, JobSession> = requestTable,
    /** undefined: the session ends with its client. */
    private readonly keeper?: SessionKeeper,
  ) {
    this.requests = new Dispatcher(table, {
      session: this,
      hasJob: () => this.starting !== undefined,
      job: (command) => this.jobSession(command),
      reviewSymbols: (jobSession) => jobSession.reviewSymbols(),
      isOnCores: ({ job }) => job.kind === 'core',
      stoppedRanks: ({ focus }) => focus.stoppedRanks(),
      stoppedThread: ({ focus }, threadId) => focus.stoppedThread(threadId),
    });
  }

  /**
   * Serves whoever is at the other end. A session that is not kept belongs to its only connection; of one that is, the
   * first to say initialize becomes the client, and later ones are newcomers. False: the session has ended, and nobody is heard.
   */
  run(channel: Channel): boolean {
    if (this.closing !== undefined) return false;
    const newcomer = new Newcomer(this.table, {
      takeUp: (client) => this.replaceClient(connection, client),
      end: () => this.close(),
      refusal: () => alreadyStarted(this.hasTerminated),
    });
    const connection: DapConnection = new DapConnection(
      (command) => (this.isClient(connection, command) ? this.requests : newcomer).handler(command),
      (how) => (connection === this.connection ? this.left(how) : channel.output.end()),
    );
    if (this.keeper === undefined) this.setClient(connection);
    connection.open(channel);
    return true;
  }

  private isClient(connection: DapConnection, command: string): boolean {
    const isFirst = this.connection === undefined && this.opener === undefined;
    if (isFirst && command === 'initialize') this.setClient(connection);
    return connection === this.connection;
  }

  private setClient(connection: DapConnection): void {
    this.connection = connection;
    this.client.connect(connection);
  }

  /** The one before may not be gone yet: a window that nobody sees any more. False: the session cannot be taken up. */
  private replaceClient(
    connection: DapConnection,
    client: Parameters<SessionLife['initialize']>[0],
  ): Handlers | undefined {
    if (this.closing !== undefined || !this.keep()) return undefined;
    this.setClient(connection);
    this.initialize(client);
    return this.requests;
  }

  private left(how: Departure): void {
    if (how === 'disconnected' || !this.keep()) void this.close();
    this.connection = undefined;
  }

  /** False: there is nothing to keep, or nobody wants it kept. */
  private keep(): boolean {
    const canReturn = this.isKept || this.isReturning || (this.isConfigured && !this.hasTerminated);
    const session = this.recordOf(Date.now());
    if (session === undefined || this.ending !== undefined || !canReturn) return false;
    this.client.leave();
    this.isKept = true;
    this.isReturning = false;
    this.keeper?.keep(session, this.opener!.session.keepSession, () => void this.close());
    return true;
  }

  private takeUp(): void {
    this.isKept = false;
    this.isReturning = true;
    this.tellWhereItIs();
    const { connection } = this;
    connection?.send('initialized', undefined);
    // After the answer.
    setImmediate(() => {
      if (this.connection === connection) this.client.catchUp();
    });
  }

  /** Another window finds it: this one may be lost for long before anybody notices. */
  private tellWhereItIs(): void {
    const session = this.recordOf(null);
    if (session !== undefined) this.keeper?.hasClient(session);
  }

  /** Undefined for a session that is not kept without its client. */
  private recordOf(since: number | null): KeptSession | undefined {
    const { opener, job } = this;
    if (opener === undefined || opener.session.keepSession === 0) return undefined;
    if (this.keeper === undefined || job === undefined || job.kind === 'core') return undefined;
    const { request } = opener;
    return { name: opener.session.name, request, folder: process.cwd(), ranks: job.ranks.length, since };
  }

  /** Ends the session as when the client disconnects. Resolves when it has ended completely. */
  close(): Promise<void> {
    this.keeper?.clear();
    this.closing ??= this.finish().then(this.closed);
    return this.closing;
  }

  initialize(client: Parameters<SessionLife['initialize']>[0]): DebugProtocol.Capabilities {
    this.client.know(client);
    this.connection?.accept();
    return capabilitiesOf(this.table);
  }

  launch(configuration: unknown): Promise<void> {
    return this.start('launch', configuration, (given) => {
      const parsed = parseLaunchArguments(given);
      return {
        parsed,
        stopOnEntry: parsed.stopOnEntry,
        title: 'MPI: starting the ranks',
        begin: () => launchJob(parsed, this.client, this.end.signal, this.progress),
      };
    });
  }

  attach(configuration: unknown): Promise<void> {
    return this.start('attach', configuration, (given) => {
      const parsed = parseAttachArguments(given);
      return {
        parsed,
        stopOnEntry: false,
        title: parsed.target.kind === 'cores' ? 'MPI: opening core files' : 'MPI: attaching to the ranks',
        begin: () => attachJob(parsed, this.client, this.end.signal, this.progress),
      };
    });
  }

  async configurationDone(): Promise<void> {
    const { execution } = await this.jobSession('configurationDone');
    this.isConfigured = true;
    if (!this.isReturning) this.tellWhereItIs();
    if (!this.isReturning) return execution.start(this.stopOnEntry);
    this.isReturning = false;
    execution.tellAgain();
  }

  restart(configuration: unknown): Promise<void> {
    // One at a time: a second restart would not find the first one's job.
    return this.restarts.alone(() => this.startNext(configuration));
  }

  finish(terminateDebuggee?: boolean): Promise<void> {
    this.ending ??= this.release(terminateDebuggee);
    return this.ending;
  }

  async cancel({ requestId, progressId }: DebugProtocol.CancelArguments): Promise<void> {
    if (requestId !== undefined) this.connection?.cancel(requestId);
    if (progressId === this.progress.id) await this.finish();
    else if (progressId !== undefined) (await this.starting)?.rankRequests.cancelSearch(progressId);
  }

  private async start(request: Opener['request'], args: unknown, read: Opener['read']): Promise<void> {
    if (this.isKept && isReturn(args)) return this.takeUp();
    if (this.starting !== undefined) throw alreadyStarted(this.hasTerminated);
    if (this.end.signal.aborted) throw jobEnded();
    this.opener = { request, session: parseSessionArguments(args), read, last: args };
    await this.startJob(async () => {
      const session = await this.open(read(args));
      await this.stops.setAgain(session);
      return session;
    });
    this.client.send('initialized', undefined);
  }

  /**
   * The job ends, and the next one begins in the same session: breakpoints, exceptions and focus stay. `given`: undefined
   * for the arguments that the job had.
   */
  private async startNext(given: unknown): Promise<void> {
    const before = await this.jobSession('restart');
    if (this.hasTerminated) throw jobEnded();
    const args = given === undefined || isReturn(given) ? this.opener!.last : given;
    // Invalid arguments leave the job as it is.
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
      this.progress.end();
    }
  }

  private async open({ parsed, stopOnEntry, title, begin }: Opening, before?: JobSession): Promise<JobSession> {
    this.stopOnEntry = stopOnEntry;
    this.progress.begin(title);
    const job = await begin();
    try {
      const session = new JobSession(job, this.client, parsed, this, before);
      if (job.kind === 'core') {
        this.client.send('capabilities', { capabilities: withdrawnOnCores(this.table) });
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

  /** Waits while the job starts. */
  private async jobSession(command: string): Promise<JobSession> {
    if (this.starting === undefined) throw notStarted(command);
    if (this.ending !== undefined) throw jobEnded();
    return this.started.promise;
  }
}

/** How the session was started. */
interface Opener {
  readonly request: 'launch' | 'attach';
  readonly session: SessionArguments;
  read(args: unknown): Opening;
  last: unknown;
}

/** A job that can be opened. */
interface Opening {
  parsed: SharedArguments;
  stopOnEntry: boolean;
  /** The title of the progress message. */
  title: string;
  begin: () => Promise<Job>;
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
