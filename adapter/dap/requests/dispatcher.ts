/** Finds the request of a command in the table, checks its arguments, and gives it what it needs. */
import type { Handler } from '../client/connection';
import { unknownRequest, wrongArguments } from '../client/errors';
import { ArgumentError, type Check } from '../../questions/argument-checks';
import { answerOnCores, type Found, type JobRequest, type RequestTable } from './request';

/** Provides what requests need. */
export interface RequestHost<Session, Topics> {
  readonly session: Session;
  /** launch or attach was sent. */
  hasJob(): boolean;
  /** Waits while the job starts. Rejects with RequestError when there is none. */
  job(command: string): Promise<Topics>;
  /** Has gdb read anew what has changed of the files of ranks that stand. */
  reviewSymbols(topics: Topics): Promise<void>;
  /** The job is one of core files. */
  isOnCores(topics: Topics): boolean;
  /** Throws RequestError when there is none. */
  stoppedRanks(topics: Topics): Found['stoppedRanks'];
  /** Throws RequestError. */
  stoppedThread(topics: Topics, threadId: number): Found['stoppedThread'];
}

export class Dispatcher<Session, Topics> {
  constructor(
    private readonly table: RequestTable<Session, Topics>,
    private readonly host: RequestHost<Session, Topics>,
  ) {}

  /** Throws RequestError for an unknown command. */
  handler(command: string): Handler {
    const request = Object.hasOwn(this.table, command) ? this.table[command] : undefined;
    if (request === undefined) throw unknownRequest(command);
    return (given) => this.answer(command, request, given);
  }

  private answer(command: string, request: RequestTable<Session, Topics>[string], given: unknown): unknown {
    const { host } = this;
    switch (request.needs) {
      case 'session':
        return request.answer(host.session, checked(command, request.arguments, given));
      case 'job':
        return this.ofJob(command, request, given, () => undefined);
      case 'stoppedRanks':
        return this.ofJob(command, request, given, (topics) => host.stoppedRanks(topics));
      case 'stoppedThread':
        return this.ofJob(command, request, given, (topics, { threadId }) => host.stoppedThread(topics, threadId));
    }
  }

  private async ofJob<Need extends keyof Found, Arguments>(
    command: string,
    request: JobRequest<Need, Topics, Arguments, unknown, Session>,
    given: unknown,
    find: (topics: Topics, args: Arguments) => Found[Need],
  ): Promise<unknown> {
    const { host } = this;
    const args = checked(command, request.arguments, given);
    if (request.beforeJob !== undefined && !host.hasJob()) return request.beforeJob(host.session, args);
    const topics = await host.job(command);
    if (request.usesSymbols) await host.reviewSymbols(topics);
    const onCores = host.isOnCores(topics) ? answerOnCores(request, args) : undefined;
    return onCores === undefined ? request.answer(topics, args, find(topics, args)) : onCores.answer;
  }
}

/** Throws RequestError. */
export function checked<Arguments>(command: string, check: Check<Arguments>, given: unknown): Arguments {
  try {
    return check(given, '');
  } catch (error) {
    if (error instanceof ArgumentError) throw wrongArguments(command, error.message);
    throw error;
  }
}
