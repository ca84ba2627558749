/**
 * Evaluating an expression without changing the program.
 *
 * gdb may call no function of the program at all, except where the user types at a console: gdb.ts has the setting. So
 * neither conditions of breakpoints nor literals, for which gdb would call malloc, run code in a rank.
 *
 * Another setting forbids gdb to write memory. It holds for one command only, within which gdb does nothing else: if it
 * were off while a rank runs, gdb could insert no breakpoint ("Cannot insert breakpoint 1: Writing to memory is not
 * allowed").
 *
 * Registers are another matter: gdb refuses to change may-write-registers while there is a process (13 to 18: "Cannot
 * change this setting while the inferior is running"), and with it off from the start no thread could leave a
 * breakpoint. Without a call, nothing but an assignment writes one, and optimized code keeps variables in them:
 * expressions that assign are not even sent.
 */
import type { ExpressionSyntax, GdbThread } from './context';
import { GdbError } from './mi-connection';
import type { MiTuple } from './mi-values';

/** The expression would change the program, which this request must not do. */
export class WouldChangeError extends GdbError {
  constructor(
    command: string,
    /** By calling a function, which may change anything; else by an assignment. */
    readonly isCall: boolean,
  ) {
    const what = isCall ? 'call a function of the program' : 'change the program';
    super(`this would ${what}: do that in the debug console of a live session`, command);
    this.name = 'WouldChangeError';
  }
}

/** A thread in which expressions change nothing: those that would are rejected with WouldChangeError. */
export function readOnly<Thread extends GdbThread>(thread: Thread, syntax: ExpressionSyntax): Thread {
  return Object.create(thread, { readOnlySyntax: { value: syntax } }) as Thread;
}

/** A thread in which expressions may also call functions of the program, as its user asks for. */
export function callingFunctions<Thread extends GdbThread>(thread: Thread): Thread {
  return Object.create(thread, { mayCallFunctions: { value: true } }) as Thread;
}

const readingOnly = ['may-write-memory off', 'may-call-functions off'];
/** For one command, as in a command that a user gives. */
export const callsAllowed = 'may-call-functions on';

/** At a console, where functions may be called by their names. */
const callsNoOperator =
  'an operator or method of the program would be needed, which is not called for this: compare or print members instead';

/** Sends a command that evaluates `expression`. Rejects with GdbError. */
export async function evaluating(thread: GdbThread, expression: string, command: string): Promise<MiTuple> {
  if (thread.whyNoValues !== undefined) throw new GdbError(thread.whyNoValues, command);
  const { readOnlySyntax, mayCallFunctions } = thread;
  if (readOnlySyntax !== undefined && isAssignment(expression, readOnlySyntax))
    throw new WouldChangeError(command, false);
  const settings = readOnlySyntax !== undefined ? readingOnly : mayCallFunctions === true ? [callsAllowed] : [];
  try {
    return await thread.gdb.command(command, settings);
  } catch (error) {
    if (!(error instanceof GdbError)) throw error;
    const { reason } = error.failure;
    if (reason === 'mayNotCall' && mayCallFunctions === true) throw new GdbError(callsNoOperator, command);
    if (reason === 'mayNotWrite' || reason === 'mayNotCall')
      throw new WouldChangeError(command, reason === 'mayNotCall');
    throw error;
  }
}

const text: Readonly<Record<ExpressionSyntax, RegExp>> = {
  c: /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs,
  fortran: /"[^"]*"|'[^']*'/gs,
  unknown: /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs,
};
// The longest one first, as gdb reads them.
const operators = /<<=|>>=|\+\+|--|->|[-+*/%&|^<>=!]=|=/g;
const comparisons: Readonly<Record<ExpressionSyntax, readonly string[]>> = {
  c: ['==', '!=', '<=', '>=', '->'],
  fortran: ['==', '!=', '/=', '<=', '>=', '->', '--', '++'],
  unknown: ['==', '!=', '/=', '<=', '>=', '->'],
};

/** Whether it contains an assignment operator, outside of string literals. */
export function isAssignment(expression: string, syntax: ExpressionSyntax): boolean {
  const bare = expression.replace(text[syntax], '0');
  return (bare.match(operators) ?? []).some((operator) => !comparisons[syntax].includes(operator));
}
