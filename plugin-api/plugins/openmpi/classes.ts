/** The kinds of objects: their words, their classes and their Fortran tables. */
import type { ProcessImage } from '../../image';
import { readText } from '../../memory';
import { onceFor } from '../../once';
import type { StructReader } from '../../struct';
import type { PredefinedKind } from './constants';
import { classSpec } from './specs';

/** The name of a kind in mpi.h, its null handle and the flag for it, its classes, and its Fortran table. */
interface KindFacts {
  type: string;
  word: string;
  nullName: string;
  nullFlag: string;
  /** Objects of a class derived from one of these are of the kind too. */
  classes: readonly string[];
  table: string;
  /** The symbol is a pointer to the table, not the table. */
  isIndirect?: boolean;
  /** Some live objects are not in the table. */
  isInTableLate?: boolean;
}

export const kinds: Readonly<Record<PredefinedKind, KindFacts>> = {
  comm: {
    type: 'MPI_Comm',
    word: 'communicator',
    nullName: 'MPI_COMM_NULL',
    nullFlag: 'commNull',
    classes: ['ompi_communicator_t_class'],
    table: 'ompi_comm_f_to_c_table',
  },
  datatype: {
    type: 'MPI_Datatype',
    word: 'datatype',
    nullName: 'MPI_DATATYPE_NULL',
    nullFlag: 'datatypeNull',
    // Predefined datatypes are of the library's internal class.
    classes: ['ompi_datatype_t_class', 'opal_datatype_t_class'],
    table: 'ompi_datatype_f_to_c_table',
    isInTableLate: true,
  },
  errhandler: {
    type: 'MPI_Errhandler',
    word: 'error handler',
    nullName: 'MPI_ERRHANDLER_NULL',
    nullFlag: 'errhandlerNull',
    classes: ['ompi_errhandler_t_class'],
    table: 'ompi_errhandler_f_to_c_table',
  },
  file: {
    type: 'MPI_File',
    word: 'file',
    nullName: 'MPI_FILE_NULL',
    nullFlag: 'fileNull',
    classes: ['ompi_file_t_class'],
    table: 'ompi_file_f_to_c_table',
  },
  group: {
    type: 'MPI_Group',
    word: 'group',
    nullName: 'MPI_GROUP_NULL',
    nullFlag: 'groupNull',
    classes: ['ompi_group_t_class'],
    table: 'ompi_group_f_to_c_table',
  },
  info: {
    type: 'MPI_Info',
    word: 'info',
    nullName: 'MPI_INFO_NULL',
    nullFlag: 'infoNull',
    // The infos that communicators, files and windows keep are of the internal class.
    classes: ['ompi_info_t_class', 'opal_info_t_class'],
    table: 'ompi_info_f_to_c_table',
    isInTableLate: true,
  },
  message: {
    type: 'MPI_Message',
    word: 'message',
    nullName: 'MPI_MESSAGE_NULL',
    nullFlag: 'messageNull',
    classes: ['ompi_message_t_class'],
    table: 'ompi_message_f_to_c_table',
    isInTableLate: true,
  },
  op: {
    type: 'MPI_Op',
    word: 'operation',
    nullName: 'MPI_OP_NULL',
    nullFlag: 'opNull',
    classes: ['ompi_op_t_class'],
    table: 'ompi_op_f_to_c_table',
    isIndirect: true,
  },
  request: {
    type: 'MPI_Request',
    word: 'request',
    nullName: 'MPI_REQUEST_NULL',
    nullFlag: 'requestNull',
    classes: ['ompi_request_t_class'],
    table: 'ompi_request_f_to_c_table',
    isInTableLate: true,
  },
  session: {
    type: 'MPI_Session',
    word: 'session',
    nullName: 'MPI_SESSION_NULL',
    nullFlag: 'sessionNull',
    classes: ['ompi_instance_t_class'],
    table: 'ompi_instance_f_to_c_table',
  },
  win: {
    type: 'MPI_Win',
    word: 'window',
    nullName: 'MPI_WIN_NULL',
    nullFlag: 'winNull',
    classes: ['ompi_win_t_class'],
    // The list of all windows serves Fortran too.
    table: 'ompi_mpi_windows',
  },
};

/** The kind that the class of the object at an address belongs to. */
export class Classes {
  private known: Promise<ReadonlyMap<bigint, PredefinedKind>> | undefined;

  /** undefined: there is no class of MPI objects. */
  readonly kindOf = onceFor((objClass: bigint) => this.findKind(objClass));

  /** The names of the class and those that it is derived from, itself first. Empty: there is no class. */
  readonly namesOf = onceFor((objClass: bigint) => this.readNames(objClass));

  constructor(
    private readonly image: ProcessImage,
    private readonly reader: StructReader,
  ) {}

  private async findKind(objClass: bigint): Promise<PredefinedKind | undefined> {
    this.known ??= this.lookUp();
    const known = await this.known;
    // A class descriptor is a variable of a library; freed memory points elsewhere.
    for (let at = objClass, depth = 0; at !== 0n && depth < deepestClass; depth++) {
      const kind = known.get(at);
      if (kind !== undefined) return kind;
      if (!(await this.isVariable(at))) return undefined;
      at = (await this.reader.read(classSpec, at)).parent;
    }
    return undefined;
  }

  private async readNames(objClass: bigint): Promise<readonly string[]> {
    const names: Promise<string>[] = [];
    for (let at = objClass; at !== 0n && names.length < deepestClass && (await this.isVariable(at));) {
      const { name, parent } = await this.reader.read(classSpec, at);
      names.push(readText(this.image, name, maxClassNameLength));
      at = parent;
    }
    return Promise.all(names);
  }

  private async isVariable(address: bigint): Promise<boolean> {
    if (address % 8n !== 0n) return false;
    const size = BigInt(await this.reader.sizeOf(classSpec));
    return (await this.image.modules()).some((module) =>
      module.segments.some((s) => s.writable && address >= s.address && address + size <= s.address + BigInt(s.size)),
    );
  }

  private async lookUp(): Promise<ReadonlyMap<bigint, PredefinedKind>> {
    const found = new Map<bigint, PredefinedKind>();
    for (const [kind, { classes }] of Object.entries(kinds)) {
      for (const name of classes) {
        const symbol = await this.image.findSymbol(name);
        if (symbol !== undefined) found.set(symbol.address, kind as PredefinedKind);
      }
    }
    return found;
  }
}

/** Request classes of the deepest component are four below ompi_request_t. */
const deepestClass = 12;
const maxClassNameLength = 128;
