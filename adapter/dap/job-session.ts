/** The part of a session that exists with a job: one object per topic, and the job's own events. */
import { constants } from 'node:os';
import { IntegerHandles } from '../fortran/integer-handles';
import type { Job } from '../job/job';
import type { Rank } from '../job/rank';
import { RankSetError } from '../../plugin-api/answers/rank-set';
import { isNear } from '../job/rank-stops';
import { Turns } from '../job/turns';
import { JobQueries } from '../query/job-queries';
import { mergeEqual } from '../../plugin-api/answers/merge';
import { Assignments } from './variables/assignments';
import { UserBreakpoints } from './breakpoints/breakpoints';
import type { ChosenStops } from './breakpoints/chosen-stops';
import { Completions } from './variables/completions';
import { adviceText } from './client/advice';
import type { Client } from './client/connection';
import { Asking } from './queries/asking';
import { CustomRequests } from './queries/custom-requests';
import { DataBreakpoints } from './breakpoints/data-breakpoints';
import { Disassembly } from './memory/disassembly';
import { Evaluation } from './variables/evaluate';
import { DeathStops } from './breakpoints/deaths';
import { Exceptions } from './breakpoints/exceptions';
import { StepWaits } from './execution/step-waits';
import { Execution } from './execution/execution';
import { Focus } from './ranks/focus';
import { SourceFiles } from './references/source-files';
import { StackFrames, type FrameRef } from './references/stack-frames';
import { GdbValues } from '../query/shown/gdb-values';
import { Goto } from './execution/goto';
import { ExpressionValues } from '../query/shown/expression-values';
import { ValueQueries } from '../query/shown/value-queries';
import { InstructionBreakpoints } from './breakpoints/instruction-breakpoints';
import type { SharedArguments } from './start/launch-arguments';
import { AskedHandles } from './breakpoints/asked-handles';
import { Memory } from './memory/memory';
import { MemoryReferences } from './references/memory-references';
import { Modules } from './memory/modules';
import { DeathOrder } from './ranks/death-order';
import { exitCodeOf, OutputEvents } from './ranks/output';
import { RankEnds } from './ranks/rank-ends';
import { RankRequests } from './queries/rank-requests';
import { consoleTable } from './request-table';
import { ReplCommands } from './console/repl-commands';
import type { SessionJobs } from './references/session-jobs';
import { StopEvents } from './ranks/stop-events';
import { MergedThreads } from './ranks/merged-threads';
import { openMpNote, openMpNotes } from './ranks/openmp-notes';
import { Threads, type ThreadList } from './ranks/threads';
import { VariableStore } from '../query/shown/variable-store';
import { Variables } from './variables/variables';

export class JobSession {
  readonly focus: Focus;
  readonly breakpoints: UserBreakpoints;
  readonly threads: ThreadList;
  readonly frames: StackFrames;
  readonly variables: Variables;
  readonly evaluation: Evaluation;
  readonly execution: Execution;
  readonly asking: Asking;
  readonly custom: CustomRequests;
  readonly rankRequests: RankRequests;
  readonly exceptions: Exceptions;
  readonly dataBreakpoints: DataBreakpoints;
  readonly instructionBreakpoints: InstructionBreakpoints;
  readonly assignments: Assignments;
  readonly completions: Completions;
  readonly modules: Modules;
  readonly memory: Memory;
  readonly disassembly: Disassembly;
  readonly goto: Goto;
  readonly client: Client;
  readonly queries: JobQueries;
  readonly stops: ChosenStops;
  private readonly stopEvents: StopEvents;
  private readonly store = new VariableStore();
  private readonly reviews = new Turns();
  private isOver = false;

