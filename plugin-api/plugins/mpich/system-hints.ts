/**
 * The info object that ROMIO makes with the first file, for the hints of the system's administrator: a variable of the
 * library has its handle, which opening a file compares with MPI_INFO_NULL.
 */
import type { Module, ProcessImage } from '../../image';
import { readI32 } from '../../memory';
import { once } from '../../once';
import { isUnavailable, QueryError } from '../../result';
import { readAttributes } from './attributes';
import { codeAt, references } from './code';
import { commAt } from './request-arguments';
import type { Decoder } from './handles';

const infoNull = 0x1c000000;

/** Its handle; undefined: ROMIO has made none. Throws QueryError if that is unknown. */
export const systemHints = once(async (decoder: Decoder): Promise<bigint | undefined> => {
  const { image, library, objects } = decoder;
  if (objects.process === undefined || objects.process.commSelf === 0n) return undefined;
  const self = await commAt(decoder, objects.process.commSelf);
  const { ofLibrary } = await readAttributes(decoder, self.attributes);
  // From its first call on, ROMIO has an attribute there that tells it about MPI_Finalize.
  if (!isUnavailable(ofLibrary) && ofLibrary.length === 0) return undefined;
  const variables = await variablesOfOpen(image, library.module);
  const [variable] = variables;
  if (variable === undefined || variables.size > 1)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', "where ROMIO keeps the system's hints was not found");
  const handle = (await readI32(image, variable)) >>> 0;
  return handle === infoNull ? undefined : BigInt(handle);
});

/** The size of a function whose symbol has none: the comparison is in the first half. */
const functionBytes = 2048;
const maxDepth = 2;

async function variablesOfOpen(image: ProcessImage, module: Module): Promise<ReadonlySet<bigint>> {
  const symbol = await image.findSymbol('PMPI_File_open', module);
  const found = new Set<bigint>();
  const seen = new Set<bigint>();
  let functions = symbol === undefined ? [] : [symbol.address];
  for (let depth = 0; depth <= maxDepth; depth++) {
    const called: bigint[] = [];
    for (const address of functions) {
      seen.add(address);
      const length = address === symbol?.address && symbol.size > 0 ? symbol.size : functionBytes;
      const code = await codeAt(image, module, address, length);
      if (code === undefined) continue;
      for (const variable of references.pointedComparedWith(code, module, infoNull)) found.add(variable);
      called.push(...references.callsIn(code, module));
    }
    functions = [...new Set(called)].filter((address) => !seen.has(address));
  }
  return found;
}
