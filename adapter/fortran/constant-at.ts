/** Whether an argument is one of MPI's Fortran constants that are known by their addresses. */
import { addressConstant } from '../../plugin-api/fortran/address-constants';
import type { ProcessImage } from '../../plugin-api/image';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Place } from '../expressions/place';

/** "MPI_STATUS_IGNORE" where this is what a Fortran variable is; `source` is for gdb. */
export async function constantAt(
  { thread, frame, language }: Place,
  image: ProcessImage,
  source: string,
): Promise<string | undefined> {
  if (language !== 'fortran' || !/^(?:[\w:%]+|\$_mpidbg_variable_\w+\(\))$/.test(source)) return undefined;
  try {
    const printed = await dataEvaluateExpression(thread, frame, `&${source}`);
    const address = /0x[0-9a-f]+/.exec(printed)?.[0];
    return address === undefined ? undefined : await addressConstant(image, BigInt(address));
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
