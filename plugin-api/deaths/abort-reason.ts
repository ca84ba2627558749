/** Why a process aborts. */

export interface CxxException {
  /** As the ABI mangles it: "St13runtime_error". */
  type: string;
  /**
   * The what() of a std::exception, or a thrown number or text itself. undefined: it is another type, or what() is more than a
   * look can tell.
   */
  what?: string;
}

/**
 * message: the C library's own. terminate: std::terminate; `by`: who called it: the C++ library for an exception that nothing catches,
 * or that leaves a function that lets none out, or for `throw;` without one, or a pure virtual function; or the program. `exception`:
 * see caughtException; `typeName`: of its type, by gdb. abort: called by the program.
 */
export type AbortReason =
  | { kind: 'message'; text: string }
  | {
      kind: 'terminate';
      by: TerminateCaller;
      exception: CxxException | 'none' | undefined;
      typeName?: string | undefined;
    }
  | { kind: 'abort' };

export type TerminateCaller = 'uncaught' | 'noexcept' | 'rethrow' | 'pureVirtual' | 'program';
