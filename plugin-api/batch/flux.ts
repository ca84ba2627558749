/**
 * Flux, never tried with Flux itself. Read: flux-jobs(1) and flux-environment(7) of flux-core, and of flux-exec(1) what --jobid does.
 * From experience alone: that flux exec passes the environment on, lists of hosts (RFC 29), the words for an unknown job, and that
 * the conversions !H and :h go together.
 */
import type { BatchJob, BatchStep, BatchSystem } from './batch-system';
import { hostsIn } from './host-list';

/** The name comes last: it may have the bar in it. `h` makes a hyphen of what is empty. */
const format = '--format={id.f58}|{status}|{ntasks}|{nodelist:h}|{runtime!H:h}|{t_remaining!H:h}|{name}';
const list = ['flux', 'jobs', '--color=never', '-n', format];

export const flux: BatchSystem = {
  title: 'Flux',
  ownCommand: 'flux',
  jobVariable: 'FLUX_JOB_ID',
  // Its launcher says nowhere which job it has asked for.
  starters: [],
  jobPattern: /^([fƒ][1-9A-HJ-NP-Za-km-z]{2,12}|\d+)$/,
  listJobs: [...list, '--filter=running'],
  parseJobs: (printed) => printed.split('\n').flatMap(jobOf),
  listSteps: (job) => [...list, ...(job === undefined ? [] : ['-a', job])],
  parseSteps: (printed) => printed.split('\n').flatMap(stepOf),
  nodesIn: (nodeList) => ({ kind: 'names', names: hostsIn(nodeList) }),
  tellState: (job) => [...list, '-a', job],
  parseState: (printed) => fieldsOf(printed.split('\n')[0] ?? '')?.status,
  mayRun: /^(PENDING|RUNNING)$/,
  isUnknownJob: /unknown|invalid job/i,
  // The id in F58 begins with f where the terminal cannot show the other letter.
  mark: ({ id }) => ({ kind: 'variable', name: 'FLUX_JOB_ID', values: [id.replace(/^f/, 'ƒ'), id.replace(/^ƒ/, 'f')] }),
  onEachNode: ({ job }, nodes) => [
    ...['flux', 'exec', '--noinput', `--jobid=${job}`],
    // It goes to every node of the job.
    ...[
      'sh',
      '-c',
      'here=$(hostname); here=${here%%.*}; case " $0 " in *" $here "*) exec "$@";; esac',
      nodes.join(' '),
    ],
  ],
  isWish: () => false,
};

/** Reads a line such as "ƒ38rBqEWT|RUNNING|4|node[1-2]|0:00:16|-|heat". */
function fieldsOf(line: string) {
  const [, id, status, tasks, nodeList, time, left, name] =
    /^([fƒ]\w+)\|([A-Z]+)\|(\d*)\|([^|]*)\|([^|]*)\|([^|]*)\|(.*)$/u.exec(line) ?? [];
  if (id === undefined) return undefined;
  return { id, status: status!, tasks: Number(tasks), nodeList: nodeList!, time: time!, left: left!, name: name! };
}

function jobOf(line: string): BatchJob[] {
  const fields = fieldsOf(line);
  if (fields?.status !== 'RUNNING') return [];
  const { id, name, nodeList, time, left } = fields;
  return [{ id, name, nodeList, time, timeLeft: left === '-' ? undefined : left }];
}

/** All that runs in a job was started together. */
function stepOf(line: string): BatchStep[] {
  const fields = fieldsOf(line);
  if (fields?.status !== 'RUNNING' || fields.nodeList === '-') return [];
  const { id, name, nodeList, tasks } = fields;
  return [{ id, job: id, name, nodeList, tasks: tasks > 0 ? tasks : undefined, starter: undefined, isScript: false }];
}
