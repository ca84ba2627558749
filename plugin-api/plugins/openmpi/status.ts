/** MPI_Status: memory of the program, or a part of a request. */
import { integer } from '../../mpi/integer';
import type { StatusInfo } from '../../mpi/records';
import { standardErrorName } from '../../mpi/standard-abi';
import { CorruptError, FaultError } from '../../result';
import type { Decoder } from './handles';
import { statusSpec } from './specs';

/** What a program sees of it. Any memory is a valid status: nothing shows whether a call filled it. */
export async function readStatus(decoder: Decoder, address: bigint): Promise<StatusInfo> {
  const hex = `0x${address.toString(16)}`;
  if (address === 0n) throw new CorruptError('0 is not an MPI_Status: MPI_STATUS_IGNORE has that value');
  try {
    return { address: hex, ...(await statusAt(decoder, address, programValues(decoder))) };
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    throw new CorruptError(`${hex} is not an MPI_Status: there is no memory at that address`);
  }
}

/** The status within a request, whose values are the library's own. */
export async function requestStatus(decoder: Decoder, address: bigint): Promise<StatusInfo> {
  return statusAt(decoder, address, libraryValues(decoder));
}

/** Numbers with a special meaning. */
interface SpecialValues {
  anySource: number;
  procNull: number;
  anyTag: number;
  errorName: (error: number) => string | undefined;
}

function libraryValues({ constants }: Decoder): SpecialValues {
  return { anySource: -1, procNull: -2, anyTag: -1, errorName: (error) => constants.errorName(error) };
}

/** A program that is built for MPI 5's standard ABI has a status of 32 bytes; the fields lie where they do in 24. */
function programValues(decoder: Decoder): SpecialValues {
  return decoder.library.isStandardAbi
    ? { anySource: -1, procNull: -3, anyTag: -2, errorName: standardErrorName }
    : libraryValues(decoder);
}

async function statusAt(decoder: Decoder, address: bigint, special: SpecialValues): Promise<StatusInfo> {
  const { source, tag, error, bytes, cancelled } = await decoder.reader.read(statusSpec, address);
  const errorName = special.errorName(error);
  return {
    source: source === special.anySource ? 'MPI_ANY_SOURCE' : source === special.procNull ? 'MPI_PROC_NULL' : source,
    tag: tag === special.anyTag ? 'MPI_ANY_TAG' : tag,
    error,
    ...(errorName === undefined ? {} : { errorName }),
    bytes: integer(bytes),
    cancelled: cancelled !== 0,
  };
}
