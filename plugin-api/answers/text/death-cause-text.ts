/** What a rank died of: the verb, and all that belongs to it. */
import { errorClassMeaning } from '../../mpi/error-classes';
import { ranksInWords } from '../../mpi/rank-names';
import { innermostReason } from '../../deaths/error-text';
import type { Death, FloatKind } from '../../deaths/death';
import { hasAddress, signalOf, signalReason } from '../signal-words';
import type { RankDeath } from '../../deaths/rank-death';
import { typeText } from '../../cxx-type-text';

/** The cause for one rank, or for `count` that died alike: "died of SIGSEGV: nothing is mapped at address 0x0". */
export function causeText(of: RankDeath, count: number): string {
  return `${whatText(of, count)}${stageText(of)}`;
}

/** Kinds of death that need their stage in words; the names of the others say it. */
const stagesTold = [
  'signal',
  'mpiError',
  'assert',
  'abort',
  'terminate',
  'pureVirtual',
  'fortranErrorStop',
  'fortranError',
  'float',
  'sanitizer',
];

function stageText({ death: { kind, mpi }, call, frames, isFinalizing }: RankDeath): string {
  if (mpi === 'up' || !stagesTold.includes(kind)) return '';
  // The next lines tell.
  if (call?.call === 'MPI_Finalize' || frames.some(({ by }) => by === 'MPI_Finalize')) return '';
  if (mpi === 'unknown') return '; whether MPI was up is not known';
  if (mpi === 'before') return ', before MPI_Init';
  return isFinalizing === true ? ', while it was in MPI_Finalize' : ', after MPI_Finalize';
}

function whatText(of: RankDeath, count: number): string {
  const { death } = of;
  switch (death.kind) {
    case 'signal':
      return `${signalText(of)}${handlerText(of)}`;
    case 'mpiError':
      return mpiErrorText(of, count);
    case 'mpiAbort':
      return mpiAbortText(of);
    case 'assert':
      return `failed an assertion: ${assertionIn(death.words)}${handlerText(of)}`;
    case 'abort':
      return `called abort()${caughtText(of) || reasonIn(death.words)}${handlerText(of)}`;
    case 'terminate':
      return `${terminateText(of)}${handlerText(of)}`;
    case 'pureVirtual':
      return `called a pure virtual function${handlerText(of)}`;
    case 'fortranStop':
      return `ended in Fortran's ${stopText('STOP', death)} without MPI_Finalize${handlerText(of)}`;
    case 'fortranErrorStop':
      return `ended in Fortran's ${stopText('ERROR STOP', death)}${handlerText(of)}`;
    case 'fortranError':
      return `stopped with a Fortran run-time error${reasonIn(fortranReason(death.words))}`;
    case 'exit':
      return `called ${death.function || 'exit'}(${death.status ?? ''}) ${death.mpi === 'before' ? 'before MPI_Init' : 'without MPI_Finalize'}${caughtText(of)}${handlerText(of)}`;
    case 'return':
      return `${returnText(of)} without MPI_Finalize`;
    case 'mpiEnds': {
      const status = death.status === undefined ? '' : ` with ${death.status}`;
      return `${count === 1 ? 'was' : 'were'} ended by MPI${status}: by MPI_Abort or a fatal error, it does not tell which`;
    }
    case 'float':
      return floatText(of);
    case 'pythonException':
      return pythonText(of) ?? 'ended after an exception of Python';
    case 'sanitizer':
      return `was ended by ${death.words || 'a sanitizer of its compiler'}`;
    case 'other':
      return `${count === 1 ? 'was' : 'were'} about to die, of what this mpidbg does not know`;
  }
}

/** "SIGSEGV", "MPI_ERR_TRUNCATE", "MPI_Abort", "exit": for programs. */
export function causeRule({ death, errorClass }: RankDeath): string {
  const { kind, signal } = death;
  if (kind === 'signal' && signal !== undefined) return `crash/${signalOf(signal.number).name}`;
  if (kind === 'mpiError') return `mpi-error/${errorClass ?? 'unknown'}`;
  if (kind === 'float') return `floating-point/${floatKindsOf({ death }).join('-')}`;
  return `death/${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Without its place, which the next line tells. */
function assertionIn(words: string): string {
  return /Assertion [`'](.*)' failed\.?\s*$/s.exec(words)?.[1] ?? words;
}

