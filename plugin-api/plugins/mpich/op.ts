/** MPI_Op. */
import { readPointer } from '../../memory';
import { callbackAt } from '../../mpi/callback';
import type { Callback, OpInfo } from '../../mpi/records';
import { guard, known } from '../../result';
import type { StructValues } from '../../struct';
import { predefinedName } from './constants';
import { fortranHandle, hex, liveObject, type Decoder } from './handles';
import { pendingWithOp } from './live-requests';
import { opSpec } from './specs';

type Op = StructValues<typeof opSpec>;

/** Throws what liveObject throws. MPICH keeps no object for a predefined operation: its handle says it all. */
export async function readOp(decoder: Decoder, handle: bigint): Promise<OpInfo> {
  const base = { handle: hex(handle), fortranHandle: fortranHandle(handle) };
  const pendingRequests = await known(() => pendingWithOp(decoder));
  const name = predefinedName('op', handle);
  if (name !== undefined) {
    const flags: OpInfo['flags'] = ordered.includes(name) ? ['predefined'] : ['predefined', 'commutative'];
    return { ...base, name, flags, pendingRequests };
  }
  const op = await decoder.objects.reader.read(opSpec, await liveObject(decoder, 'op', handle));
  const flags: OpInfo['flags'] = isCommutative(op) ? ['commutative'] : [];
  if (op.kind !== ofBinding && isOfLibrary(decoder, op.function)) flags.push('internal');
  return {
    ...base,
    name: '',
    flags,
    unknownFlags: ['freedHandle'],
    callback: await callbackOf(decoder, op),
    pendingRequests,
  };
}

/**
 * Whether the MPI library made the operation for itself, as ROMIO does: its function is the library's own. In a
 * static executable this cannot be determined.
 */
function isOfLibrary({ library }: Decoder, address: bigint): boolean {
  const { isExecutable, segments } = library.module;
  return !isExecutable && segments.some((s) => address >= s.address && address < s.address + BigInt(s.size));
}

/** The predefined operations that do not commute. */
const ordered = ['MPI_REPLACE', 'MPI_NO_OP'];

/** MPIR_OP_KIND__USER_NONCOMMUTE and its variant for large counts, until 4.2. */
const nonCommutative = [32, 34];

function isCommutative({ kind, isCommutative }: Op): boolean {
  return isCommutative === undefined ? !nonCommutative.includes(kind) : isCommutative !== 0;
}

/** MPIR_OP_KIND__USER_X, since 4.3: of a language binding, which calls the program's function. */
const ofBinding = 36;

function callbackOf(decoder: Decoder, { function: address, kind, language, extraState }: Op): Promise<Callback> {
  if (kind === ofBinding && extraState !== undefined) return boundCallback(decoder, address, extraState);
  return programCallback(decoder, address, language ?? c);
}

/** MPIR_Lang_t. */
const c = 0;
const languages: Readonly<Record<number, Callback['language']>> = { [c]: 'c', 1: 'fortran', 2: 'fortran' };

/** A function of the program. The older Fortran bindings do not mark theirs: it counts as a C function. */
export async function programCallback({ image }: Decoder, address: bigint, language: number): Promise<Callback> {
  const told = languages[language] ?? 'unknown';
  const isUnsure = told === 'c' && (await image.findSymbol('mpi_op_create_')) !== undefined;
  return callbackAt(image, address, isUnsure ? 'unknown' : told);
}

/** MPICH's libraries of Fortran's and C++'s bindings, Debian's names and the ABI's, and the language that they call. */
const bindings: readonly (readonly [RegExp, Callback['language']])[] = [
  [/\/libmpi(ch)?(fort|f90)/, 'fortran'],
  [/\/libmpi(ch)?cxx/, 'unknown'],
];

/** A function of a binding, that calls the program's: that of MPICH's own bindings has its address in its state first. */
export async function boundCallback({ image }: Decoder, address: bigint, state: bigint): Promise<Callback> {
  const module = (await image.modules()).find(({ segments }) =>
    segments.some((s) => address >= s.address && address < s.address + BigInt(s.size)),
  );
  const language = bindings.find(([path]) => module !== undefined && path.test(module.path))?.[1];
  const given = language === undefined ? undefined : await guard(() => readPointer(image, state));
  if (language === undefined || given?.ok !== true) return callbackAt(image, address, 'unknown');
  return callbackAt(image, given.value, language);
}
