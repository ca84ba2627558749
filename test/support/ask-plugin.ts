/** Asks a plugin about each handle of the truth by its value: no expression, no gdb. Serves live and recorded images. */
import type { InfoOf, MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, HandleKind } from '../../plugin-api/mpi/records';
import { success, type Result } from '../../plugin-api/result';
import type { TruthRecord } from './truth';

/**
 * One answer per record of one rank, in their order. An expression of Fortran ("comm.f:…"), or a bad value that is a
 * Fortran INTEGER, goes through fortranToC; all else is a C handle.
 */
export async function askPlugin(process: MpiProcess, truth: TruthRecord[]): Promise<Answer[]> {
  return Promise.all(truth.map((record) => askOne(process, record)));
}

async function askOne(process: MpiProcess, record: TruthRecord): Promise<Answer> {
  const { expression, kind } = record;
  const handle = await handleOf(process, record);
  const result: Result<InfoOf[HandleKind]> = handle.ok ? await process.query(kind, handle.value) : handle;
  if (result.ok) return { expression, kind, code: 'MPIDBG_SUCCESS', info: result.value };
  return { expression, kind, code: result.code, reason: result.reason };
}

async function handleOf(process: MpiProcess, { expression, kind, told, bad }: TruthRecord): Promise<Result<bigint>> {
  const value = (told?.info ?? bad) as { handle?: string | bigint; address?: string; fortranHandle?: number };
  const handle = value.handle ?? value.address; // of a status
  const isFortran = handle === undefined || expression.includes('.f:');
  if (isFortran && value.fortranHandle !== undefined) return process.fortranToC(kind, value.fortranHandle);
  if (handle === undefined) throw new Error(`the truth about ${expression} has no value`);
  return success(BigInt(handle));
}