  /**
   * `before`: the session of the job that this one takes the place of, which is over; the focus and the
   * user's words on INTEGERs are taken over. Throws RankSetError for a focus or ranks of breakpoints that the job does not have, PluginError
   * for a plugin that cannot be loaded.
   */
  constructor(
    readonly job: Job,
    user: Client,
    args: SharedArguments,
    { jobs, stops }: { readonly jobs: SessionJobs; readonly stops: ChosenStops },
    before?: JobSession,
  ) {
    const lasting = this.untilOver(user);
    const merged = args.callStack === 'merged' ? this.mergedThreads(job, lasting, args) : undefined;
    const client = merged?.client ?? lasting;
    this.client = client;
    jobs.begin(job.ranks);
    const integers = new IntegerHandles(adviceText, before?.queries.integers.annotations);
    const queries = new JobQueries(job, adviceText, integers, args.gdb);
    const values = new GdbValues(this.store, queries);
    const expressions = new ExpressionValues(queries, values);
    const focus = new Focus(job, args.focus, args.scope);
    if (before !== undefined) this.takeOver(before.focus, focus);
    this.stops = stops;
    const sources = new SourceFiles();
    const frames = new StackFrames(job.plugins, sources);
    const differing = (ref: FrameRef): Promise<ReadonlySet<string>> => this.rankRequests.namesOfDiffering(ref);
    const variables = new Variables(values, args.markDifferences ? differing : undefined);
    const custom = new CustomRequests(job, focus, frames, queries, client);
    const commands = new ReplCommands<JobSession>(this, consoleTable);
    this.focus = focus;
    this.queries = queries;
    this.frames = frames;
    this.variables = variables;
    const asking = new Asking({ job, queries, values: expressions, focus, frames });
    this.asking = asking;
    this.custom = custom;
    const asked = new AskedHandles(job, queries);
    job.on('ended', () => asked.close());
    this.breakpoints = new UserBreakpoints(
      job,
      client,
      () => queries.constants(),
      args.breakpointRanks,
      () => asked.prepare(),
    );
    this.threads = merged ?? new Threads(job, args.helperThreads, (thread) => openMpNotes(queries, thread));
    this.evaluation = new Evaluation({ focus, frames, values: expressions, variables, queries, commands });
    const deaths = new DeathStops(job, queries, client);
    const stopEvents = new StopEvents(job, client, focus, (stop) => deaths.words(stop));
    this.stopEvents = stopEvents;
    this.rankRequests = new RankRequests({
      job,
      client,
      focus,
      frames,
      values: new ValueQueries(queries, expressions),
      asking,
      changed: (body) => client.send('mpidbg/focusChanged', body),
      show: (thread) => stopEvents.select(thread),
      handlesIn: (frame) => variables.namesOfHandles(frame),
    });
    this.execution = new Execution(job, focus, stopEvents, new StepWaits(job, client));
    const { breakpoints, evaluation } = this;
    const references = new MemoryReferences(job, focus, jobs);
    this.exceptions = new Exceptions(job, breakpoints, deaths, args.floatingPoint);
    this.dataBreakpoints = new DataBreakpoints({ job, variables, evaluation, references, breakpoints });
    this.instructionBreakpoints = new InstructionBreakpoints(job, references, breakpoints);
    this.assignments = new Assignments(variables, evaluation, (rank) => this.changed(rank));
    this.completions = new Completions(evaluation, queries, commands.beginnings);
    this.modules = new Modules(queries, sources);
    this.memory = new Memory(references, (rank) => this.changed(rank));
    this.disassembly = new Disassembly(references);
    this.goto = new Goto(breakpoints, ({ id, rank }) => {
      this.forget(rank);
      queries.of(rank).forget();
      client.send('stopped', { reason: 'goto', threadId: id, description: `${rank.label}: goto` });
    });
    this.tellWhatHappens(new DeathOrder(job, (rank) => deaths.causeOf(rank)));
  }

  /** Only in ranks on this host: asking another host would delay each answer, so there it is done before they run. */
  reviewSymbols(): Promise<void> {
    return this.reviews.alone(async () => {
      for (const rank of await this.job.reviewSymbols(this.job.ranks.filter(isNear))) this.changed(rank);
    });
  }

