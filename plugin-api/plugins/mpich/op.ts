/** MPI_Op. */
import { callbackAt } from '../../mpi/callback';
import type { Callback, OpInfo } from '../../mpi/records';
import { known } from '../../result';
import type { StructValues } from '../../struct';
import { predefinedName } from './constants';
import { fortranHandle, hex, liveObject, type Decoder } from './handles';
import { pendingWithOp } from './live-requests';
import { opSpec } from './specs';

type Op = StructValues<typeof opSpec>;

/** Throws what liveObject throws. MPICH keeps no object of a predefined operation: its handle tells all. */
export async function readOp(decoder: Decoder, handle: bigint): Promise<OpInfo> {
  const base = { handle: hex(handle), fortranHandle: fortranHandle(handle) };
  const pendingRequests = await known(() => pendingWithOp(decoder));
  const name = predefinedName('op', handle);
  if (name !== undefined) {
    const flags: OpInfo['flags'] = ordered.includes(name) ? ['predefined'] : ['predefined', 'commutative'];
    return { ...base, name, flags, pendingRequests };
  }
  const op = await decoder.objects.reader.read(opSpec, await liveObject(decoder, 'op', handle));
  return {
    ...base,
    name: '',
    flags: isCommutative(op) ? ['commutative'] : [],
    unknownFlags: ['freedHandle'],
    callback: await callbackAt(decoder.image, op.function, await functionLanguage(decoder, languageOf(op))),
    pendingRequests,
  };
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

function languageOf({ language, kind }: Op): number | undefined {
  return language ?? (kind === ofBinding ? undefined : c);
}

/** MPIR_Lang_t. */
const c = 0;
const languages: Readonly<Record<number, Callback['language']>> = { 0: 'c', 1: 'fortran', 2: 'fortran' };

/** The language of a function that the program gave. The bindings of Fortran do not tell theirs: it passes for one of C. */
export async function functionLanguage(
  { image }: Decoder,
  language: number | undefined,
): Promise<Callback['language']> {
  const told = language === undefined ? 'unknown' : (languages[language] ?? 'unknown');
  return told === 'c' && (await image.findSymbol('mpi_op_create_')) !== undefined ? 'unknown' : told;
}
