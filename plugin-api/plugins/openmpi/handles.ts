/**
 * What a handle's value stands for: null, a live object of some kind, or nothing; and Fortran's numbers for handles.
 */
import type { ProcessImage } from '../../image';
import { readPointer, readText } from '../../memory';
import type { HandleRef, Known } from '../../mpi/records';
import { onceByKey, onceFor } from '../../once';
import { CorruptError, FaultError, QueryError, unavailable } from '../../result';
import type { StructReader } from '../../struct';
import type { Constants, PredefinedKind } from './constants';
import { lowestAddress, readPointerArrayAt, type PointerArray } from './containers';
import type { Library } from './library';
import { classSpec, commSpec, datatypeSpec, objectSpec, winSpec } from './specs';

/** What every decoder works with: one process at one stop, and the layouts that were verified against it. */
export interface Decoder {
  readonly image: ProcessImage;
  readonly library: Library;
  readonly reader: StructReader;
  readonly constants: Constants;
  readonly classes: Classes;
}

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
  },
  message: {
    type: 'MPI_Message',
    word: 'message',
    nullName: 'MPI_MESSAGE_NULL',
    nullFlag: 'messageNull',
    classes: ['ompi_message_t_class'],
    table: 'ompi_message_f_to_c_table',
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

/** The names of the classes of an object; empty: there is no object. */
export async function classNames({ reader, classes }: Decoder, object: bigint): Promise<readonly string[]> {
  return classes.namesOf((await reader.read(objectSpec, object)).objClass);
}

/** Throws CorruptError, which says what is there, unless `handle` is the address of a live object of this kind. */
export async function checkHandle(decoder: Decoder, kind: PredefinedKind, handle: bigint): Promise<void> {
  const { type, word } = kinds[kind];
  const hex = `0x${handle.toString(16)}`;
  if (handle === 0n) throw new CorruptError(`0 is not an ${type}: the variable has not been set`);
  if (handle < lowestAddress || handle % 8n !== 0n)
    throw new CorruptError(`${hex} is not an ${type}: it is not the address of an object`);
  const object = await readObject(decoder, handle, type);
  const found = await decoder.classes.kindOf(object.objClass);
  if (found === undefined)
    throw new CorruptError(`no live ${word} at ${hex}: its class is gone, so it was freed or never was one`);
  if (found !== kind) throw new CorruptError(`${hex} is not an ${type}: the object there is an ${kinds[found].type}`);
  if (object.referenceCount <= 0)
    throw new CorruptError(
      `no live ${word} at ${hex}: it was freed (reference count ${object.referenceCount}), or a call is freeing it`,
    );
}

async function readObject(decoder: Decoder, handle: bigint, type: string) {
  try {
    return await decoder.reader.read(objectSpec, handle);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const hex = `0x${handle.toString(16)}`;
    const where = decoder.image.target === 'core' ? 'not in the core' : 'not mapped';
    throw new CorruptError(`${hex} is not an ${type}: there is no memory at that address (${where})`);
  }
}

/** A reference to a live object, with its name if it has one. Throws CorruptError if there is none of the kind. */
export async function handleRef(decoder: Decoder, kind: PredefinedKind, address: bigint): Promise<HandleRef> {
  await checkHandle(decoder, kind, address);
  const handle = `0x${address.toString(16)}`;
  const name = await objectName(decoder, kind, address);
  return name === '' ? { kind, handle } : { kind, handle, name };
}

/** MPI_MAX_OBJECT_NAME. */
const maxNameLength = 64;
/** OMPI_COMM_NAMEISSET: without it the field holds an internal text. */
const commIsNamed = 0x2;

/** What MPI_*_get_name answers, for kinds that have it; else a predefined object's constant; else empty. */
export async function objectName(decoder: Decoder, kind: PredefinedKind, address: bigint): Promise<string> {
  const stored = await storedName(decoder, kind, address);
  const name = typeof stored === 'bigint' ? await readText(decoder.image, stored, maxNameLength) : stored;
  return name !== '' ? name : ((await decoder.constants.predefined(kind, address))?.name ?? '');
}

/** The text, or its address. */
async function storedName({ reader }: Decoder, kind: PredefinedKind, address: bigint): Promise<string | bigint> {
  if (kind === 'comm') {
    const { flags, name } = await reader.read(commSpec, address);
    return (flags & commIsNamed) !== 0 ? name : '';
  }
  if (kind !== 'datatype' && kind !== 'win') return '';
  const { name } = await reader.read(kind === 'datatype' ? datatypeSpec : winSpec, address);
  return name === 0n ? '' : name;
}

/**
 * Throws CorruptError unless the object is in the slot of its kind's Fortran table that it names, from which a freed
 * object is taken even where its memory is still intact.
 */
export async function checkSlot(decoder: Decoder, kind: PredefinedKind, handle: bigint, slot: number): Promise<void> {
  const { word } = kinds[kind];
  const table = await tableOf(decoder, kind);
  const found = slot >= 0 && slot < table.size ? await table.item(slot) : 0n;
  if (found === handle) return;
  throw new CorruptError(
    `no live ${word} at 0x${handle.toString(16)}: it was freed (the library's table has it no more)`,
  );
}

/** The object in that slot. Throws OUT_OF_RANGE outside the table, CorruptError for a free slot. */
export async function fortranHandle(decoder: Decoder, kind: PredefinedKind, fortran: number): Promise<bigint> {
  const { word, table: name } = kinds[kind];
  const table = await tableOf(decoder, kind);
  if (fortran < 0 || fortran >= table.size) {
    const range = table.size === 0 ? 'which is empty' : `0 to ${table.size - 1}`;
    throw new QueryError('MPIDBG_ERR_OUT_OF_RANGE', `${fortran} is outside the table ${name} (${range})`);
  }
  const object = await table.item(fortran);
  if (object === 0n) throw new CorruptError(`no ${word} has the Fortran handle ${fortran}: the slot is free`);
  return object;
}

export const noFortranHandleYet = 'the program never asked for its Fortran handle';

/** The Fortran handle of a datatype, request or message, which gets a slot when a program first asks for it. */
export function lateFortranNumber(slot: number): Known<number> {
  if (slot >= 0) return slot;
  return unavailable('MPIDBG_ERR_NOT_FOUND', noFortranHandleYet);
}

/** Everything in a kind's table; at a stop in the middle of a call, that may include an unfinished object. */
export async function tableItems(decoder: Decoder, kind: PredefinedKind): Promise<bigint[]> {
  return (await tableOf(decoder, kind)).items();
}

const tableOf = onceByKey((decoder: Decoder, kind: PredefinedKind) => fortranTable(decoder, kind));

/** The table of a kind; its slots are Fortran's numbers. Throws NOT_SUPPORTED where this library exports none. */
export async function fortranTable(
  { image, reader }: Pick<Decoder, 'image' | 'reader'>,
  kind: PredefinedKind,
): Promise<PointerArray> {
  const { table, type, isIndirect } = kinds[kind];
  const symbol = await image.findSymbol(table);
  if (symbol === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `this Open MPI has no table of ${type}`);
  return readPointerArrayAt(reader, isIndirect === true ? await readPointer(image, symbol.address) : symbol.address);
}
