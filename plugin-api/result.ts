/**
 * What a query answers, and the errors that code below the query border throws.
 *
 * Below the border (decoders, layouts, images) code throws one of the few classes here; queries never throw:
 * guard() is the only place where an exception becomes a Result.
 */
import { counted } from './counted';
import type { Code, Unavailable } from './unavailable';

export type FailureCode = Exclude<Code, 'MPIDBG_SUCCESS'>;

/** A value, or a code with the reason. `ok` tells them apart. */
export type Result<T> = { ok: true; value: T } | ({ ok: false } & Unavailable);

export function success<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failure(code: FailureCode, reason: string): { ok: false } & Unavailable {
  return { ok: false, code, reason };
}

/** The form in which a record carries an item that cannot be known. */
export function unavailable(code: FailureCode, reason: string): Unavailable {
  return { code, reason };
}

/** True for the Unavailable arm of a Known<T>; T itself never has both `code` and `reason`. */
export function isUnavailable(value: unknown): value is Unavailable {
  return typeof value === 'object' && value !== null && 'code' in value && 'reason' in value;
}

/** A query's failure, thrown below the border. The subclasses say what happened; `code` says what a query answers. */
export class QueryError extends Error {
  constructor(
    readonly code: FailureCode,
    reason: string,
  ) {
    super(reason);
    this.name = new.target.name;
  }
}

/** Memory that the image does not hold: not mapped, not dumped into the core, or not readable. */
export class FaultError extends QueryError {
  constructor(
    readonly address: bigint,
    readonly length: number,
    why = 'not mapped or not readable',
  ) {
    super('MPIDBG_ERR_UNAVAILABLE', `${counted(length, 'byte')} at 0x${address.toString(16)}: ${why}`);
  }
}

/** No layout source knows the struct, or the layout lacks a field that the decoder needs. */
export class MissingTypeError extends QueryError {
  constructor(
    readonly type: string,
    readonly field?: string,
  ) {
    super(
      'MPIDBG_ERR_NOT_SUPPORTED',
      field === undefined ? `no layout of struct ${type}` : `the layout of struct ${type} has no field ${field}`,
    );
  }
}

/** Memory that does not hold what it must: a list without an end, a count out of bounds, a wrong class. */
export class CorruptError extends QueryError {
  constructor(reason: string) {
    super('MPIDBG_ERR_NOT_FOUND', reason);
  }
}

/**
 * An object that a call has taken and not filled yet. `call`: its name, or what it does where nothing tells which it is.
 * `doubt`: 'overwritten' where a single word shows it.
 */
export class BeingMadeError extends QueryError {
  constructor(
    call: string,
    readonly doubt?: 'overwritten',
  ) {
    super('MPIDBG_ERR_NOT_FOUND', `being made by ${call}${doubt === undefined ? '' : ', or overwritten'}`);
  }
}

/** Why an object that fails this check may be complete after all; undefined: it passes, or fails beyond doubt. */
export async function doubtOf(checkMade: () => Promise<void>): Promise<string | undefined> {
  try {
    await checkMade();
  } catch (error) {
    if (error instanceof BeingMadeError && error.doubt !== undefined) return error.message;
    if (!(error instanceof QueryError)) throw error;
  }
  return undefined;
}

/** Runs a query. A QueryError becomes its Result; anything else is a defect of ours and is passed on. */
export async function guard<T>(query: () => Promise<T>): Promise<Result<T>> {
  try {
    return success(await query());
  } catch (error) {
    if (error instanceof QueryError) return failure(error.code, error.message);
    throw error;
  }
}

/** One item of a record, or why it is unavailable: the record goes on without it. */
export async function known<T>(item: () => Promise<T> | T): Promise<T | Unavailable> {
  try {
    return await item();
  } catch (error) {
    if (error instanceof QueryError) return unavailable(error.code, error.message);
    throw error;
  }
}
