/**
 * What the MPI library tells of itself through MPI_T, laid over the ranks: what `mpidbg pvars`, `cvars`, `events`, `ompt` and `calls` print with
 * --json, and the bodies of the custom requests of the same names. The rules of records.ts hold here too. Times are seconds
 * since the collector began in that rank. Classes, binds, verbosities and scopes are those of mpi.h without their prefix.
 */
import type { CodeRef } from '../mpi/code-ref';
import type { HandleRef, Integer, Known, RankError, RankId } from '../mpi/records';
import type { Ompt } from './ompt-records';

/** Only the parts that were asked for are there. */
export interface OverlayDocument {
  schema: 'mpidbg/1';
  target: 'live' | 'core';
  ranks: (RankOverlay | RankError)[];
}

export interface RankOverlay extends RankId {
  /** Unavailable: the rank has none; the reason says how to start one. */
  collector: Known<CollectorState>;
  pvars?: Known<Pvar[]>;
  cvars?: Known<Cvar[]>;
  categories?: Known<Category[]>;
  /** MPI_T_category_changed: the first number, the last one, and how often a change was noticed. */
  categoriesChanged?: { first: Integer; last: Integer; noticed: Integer };
  sources?: Known<EventSource[]>;
  eventTypes?: Known<EventType[]>;
  /** The last ones, oldest first. */
  events?: Known<MpiTEvent[]>;
  ompt?: Known<Ompt>;
  calls?: Known<ThreadCalls[]>;
  /** To who follows: of these threads, records before this time were overwritten before they were read, or left out. */
  lost?: { thread: number; before: number }[];
}

export interface CollectorState {
  version: string;
  /** start: ISO 8601, UTC; now: when the values were read last. */
  clock: { start: string; now: number };
  collects: ('pvars' | 'events' | 'ompt' | 'calls')[];
  /** Records that a full ring has lost since the start, the oldest first; totals lose nothing. */
  overwritten: Integer;
  /** What exists and is not touched, with the reason. */
  denied: { name: string; reason: string }[];
}

export type PvarClass =
  | 'STATE'
  | 'LEVEL'
  | 'SIZE'
  | 'PERCENTAGE'
  | 'HIGHWATERMARK'
  | 'LOWWATERMARK'
  | 'COUNTER'
  | 'AGGREGATE'
  | 'TIMER'
  | 'GENERIC';

export type Bind =
  | 'NO_OBJECT'
  | 'COMM'
  | 'DATATYPE'
  | 'ERRHANDLER'
  | 'FILE'
  | 'GROUP'
  | 'OP'
  | 'REQUEST'
  | 'WIN'
  | 'MESSAGE'
  | 'INFO'
  | 'SESSION';

export type Verbosity = `${'USER' | 'TUNER' | 'MPIDEV'}_${'BASIC' | 'DETAIL' | 'ALL'}`;
export type Scope = 'CONSTANT' | 'READONLY' | 'LOCAL' | 'GROUP' | 'GROUP_EQ' | 'ALL' | 'ALL_EQ';

export interface Enumeration {
  name: string;
  items: { value: number; name: string }[];
}

/** Known by name and class: two variables may share a name. The session is the collector's own. */
export interface Pvar {
  name: string;
  class: PvarClass;
  /** "MPI_UNSIGNED_LONG_LONG" */
  datatype: string;
  bind: Bind;
  verbosity: Verbosity;
  description: string;
  readonly: boolean;
  continuous: boolean;
  atomic: boolean;
  enumeration?: Enumeration;
  origin: 'collector' | 'memory';
  /** inactive: its component was unloaded or not selected. */
  status?: 'active' | 'inactive' | 'denied';
  instances: PvarInstance[];
}

/** An object that the variable is bound to; none for NO_OBJECT. objectFreed: the last values before. */
export interface PvarInstance {
  object?: HandleRef;
  objectFreed?: boolean;
  started: boolean;
  count: number;
  values: Known<Integer[]>;
  time?: number;
}

