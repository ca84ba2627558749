/** A rank that was taken from what it did, and may be on its way out: it exits, or by an exception or a signal. */

/**
 * exit: called; return: main has returned; stop: STOP and its like of Fortran; exception: the stack is unwound, and a destructor
 * runs; caught: an exception has been caught, and its handler has not ended; terminate: std::terminate has called the program's handler; signal: a handler of the program runs.
 */
export interface Leaving {
  how: 'exit' | 'return' | 'stop' | 'exception' | 'caught' | 'terminate' | 'signal';
  /** The status for the exit; undefined: it is not known. */
  status?: number;
  /** "exit", "_Exit", "STOP", "ERROR STOP"; the exception's type; "throw" or "std::terminate", as the program called it; the signal. */
  what: string;
  /** What the exception says. */
  text?: string;
  /** The function of the program where it left, and its line: "leaving.cpp:12". */
  function?: string;
  where?: string;
  /** The level of that function's frame, 0 is the innermost; undefined: main has returned. Not shown. */
  level?: number;
}
