/** Time, as the stop and step machine sees it; tests have a clock that they move themselves. */
export interface Clock {
  /** Milliseconds from some moment on. */
  now(): number;
  /**
   * Runs `work` once, after so many milliseconds. Returns a function that cancels it. Does not keep the process alive.
   */
  after(milliseconds: number, work: () => void): CallOff;
}

/** No effect if the work has run or was cancelled. */
export type CallOff = () => void;

export const realClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves when the promise does, or when so many milliseconds are over. Rejects when it does. */
export function inTime(clock: Clock, promise: Promise<unknown>, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(milliseconds, resolve);
    void promise.then(() => resolve(), reject).finally(callOff);
  });
}
