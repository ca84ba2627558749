/** Finds the request of a command in the table, checks its arguments, and gives it what it needs. */
import type { Handler } from '../client/connection';
import { unknownRequest, wrongArguments } from '../client/errors';
import { ArgumentError, type Check } from './argument-checks';
import { answerOnCores, type AnyJobRequest, type Found, type RequestTable } from './request';

/** Where the dispatcher finds what requests need. */
export interface RequestHost<Session, Topics> {
  readonly session: Session;
  /** launch or attach was sent. */
  hasJob(): boolean;
  /** Waits while the job starts. Rejects with RequestError when there is none. */
  job(command: string): Promise<Topics>;
  /** Waits for launch or attach, too. */
  comingJob(): Promise<Topics>;
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

  /** Throws RequestError for what is no command. */
  handler(command: string): Handler {
    const request = Object.hasOwn(this.table, command) ? this.table[command] : undefined;
    if (request === undefined) throw unknownRequest(command);
    return (given) => {
      const args = checked(command, request.arguments, given);
      return request.needs === 'session'
        ? request.answer(this.host.session, args)
        : this.answer(command, request, args);
    };
  }

  private async answer(command: string, request: AnyJobRequest<Topics>, args: unknown): Promise<unknown> {
    const { host } = this;
    const { beforeJob } = request;
    if (typeof beforeJob === 'object' && !host.hasJob()) return beforeJob.answer;
    const topics = await (beforeJob === 'waits' ? host.comingJob() : host.job(command));
    const onCores = host.isOnCores(topics) ? answerOnCores(request, args) : undefined;
    if (onCores !== undefined) return onCores.answer;
    switch (request.needs) {
      case 'job':
        return request.answer(topics, args, undefined);
      case 'stoppedRanks':
        return request.answer(topics, args, host.stoppedRanks(topics));
      case 'stoppedThread':
        return request.answer(topics, args, host.stoppedThread(topics, (args as { threadId: number }).threadId));
    }
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
