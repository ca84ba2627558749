/** Slurm, from the manual pages scontrol(1), squeue(1) and srun(1); tried with 22.05. */
import { isStartedTogether } from './batch-system';
import type { BatchJob, BatchStep, BatchSystem, JobPart, NodeNames, PortRange, QueuedJob } from './batch-system';

const ownSteps = 'mpidbg';

export const slurm: BatchSystem = {
  title: 'Slurm',
  ownCommand: 'scontrol',
  jobVariable: 'SLURM_JOB_ID',
  starters: ['srun'],
  queue: {
    waiters: ['srun', 'salloc'],
    command: [
      ...['squeue', '--me', '--noheader', '--states=PENDING,CONFIGURING'],
      '--Format=JobID:24,BatchFlag:8,AllocSID:24,AllocNodes:256,Reason:64',
    ],
    jobsIn: (printed) => printed.split('\n').flatMap(queuedJobOf),
  },
  allocation: { variable: 'SLURM_JOB_NODELIST', isFile: false, nodesIn },
  openPorts: { command: ['scontrol', 'show', 'config'], portsIn },
  jobPattern: /^(\d+)(?:\.(?:\d+|batch))?$/,
  // The name comes last: it may have the bar in it. %A is the number of a part of an array, too, where %i is "12_3".
  listJobs: ['squeue', '--me', '--noheader', '--states=RUNNING', '--format=%A|%N|%M|%L|%j'],
  parseJobs: (printed) => printed.split('\n').flatMap(jobOf),
  // All: with the number of a job it leaves out the other parts of a heterogeneous one.
  listSteps: () => ['scontrol', '-o', 'show', 'step'],
  parseSteps,
  nodesIn,
  tellState: (job) => ['scontrol', '-o', 'show', 'job', job],
  parseState: (printed) => fieldOf(printed, 'JobState'),
  mayRun:
    /^(PENDING|CONFIGURING|RUNNING|SUSPENDED|STOPPED|RESIZING|REQUEUED|REQUEUE_HOLD|REQUEUE_FED|RESV_DEL_HOLD|SPECIAL_EXIT)$/,
  isUnknownJob: /Invalid job id/,
  mark: ({ id }) => ({ kind: 'daemon', title: `slurmstepd: [${id}]` }),
  onEachNode: ({ job, part }, nodes) => [
    ...['srun', `--jobid=${job}`, ...(part === undefined ? [] : [`--het-group=${part}`])],
    ...[`--job-name=${ownSteps}`, '--overlap', '--quiet', '--immediate', '--wait=0'],
    ...['-N', String(nodes.length), '-n', String(nodes.length), '--ntasks-per-node=1', '-w', nodes.join()],
    ...['--mpi=none', '--mem-per-cpu=0', '--export=ALL', '--input=none'],
  ],
  tellPart: { command: (job) => ['scontrol', '-o', 'show', 'job', job], partIn },
  ownSteps,
  isWish: (variable) => /^(SLURM_(?!CONF$)|SRUN_|SBATCH_|SALLOC_|PMI|OMPI_|PRTE_|HYDRA_)/.test(variable),
};

function nodesIn(nodeList: string): NodeNames {
  return { kind: 'command', command: ['scontrol', 'show', 'hostnames', nodeList] };
}

/** A part of a heterogeneous job is known to srun by the number of its first part only: "JobId=13 HetJobId=12 HetJobOffset=1 …". */
function partIn(printed: string, job: string): JobPart {
  const line = printed.split('\n').find((each) => fieldOf(each, 'JobId') === job) ?? '';
  const [leader, offset] = [fieldOf(line, 'HetJobId'), fieldOf(line, 'HetJobOffset')];
  return leader === undefined || offset === undefined ? { job } : { job: leader, part: Number(offset) };
}

/** Reads the line "SrunPortRange           = 60001-60100", where "0-0" is none. */
function portsIn(printed: string): PortRange | undefined {
  const [, first, last] = /^SrunPortRange\s*=\s*(\d+)-(\d+)\s*$/m.exec(printed) ?? [];
  const range = { first: Number(first), last: Number(last), setting: 'SrunPortRange' };
  return range.first > 0 && range.last >= range.first && range.last < 65_536 ? range : undefined;
}

/** Reads a line such as "4711|node[1-2]|12:07|47:53|heat". */
function jobOf(line: string): BatchJob[] {
  const [, id, nodeList, time, timeLeft, name] = /^(\d+)\|([^|]*)\|([^|]*)\|([^|]*)\|(.*)$/.exec(line) ?? [];
  if (id === undefined) return [];
  const left = timeLeft === 'UNLIMITED' ? undefined : timeLeft!;
  return [{ id, name: name!.trim(), nodeList: nodeList!, time: time!, timeLeft: left }];
}

/** Reads a line such as "4711   0   1200   login   Resources". Nobody waits for a batch script. */
function queuedJobOf(line: string): QueuedJob[] {
  const [, id, session, host, reason] = /^(\d+) +0 +(\d+) +(\S+) +(\S.*)$/.exec(line.trimEnd()) ?? [];
  return id === undefined ? [] : [{ id, session: Number(session), host: host!, reason: reason! }];
}

/** The parts of a heterogeneous job have numbers of their own, and one srun starts a step in each. */
function parseSteps(printed: string, job?: string): BatchStep[] {
  const all = printed.split('\n').flatMap(stepOf);
  if (job === undefined) return all;
  const own = all.filter((step) => step.job === job);
  return all.filter((step) => step.job === job || own.some((each) => isStartedTogether(each, step)));
}

/** Reads a line such as "StepId=4.0 … NodeList=node[1-2] … Tasks=4 Name=heat … SrunHost:Pid=login:123". */
function stepOf(line: string): BatchStep[] {
  const [id, nodeList] = [fieldOf(line, 'StepId'), fieldOf(line, 'NodeList')];
  const [, job, part] = /^(\d+)\.(\w+)$/.exec(id ?? '') ?? [];
  // pam_slurm_adopt puts other processes of the user into this step.
  if (id === undefined || job === undefined || nodeList === undefined || part === 'extern') return [];
  const [, host, pid] = /^(.+):(\d+)$/.exec(fieldOf(line, 'SrunHost:Pid') ?? '') ?? [];
  const tasks = Number(fieldOf(line, 'Tasks'));
  return [
    {
      ...{ id, job, nodeList, name: fieldOf(line, 'Name') ?? '' },
      tasks: tasks > 0 ? tasks : undefined,
      starter: host === undefined || pid === '0' ? undefined : { host, pid: Number(pid) },
      isScript: part === 'batch',
      isWaiting: fieldOf(line, 'State') === 'PENDING',
    },
  ];
}

function fieldOf(line: string, name: string): string | undefined {
  return new RegExp(`(?:^| )${name}=(\\S+)`).exec(line)?.[1];
}
