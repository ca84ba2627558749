/** Where the layouts of a process may come from: debug information first, then the shipped tables of its version. */
import type { ProcessImage } from '../../image';
import type { LayoutSource, LayoutTable } from '../../layout';
import { tablesFor } from '../../mpi/versioned-tables';
import v400 from './layouts/4.0.0.json';
import v402 from './layouts/4.0.2.json';
import v407 from './layouts/4.0.7.json';
import v410 from './layouts/4.1.0.json';
import v413 from './layouts/4.1.3.json';
import v414 from './layouts/4.1.4.json';
import v418 from './layouts/4.1.8.json';
import v500 from './layouts/5.0.0.json';
import v506 from './layouts/5.0.6.json';
import v507 from './layouts/5.0.7.json';
import v5010 from './layouts/5.0.10.json';
import v600rc2 from './layouts/6.0.0rc2.json';
import type { Library } from './library';
import {
  classSpec,
  commSpec,
  groupSpec,
  hashElementSpec,
  hashTableSpec,
  objectSpec,
  pointerArraySpec,
  procSpec,
} from './specs';

export const tables: Readonly<Record<string, LayoutTable>> = {
  '4.0.0': v400,
  '4.0.2': v402,
  '4.0.7': v407,
  '4.1.0': v410,
  '4.1.3': v413,
  '4.1.4': v414,
  '4.1.8': v418,
  '5.0.0': v500,
  '5.0.6': v506,
  '5.0.7': v507,
  '5.0.10': v5010,
  '6.0.0rc2': v600rc2,
};

/** What every answer needs: objects and their classes, the handle tables, communicators with their processes. */
export const essential: readonly string[] = [
  objectSpec,
  classSpec,
  pointerArraySpec,
  hashTableSpec,
  hashElementSpec,
  commSpec,
  groupSpec,
  procSpec,
].map((spec) => spec.struct);

/** A layout that must be verified against the process before it is used. */
export interface Candidate {
  /** As `info` shows it. */
  name: string;
  /** In order: the first that knows a struct wins. */
  sources: readonly LayoutSource[];
}

/** Best first; empty for an unknown version. */
export function layoutCandidates(image: ProcessImage, library: Library): Candidate[] {
  const found = library.version === undefined ? [] : tablesFor('openmpi', tables, library.version, essential);
  const fromTables = found.map(({ name, table }): Candidate => {
    return { name, sources: [{ name, find: (struct) => Promise.resolve(table[struct]) }] };
  });
  const dwarf: LayoutSource = {
    name: `DWARF of ${library.fileName}`,
    find: (struct, fields) => image.findType(struct, fields),
  };
  if (!library.hasStructs) return fromTables;
  // A struct that the debug information lacks is looked for in the table.
  return [{ name: dwarf.name, sources: [dwarf, ...(fromTables[0]?.sources ?? [])] }, ...fromTables];
}
