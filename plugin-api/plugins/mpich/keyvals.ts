/**
 * The owner of an attribute: decided by its keyval, never by what its value points to. MPICH keeps topologies behind
 * one keyval of its own, which it makes with the first topology of the process and frees in MPI_Finalize; ROMIO has
 * others.
 */
import type { Module, ProcessImage } from '../../image';
import { readI32, readText } from '../../memory';
import { mayReadCode } from '../../mpi/vendors';
import { once } from '../../once';
import { guard, QueryError } from '../../result';
import type { StructValues } from '../../struct';
import { codeAt, codeFrom, references } from './code';
import { slotsOf } from './containers';
import type { Decoder } from './handles';
import { keyvalSpec } from './specs';

type Keyval = StructValues<typeof keyvalSpec>;

/** MPI_KEYVAL_INVALID inside the library, also in the one for the standard ABI. */
const invalidKeyval = 0x24000000;

/** Whether attributes of this keyval are topologies. Throws QueryError if that is unknown. */
export async function isTopologyKeyval(decoder: Decoder, { handle, ...keyval }: Keyval): Promise<boolean> {
  if (!isLibraryCode(decoder, keyval.deleteFunction) || !isLibraryCode(decoder, keyval.copyFunction)) return false;
  return handle === (await topologyKeyval(decoder));
}

/**
 * Whether the library made the keyval: the delete functions of its own ones lie inside it, those of a program do not.
 * A static executable has both: there a symbol decides. Throws QueryError where there is none.
 */
export async function isLibraryKeyval(decoder: Decoder, { deleteFunction }: Keyval): Promise<boolean> {
  if (!isLibraryCode(decoder, deleteFunction)) return false;
  if (!decoder.library.module.isExecutable) return true;
  const symbol = await decoder.image.symbolAt(deleteFunction);
  if (symbol === undefined)
    throw new QueryError(
      'MPIDBG_ERR_NOT_SUPPORTED',
      'MPICH is part of this executable, whose symbols were stripped: attributes of the program cannot be told from those of the library',
    );
  return ownDeleteFunctions.test(symbol.name);
}

const ownDeleteFunctions = /^(MPIR_Topology_delete_fn|ADIOI_(\w+_)?End_call|ADIOI_cb_delete_name_array|ad_daos_end)$/;

export function isLibraryCode({ library }: Decoder, address: bigint): boolean {
  return library.module.segments.some(
    (s) => s.executable && address >= s.address && address < s.address + BigInt(s.size),
  );
}

/** The handle of the keyval; MPI_KEYVAL_INVALID while no communicator ever had a topology. Throws QueryError. */
const topologyKeyval = once(async (decoder: Decoder): Promise<number> => {
  const { image, library } = decoder;
  const symbol = await image.findSymbol('MPIR_Topology_keyval', library.module);
  const variable = symbol?.address ?? (await variableOfQueries(image, library.module));
  if (variable !== undefined) return (await readI32(image, variable)) >>> 0;
  const named = await keyvalOfNamedFunction(decoder);
  if (named !== undefined) return named;
  const why = (await mayReadCode(image, library.module)) ? '' : ": its code is not read, as it may be a vendor's own";
  throw new QueryError(
    'MPIDBG_ERR_NOT_SUPPORTED',
    `where ${library.fileName} keeps the attribute key of topologies was not found${why}`,
  );
});

/** Calls that ask for the topology of a communicator. */
const queries = ['PMPI_Topo_test', 'PMPI_Cartdim_get'];

/**
 * The variable that holds the keyval's handle: the calls that ask for a topology begin with comparing it with
 * MPI_KEYVAL_INVALID, themselves or in a function that they call, or in one that is called there. Another that some
 * neighbouring function compares would not be the same in all of them.
 */
async function variableOfQueries(image: ProcessImage, module: Module): Promise<bigint | undefined> {
  const found = await Promise.all(queries.map((name) => variablesOf(image, module, name)));
  const common = [...found[0]!].filter((variable) => found.every((each) => each.has(variable)));
  return common.length === 1 ? common[0] : undefined;
}

async function variablesOf(image: ProcessImage, module: Module, name: string): Promise<ReadonlySet<bigint>> {
  const codes = await codeFrom(image, module, name, 2);
  return new Set(codes.flatMap((code) => references.variablesComparedWith(code, module, invalidKeyval)));
}

const copyFunctionName = 'MPIR_Topology_copy_fn';
/**
 * In the archive, its name is used 541 bytes after its start, and 957 bytes after the nearest function of another
 * file.
 */
const copyFunctionBytes = 768;
const keyvalClass = 9;

/**
 * In an executable without symbols, the keyval whose copy function takes the text of its own name, for an error's
 * message. undefined: there is none, or more than one.
 */
async function keyvalOfNamedFunction({ image, library, objects }: Decoder): Promise<number | undefined> {
  const pool = objects.pools.get(keyvalClass);
  if (pool === undefined || !pool.isInitialized) return undefined;
  const keyvals = await Promise.all(
    (await slotsOf(image, pool)).map((address) => objects.reader.read(keyvalSpec, address)),
  );
  const isNamed = new Map<bigint, boolean>();
  for (const { copyFunction } of keyvals) {
    if (isNamed.has(copyFunction)) continue;
    const code = await codeAt(image, library.module, copyFunction, copyFunctionBytes);
    const texts = code === undefined ? [] : references.constantsIn(code, library.module);
    const found = await Promise.all(
      texts.map((text) => guard(() => readText(image, text, copyFunctionName.length + 1))),
    );
    isNamed.set(
      copyFunction,
      found.some((text) => text.ok && text.value === copyFunctionName),
    );
  }
  const named = keyvals.filter(({ copyFunction, handle }) => handle !== 0 && isNamed.get(copyFunction) === true);
  return named.length === 1 ? named[0]!.handle : undefined;
}
