/**
 * Words that a library writes in the middle of taking or freeing an object: a stop right behind such a write finds its
 * lists half changed. Where they lie is taken from the plugins' own search; what is expected at those stops is not.
 */
import type { ProcessImage } from '../../plugin-api/image';
import { findPools, readData } from '../../plugin-api/plugins/mpich/containers';
import { findLibrary } from '../../plugin-api/plugins/mpich/library';
import { classSpecs } from '../../plugin-api/plugins/mpich/specs';
import { tables } from '../../plugin-api/plugins/mpich/tables';
import type { Mpi } from './sample-job';

/** Addresses of 8 bytes, with what each is of. */
export async function writtenWords(mpi: Mpi, image: ProcessImage): Promise<Map<string, bigint>> {
  return mpi === 'mpich' ? poolHeads(image) : tableCounts(image);
}

const poolNames: Readonly<Record<number, string>> = {
  1: 'comm',
  2: 'group',
  3: 'datatype',
  5: 'errhandler',
  6: 'op',
  7: 'info',
  8: 'win',
  11: 'request',
};

/** The first field of a pool's header is the head of its list of free objects. */
async function poolHeads(image: ProcessImage): Promise<Map<string, bigint>> {
  const library = await findLibrary(image);
  if (library?.version === undefined) throw new Error('no MPICH');
  const [major, minor] = library.version.split('.');
  const release = Object.keys(tables).find((version) => version.startsWith(`${major}.${minor}.`));
  const layouts = release === undefined ? undefined : tables[release];
  const header = layouts?.['MPIR_Object_alloc_t'];
  if (layouts === undefined || header === undefined) throw new Error(`no table of MPICH ${major}.${minor}`);
  const sizes = new Map([...classSpecs].map(([kind, spec]) => [kind, layouts[spec.struct]!.size]));
  const words = new Map<string, bigint>();
  for (const [kind, [pool]] of findPools(await readData(image, library.module), header, sizes))
    if (poolNames[kind] !== undefined && pool !== undefined) words.set(poolNames[kind], pool.address);
  return words;
}

/** opal_pointer_array_t.lowest_free and number_free; opal_lifo_t.opal_lifo_head.data.item. Open MPI 4 and 5. */
const lowestFree = 80n;
const firstItem = 24n;

async function tableCounts(image: ProcessImage): Promise<Map<string, bigint>> {
  const variables = {
    comm: ['ompi_mpi_communicators', lowestFree],
    group: ['ompi_group_f_to_c_table', lowestFree],
    errhandler: ['ompi_errhandler_f_to_c_table', lowestFree],
    info: ['ompi_info_f_to_c_table', lowestFree],
    win: ['ompi_mpi_windows', lowestFree],
    file: ['ompi_file_f_to_c_table', lowestFree],
    receive: ['mca_pml_base_recv_requests', firstItem],
    send: ['mca_pml_base_send_requests', firstItem],
  } as const;
  const words = new Map<string, bigint>();
  for (const [name, [variable, offset]] of Object.entries(variables)) {
    const symbol = await image.findSymbol(variable);
    if (symbol === undefined) throw new Error(`no ${variable}`);
    words.set(name, symbol.address + offset);
  }
  return words;
}
