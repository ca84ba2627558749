/** Time, as the stop and step machine sees it; tests have a clock that they move themselves. */
export interface Clock {
  /** Milliseconds from some moment on. */
  now(): number;
  /** Does `work` once, so many milliseconds from now. Answers how to call it off. Keeps no process from ending. */
  after(milliseconds: number, work: () => void): CallOff;
}

/** Without effect when the work is done, or called off already. */
export type CallOff = () => void;

export const realClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
