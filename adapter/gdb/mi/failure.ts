/**
 * Translates gdb's English error messages into reasons with their data: the only place that reads them. Seen in gdb
 * 13.1, 16.3 and 18.1.
 */

/** Why a gdb command failed. `other`: only gdb's own message. */
export type GdbFailure =
  | { readonly reason: 'cannotRead'; readonly address: bigint }
  | { readonly reason: Exclude<FailureReason, 'cannotRead'> };

export type FailureReason =
  /** Nothing of that name is known there. */
  | 'noSymbol'
  /** The debug information does not say where it is. */
  | 'noPlace'
  /** The struct, class or derived type has no such member. */
  | 'noMember'
  /** The name of a type stands where a value is meant. */
  | 'isType'
  /** The process has no memory at this address. */
  | 'cannotRead'
  /** The size of an array cannot be told, as that of Fortran's assumed-size arguments. */
  | 'noBounds'
  /** An array is not there, as one that is OPTIONAL and not passed. */
  | 'noLocation'
  /** The value is longer than gdb is set to read. */
  | 'tooLong'
  /** gdb knows no function around the code at which the thread is. */
  | 'noFunction'
  /** An array has no such element, or gdb, which counts the bytes of arrays in 32 bits, does not reach it. */
  | 'noElement'
  /** gdb has no such operator for values of these types. */
  | 'noOperands'
  /** A section of an array of Fortran without elements. */
  | 'emptySection'
  /** In Fortran, as the three that follow. */
  | 'noSuchSubscript'
  | 'notAllocated'
  | 'notAssociated'
  | 'notThere'
  /** The thread runs. */
  | 'running'
  /** The thread, or its process, has ended. */
  | 'ended'
  | 'mayNotWrite'
  | 'mayNotCall'
  /** gdb, or what starts it, may start no more processes. */
  | 'noProcesses'
  /** gdb finds no operator or conversion that it could call in the program. */
  | 'noOperator'
  /** A pretty printer cannot find the elements of its container. */
  | 'noElements'
  /** gdb was interrupted: what the program has in memory makes it endless. */
  | 'tookTooLong'
  /** The processor has more registers than this gdb knows (AMX; gdb 13), and it can write none of floating point. */
  | 'unknownRegisters'
  /** This gdb was built without Python. */
  | 'noPython'
  /** gdb is gone. */
  | 'lost'
  | 'other';

