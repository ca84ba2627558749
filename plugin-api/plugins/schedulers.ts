/** What starts ranks of any MPI: the launchers of batch systems. */
import { flux } from '../batch/flux';
import { gridEngine } from '../batch/grid-engine';
import { lsf } from '../batch/lsf';
import { pbs } from '../batch/pbs';
import { slurm as batchSystem } from '../batch/slurm';
import type { JobStarter } from '../mpi/facts';

/** srun(1), 22.05. Those whose value is optional take it behind "=" only. */
const withValue = new RegExp(
  '^(-[AbBcCdDeGiJLmMnNopqrStTwWx]|--(account|acctg-freq|bbf?|bcast-exclude|begin|chdir|cluster-constraint|clusters?|comment|constraint|' +
    'container|core-spec|cores-per-socket|cpu-bind|cpu-freq|cpus-per-(gpu|task)|deadline|delay-boot|dependency|distribution|epilog|' +
    'error|exclude|export|extra-node-info|gpu-bind|gpu-freq|gpus|gpus-per-(node|socket|task)|gres|gres-flags|het-group|hint|input|' +
    'job-name|jobid|licenses|mail-(type|user)|mcs-label|mem|mem-bind|mem-per-(cpu|gpu)|mincpus|mpi|network|nodefile|nodelist|nodes|' +
    'ntasks|ntasks-per-(core|gpu|node|socket)|open-mode|output|partition|power|prefer|priority|profile|prolog|qos|relative|' +
    'reservation|signal|slurmd-debug|sockets-per-node|switches|task-(epilog|prolog)|tasks-per-node|thread-spec|threads|' +
    'threads-per-core|time|time-min|tmp|tres-per-task|wait|wckey))$',
);

const slurm: JobStarter = {
  batchSystem,
  batchJob: ['SLURM_JOB_ID'],
  launchers: [
    {
      names: ['srun'],
      daemons: ['slurmstepd'],
      file: /^srun$/,
      version: /slurm/i,
      valuesBehind: (option) => (withValue.test(option) ? 1 : 0),
      // What it starts gives a job, or a step of one, its name: inside a job the variable is that of the job.
      jobName: (name, { args, env }) => {
        const isNamed =
          args.some((arg) => /^(-J|--job-name(=|$))/.test(arg)) ||
          (env.SLURM_JOB_NAME !== undefined && env.SLURM_JOB_ID === undefined);
        return isNamed ? [] : [`--job-name=${name}`];
      },
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
