/**
 * MPI libraries of vendors, which derive from an MPI that is known here. Their licences forbid to read their machine code, and
 * they must not be called by the name of their ancestor. A library's owner cannot always be told, so
 * code is read only if the library identifies itself as MPICH's own.
 */
import type { Module, ProcessImage } from '../image';
import { readText } from '../memory';
import { guard } from '../result';
import { mentions } from './constant-texts';

interface Vendor {
  title: string;
  /** Names that only its library exports. */
  symbols?: readonly string[];
  /** Its library, or the folder that its installer makes. */
  path?: RegExp;
  /** The text that one of these holds. */
  texts?: { symbols: readonly string[]; pattern: RegExp };
}

const maxTextLength = 64;

const vendors: readonly Vendor[] = [
  {
    title: 'Intel MPI',
    // 2021.19
    symbols: ['I_MPI_Check_image_status', 'I_MPI_PW_Sched_yield', 'impi_malloc'],
    path: /\/(oneapi\/mpi|compilers_and_libraries\w*|impi)\/|\/libmpi_ilp64\.so/,
  },
  { title: 'Cray MPICH', path: /^\/opt\/cray\/|\/libmpi_(amd|aocc|cray|gnu|intel|nvidia|pgi)(_\w+)?\.so/ },
  {
    title: 'MVAPICH',
    // The functions that choose its collectives: of 2.x and of 3.x.
    symbols: ['MPIR_Alltoall_MV2', 'MPIR_Alltoall_MVP'],
    path: /\/mvapich[\w.-]*\//i,
    texts: { symbols: ['MPII_Version_device', 'MPIR_Version_device'], pattern: /^ch3:(mrail|psm)\b/ },
  },
  {
    title: 'ParaStation MPI',
    path: /\/(psmpi|parastation)[\w.-]*\//i,
    texts: { symbols: ['MPII_Version_device', 'MPIR_Version_device'], pattern: /^(ch[34]:)?psp\b/ },
  },
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
  for (const { title, symbols = [], path, texts } of vendors) {
    if (path?.test(module.path)) return title;
    for (const name of symbols) if ((await image.findSymbol(name, module)) !== undefined) return title;
    for (const name of texts?.symbols ?? []) {
      const symbol = await image.findSymbol(name, module);
      const text = symbol && (await guard(() => readText(image, symbol.address, maxTextLength)));
      if (text?.ok === true && texts!.pattern.test(text.value)) return title;
    }
  }
  return undefined;
}

/** MPI_Get_library_version of MPICH's own builds begins so; those that derive from it begin with a name of theirs. */
const ownText = 'MPICH Version:';

const readable = new WeakMap<Module, Promise<boolean>>();

/**
 * Whether the machine code of this module may be read: of an MPI library that derives from MPICH only where it is known to
 * be MPICH's own. Rejects with what findSymbol rejects with.
 */
export function mayReadCode(image: ProcessImage, module: Module): Promise<boolean> {
  let may = readable.get(module);
  if (may === undefined) readable.set(module, (may = findWhetherReadable(image, module)));
  return may;
}

async function findWhetherReadable(image: ProcessImage, module: Module): Promise<boolean> {
  if ((await vendorOf(image, module)) !== undefined) return false;
  // A program that contains an MPI is the user's own.
  if (module.isExecutable || (await image.findSymbol('PMPI_Init', module)) === undefined) return true;
  if ((await image.findSymbol('ompi_mpi_comm_world', module)) !== undefined) return true;
  return mentions(image, module, ownText);
}
