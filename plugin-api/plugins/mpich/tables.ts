/** The shipped layout tables, by version, and the layouts to try for a library, best first. */
import type { ProcessImage } from '../../image';
import type { LayoutSource, LayoutTable } from '../../layout';
import { tablesFor } from '../../mpi/versioned-tables';
import v402 from './layouts/4.0.2.json';
import v421 from './layouts/4.2.1.json';
import v501 from './layouts/5.0.1.json';
import standard501 from './layouts/standard-abi/5.0.1.json';
import type { Library } from './library';

export const tables: Readonly<Record<string, LayoutTable>> = { '4.0.2': v402, '4.2.1': v421, '5.0.1': v501 };

/** The tables of the library for programs of the standard ABI, whose requests hold the standard's statuses. */
export const standardAbiTables: Readonly<Record<string, LayoutTable>> = { '5.0.1': standard501 };

/** The device that the tables were made for: the end of MPIR_Comm and of MPIR_Request is the device's. */
const tablesDevice = 'ch4:ucx';

/**
 * Releases whose sources declare the same structs as a table's release. 4.0.3 changed members of debugging builds
 * only; inside 4.2 and inside 5.0 nothing that is read here changed.
 */
const sameStructs: Readonly<Record<string, string>> = {
  '4.0.3': '4.0.2',
  '4.2.0': '4.2.1',
  '4.2.2': '4.2.1',
  '4.2.3': '4.2.1',
  '5.0.0': '5.0.1',
  '5.0.2': '5.0.1',
};

/** Configurations that differ in nothing that is read but the size of a struct, whose end they change. */
const variants: Readonly<Record<string, { name: string; struct: string; size: number }>> = {
  '5.0.1': { name: 'without UCC', struct: 'MPIR_Comm', size: 1304 },
};

/** Layouts to be verified against the process; a reason when there are none. */
export interface LayoutCandidates {
  sources: LayoutSource[];
  reason: string;
}

export function layoutCandidates(image: ProcessImage, library: Library): LayoutCandidates {
  const debugInformation: LayoutSource = {
    name: `DWARF of ${library.fileName}`,
    find: (struct, fields) => image.findType(struct, fields),
  };
  return {
    sources: [...(library.hasStructs ? [debugInformation] : []), ...tableSources(library)],
    reason: whyNoTable(library),
  };
}

function tableSources({ version, device, module, isStandardAbi }: Library): LayoutSource[] {
  if (device !== undefined && device !== tablesDevice) return [];
  if (version === undefined && !module.isExecutable) return [];
  // A static executable does not contain its version: the process decides among all tables.
  if (version === undefined) return Object.keys(tables).flatMap(ownTable);
  const own = sameStructs[version] ?? version;
  if (isStandardAbi) {
    const table = standardAbiTables[own];
    return table === undefined ? [] : [tableSource(`table mpich ${own} of the standard ABI`, table)];
  }
  if (tables[own] !== undefined) return ownTable(own);
  return tablesFor('mpich', tables, version).map(({ name, table }) => tableSource(name, table));
}

function ownTable(version: string): LayoutSource[] {
  const table = tables[version]!;
  const name = `table mpich ${version}`;
  const variant = variants[version];
  if (variant === undefined) return [tableSource(name, table)];
  const changed = { ...table, [variant.struct]: { ...table[variant.struct]!, size: variant.size } };
  return [tableSource(name, table), tableSource(`${name} ${variant.name}`, changed)];
}

function tableSource(name: string, table: LayoutTable): LayoutSource {
  return { name, find: async (struct) => table[struct] };
}

function whyNoTable({ version, whyNoVersion, device, fileName }: Library): string {
  if (device !== undefined && device !== tablesDevice)
    return `no layout table for the device ${device} of MPICH, only for ${tablesDevice}`;
  if (version !== undefined) return `no layout table for MPICH ${version}`;
  if (whyNoVersion !== undefined) return `the version of ${fileName} cannot be read: ${whyNoVersion}`;
  return `no layout table for ${fileName}, whose version is unknown`;
}
