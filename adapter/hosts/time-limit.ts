/**
 * Limits in time for what depends on the world outside. Each is held by its timer: Node collects the signals of
 * AbortSignal.timeout and AbortSignal.any when nobody else refers to them, and they never fire.
 */

export interface TimeLimit {
  milliseconds: number;
  /** The error of work that takes longer. */
  late: () => Error;
  /** Ends the work too. */
  signal?: AbortSignal | undefined;
  /** Rejects when the work cannot succeed any more. */
  failed?: Promise<never>;
  /** How long work that is told to end may take to leave all as it was, in milliseconds. */
  patience?: number;
}

/**
 * Settles as `work` does, or rejects as `failed` does. Its signal is aborted, and this promise rejects with the reason, when the time is up or `signal` is aborted:
 * as soon as the work has ended, but after `patience` (default: none) in any case.
 */
export async function withinTime<T>(
  { milliseconds, late, signal, failed, patience = 0 }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timers = [setTimeout(() => controller.abort(late()), milliseconds)];
  const stopFollowing = follow(signal, controller);
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      timers.push(setTimeout(reject, patience, controller.signal.reason));
    };
    if (controller.signal.aborted) giveUp();
    else controller.signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    const answer = await Promise.race([work(controller.signal), givenUp, ...(failed === undefined ? [] : [failed])]);
    controller.signal.throwIfAborted();
    return answer;
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    stopFollowing();
    timers.forEach((timer) => clearTimeout(timer));
  }
}

/** Aborts the controller when the signal is aborted, until the returned function is called. */
export function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}
