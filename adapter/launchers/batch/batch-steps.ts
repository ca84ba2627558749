/** The steps of a batch system in which ranks run: those that a launcher of this machine has asked for, or those of a job by its number. */
import { counted } from '../../../plugin-api/counted';
import type { BatchStep, BatchSystem } from '../../../plugin-api/batch/batch-system';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { descendants } from '../../hosts/descendants';
import { HostProcess, processesOf } from '../../hosts/host-process';
import type { Host } from '../../hosts/host';
import { localHost } from '../../hosts/local-host';
import { StartError } from '../../job/start-error';
import { ask } from './batch-commands';

/** Nothing runs in the job yet. */
export class NotStartedError extends StartError {
  override name = 'NotStartedError';
}

export interface StepsOfJob {
  readonly system: BatchSystem;
  /** In which its commands find it. */
  readonly env: NodeJS.ProcessEnv;
  /** At least one. */
  readonly steps: readonly BatchStep[];
  /** The names of their nodes, each once. */
  readonly nodes: readonly string[];
}

/** undefined: this launcher, and what is below it, has asked for none. Rejects with StartError. */
export async function stepsStartedBy(launcher: number, { batchSystems }: KnownMpis): Promise<StepsOfJob | undefined> {
  const root = await new HostProcess(localHost, launcher).status();
  if (root === undefined) return undefined;
  const all = [root, ...(await descendants(localHost, launcher))];
  for (const system of batchSystems) {
    const starters = all.filter(({ name }) => system.starters.includes(name));
    const [first] = starters;
    if (first === undefined) continue;
    const env = Object.fromEntries(await new HostProcess(localHost, first.pid).environment());
    const pids = new Set(starters.map(({ pid }) => pid));
    const steps = system
      .parseSteps(await ask(system, system.listSteps(), env))
      .filter(({ starter }) => starter !== undefined && pids.has(starter.pid) && starter.host === shortHostName());
    if (steps.length > 0) return { system, env, steps, nodes: await nodesOf(system, steps, env) };
  }
  return undefined;
}

/** `id`: of a job, or of one of its steps. Rejects with StartError where there is none, and where it does not tell which. */
export async function stepsOf(id: string, mpis: KnownMpis, env = process.env): Promise<StepsOfJob> {
  const system = mpis.batchSystems.find(({ jobPattern }) => jobPattern.test(id));
  if (system === undefined)
    throw new StartError(`"${id}" is not the number of a job: give JOB or JOB.STEP, as in 4711.0`);
  const job = /^\d+/.exec(id)?.[0] ?? id;
  const state = system.parseState(await ask(system, system.tellState(job), env).catch(refused(system, job)));
  const printed = await ask(system, system.listSteps(job), env).catch(() => '');
  const all = system.parseSteps(printed).filter(({ name }) => name !== system.ownSteps);
  const steps = chosenOf(id, all, mpis);
  if (steps.length === 0) {
    const mayCome = state !== undefined && system.mayRun.test(state);
    throw new (mayCome ? NotStartedError : StartError)(whyNone(id, job, all, state));
  }
  return { system, env, steps, nodes: await nodesOf(system, steps, env) };
}

/** The batch system has an answer, which is no. */
function refused({ title, isUnknownJob }: BatchSystem, job: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof StartError && isUnknownJob.test(error.message))
      throw new StartError(`there is no job ${job} in ${title}, or it ended a while ago`);
    throw error;
  };
}

function chosenOf(id: string, all: readonly BatchStep[], mpis: KnownMpis): BatchStep[] {
  const named = all.filter((step) => step.id === id);
  const started = named.length > 0 ? named : all.filter(({ isScript }) => !isScript);
  if (named.length === 0 && id.includes('.')) return [];
  const starters = new Set(started.map(({ starter }) => `${starter?.host}:${starter?.pid}`));
  if (starters.size > 1)
    throw new StartError(`several programs run in job ${id}: name one of the steps ${listed(started)}`);
  // mpirun in a batch script runs ranks of its own node itself.
  const script = all.filter(({ isScript }) => isScript);
  const isPart = started.length === 0 || started.some(({ name }) => mpis.startsRanks(name));
  return [...started, ...(isPart && named.length === 0 ? script : [])];
}

function listed(steps: readonly BatchStep[]): string {
  return steps
    .map(
      ({ id, name, nodeList, tasks }) =>
        `${id} (${name}, ${tasks === undefined ? '' : `${counted(tasks, 'rank')} on `}${nodeList})`,
    )
    .join(', ');
}

function whyNone(id: string, job: string, all: readonly BatchStep[], state = 'not known'): string {
  if (all.length > 0) return `job ${job} has no step ${id}: it has ${listed(all)}`;
  if (state === 'RUNNING') return `nothing has been started in job ${job} yet`;
  return `job ${job} does not run (its state is ${state})`;
}

async function nodesOf(system: BatchSystem, steps: readonly BatchStep[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const lists = await Promise.all(steps.map(({ nodeList }) => nodesIn(system, nodeList, env)));
  return [...new Set(lists.flat())];
}

async function nodesIn(system: BatchSystem, nodeList: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const printed = await ask(system, system.listNodes(nodeList), env);
  return printed.split('\n').filter((name) => name !== '');
}

/** The other nodes of the allocation in which something is to be started; of none where it has this machine only. Rejects with StartError. */
export async function nodesOfAllocation(
  system: BatchSystem,
  nodeList: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const names = await nodesIn(system, nodeList, env);
  return names.filter((name) => name !== shortHostName());
}

/** As batch systems call this machine. */
export function shortHostName(): string {
  return localHost.name.replace(/\..*/, '');
}

/** The pids of what is above all processes of these steps on a host. */
export async function daemonsOn(
  host: Host,
  { system, steps }: StepsOfJob,
): Promise<{ pid: number; step: BatchStep }[]> {
  const titles = new Map(steps.map((step) => [system.daemonTitle(step), step]));
  const found = await Promise.all(
    (await processesOf(host)).map(async ({ pid }) => {
      const [title = ''] = (await new HostProcess(host, pid).arguments()) ?? [];
      const step = titles.get(title.trim());
      return step === undefined ? [] : [{ pid, step }];
    }),
  );
  return found.flat();
}
