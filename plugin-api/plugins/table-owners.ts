/** The libraries that have shipped layout tables: what a table of each holds, and how its library is recognised. */
import type { ProcessImage } from '../image';
import type { LayoutTable } from '../layout';
import { guard } from '../result';
import type { StructSpec } from '../struct';
import { findLibrary as findMpich } from './mpich/library';
import { poolSpec, specs as mpichSpecs } from './mpich/specs';
import { tables as mpichTables } from './mpich/tables';
import { findLibrary as findOpenmpi } from './openmpi/library';
import { commSpec, specs as openmpiSpecs } from './openmpi/specs';
import { tables as openmpiTables } from './openmpi/tables';
import { tables as ucxTables, versionOf } from './ucx/library';
import { requestSpec, specs as ucxSpecs } from './ucx/specs';

export interface TableOwner {
  /** The folder of its tables: plugins/<name>/layouts. */
  name: 'openmpi' | 'mpich' | 'ucx';
  /** "Open MPI" */
  title: string;
  specs: readonly StructSpec[];
  /** By version. */
  tables: Readonly<Record<string, LayoutTable>>;
  /** The struct that no other library has: where it is known, debug information is of this one. */
  mark: StructSpec;
  /** undefined: the image has no such library. The version is undefined where it does not tell. */
  recognise(image: ProcessImage): Promise<{ version: string | undefined } | undefined>;
}

/** An MPI that has UCX in it is that MPI. */
export const tableOwners: readonly TableOwner[] = [
  {
    name: 'openmpi',
    title: 'Open MPI',
    specs: openmpiSpecs,
    tables: openmpiTables,
    mark: commSpec,
    recognise: findOpenmpi,
  },
  { name: 'mpich', title: 'MPICH', specs: mpichSpecs, tables: mpichTables, mark: poolSpec, recognise: findMpich },
  {
    name: 'ucx',
    title: 'UCX',
    specs: ucxSpecs,
    tables: ucxTables,
    mark: requestSpec,
    recognise: async (image) => {
      if ((await image.findSymbol('ucp_get_version')) === undefined) return undefined;
      const version = await guard(() => versionOf(image));
      return { version: version.ok ? version.value : undefined };
    },
  },
];
