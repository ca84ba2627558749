/**
 * Grid Engine, never tried with Grid Engine itself. Read: excerpts of qstat(1) of 8.1.9 and of the source of what it prints as XML, and such
 * outputs of 6.2 and 8.1 that others have published; its complaint about an unknown job from programs that look for it. From experience alone: PE_HOSTFILE,
 * that a rank finds its job in JOB_ID, and the letters of some states.
 */
import type { BatchJob, BatchStep, BatchSystem } from './batch-system';
import { distinctHosts } from './host-list';

/** One element for each queue on which a job has slots. -u: of everybody, as a file of the user may say otherwise. */
const list = ['qstat', '-xml', '-g', 't', '-u', '*'];

export const gridEngine: BatchSystem = {
  title: 'Grid Engine',
  // PBS has a qstat, too.
  ownCommand: 'qhost',
  jobVariable: 'JOB_ID',
  starters: [],
  // "node1.site 4 all.q@node1.site UNDEFINED": each with its slots.
  allocation: {
    variable: 'PE_HOSTFILE',
    isFile: true,
    nodesIn: (text) => ({
      kind: 'names',
      names: distinctHosts(text.split('\n').map((line) => line.trim().split(/\s+/)[0]!)),
    }),
  },
  jobPattern: /^(\d+)$/,
  listJobs: list,
  parseJobs: (printed, user) => runningIn(printed).flatMap((job) => (job.owner === user ? [jobOf(job)] : [])),
  listSteps: () => list,
  parseSteps: (printed, only) =>
    runningIn(printed).flatMap((job) => (only === undefined || job.id === only ? [stepOf(job)] : [])),
  nodesIn: (nodeList) => ({ kind: 'names', names: nodeList.split(',') }),
  // The list alone does not tell a job that has ended from one that never was.
  tellState: (job) => ['/bin/sh', '-c', 'qstat -j "$0" >/dev/null && exec "$@"', job, ...list],
  parseState: (printed, job) => elementsIn(printed).find(({ id }) => id === job)?.state,
  // Running, in transit, suspended in some way, queued, on hold, again; not in error or being deleted.
  mayRun: /^[rtsSTPNqwhR]+$/,
  isUnknownJob: /jobs do not exist/,
  mark: ({ job }) => ({ kind: 'variable', name: 'JOB_ID', values: [job] }),
  isWish: () => false,
};

interface Element {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** "r" */
  readonly state: string;
  /** undefined: it does not run. */
  readonly host: string | undefined;
  readonly isOfArray: boolean;
}

type RunningJob = Omit<Element, 'host'> & { readonly hosts: readonly string[] };

function elementsIn(printed: string): Element[] {
  return [...printed.matchAll(/<job_list\b[^>]*>(.*?)<\/job_list>/gs)].flatMap(([, content = '']) => {
    const text = (tag: string): string | undefined => textIn(content, tag);
    const [id, state] = [text('JB_job_number'), text('state')];
    if (id === undefined || state === undefined) return [];
    const host = /@(.+)$/.exec(text('queue_name') ?? '')?.[1];
    const [name, owner] = [text('JB_name') ?? '', text('JB_owner') ?? ''];
    return [{ id, name, owner, state, host, isOfArray: text('tasks') !== undefined }];
  });
}

/** With the hosts of all its elements. The elements of an array have one number: none of them is meant by it. */
function runningIn(printed: string): RunningJob[] {
  const running = elementsIn(printed).filter(({ host, isOfArray }) => host !== undefined && !isOfArray);
  const byId = new Map<string, Element[]>();
  for (const element of running) byId.set(element.id, [...(byId.get(element.id) ?? []), element]);
  return [...byId.values()].map((elements) => ({
    ...elements[0]!,
    hosts: distinctHosts(elements.map(({ host }) => host!)),
  }));
}

function jobOf({ id, name, hosts }: RunningJob): BatchJob {
  return { id, name, nodeList: hosts.join(), time: '?', timeLeft: undefined };
}

/** All that runs in a job, which Grid Engine does not tell apart. */
function stepOf({ id, name, hosts }: RunningJob): BatchStep {
  return { id, job: id, name, nodeList: hosts.join(), tasks: undefined, starter: undefined, isScript: false };
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function textIn(content: string, tag: string): string | undefined {
  const text = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(content)?.[1];
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name]!);
}