export interface Cvar {
  name: string;
  datatype: string;
  bind: Bind;
  verbosity: Verbosity;
  description: string;
  scope: Scope;
  enumeration?: Enumeration;
  /** A string for MPI_CHAR only. */
  value: Known<Integer[] | string>;
}

/** A tree, by names. invalid: entries that the library counts and then refuses. */
export interface Category {
  name: string;
  description: string;
  pvars: { name: string; class: PvarClass }[];
  cvars: string[];
  events: string[];
  categories: string[];
  invalid?: number;
}

export type VariableAction = 'start' | 'stop' | 'reset' | 'readreset' | 'write';

/** A change of a variable. `name` "*": all performance variables; only start, stop and reset. object: of a bound variable. */
export interface VariableChange {
  kind: 'pvar' | 'cvar';
  name: string;
  class?: PvarClass;
  object?: string;
  action: VariableAction;
  value?: Integer[] | string;
}

/** error: MPI_T's own refusal by name, or why nothing was asked. values: as they are afterwards. */
export interface VariableChangeAnswer {
  done: boolean;
  values?: Integer[];
  error?: string;
}

/** MPI_T_CB_REQUIRE_*, from the lowest. */
export type Safety = 'NONE' | 'MPI_RESTRICTED' | 'THREAD_SAFE' | 'ASYNC_SIGNAL_SAFE';

export interface Hint {
  key: string;
  value: string;
}

/** What raises events. */
export interface EventSource {
  name: string;
  description: string;
  ordering: 'ORDERED' | 'UNORDERED';
  ticksPerSecond: Integer;
  /** The largest number of ticks before its clock begins again. */
  maxTicks: Integer;
  hints?: Hint[];
  /** The source's clock beside ours, at one moment. */
  reference: Known<{ ticks: Integer; time: number }>;
  dropped: Integer;
}

export interface EventType {
  name: string;
  verbosity: Verbosity;
  bind: Bind;
  description: string;
  elements: { datatype: string; displacement: Integer; name?: string }[];
  enumeration?: Enumeration;
  hints?: Hint[];
  registrations: { object?: HandleRef; safety: Safety[]; freed?: boolean }[];
  /** Totals, whatever the rings have lost. */
  raised: Integer;
  dropped: Integer;
}

export interface MpiTEvent {
  type: string;
  source: string;
  /** The kernel's number of the thread that the callback ran in. */
  thread: number;
  /** When the source observed it; of a source whose clock is not known, when it was delivered. */
  time: number;
  /** When the callback ran. */
  delivered?: number;
  /** The source's own time. */
  ticks?: Integer;
  safety: Safety;
  elements: { name?: string; datatype: string; value: Integer | string }[];
  /** denied: its data is not touched, as it is known to crash this library. */
  payload: 'read' | 'copied' | 'denied' | 'none';
  registeredOn?: HandleRef;
  /** The object that an element names. */
  refersTo?: HandleRef;
  /** In a notice that events were dropped: how many. Its elements are empty. */
  dropped?: Integer;
}

/** The MPI calls of a thread. total: of its calls since the start, those included that are forgotten. */
export interface ThreadCalls {
  /** The kernel's number of the thread. */
  thread: number;
  total: Integer;
  /** The last ones, oldest first. */
  calls: ToldCall[];
}

/** A call of the program; calls that the library makes of itself are not told. */
export interface ToldCall {
  name: string;
  begin: number;
  /** Absent while the thread is inside. */
  end?: number;
  /** How often the same poll found nothing again. */
  repeated?: Integer;
  /** Where it returns to. */
  code?: CodeRef;
  comm?: HandleRef;
  peer?: number | 'MPI_ANY_SOURCE' | 'MPI_PROC_NULL';
  tag?: number | 'MPI_ANY_TAG';
  root?: number;
  /** For a call that has succeeded, where the standard says that count and datatype are read. */
  bytes?: Integer;
  request?: HandleRef;
  /** "MPI_ERR_TRUNCATE" */
  error?: string;
  /** For a collective: its ordinal among the communicator's collectives in this rank, from 1. */
  instance?: Integer;
}
