/** How a rank is about to die, in the words that MPI or the C library would have printed. */
import type { AbortReason } from '../../deaths/abort-reason';
import type { CallFacts, DeathFacts } from '../../deaths/death-facts';
import { refName } from '../../mpi/describe-ref';
import { errorClassMeaning } from '../../mpi/error-classes';
import { visible } from '../../visible-text';
import { typeText } from '../../cxx-type-text';

/** `MPI_Recv: message truncated (MPI_ERR_TRUNCATE) on "ocean"`, `MPI_Abort(MPI_COMM_WORLD, 5)`. */
export function deathText(facts: DeathFacts): string {
  return `${endText(facts)}${handledText(facts.handled)}`;
}

/** ` in the error handler that MPI_Recv called: message truncated (MPI_ERR_TRUNCATE) on "ocean"`; "" where it dies in none. */
export function handledText(handled: CallFacts | undefined): string {
  return handled === undefined ? '' : ` in the error handler that ${handled.call ?? 'MPI'} called: ${errorOf(handled)}`;
}

function endText(facts: DeathFacts): string {
  switch (facts.seen.kind) {
    case 'mpi-error':
    case 'mpi-error-returned':
    case 'undecided':
      return errorText(facts);
    case 'mpi-abort':
      return abortText(facts);
    case 'exit-without-finalize':
      return exitText(facts);
    case 'sanitizer':
      return visible(facts.seen.words ?? '');
  }
}

function errorText(facts: DeathFacts): string {
  const { handler = 'fatal' } = facts.seen;
  const gets = { fatal: '', returns: ', returned to the program', own: ", given to the program's error handler" };
  return `${facts.call ?? 'MPI'}: ${errorOf(facts)}${gets[handler]}`;
}

function errorOf({ seen, errorClass, ...of }: CallFacts): string {
  const { code, words = '' } = seen;
  const what =
    errorClass !== undefined
      ? `${errorClassMeaning(errorClass) ?? 'an error of the class'} (${errorClass})`
      : words === ''
        ? `error ${code}`
        : `the library ends the job with status ${code}: ${visible(words)}`;
  const object = of.object === undefined ? objectIn(of) : refName(of.object);
  return `${what}${object === undefined ? '' : ` on ${object}`}`;
}

/** The library may tell an error of an object without it. */
function objectIn({ passed }: Pick<DeathFacts, 'passed'>): string | undefined {
  return passed.find(({ name }) => ['win', 'fh', 'comm'].includes(name))?.text;
}

function abortText({ seen, object }: DeathFacts): string {
  const comm = object === undefined ? 'a communicator that is not known' : refName(object);
  return `MPI_Abort(${comm}, ${seen.code})`;
}

function exitText({ seen, call, isAfterMain }: DeathFacts): string {
  const says = seen.words === undefined ? '' : `${visible(seen.words)}: `;
  const exit = seen.isAtOnce === true ? '_exit' : 'exit';
  const how = isAfterMain ? `main returned ${seen.code}` : `${exit} with status ${seen.code}`;
  return call === undefined
    ? `${says}${how} without MPI_Finalize`
    : `${call} ends the process with status ${seen.code}`;
}

/** The same with the line of the program: for where the program is not shown. */
export function deathWithPlace(facts: DeathFacts): string {
  return `${deathText(facts)}${facts.where === undefined ? '' : ` at ${facts.where}`}`;
}

/** What the call, or the one that has called the error handler, was given, one line each: `comm: "ocean"`, `source: 0`, `tag: 7`. */
export function argumentLines({ handled, passed }: DeathFacts): string[] {
  return (handled?.passed ?? passed).map(({ name, text }) => `${name}: ${text}`);
}

/** `uncaught std::runtime_error: bad table`, `pure virtual method called`; "" where there is nothing to say. */
export function abortReasonText(reason: AbortReason | undefined): string {
  switch (reason?.kind) {
    case undefined:
      return '';
    case 'message':
      return visible(reason.text);
    case 'terminate':
      return terminateText(reason);
    case 'abort':
      return 'abort was called';
  }
}

function terminateText({ by, exception, typeName }: Extract<AbortReason, { kind: 'terminate' }>): string {
  if (by === 'pureVirtual') return 'pure virtual method called';
  if (by === 'rethrow') return 'std::terminate, by throw; without an exception to throw again';
  if (exception === undefined) return by === 'uncaught' ? 'an uncaught C++ exception' : 'std::terminate';
  if (exception === 'none') return 'std::terminate, without an exception';
  const { type, what = '' } = exception;
  const short = typeText(type);
  const name = visible(short === type ? (typeName ?? type) : short);
  // The what() of std::bad_alloc and its like is the name.
  const thrown = what === '' || what === name ? name : `${name}: ${visible(what)}`;
  if (by === 'uncaught') return `uncaught ${thrown}`;
  return by === 'noexcept'
    ? `${thrown}, which left a noexcept function`
    : `std::terminate, called while handling ${thrown}`;
}
