/** Whether an argument is one of MPI's Fortran constants that are known by their addresses. */
import { addressConstant } from '../../plugin-api/fortran/address-constants';
import type { ProcessImage } from '../../plugin-api/image';
import { addressOf } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import type { EvaluationFrame } from '../expressions/evaluation-frame';

/** "MPI_STATUS_IGNORE" where this is what a Fortran variable is; `source` is for gdb. */
export async function constantAt(
  { thread, frame, language }: EvaluationFrame,
  image: ProcessImage,
  source: string,
): Promise<string | undefined> {
  if (language !== 'fortran' || !/^(?:[\w:%]+|\$_mpidbg_variable_\w+\(\))$/.test(source)) return undefined;
  try {
    const address = await addressOf(thread, frame, `&${source}`);
    return address === undefined ? undefined : await addressConstant(image, address);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
