/**
 * A request as the table of requests describes it: what it takes, what it answers, and what it needs for that. A topic (a
 * folder of dap/) makes a table of its own requests; dap/request-table.ts has them all.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Rank, RankThread } from '../../job/rank';
import { coreCannotRun } from '../client/errors';
import type { Check } from '../../questions/argument-checks';

/** Those that are true or false. */
export type Capability = {
  [Name in keyof DebugProtocol.Capabilities]-?: DebugProtocol.Capabilities[Name] extends boolean | undefined
    ? Name
    : never;
}[keyof DebugProtocol.Capabilities];

interface Described<Arguments> {
  readonly arguments: Check<Arguments>;
  /** It uses what gdb has read of the ranks' files, which may have changed since they stopped. */
  readonly usesSymbols?: true;
  /** The capability that announces the request. */
  readonly capability?: Capability;
}

/** Clients are told that it is not supported; one that sends it anyway gets an answer. */
interface Unoffered {
  readonly kind: 'unoffered';
}

type OnCores<Arguments, Body> =
  | Unoffered
  /** `cannot` ends the sentence "cannot …: this is a core file". */
  | { readonly kind: 'refused'; readonly cannot: string }
  /** Nothing is done. */
  | { readonly kind: 'answered'; answer(args: Arguments): Body }
  /** Throws RequestError for what a process would have to do. */
  | { readonly kind: 'checked'; check(args: Arguments): void };

// The functions are methods, so that a table of requests of all kinds has a type: see RequestTable.

/** A request about the session's own life: it is answered whether or not there is a job. */
export interface SessionRequest<Session, Arguments, Body> extends Described<Arguments> {
  readonly needs: 'session';
  readonly onCores?: Unoffered;
  answer(session: Session, args: Arguments): Body | Promise<Body>;
}

/** What the dispatcher finds for a request of a job, before it is answered. */
export interface Found {
  job: undefined;
  /** Ranks of the focus that can be read: at least one. */
  stoppedRanks: readonly Rank[];
  /** The thread named by the argument `threadId`, of a rank that can be read. */
  stoppedThread: RankThread;
}

/** `Topics`: what of the session on a job it is answered by. `Session`: what of the session, before there is a job. */
export interface JobRequest<
  Need extends keyof Found,
  Topics,
  Arguments,
  Body,
  Session = unknown,
> extends Described<Arguments> {
  readonly needs: Need;
  /** How it differs in a session on core files, where there is no process. */
  readonly onCores?: OnCores<Arguments, Body>;
  /** Answers it before launch or attach is sent: without this, it is an error then. */
  beforeJob?(session: Session, args: Arguments): Body;
  answer(topics: Topics, args: Arguments, found: Found[Need]): Body | Promise<Body>;
}

export type AnyJobRequest<Topics, Session = unknown> =
  | JobRequest<'job', Topics, unknown, unknown, Session>
  | JobRequest<'stoppedRanks', Topics, unknown, unknown, Session>
  | JobRequest<'stoppedThread', Topics, { threadId: number }, unknown, Session>;

export type RequestTable<Session, Topics> = Readonly<
  Record<string, SessionRequest<Session, unknown, unknown> | AnyJobRequest<Topics, Session>>
>;

/** What a client sends with a request of the table, and what it gets. */
export type ArgumentsOf<Request> = Request extends { readonly arguments: Check<infer Arguments> } ? Arguments : never;
export type BodyOf<Request> = Request extends { answer(...given: never[]): infer Body } ? Awaited<Body> : never;

type Parts<Request> = Omit<Request, 'needs'>;

/** Makes requests that the session itself answers. */
export function sessionRequests<Session>() {
  return <Arguments, Body>(
    request: Parts<SessionRequest<Session, Arguments, Body>>,
  ): SessionRequest<Session, Arguments, Body> => ({ ...request, needs: 'session' });
}

/** Makes requests that a topic answers, by what they need. */
export function jobRequests<Topics, Session = unknown>() {
  const needing =
    <Need extends keyof Found>(needs: Need) =>
    <Arguments, Body>(
      request: Parts<JobRequest<Need, Topics, Arguments, Body, Session>>,
    ): JobRequest<Need, Topics, Arguments, Body, Session> => ({ ...request, needs });
  const ofStoppedThread = needing('stoppedThread');
  return {
    ofJob: needing('job'),
    ofStoppedRanks: needing('stoppedRanks'),
    ofStoppedThread: <Arguments extends { threadId: number }, Body>(
      request: Parts<JobRequest<'stoppedThread', Topics, Arguments, Body, Session>>,
    ) => ofStoppedThread(request),
  };
}

export function refused(cannot: string): { readonly kind: 'refused'; readonly cannot: string } {
  return { kind: 'refused', cannot };
}

/** Throws RequestError; undefined: the request is answered as on a job that lives. */
export function answerOnCores<Arguments, Body>(
  { onCores }: Pick<JobRequest<never, never, Arguments, Body>, 'onCores'>,
  args: Arguments,
): { readonly answer: Body } | undefined {
  if (onCores?.kind === 'refused') throw coreCannotRun(onCores.cannot);
  if (onCores?.kind === 'checked') onCores.check(args);
  return onCores?.kind === 'answered' ? { answer: onCores.answer(args) } : undefined;
}
