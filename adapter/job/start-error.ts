/** A job could not be started or attached to. The message is one sentence for the user that says what to do. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
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