/** Without "At line 7 of file x.f90" and the like, which the next line tells. */
function fortranReason(words: string): string {
  return /(?:Fortran runtime error|^In file '.*', around line \d+): (.*)/.exec(words)?.[1] ?? words;
}

function reasonIn(words: string): string {
  const first = words.trim().split('\n')[0] ?? '';
  // MPI's texts go on with a stack.
  return first === '' ? '' : `: ${first.replace(/:$/, '')}`;
}

function signalText(of: RankDeath): string {
  const { death, isStackFull, stackNeeded } = of;
  const { signal, words, status, handlerExits } = death;
  if (signal === undefined) return 'died of a signal';
  const { name } = signalOf(signal.number);
  if (isStackFull === true) return `died of ${name}: ${fullStackText(stackNeeded)}`;
  // The C library's own checks end so.
  if (name === 'SIGABRT' && words !== '') return `was aborted by the C library${reasonIn(words)}`;
  const handled = handlerExits ? `, and its own handler ended it${status === undefined ? '' : ` with ${status}`}` : '';
  const full = death.isStackFull ? '; there is no stack where its stack pointer is' : '';
  return `died of ${name}${signalWhy(name, signal, of)}${reasonIn(words)}${handled}${full}`;
}

/** `needed`: bytes, where one function asks for far more than there is. */
export function fullStackText(needed: number | undefined): string {
  if (needed === undefined) return 'its stack is full';
  return `its stack is too small, ${Math.ceil(needed / 2 ** 20)} MiB are needed here (ulimit -s)`;
}

/** The kernel sends them in the name of the process that they are for, which gets this error, of Linux's errno.h, from its call. */
const ofKernel: Readonly<Record<string, { error: number; why: string }>> = {
  SIGXFSZ: { error: 27, why: 'a file would have become larger than it may be: ulimit -f' },
  SIGPIPE: { error: 32, why: 'it wrote to a pipe or a connection that nobody reads any more' },
};

function signalWhy(
  name: string,
  { code, address, sender }: NonNullable<Death['signal']>,
  { death: { pid, stack }, sender: rank }: RankDeath,
): string {
  const { error, why } = ofKernel[name] ?? {};
  const isOfCall = error !== undefined && stack?.registers.result === BigInt.asUintN(64, -BigInt(error));
  if (sender === pid && isOfCall) return ` (${why})`;
  if (sender === pid) return ', which it sent itself';
  if (sender !== undefined) return `, sent by ${rank === undefined ? `process ${sender}` : ranksInWords([rank])}`;
  const reason = signalReason(name, code);
  if (!hasAddress(name, code)) return reason === undefined ? '' : ` (${reason})`;
  // For SIGFPE and SIGILL it is the address of the instruction.
  const isOfData = name === 'SIGSEGV' || name === 'SIGBUS';
  const at = isOfData ? ` at address 0x${address.toString(16)}` : '';
  return `${at}${reason === undefined ? '' : ` (${reason})`}`;
}

function mpiErrorText(of: RankDeath, count: number): string {
  const { death, errorClass, call } = of;
  const { error, function: name, status } = death;
  if (error === undefined && errorClass === undefined) {
    const given = status === undefined ? '' : `, with status ${status},`;
    const isOutside = death.mpi === 'over' || death.mpi === 'before';
    const why = isOutside && call !== undefined ? ` in ${call.call}` : ` for what only MPI's own message tells`;
    return `${count === 1 ? 'was' : 'were'} ended by MPI itself${given}${why}`;
  }
  const what = errorClass ?? `MPI error code ${error?.code}`;
  const where = name === '' || call !== undefined ? '' : ` in ${name}`;
  return `died of ${what}${where}${errorReason(of, error?.text)}`;
}

/** MPI's own text, or what the class means. */
function errorReason({ errorClass, isInStatus }: RankDeath, text: string | undefined): string {
  const told = text === undefined || isInStatus ? '' : innermostReason(text);
  const meaning = errorClass === undefined ? undefined : errorClassMeaning(errorClass);
  const reason = told === '' ? (meaning ?? '') : told;
  return reason === '' ? '' : `: ${reason}`;
}

