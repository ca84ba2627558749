/**
 * Finds the kind of handle that numbers in a C++ container are: where handles are numbers (MPICH), the compiler leaves their
 * type's name out of std::vector<MPI_Request>. Only what the library itself has as handles counts.
 */
import { handleKinds } from '../../plugin-api/mpi/describe';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, HandleKind } from '../../plugin-api/mpi/records';
import { answerOf } from './list-handles';

/** The bits of a handle that is a number. */
const bits = 32;

/**
 * The kind of which all these are live handles, or MPI's null of it, with one at least that is no null, but for requests, whose null is
 * no number that a program would have (MPI_COMM_NULL is a power of two); undefined: there is none, or
 * handles are no numbers in this MPI. Rejects with QueryError.
 */
export async function kindOfNumbers(process: MpiProcess, values: readonly bigint[]): Promise<HandleKind | undefined> {
  const smallest = values.length === 0 ? undefined : await smallestHandle(process);
  if (smallest === undefined) return undefined;
  const handles = values.map((value) => BigInt.asUintN(bits, value));
  // Numbers of a program are hardly ever as great: no memory is read for them.
  if (handles.some((handle) => handle < smallest)) return undefined;
  for (const kind of handleKinds.filter((each) => each !== 'status')) {
    const found = await answersOf(process, kind, handles);
    if (found !== undefined && (kind === 'request' || found.some((answer) => !isNull(answer)))) return kind;
  }
  return undefined;
}

/** For MPI's own numbers; undefined: handles are no numbers in this MPI. */
export async function smallestHandle(process: MpiProcess): Promise<bigint | undefined> {
  if (process.handleSize('comm') * 8 !== bits) return undefined;
  const constants = [...(await process.constants()).values()];
  const own = constants.flatMap((each) => (each.kind === 'handle' && each.handle !== 0n ? [each.handle] : []));
  return own.reduce<bigint | undefined>(
    (least, each) => (least === undefined || each < least ? each : least),
    undefined,
  );
}

/** undefined: one of them is no handle of the kind. */
async function answersOf(
  process: MpiProcess,
  kind: HandleKind,
  handles: readonly bigint[],
): Promise<Answer[] | undefined> {
  const answers: Answer[] = [];
  for (const handle of handles) {
    const answer = await answerOf(process, kind, handle);
    if (answer.code !== 'MPIDBG_SUCCESS') return undefined;
    if (flagsOf(answer).includes('freedHandle')) return undefined;
    answers.push(answer);
  }
  return answers;
}

function isNull(answer: Answer): boolean {
  return flagsOf(answer).some((flag) => /Null$/.test(flag));
}

function flagsOf(answer: Answer): readonly string[] {
  return answer.code === 'MPIDBG_SUCCESS' && 'flags' in answer.info ? answer.info.flags : [];
}
