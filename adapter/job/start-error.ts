import type { Advice, LaunchAdvice, Notice } from './advice';

/**
 * A job could not be started or attached to. The message is one sentence for the user, which says what to do or leaves
 * that to the advice.
 */
export class StartError extends Error {
  readonly notice: Notice;

  constructor(message: string, advice?: Advice) {
    super(message);
    this.name = 'StartError';
    this.notice = { text: message, ...(advice && { advice }) };
  }
}

/** A launch was asked for that cannot be. */
export class LaunchError extends StartError {
  readonly launchNotice: Notice<LaunchAdvice>;

  constructor(message: string, advice: LaunchAdvice) {
    super(message);
    this.name = 'LaunchError';
    this.launchNotice = { text: message, advice };
  }
}

/** Rejects when `signal` is aborted, with a StartError that says that the start was cancelled. */
export function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const aborted = (): void =>
      reject(signal.reason instanceof StartError ? signal.reason : new StartError('the start was cancelled'));
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