  /** The user has written to the rank's memory: what was read before may be wrong. */
  private changed(rank: Rank): void {
    this.queries.of(rank).forget();
    this.client.send('invalidated', { areas: ['variables'] });
  }

  /** How the processes of core files died, and which files could not be opened. */
  async tellCrashes(): Promise<void> {
    for (const line of await this.queries.crashes(this.job.ranks)) this.client.say(line);
    const unopened = this.job.unopened.map(({ core, reason }) => ({ rank: { rank: null, core }, text: reason }));
    for (const { ranks, text } of mergeEqual(unopened)) this.client.say(`not opened: ${ranks}: ${text}`);
  }

  /**
   * Releases the job (see Job.release). `terminate`: true: ranks that were attached to are asked to end; false: those
   * that were launched run on.
   */
  async end(terminate: boolean | undefined): Promise<void> {
    const { job } = this;
    const attached = job.kind === 'attach' ? job.ranks.filter((rank) => rank.alive) : [];
    await job.release(terminate === false);
    if (terminate !== true) return;
    await Promise.all(attached.map(async ({ process }) => process?.signal('SIGTERM')));
  }

  /** Ends the job before a restart: the client is told that the ranks' threads are gone, and nothing more of this job. */
  async endForNext(): Promise<void> {
    const { client, job } = this;
    for (const { id } of job.threads) client.send('thread', { reason: 'exited', threadId: id });
    this.isOver = true;
    await job.release();
  }

  private mergedThreads(job: Job, client: Client, { helperThreads }: SharedArguments): MergedThreads {
    return new MergedThreads(job, helperThreads, {
      focus: () => this.focus,
      whereIs: (thread) => this.queries.whereabouts(thread.rank, thread),
      openMp: (thread) => openMpNote(this.queries, thread),
      areStopsGathering: () => this.stopEvents.areGathering,
      client,
    });
  }

  private untilOver(client: Client): Client {
    return {
      send: (name, body) => this.isOver || client.send(name, body),
      say: (line) => this.isOver || client.say(line),
      catchingUp: () => (this.isOver ? undefined : client.catchingUp()),
      defect: (during, error) => client.defect(during, error),
    };
  }

  private takeOver({ set, scope }: Focus, focus: Focus): void {
    focus.scope = scope;
    try {
      focus.choose(set);
    } catch (error) {
      if (!(error instanceof RankSetError)) throw error;
      this.client.say(`the focus is all ranks again: ${error.message}`);
      focus.choose(undefined);
    }
  }

  private tellWhatHappens(order: DeathOrder): void {
    const { job, client } = this;
    const output = new OutputEvents((body) => {
      client.send('output', body);
      const read = client.catchingUp();
      if (read !== undefined) job.holdOutput(read);
    });
    job.on('output', (printed) => output.add(printed));
    job.on('message', (message) => client.say(message));
    job.on('threadStarted', ({ id }) => client.send('thread', { reason: 'started', threadId: id }));
    job.on('threadEnded', ({ id }) => client.send('thread', { reason: 'exited', threadId: id }));
    job.on('continued', (rank) => this.forget(rank));
    const sayWell = (line: string): void => client.send('output', { category: 'stdout', output: `${line}\n` });
    const ends = new RankEnds(job.clock, (line) => client.say(line), sayWell);
    job.on('rankEnded', (rank) => {
      this.forget(rank);
      order.add(rank);
      ends.add(rank, order.why(rank));
    });
    job.on('ended', (end) => {
      ends.flush();
      const exitCode = exitCodeOf(end, constants.signals);
      if (exitCode !== undefined) client.send('exited', { exitCode });
    });
  }

  /** What the client was told about this rank's stop is no longer valid. */
  private forget(rank: Rank): void {
    this.frames.drop(rank);
    this.variables.drop(rank);
    this.store.drop(rank);
  }
}
