/**
 * MPI libraries of vendors, which derive from an MPI that is known here. Their licences forbid to read their machine code, and
 * they must not be called by the name of their ancestor.
 */
import type { Module, ProcessImage } from '../image';

interface Vendor {
  title: string;
  /** Names that only its library exports. */
  symbols?: readonly string[];
  /** Its library, or the folder that its installer makes. */
  path?: RegExp;
}

const vendors: readonly Vendor[] = [
  {
    title: 'Intel MPI',
    // 2021.19
    symbols: ['I_MPI_Check_image_status', 'I_MPI_PW_Sched_yield', 'impi_malloc'],
    path: /\/(oneapi\/mpi|compilers_and_libraries\w*|impi)\/|\/libmpi_ilp64\.so/,
  },
  { title: 'Cray MPICH', path: /^\/opt\/cray\/|\/libmpi_(amd|aocc|cray|gnu|intel|nvidia|pgi)(_\w+)?\.so/ },
  { title: 'HPE MPI', path: /^\/opt\/hpe\/|\/(hmpt|mpt)[-/]/ },
  { title: 'IBM Spectrum MPI', path: /\/libmpi_ibm\.so|\/spectrum_mpi\// },
  { title: 'Fujitsu MPI', path: /^\/opt\/FJSV/ },
];

const known = new WeakMap<Module, Promise<string | undefined>>();

/** Whose library this is, or undefined. Rejects with what findSymbol rejects with. */
export function vendorOf(image: ProcessImage, module: Module): Promise<string | undefined> {
  let vendor = known.get(module);
  if (vendor === undefined) known.set(module, (vendor = findVendor(image, module)));
  return vendor;
}

async function findVendor(image: ProcessImage, module: Module): Promise<string | undefined> {
  for (const { title, symbols = [], path } of vendors) {
    if (path?.test(module.path)) return title;
    for (const name of symbols) if ((await image.findSymbol(name, module)) !== undefined) return title;
  }
  return undefined;
}
