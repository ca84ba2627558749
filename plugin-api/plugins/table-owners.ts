/** The libraries that have shipped layout tables: what a table of each holds, and how its library is recognised. */
import type { ProcessImage } from '../image';
import type { LayoutTable } from '../layout';
import { guard } from '../result';
import type { StructSpec } from '../struct';
import { facts as mpichFacts } from './mpich/facts';
import { findLibrary as findMpich } from './mpich/library';
import { poolSpec, specs as mpichSpecs } from './mpich/specs';
import { tables as mpichTables } from './mpich/tables';
import { facts as openmpiFacts } from './openmpi/facts';
import { findLibrary as findOpenmpi } from './openmpi/library';
import { commSpec, specs as openmpiSpecs } from './openmpi/specs';
import { tables as openmpiTables } from './openmpi/tables';
import type { TableName } from './table-names';
import { tables as ucxTables, versionOf } from './ucx/library';
import { requestSpec, specs as ucxSpecs } from './ucx/specs';

/** Parts of a library that it loads by itself. */
export interface Components {
  /** Which libraries have any: it is exported by them. */
  symbol: string;
  /** Matches the names of their folders beside the library. */
  folder: RegExp;
  /** Matches the names of those that hold structs. */
  file: RegExp;
}

export interface TableOwner {
  name: TableName;
  /** "Open MPI" */
  title: string;
  specs: readonly StructSpec[];
  /** By version. */
  tables: Readonly<Record<string, LayoutTable>>;
  /** The struct that no other library has: where it is known, debug information is of this one. */
  mark: StructSpec;
  /** What belongs to its library and lies beside it; undefined: nothing. */
  parts?: {
    /** Matches the paths of its libraries. */
    libraries: RegExp;
    components?: Components;
  };
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
    parts: {
      libraries: openmpiFacts.libraries,
      // lib/openmpi/mca_pml_ob1.so; Debian numbers the folder. Libraries of their own in most builds of 4.x.
      components: {
        symbol: 'ompi_communicator_t_class',
        folder: /^openmpi\d*$/,
        file: /^mca_(pml|coll|osc|io|common|topo)_\w+\.so$/,
      },
    },
    recognise: findOpenmpi,
  },
  {
    name: 'mpich',
    title: 'MPICH',
    specs: mpichSpecs,
    tables: mpichTables,
    mark: poolSpec,
    parts: { libraries: mpichFacts.libraries },
    recognise: findMpich,
  },
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
