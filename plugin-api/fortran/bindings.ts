/**
 * MPI's Fortran routines and their arguments. bindings.json has the standard's routines, with one word per argument:
 * `name`, `name:kind` a handle or status that MPI reads, `name:kind!` one that MPI sets, `name:kind()` an array of
 * them, `name#` an INTEGER that is not a handle, `name@interface` a procedure with that interface (under callbacks).
 * scripts/write-fortran-bindings.ts generates it from the mpi_f08 modules of MPICH 5.0.2 and 4.0.2 (MPI 4.1 and later),
 * whose types distinguish what mpif.h only declares as INTEGER.
 */
import { handleKinds } from '../mpi/describe';
import type { HandleKind } from '../mpi/records';
import { onceFor } from '../once';
import data from './bindings.json';

export interface MpiArgument {
  readonly name: string;
  /** Missing: neither a handle nor a status. */
  readonly kind?: HandleKind;
  readonly isArray: boolean;
  /** MPI sets it: INTENT(OUT) or INTENT(INOUT). */
  readonly isSet: boolean;
  /** A plain INTEGER such as a count, a tag or ierror: never a handle. */
  readonly isInteger: boolean;
  /** The interface of a procedure argument, e.g. mpi_user_function. */
  readonly callback?: string;
  /** "third argument of MPI_Comm_dup". */
  readonly description: string;
}

/** Routines removed in MPI 3.0, but still in mpif.h and in many programs (MPI 2.2, chapter 15). */
const removedRoutines: Record<string, string> = {
  mpi_address: 'location address# ierror#',
  mpi_attr_delete: 'comm:comm keyval# ierror#',
  mpi_attr_get: 'comm:comm keyval# attribute_val# flag ierror#',
  mpi_attr_put: 'comm:comm keyval# attribute_val# ierror#',
  mpi_errhandler_create: 'function@mpi_comm_errhandler_function errhandler:errhandler! ierror#',
  mpi_errhandler_get: 'comm:comm errhandler:errhandler! ierror#',
  mpi_errhandler_set: 'comm:comm errhandler:errhandler ierror#',
  mpi_keyval_create: 'copy_fn@mpi_copy_function delete_fn@mpi_delete_function keyval# extra_state# ierror#',
  mpi_keyval_free: 'keyval# ierror#',
  mpi_type_extent: 'datatype:datatype extent# ierror#',
  mpi_type_hindexed: 'count# array_of_blocklengths# array_of_displacements# oldtype:datatype newtype:datatype! ierror#',
  mpi_type_hvector: 'count# blocklength# stride# oldtype:datatype newtype:datatype! ierror#',
  mpi_type_lb: 'datatype:datatype displacement# ierror#',
  mpi_type_struct:
    'count# array_of_blocklengths# array_of_displacements# array_of_types:datatype() newtype:datatype! ierror#',
  mpi_type_ub: 'datatype:datatype displacement# ierror#',
};

/** The callbacks of MPI_Keyval_create. */
const removedCallbacks: Record<string, string> = {
  mpi_copy_function: 'oldcomm:comm keyval# extra_state# attribute_val_in# attribute_val_out# flag ierror#',
  mpi_delete_function: 'comm:comm keyval# attribute_val# extra_state# ierror#',
};

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

function parseArgument(routine: string, word: string, index: number): MpiArgument {
  const [, name = word, kind, array, isSet, integer, callback] =
    /^(\w+)(?::(\w+?))?(\(\))?(!)?(#)?(?:@(\w*))?$/.exec(word) ?? [];
  return {
    name,
    isArray: array !== undefined,
    isSet: isSet !== undefined,
    isInteger: integer !== undefined,
    description: `${ordinals[index] ?? `${index + 1}th`} argument of ${mpiSpelling(routine)}`,
    ...(kind !== undefined && { kind: kind as HandleKind }),
    ...(callback && { callback }),
  };
}

/** Parsed as they are asked for: a program needs a few of them, and is to start at once. */
function parsedIn(table: ReadonlyMap<string, string>): (name: string) => readonly MpiArgument[] | undefined {
  const parsed = onceFor((name: string) => {
    const words = table.get(name)!.split(' ').filter(Boolean);
    return words.map((word, index) => parseArgument(name, word, index));
  });
  return (name) => (table.has(name) ? parsed(name) : undefined);
}

const routineTable = new Map(Object.entries({ ...removedRoutines, ...data.routines }));
const routineCalled = parsedIn(routineTable);
const callbackCalled = parsedIn(new Map(Object.entries({ ...removedCallbacks, ...data.callbacks })));
const constants = new Map<string, HandleKind>(
  Object.entries(data.constants).flatMap(([kind, names]) => names.map((name) => [name, kind as HandleKind] as const)),
);
/** mpi_f08 has a type named after each kind: TYPE(MPI_Comm). */
const derivedTypes = new Map<string, HandleKind>(handleKinds.map((kind) => [`mpi_${kind}`, kind]));

/**
 * The arguments of an MPI routine by its name or profiling name (pmpi_send), lower case; undefined: not an MPI routine.
 */
export function mpiRoutine(name: string): readonly MpiArgument[] | undefined {
  return routineCalled(name.startsWith('pmpi_') ? name.slice(1) : name);
}

/** The names of all MPI routines, lower case. */
export function mpiRoutineNames(): string[] {
  return [...routineTable.keys()];
}

/** The arguments that MPI passes to a callback, by the name of its interface. */
export function mpiCallback(name: string): readonly MpiArgument[] | undefined {
  return callbackCalled(name);
}

/** The kind of a predefined handle such as mpi_comm_world (lower case). */
export function mpiConstantKind(name: string): HandleKind | undefined {
  return constants.get(name);
}

/** The kind of a derived type of mpi_f08 such as mpi_comm (lower case). */
export function mpiTypeKind(name: string): HandleKind | undefined {
  return derivedTypes.get(name);
}

/** The standard's spelling: "MPI_Comm_dup" for "mpi_comm_dup". */
export function mpiSpelling(name: string): string {
  const [, prefix = '', first = '', rest = ''] = /^(p?mpi_)(.)(.*)$/.exec(name) ?? [];
  return `${prefix.toUpperCase()}${first.toUpperCase()}${rest}`;
}
