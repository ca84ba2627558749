/**
 * What a plugin for one MPI implementation provides. A plugin is stateless; everything about a process is in
 * MpiProcess.
 */
import type { ProcessImage } from '../image';
import type { Result } from '../result';
import type { MpiFacts } from './facts';
import type { HandleIdentity } from './identity';
import type { AgreedContext, MessageQueues, SpanningMembers } from './message-queues';
import type {
  Known,
  CommInfo,
  DatatypeInfo,
  ErrhandlerInfo,
  FileInfo,
  GroupInfo,
  HandleKind,
  Implementation,
  InfoInfo,
  MessageInfo,
  OpInfo,
  RequestInfo,
  SessionInfo,
  StatusInfo,
  WinInfo,
} from './records';
import type { FailedReceive } from './failed-receive';
import type { ThreadLevel } from './thread-levels';

/** The record that a query for each kind returns. */
export interface InfoOf {
  comm: CommInfo;
  datatype: DatatypeInfo;
  errhandler: ErrhandlerInfo;
  file: FileInfo;
  group: GroupInfo;
  info: InfoInfo;
  message: MessageInfo;
  op: OpInfo;
  request: RequestInfo;
  session: SessionInfo;
  status: StatusInfo;
  win: WinInfo;
}

/**
 * The value of a macro of mpi.h, which debuggers do not know. `handle`: the value that a C variable of the type would
 * hold; `fortran`: the value of the Fortran constant with the same name, if it is an INTEGER, and for an integer only if
 * it is another; `symbol`: the variable whose address the handle is (other processes of the job may have it elsewhere).
 * Pointers are MPI_IN_PLACE and the like. A fortranInteger, such as MPI_STATUS_SIZE, is a constant of Fortran alone.
 */
export type MpiConstant =
  | { kind: 'handle'; handleKind: HandleKind; handle: bigint; fortran: number | undefined; symbol?: string }
  | { kind: 'integer'; value: number; fortran?: number }
  | { kind: 'fortranInteger'; value: number }
  | { kind: 'pointer'; address: bigint };

/** One implementation, e.g. Open MPI: how to recognise it from outside (MpiFacts) and how to decode its processes. */
export interface MpiPlugin extends MpiFacts {
  /**
   * Looks for the implementation's library in the process as it is now: linked, static, or loaded late by dlopen.
   * undefined: not found. Called once per stop; the result is valid for that stop only.
   */
  open(image: ProcessImage): Promise<MpiProcess | undefined>;

  /**
   * Constants known without a process: integers, pointers, and handles that are numbers or have a symbol (`handle` 0n).
   */
  readonly constants?: ReadonlyMap<string, MpiConstant>;
}

/**
 * The processes of the epochs of MPI_Win_start, which may still wait there, and of MPI_Win_post: ranks in MPI_COMM_WORLD, null
 * for a process that is not in it. Missing: there is no such epoch, or it is not known.
 */
export interface EpochGroups {
  startGroup?: Known<(number | null)[]>;
  postGroup?: Known<(number | null)[]>;
  /** How many of postGroup have completed their epoch, and the posts for this process that no MPI_Win_start has taken. */
  completes?: number;
  posts?: number;
  /** All of the window, in its order. Missing: the communicator of the window's record tells. */
  members?: Known<(number | null)[]>;
}

/** Where the structs of the library have their error handlers, in bytes, and where the struct of MPI_COMM_WORLD lies. */
export interface ErrhandlerPlaces {
  comm: number;
  win: number;
  world: bigint;
}

/** One process that uses this MPI, at one stop. */
export interface MpiProcess {
  /** Version, state, layout and the checks that the layout passed. Always available; it names what is unknown. */
  readonly implementation: Implementation;

  /**
   * The size in bytes of this kind's C handle in this program: 4 or 8. For a status, which is not a handle: the size of
   * MPI_Status.
   */
  handleSize(kind: HandleKind): number;

  /** The predefined handles and integer constants, by their C name. Also available before MPI_Init. */
  constants(): Promise<ReadonlyMap<string, MpiConstant>>;

  /**
   * Decodes a handle. `handle`: the C handle's value (an address, or MPICH's 32 bits unsigned); for a status its
   * address. A null handle succeeds with its null flag. ERR_NOT_FOUND: no live object of the kind; ERR_OUT_OF_RANGE:
   * outside its table; ERR_NOT_SUPPORTED: the plugin does not decode the kind; ERR_UNAVAILABLE: MPI is not initialised,
   * say.
   */
  query<K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>>;

  /** As query, from as few bytes as possible; undefined, or no such method: only query tells of this handle. */
  identity?(kind: HandleKind, handle: bigint): Promise<Result<HandleIdentity | undefined>>;

  /**
   * The C handles of all live objects of the kind, in the library's order. Includes predefined objects and the
   * library's internal ones, which have a flag in their records. ERR_NOT_SUPPORTED: this kind cannot be listed.
   */
  handles(kind: HandleKind): Promise<Result<bigint[]>>;

  /** Reasons why handles() may miss objects of the kind, one sentence each. Empty or no such method: it misses none. */
  unlisted?(kind: HandleKind): Promise<readonly string[]>;

  /**
   * A view of a process that is still inside MPI_Finalize: objects that were not freed exist, although MPI_Finalized is
   * already true. Its handles() and query() answer as before MPI_Finalize; predefined objects may be gone. No such
   * method: in this MPI, that never happens.
   */
  inFinalize?(): MpiProcess;

  /** Posted receives, pending sends and unexpected messages. No such method: the plugin does not decode them. */
  messageQueues?(): Promise<Result<MessageQueues>>;

  /** The groups of a window, by its C handle. No such method: the plugin does not know. */
  epochGroups?(win: bigint): Promise<Result<EpochGroups>>;

  /**
   * As query of a file, by its C handle, while the call that closes it waits in the library for other processes. No such method: query
   * tells of it until the call is over.
   */
  closingFile?(file: bigint): Promise<Result<FileInfo>>;

  /**
   * Whether a function of the library, by the name of its symbol, does what this call of MPI does and takes the call's arguments, from the first
   * to the communicator, at the same places. No such method: none is known.
   */
  carriesOut?(name: string, call: string): boolean;

  /** One for each communicator whose contextId differs between its processes. No such method: there are none. */
  agreedContexts?(): Promise<Result<AgreedContext[]>>;

  /** The class of an error code, as MPI_Error_class tells of those that the library makes. No such method: not known. */
  errorClass?(code: number): number;

  /** The C handle of an object that the library's own functions are given by its address. No such method: not known. */
  handleOf?(kind: HandleKind, object: bigint): Promise<Result<bigint>>;

  /**
   * The receives that have ended with an error, as far as the library still has their memory, which it may have given back and may use again:
   * one of them says nothing about the last call unless what is known of that call fits it alone. No such method: not known.
   */
  failedReceives?(): Promise<Result<FailedReceive[]>>;

  /** No such method: the library's own functions tell with each error who handles it. */
  errhandlerPlaces?(): Promise<Result<ErrhandlerPlaces>>;

  /** As MPI_Query_thread tells. No such method: the plugin does not know. */
  threadLevel?(): Promise<Result<ThreadLevel>>;

  /** No such method: who is behind a member of another world is not known. */
  spanningMembers?(): Promise<Result<SpanningMembers>>;

  /** The C handle for a Fortran INTEGER handle; ERR_OUT_OF_RANGE outside the table, ERR_NOT_FOUND for a free slot. */
  fortranToC(kind: HandleKind, fortran: number): Promise<Result<bigint>>;
}
