/** What is asked about an expression, and the handles that are found in its value. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { FailureCode } from '../../plugin-api/result';

/** What the user's prefix asks for; undefined: the declared types decide. */
export interface Wanted {
  kind: HandleKind;
  isFortran: boolean;
}

/** The expression as the user wrote it, its prefix (`comm:`), and the expression for gdb. */
export interface Asked {
  prefix: string;
  text: string;
  source: string;
}

/** What a value is: a C handle, a Fortran INTEGER, or the address of an object of C++ that has a handle. A status: its address, too. */
export type HandleForm = 'c' | 'fortran' | 'cxx';

/** A value that stands for a handle, or why it cannot be read. */
export type HandleValue = { kind: 'value'; value: bigint; form: HandleForm } | { kind: 'unreadable'; why: string };

/** One handle of the expression. `path` is an expression that leads to it: "reqs[2]", "domain%comm", "comm:pb->comm". */
export type FoundHandle =
  | { kind: 'handle'; path: string; handleKind: HandleKind; form: HandleForm; value: bigint }
  | { kind: 'failure'; path: string; handleKind?: HandleKind; code: FailureCode; reason: string };
