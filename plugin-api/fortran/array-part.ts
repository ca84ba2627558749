/** Which part of an array its subscripts name, and whether a status, which fills the first dimension, is whole in it. */
import type { ArrayPart, Variable } from './program-model';
import { afterParentheses, splitAtCommas, type Token } from './tokens';

/** By the subscripts between the parentheses that open here. */
export function partOf(tokens: readonly Token[], open: number): ArrayPart {
  const subscripts = splitAtCommas(tokens, open + 1, afterParentheses(tokens, open) - 1).map((subscript) =>
    subscript.map(({ text }) => text).join(''),
  );
  const [first = ''] = subscripts;
  if (/^1?:(?:mpi_status_size)?$/.test(first)) return 'columns';
  if (subscripts.some((subscript) => subscript.includes(':'))) return 'section';
  return first === '1' ? 'start' : 'element';
}

/** Whether what is assigned to or from this part are whole columns. */
export function hasWholeColumns(part: ArrayPart | undefined): boolean {
  return part === undefined || part === 'columns';
}

/** The largest MPI_STATUS_SIZE: 5 in MPICH, 6 in Open MPI, 8 in the standard ABI of MPI 5. */
export const largestStatusSize = 8;

/** Whether each column of an array may be a status: its first extent is not known to be longer than one. */
export function mayBeOfStatuses(variable: Variable | undefined): boolean {
  const [first] = variable?.dimensions ?? [];
  return first !== undefined && !(/^\d+$/.test(first) && Number(first) > largestStatusSize);
}

/**
 * Whether an array that nothing but other variables tells about has a status in each column: one of a length that MPI does
 * not name, `from(n)`, may hold parts of them.
 */
export function hasRoomForStatuses(variable: Variable | undefined): boolean {
  const [first = ''] = variable?.dimensions ?? [];
  return /^(?:mpi_status_size|(?:-?\d+:)?\*|(?:-?\d+)?:)$/.test(first) || statusSizes.has(first);
}

const statusSizes: ReadonlySet<string> = new Set(['5', '6', '8']);
