/** What starts ranks of any MPI: the launchers of batch systems. */
import { flux } from '../batch/flux';
import { gridEngine } from '../batch/grid-engine';
import { lsf } from '../batch/lsf';
import { pbs } from '../batch/pbs';
import { slurm as batchSystem } from '../batch/slurm';
import type { JobStarter } from '../mpi/facts';

const slurm: JobStarter = {
  batchSystem,
  batchJob: ['SLURM_JOB_ID'],
  launchers: [
    {
      names: ['srun'],
      daemons: ['slurmstepd'],
      file: /^srun$/,
      version: /slurm/i,
      // Its default is none, with which no MPI's ranks find each other.
      options: ({ userArgs, processManagers: [manager] = [] }) =>
        manager === undefined || userArgs.some((arg) => /^--mpi(=|$)/.test(arg)) ? [] : [`--mpi=${manager}`],
      outputTag: { options: ['--label'], markOrEnd: /\n|(?<=^|\n) *(\d+): /g, beginning: /(?<=^|\n) *\d*:?$/ },
    },
  ],
  environment: {
    rank: ['SLURM_PROCID'],
    size: ['SLURM_NTASKS'],
    host: ['SLURMD_NODENAME'],
    local: ['SLURM_LOCALID'],
    prefixes: ['SLURM_'],
  },
};

const others: readonly JobStarter[] = [
  { batchSystem: pbs, batchJob: [pbs.jobVariable] },
  { batchSystem: lsf, batchJob: [lsf.jobVariable] },
  { batchSystem: flux, batchJob: [flux.jobVariable] },
  { batchSystem: gridEngine, batchJob: [gridEngine.jobVariable] },
  /** Cray's, IBM's and Flux's: how each is told what is not known. */
  { launchers: [{ names: ['aprun', 'jsrun', 'flux'], file: /^(aprun|jsrun|flux)$/ }] },
];

/** What a library asks the launcher through, whichever that is. */
const managers: JobStarter = { aborts: ['PMIx_Abort', 'PMI_Abort', 'PMI2_Abort'] };

export const schedulers: readonly JobStarter[] = [slurm, ...others, managers];
