/**
 * What a plugin for one MPI implementation provides. A plugin is stateless; everything about a process is in
 * MpiProcess.
 */
import type { ProcessImage } from '../image';
import type { Result } from '../result';
import type { MpiFacts } from './facts';
import type { AgreedContext, MessageQueues } from './message-queues';
import type {
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

/** The record that a query of each kind answers. */
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
 * A name of mpi.h that debuggers do not know because it is a macro. A handle is what a C variable of that type would
 * hold; fortran is the value of the Fortran constant of the same name, where that is an INTEGER; symbol, where the
 * handle is the address of a variable, which other processes of the job may have elsewhere. Pointers: MPI_IN_PLACE and
 * the like.
 */
export type MpiConstant =
  | { kind: 'handle'; handleKind: HandleKind; handle: bigint; fortran: number | undefined; symbol?: string }
  | { kind: 'integer'; value: number }
  | { kind: 'pointer'; address: bigint };

/** One implementation, e.g. Open MPI: how it is recognised from outside (MpiFacts), and how its processes are decoded. */
export interface MpiPlugin extends MpiFacts {
  /**
   * Looks for the implementation's library in the process, now: it may be linked, static, or dlopened late.
   * undefined: the process has none of it. Called once per stop; what it returns holds for that stop only.
   */
  open(image: ProcessImage): Promise<MpiProcess | undefined>;

  /** The constants that need no process: integers, pointers, and handles that are numbers or have a symbol (whose `handle` is then 0n). */
  readonly constants?: ReadonlyMap<string, MpiConstant>;
}

/** One process that uses this MPI, at one stop. */
export interface MpiProcess {
  /** Version, state, layout and the checks it passed; never fails: it says what is unknown. */
  readonly implementation: Implementation;

  /**
   * Bytes of a C handle of this kind in this program: 4 or 8. For a status, which is not a handle: the size of an
   * MPI_Status.
   */
  handleSize(kind: HandleKind): number;

  /** The predefined handles and the integer constants, by their C name. Known also before MPI_Init. */
  constants(): Promise<ReadonlyMap<string, MpiConstant>>;

  /**
   * What this handle is. `handle`: the C handle's value (an address, or MPICH's 32 bits unsigned); for a status its
   * address. Codes: see the design's error table; a kind that the plugin does not decode is ERR_NOT_SUPPORTED.
   */
  query<K extends HandleKind>(kind: K, handle: bigint): Promise<Result<InfoOf[K]>>;

  /**
   * The C handles of all live objects of the kind, the predefined and the library's own internal ones included (their
   * records have the flags that say so), in the library's order. ERR_NOT_SUPPORTED for a kind that cannot be listed.
   */
  handles(kind: HandleKind): Promise<Result<bigint[]>>;

  /** Why handles() may lack some objects of the kind, a sentence for each reason; none, or no such method: it has all. */
  unlisted?(kind: HandleKind): Promise<readonly string[]>;

  /**
   * The same process for one that is still in MPI_Finalize, where objects that nobody freed exist while MPI_Finalized
   * already says yes: handles() and query() answer as before it. Predefined objects may be gone. No such method: they
   * never do.
   */
  inFinalize?(): MpiProcess;

  /** Receives, sends and messages that are pending in this process. No such method: the plugin does not decode them. */
  messageQueues?(): Promise<Result<MessageQueues>>;

  /** Of all communicators. No such method, or not among them: their contextId is the same in all their processes. */
  agreedContexts?(): Promise<Result<AgreedContext[]>>;

  /** The C handle that a Fortran INTEGER stands for; ERR_OUT_OF_RANGE outside the table, ERR_NOT_FOUND for a free slot. */
  fortranToC(kind: HandleKind, fortran: number): Promise<Result<bigint>>;
}
