/**
 * UCX in a process: its version, and the table of its structs. UCX moves the messages of MPICH's ch4:ucx and of Open MPI's
 * pml/ucx, and a pending transfer's peer, tag and buffer are in its structs alone. Distributions ship it stripped, and its
 * structs change with every release, so a table serves its own version only.
 */
import type { ProcessImage } from '../../image';
import type { LayoutTable } from '../../layout';
import { usualProcessor } from '../../processor/known/processors';
import { QueryError } from '../../result';
import { StructReader } from '../../struct';
import v1131 from './layouts/1.13.1.json';
import v1181 from './layouts/1.18.1.json';

/**
 * By UCX's version, from its sources; `send.proto_config` and `ucp_proto_config_t` were measured in Debian 12's and 13's
 * libraries, as was the buffer of 1.13.1's new protocols: what known sends, synchronous and not, have there.
 */
export const tables: Readonly<Record<string, LayoutTable>> = { '1.13.1': v1131, '1.18.1': v1181 };

/** The UCX of a process, at one stop. */
export interface Ucx {
  readonly image: ProcessImage;
  /** "1.13.1". */
  readonly version: string;
  readonly reader: StructReader;
}

/** Throws QueryError with ERR_NOT_SUPPORTED: no UCX in this process, or one whose structs are not known. */
export async function openUcx(image: ProcessImage): Promise<Ucx> {
  const version = await versionOf(image);
  const table = tables[version];
  if (table === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `no layout table for UCX ${version}, whose structs hold this`);
  const source = { name: `table ucx ${version}`, find: async (struct: string) => table[struct] };
  return { image, version, reader: new StructReader(image, [source]) };
}

const maxFunctionLength = 32;

/**
 * "1.13.1". Throws QueryError with ERR_NOT_SUPPORTED where there is no UCX, or its version cannot be read. UCX has
 * its version only in a function, ucp_get_version(&major, &minor, &release). Its code holds the numbers, and does nothing
 * but store them in each build looked at.
 */
export async function versionOf(image: ProcessImage): Promise<string> {
  const symbol = await image.findSymbol('ucp_get_version');
  if (symbol === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'no UCX is loaded in this process');
  const code = await image.readMemory(symbol.address, maxFunctionLength);
  const version = usualProcessor.references.numbersStored(code, 3)?.join('.');
  if (version === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `${symbol.module.path} does not tell its version`);
  return version;
}
