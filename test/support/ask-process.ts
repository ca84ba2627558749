/** All questions that a recording is made with and replayed with: no debugger is needed to find variables. */
import type { ProcessImage } from '../../plugin-api/image';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, CommInfo } from '../../plugin-api/mpi/records';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import type { Result } from '../../plugin-api/result';
import { askPlugin } from './ask-plugin';
import type { Mpi } from './sample-job';
import type { TruthRecord } from './truth';

export interface ProcessAnswers {
  process: MpiProcess;
  /** One per record of the truth, in their order. */
  answers: Answer[];
  /** The C handle that each Fortran handle which MPI told stands for, by expression; or the code of the failure. */
  fromFortran: Map<string, string>;
  /** MPI's predefined communicators, by name. */
  predefined: Map<string, Result<CommInfo>>;
}

const plugins = { openmpi, mpich };

/** Asks this MPI's plugin alone: what others look for is in no recording. Throws when it finds no MPI of its own. */
export async function openProcess(image: ProcessImage, mpi: Mpi): Promise<MpiProcess> {
  const process = await plugins[mpi].open(image);
  if (process === undefined) throw new Error(`no ${mpi} is visible in the process`);
  return process;
}

/** `truth`: of this rank. Throws when mpidbg finds no MPI in the process. */
export async function askProcess(image: ProcessImage, mpi: Mpi, truth: TruthRecord[]): Promise<ProcessAnswers> {
  const process = await openProcess(image, mpi);
  const answers = await askPlugin(process, truth);
  const fromFortran = new Map<string, string>();
  for (const { expression, told } of truth) {
    const fortranHandle = told?.info['fortranHandle'];
    if (told === undefined || typeof fortranHandle !== 'number') continue;
    const converted = await process.fortranToC(told.kind, fortranHandle);
    fromFortran.set(expression, converted.ok ? `0x${converted.value.toString(16)}` : converted.code);
  }
  const predefined = new Map<string, Result<CommInfo>>();
  for (const [name, constant] of await process.constants()) {
    if (constant.kind !== 'handle' || constant.handleKind !== 'comm') continue;
    predefined.set(name, await process.query('comm', constant.handle));
  }
  return { process, answers, fromFortran, predefined };
}
