/**
 * What the MPI library tells of itself through MPI_T, laid over the ranks: what `mpidbg pvars` and `mpidbg cvars` print with
 * --json, and the bodies of the custom requests of the same names. The rules of records.ts hold here too. Times are seconds
 * since the collector began in that rank. Classes, binds, verbosities and scopes are those of mpi.h without their prefix.
 */
import type { HandleRef, Integer, Known, RankError, RankId } from '../mpi/records';

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
}

export interface CollectorState {
  version: string;
  /** start: ISO 8601, UTC; now: when the values were read last. */
  clock: { start: string; now: number };
  collects: ('pvars' | 'events' | 'ompt' | 'calls')[];
  /** Records that a full ring has lost since the start. */
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

/** Of one object that the variable is bound to; of none for NO_OBJECT. objectFreed: the last values before. */
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
