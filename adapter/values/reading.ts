/** How the values of a tree are read. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import type { TypeMeaning } from '../expressions/handle-types';
import type { VariableObject } from '../gdb/variable-objects';
import type { Create } from './fortran-parts';

/** What is needed to read the values of a tree. */
export interface Reading {
  evalFrame: EvaluationFrame;
  /** Makes a variable object, and deletes it in the end. Rejects with GdbError. */
  create(evalFrame: EvaluationFrame, source: string): Promise<VariableObject>;
  /** What a declared type means. */
  meaningOf(type: string): Promise<TypeMeaning>;
  /** The smallest of MPI's own handles where handles are numbers; undefined where they are not, or MPI is not known. */
  smallestHandle(): Promise<bigint | undefined>;
  /** The kind of which all these are live handles, where handles are numbers; undefined: they are just numbers. */
  kindOfNumbers(values: readonly bigint[]): Promise<HandleKind | undefined>;
}

export function creator(reading: Reading): Create {
  return (source) => reading.create(reading.evalFrame, source);
}