function mpiAbortText(of: RankDeath): string {
  const { comm, death } = of;
  const given = [comm, death.status].filter((each) => each !== undefined).join(', ');
  const call = `called MPI_Abort(${given})`;
  if (death.python?.isOver !== true)
    return `${call}${returnedText(of)}${caughtText(of)}${handlerText(of)}${callbackText(death)}`;
  return pythonText(of) ?? `${call} when Python had ended, as by sys.exit(${death.status ?? ''})`;
}

/** The error of MPI whose code MPI_Abort was given. */
function returnedText(of: RankDeath): string {
  const { death, errorClass } = of;
  const { returnedBy, ownHandler, error } = death;
  if (returnedBy === undefined || ownHandler !== undefined || error === undefined || errorClass === undefined)
    return '';
  const whose = returnedBy === '' ? 'the code of' : `the code that ${returnedBy} had returned:`;
  return `, ${whose} ${errorClass}${errorReason(of, error.text)}`;
}

function caughtText(of: RankDeath): string {
  return of.death.isInCatch ? ` while it handled ${exceptionText(of)}` : '';
}

/** " after an exception in a user-defined reduction operation: ValueError: no ice" */
function callbackText({ python }: Death): string {
  const { callback = 'callback', exception } = python?.callback ?? {};
  return exception === undefined ? '' : ` after an exception of Python in a ${callback}: ${exception}`;
}

function pythonText({ death }: RankDeath): string | undefined {
  const exception = death.python?.exception;
  return exception === undefined ? undefined : `ended after an exception of Python: ${exception}`;
}

/** A library may have called exit() instead, which the stack of the thread shows. */
function returnText({ death: { status }, thread }: RankDeath): string {
  const given = status === undefined ? '' : ` ${status}`;
  if (thread !== undefined && thread > 1) return `ended with status${given}, when the last of its threads had ended,`;
  return thread === undefined
    ? `ended with status${given}, by a return from main or by exit(),`
    : `returned${given} from main`;
}

/** Where its own error handler did so: for what. */
function handlerText(of: RankDeath): string {
  const { death, errorClass, call } = of;
  const { ownHandler, error } = death;
  if (ownHandler === undefined || error === undefined) return '';
  const from = ownHandler.function === '' || call !== undefined ? '' : ` in ${ownHandler.function}`;
  const where = ownHandler.isOfMpi === true ? ' while MPI ended it' : ' in its own error handler,';
  return `${where} for ${errorClass ?? `error code ${error.code}`}${from}${errorReason(of, error.text)}`;
}

const floatDeeds: Readonly<Record<FloatKind, string>> = {
  invalid: 'made a NaN',
  zero: 'divided by zero',
  overflow: 'overflowed',
};

/** What gdb has seen of an instruction that computes one number is what it has done. */
function floatKindsOf({ death, trap }: Pick<RankDeath, 'death' | 'trap'>): readonly FloatKind[] {
  return death.floatKinds.length === 0 && trap !== undefined ? [trap.kind] : death.floatKinds;
}

/** Whether the operation has a number for its result; undefined: it is not known which one it is. */
export function makesNumber({ trap }: RankDeath): boolean | undefined {
  return trap?.operation === undefined ? undefined : !/^(comparison|conversion) /.test(trap.operation);
}

/** "made a NaN: 0.0/0.0" */
function floatText(of: RankDeath): string {
  const { operation } = of.trap ?? {};
  const isNumber = makesNumber(of) === true;
  const deeds = floatKindsOf(of).map((kind) =>
    kind === 'invalid' && !isNumber ? 'made an invalid operation' : floatDeeds[kind],
  );
  return `${deeds.join(' and ')}${operation === undefined ? '' : `: ${operation}`}`;
}

function terminateText({ death, what = death.words, isBarred }: RankDeath): string {
  if (death.type === '') return `called std::terminate()${reasonIn(what)}`;
  const fate = isBarred === true ? ' out of a destructor or another noexcept function' : ', which nothing caught';
  return `threw ${exceptionText({ death, what }, fate)}`;
}

/** "std::runtime_error: bad table" */
function exceptionText({ death, what = death.words }: Pick<RankDeath, 'death' | 'what'>, then = ''): string {
  const { type, typeName } = death;
  const known = typeText(type);
  const name = known === type && typeName !== '' ? typeName : known;
  return `${name}${then}${what === name ? '' : reasonIn(what)}`;
}

function stopText(statement: string, { status, words }: Death): string {
  if (words !== '') return `${statement} '${words}'`;
  return status === undefined ? statement : `${statement} ${status}`;
}
