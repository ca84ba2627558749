/**
 * PBS Professional and OpenPBS, never tried with PBS itself. Read: qstat(1B), the design document of its format json (18.2 and newer), and
 * outputs of 20.0 and 2021.1 that others have published. From experience alone: the words for an unknown job, some letters of
 * states, and the lines of PBS_NODEFILE.
 */
import type { BatchJob, BatchStep, BatchSystem } from './batch-system';
import { distinctHosts } from './host-list';
import { fields, printedFields, textOf, type Fields } from './printed-json';

const list = ['qstat', '-f', '-F', 'json'];

export const pbs: BatchSystem = {
  title: 'PBS',
  // Grid Engine has a qstat, too.
  ownCommand: 'pbsnodes',
  jobVariable: 'PBS_JOBID',
  starters: [],
  // One line for each slot.
  allocation: {
    variable: 'PBS_NODEFILE',
    isFile: true,
    nodesIn: (text) => ({ kind: 'names', names: distinctHosts(text.split('\n')) }),
  },
  jobPattern: /^(\d+(?:\[\d+\])?(?:\.[A-Za-z][\w.-]*)?)$/,
  listJobs: list,
  parseJobs: (printed, user) => jobsIn(printed).flatMap(([id, job]) => jobOf(id, job, user)),
  listSteps: (job) => [...list, ...(job === undefined ? [] : [job])],
  parseSteps: (printed) => jobsIn(printed).flatMap(([id, job]) => stepOf(id, job)),
  nodesIn: (execHost) => ({ kind: 'names', names: namesIn(execHost) }),
  tellState: (job) => [...list, job],
  parseState: (printed) => textOf(jobsIn(printed)[0]?.[1].job_state),
  // Queued, held, waiting, in transit, running, suspended by the system or by the user, an array that has begun.
  mayRun: /^[QHWTRSUB]$/,
  isUnknownJob: /Unknown Job Id|Job has finished/i,
  mark: ({ id }) => ({ kind: 'variable', name: 'PBS_JOBID', values: [id] }),
  isWish: () => false,
};

function jobsIn(printed: string): [string, Fields][] {
  return Object.entries(fields(printedFields(printed).Jobs)).map(([id, job]) => [id, fields(job)]);
}

function jobOf(id: string, job: Fields, user: string | undefined): BatchJob[] {
  const execHost = textOf(job.exec_host);
  const owner = textOf(job.Job_Owner)?.replace(/@.*$/, '');
  if (job.job_state !== 'R' || execHost === undefined || owner === undefined || owner !== user) return [];
  const used = textOf(fields(job.resources_used).walltime);
  const limit = textOf(fields(job.Resource_List).walltime);
  const nodeList = namesIn(execHost).join();
  return [{ id, name: textOf(job.Job_Name) ?? '', nodeList, time: used ?? '?', timeLeft: left(used, limit) }];
}

/** All that runs in a job, which PBS does not tell apart. */
function stepOf(id: string, job: Fields): BatchStep[] {
  const nodeList = textOf(job.exec_host);
  if (job.job_state !== 'R' || nodeList === undefined) return [];
  const name = textOf(job.Job_Name) ?? '';
  return [{ id, job: id, name, nodeList, tasks: undefined, starter: undefined, isScript: false }];
}

/** In "node1/0*4+node2/1": the number of a slot, and how many processors it has. */
function namesIn(execHost: string): readonly string[] {
  return distinctHosts(execHost.split('+').map((each) => each.replace(/\/.*$/, '')));
}

/** For times such as "24:05:32". */
function left(used: string | undefined, limit: string | undefined): string | undefined {
  const [spent, all] = [secondsOf(used ?? '00:00:00'), secondsOf(limit ?? '')];
  if (spent === undefined || all === undefined) return undefined;
  const rest = Math.max(0, all - spent);
  return [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

function secondsOf(time: string): number | undefined {
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d)$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
