/** What a condition of a breakpoint on one of MPI's functions may ask of a call: `$comm`, `$tag`, … and where they are passed. */
import { mpiRoutine, mpiSpelling, type MpiArgument } from './bindings';

/** Integers, and handles that are looked up. */
export const callWords = ['comm', 'datatype', 'tag', 'peer', 'root', 'count', 'bytes', 'nth'] as const;
export type CallWord = (typeof callWords)[number];

/** `bytes` is made of count and datatype, `nth` of no argument. */
type ArgumentWord = Exclude<CallWord, 'bytes' | 'nth'>;

/** `index`: from 0. `isAddress`: in C, too, it is where the value lies. */
export interface CallArgument {
  readonly index: number;
  readonly isAddress: boolean;
}

export interface MpiFunction {
  /** "MPI_Send" */
  readonly name: string;
  readonly arguments: Readonly<Partial<Record<ArgumentWord, CallArgument>>>;
  /** Its count is one of its datatype: together they are bytes. */
  readonly isSized: boolean;
  /** Its counts are MPI_Count, of 8 bytes. */
  readonly hasLargeCounts: boolean;
  /** All names that it has in the library and in tools: those that call others first. */
  readonly symbols: readonly string[];
}

/** Finds a function of MPI by its name in C, or in Fortran, where case does not matter; undefined: it is none. */
export function mpiFunction(name: string): MpiFunction | undefined {
  const routine = name.toLowerCase();
  const given = /^mpix?_/.test(routine) ? mpiRoutine(routine) : undefined;
  if (given === undefined) return undefined;
  const c = mpiSpelling(routine);
  return {
    name: c,
    ...placesIn(routine, given),
    hasLargeCounts: /_(c|elements_x)$/.test(routine),
    symbols: [`${routine}_f08ts_`, `${routine}_f08_`, `${routine}_`, `p${routine}_`, c, `P${c}`],
  };
}

/** Whether the function has it. */
export function hasWord({ arguments: places, isSized }: MpiFunction, word: CallWord): boolean {
  if (word === 'nth') return true;
  return word === 'bytes' ? isSized : places[word] !== undefined;
}

/** By word, the names that MPI's standard gives the argument; the first that a function has. */
const names: Readonly<Record<ArgumentWord, readonly string[]>> = {
  comm: ['comm', 'comm_old', 'local_comm', 'intercomm'],
  datatype: ['datatype', 'sendtype', 'origin_datatype', 'recvtype'],
  tag: ['tag', 'sendtag', 'recvtag'],
  peer: ['dest', 'source', 'target_rank', 'remote_leader', 'rank'],
  root: ['root'],
  count: ['count', 'sendcount', 'origin_count', 'recvcount', 'incount'],
};

/** MPI sets these integers, which the table does not say. */
const answersIntegers = /^mpi_(get_(count|elements)|status_get_)/;
/** They read a handle through the address that others set one at. */
const takesAddress = /^mpi_(comm_(free|disconnect)|type_(free|commit))$/;

function placesIn(routine: string, given: readonly MpiArgument[]): Pick<MpiFunction, 'arguments' | 'isSized'> {
  const places: Partial<Record<ArgumentWord, CallArgument>> = {};
  for (const word of Object.keys(names) as ArgumentWord[]) {
    const found = names[word]
      .map((name) => given.findIndex((argument) => argument.name === name && isPassed(routine, given, argument, word)))
      .find((at) => at >= 0);
    if (found !== undefined) places[word] = { index: found, isAddress: given[found]!.isSet };
  }
  const side = /^(send|recv|origin_|)/.exec(given[places.count?.index ?? -1]?.name ?? '')?.[1];
  const types = side === undefined ? [] : [`${side}type`, `${side}datatype`, 'datatype'];
  const typed = types.map((name) => given.findIndex((each) => each.name === name)).find((at) => at >= 0);
  // The count of a partitioned message is that of one of its parts.
  const isPartitioned = given.some(({ name }) => name === 'partitions');
  if (typed === undefined || places.count === undefined || isPartitioned) return { arguments: places, isSized: false };
  return { arguments: { ...places, datatype: { index: typed, isAddress: false } }, isSized: true };
}

function isPassed(
  routine: string,
  given: readonly MpiArgument[],
  { name, kind, isArray, isSet }: MpiArgument,
  word: ArgumentWord,
): boolean {
  if (word === 'comm' || word === 'datatype')
    return kind === word && !isArray && (!isSet || takesAddress.test(routine));
  if (name === 'rank' && !given.some((argument) => argument.kind === 'win')) return false;
  return kind === undefined && !isArray && !isSet && !answersIntegers.test(routine);
}