const words: readonly (readonly [RegExp, Exclude<FailureReason, 'cannotRead' | 'lost' | 'other'>])[] = [
  [/^Could not find operator|^No symbol "operator/, 'noOperator'],
  [/^No symbol |^No type "[^"]*" (within class or|in) namespace /, 'noSymbol'],
  [/^Missing ELF symbol /, 'noPlace'],
  [/^There is no member named /, 'noMember'],
  [/^Attempt to use a type (name )?as an expression/, 'isType'],
  [/^failed to (?:get range|find array) bounds/, 'noBounds'],
  [
    /^Argument to (?:arithmetic|comparison|logical|negate) operation not a |^Invalid type combination in /,
    'noOperands',
  ],
  [/^incorrect stride and boundary combination/, 'emptySection'],
  [/^array subscript out of bounds/, 'noSuchSubscript'],
  [/^Location address is not set/, 'noLocation'],
  [/ more than max-value-size\b/, 'tooLong'],
  [/^no such vector element \(vector not allocated\)/, 'notAllocated'],
  [/^no such vector element \(vector not associated\)/, 'notAssociated'],
  [/^SIZE can only be used on |^The array passed to SHAPE must be /, 'notThere'],
  [/^no such (?:vector element$|element in the array, or one beyond)/, 'noElement'],
  [/^Cannot find bounds of current function/, 'noFunction'],
  [/^Selected thread is running\b/, 'running'],
  // "Couldn't get registers: No such process.", and of a rank that had ended before the command came.
  [/\bNo such process\.?$|^Invalid thread id: |^The program (is not being run|has no registers now)\.$/, 'ended'],
  [/^Writing to memory is not allowed/, 'mayNotWrite'],
  [/^Cannot call functions in the program/, 'mayNotCall'],
  [/^Null value returned for children$/, 'noElements'],
  [/^Couldn't write extended state status: /, 'unknownRegisters'],
  [/^this took longer than \d+ s:/, 'tookTooLong'],
  [/\bfork: Resource temporarily unavailable/, 'noProcesses'],
  [/Python scripting is not supported/, 'noPython'],
];

/** Why a variable of Fortran that is there has no place in the debug information. */
export const noPlaceInCommon = 'gfortran notes none for what a module has in a COMMON block';

/** gdb's message about what is at no address. */
export const nowhere = 'Cannot access memory at address 0x0';

/** The reason behind this gdb message. */
export function failureOf(message: string): GdbFailure {
  const address = /^Cannot access memory at address (0x[0-9a-f]+)/.exec(message)?.[1];
  if (address !== undefined) return { reason: 'cannotRead', address: BigInt(address) };
  if (message === hasEnded) return { reason: 'ended' };
  const told = message.replace(/^Error occurred in Python: /, '');
  return { reason: words.find(([pattern]) => pattern.test(told))?.[1] ?? 'other' };
}

const hasEnded = 'it has ended';

/** gdb's message about a command that SIGINT has ended. */
export const interrupted = 'Quit';

/** What a user reads of an evaluation that was ended after so many milliseconds. */
export function tookTooLong(milliseconds: number): string {
  return `this took longer than ${milliseconds / 1000} s: is it initialized?`;
}

/** What a user reads instead of gdb's words where these tell only how gdb, or its Python, noticed it. */
export function inWords(message: string): string {
  switch (failureOf(message).reason) {
    case 'ended':
      return hasEnded;
    case 'noPlace':
      return `its place is not noted: ${noPlaceInCommon}`;
    case 'noElements':
      return 'its elements cannot be read: is it initialized?';
    case 'noElement':
      return 'no such element in the array, or one beyond its first 4 GiB, which gdb does not reach';
    case 'noOperator':
      return `${called(message)} is a function of the program, which is not called for this: compare or print members instead`;
    case 'unknownRegisters':
      return unknownRegisters;
    case 'noSymbol':
      return message.startsWith('No symbol table is loaded') ? 'No symbol is known here' : message;
    default:
      return inOurWords(message.replace(/^Error occurred in Python: /, ''));
  }
}

const others: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [
    /^A syntax error in expression, near (?:the end of )?`(.*)'\.$/s,
    ([whole = '', rest = '']) => ofSyntax(whole, rest),
  ],
  [/^Garbage '(.*)' follows condition$/s, ([, rest = '']) => `"${rest}" is left over behind the end of the condition`],
  [
    /^Invalid (?:character|number) ['"](.*)['"](?: in expression)?\.$/s,
    ([, what = '']) => `"${what}" has no meaning here`,
  ],
  [
    /^Attempt to extract a component of a value that is not a structure( pointer)?\.$/,
    () => 'what stands before a . or -> is no structure and has no members',
  ],
  [
    /^Attempt to dereference a generic pointer\.$/,
    () => 'a void pointer does not say what it points to: convert it, as in *(int *)pointer',
  ],
  [
    /^That operation is not available on integers of more than 8 bytes\.$/,
    () =>
      'an integer of more than 8 bytes can be shown, and not be computed with: ask for its halves, as in ((unsigned long *)&wide)[0]',
  ],
];

function inOurWords(message: string): string {
  for (const [form, written] of others) {
    const found = form.exec(message);
    if (found !== null) return written(found);
  }
  return message;
}

/** gdb tells the rest of what it was given, with what mpidbg has put around it. */
function ofSyntax(whole: string, rest: string): string {
  const isEnd = rest === '' || whole.includes('near the end of ');
  if (isEnd) return 'the expression ends where an operand is expected';
  const surplus = rest.split(')').length > rest.split('(').length ? rest.replace(/\)$/, '') : rest;
  return surplus === '' || /\$_mpidbg_/.test(surplus)
    ? 'this is no valid expression'
    : `no valid expression: it is wrong from "${surplus.trim()}" on`;
}

function called(message: string): string {
  return /\boperator\s?[^".\s]+/.exec(message)?.[0] ?? 'that operator';
}

/** A call has been made by then: gdb fails when it puts the registers back that it has saved. */
const unknownRegisters =
  'this gdb cannot write the floating-point registers of this processor, which has more than it knows (AMX); a function that was ' +
  'called has run, and its value is lost: use a newer gdb';

/** Why gdb has no value, from what it prints in its place; undefined: it is a value. */
export function failureInValue(value: string): GdbFailure | undefined {
  // Among the variables of a frame gdb writes the name, and the message in parentheses.
  const [, message, ofVariable] = /^\(?<error(?: reading variable)?(?:: (.*)| \w+ \((.*)\))>$/s.exec(value) ?? [];
  const told = message ?? ofVariable;
  return told === undefined ? undefined : failureOf(told);
}
