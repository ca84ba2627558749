/** MPI's error classes by their numbers, which differ between libraries. */
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';

/** "MPI_ERR_TRUNCATE"; undefined: this MPI has no name for it. */
export async function errorClassNamed(mpi: MpiProcess, number: number): Promise<string | undefined> {
  const named = [...(await mpi.constants())].find(
    ([name, constant]) =>
      /^MPI(_T)?_ERR_(?!LASTCODE$)/.test(name) && constant.kind === 'integer' && constant.value === number,
  );
  return named?.[0];
}
