/** The oldest gdb that is known to do what we ask of it. */
export const minGdbVersion = 12;

/** This gdb cannot be used; the message names it and says why. The front end says how to name another. */
export class UnusableGdbError extends Error {
  constructor(
    message: string,
    /** It ended while it started: with another environment it may not. */
    readonly hasEnded = false,
    /** Whether another gdb may help: not where what starts it has failed. */
    readonly isAtFault = true,
  ) {
    super(message);
    this.name = 'UnusableGdbError';
  }
}
