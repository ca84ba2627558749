/** The steps of a batch system in which ranks run: those that a launcher of this machine has asked for, or those of a job by its number. */
import { readFile } from 'node:fs/promises';
import { counted } from '../../../plugin-api/counted';
import { isStartedTogether } from '../../../plugin-api/batch/batch-system';
import type { BatchStep, BatchSystem, JobPart, NodeNames, PortRange } from '../../../plugin-api/batch/batch-system';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { descendants } from '../../hosts/descendants';
import { HostProcess, type ProcessStatus } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { StartError } from '../../job/start-error';
import { ask, isHere } from './batch-commands';

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

/**
 * undefined: this launcher, and what is below it, has asked for none. Rejects with StartError: with NotStartedError where it waits for what
 * it has asked for.
 */
export async function stepsStartedBy(
  launcher: number,
  { batchSystems }: Pick<KnownMpis, 'batchSystems'>,
): Promise<StepsOfJob | undefined> {
  const root = await new HostProcess(localHost, launcher).status();
  if (root === undefined) return undefined;
  const all = [root, ...(await descendants(localHost, launcher))];
  for (const system of batchSystems) {
    const names = [...system.starters, ...(system.queue?.waiters ?? [])];
    const starters = all.filter(({ name }) => names.includes(name));
    const [first] = starters;
    if (first === undefined) continue;
    const env = Object.fromEntries(await new HostProcess(localHost, first.pid).environment());
    const pids = new Set(starters.map(({ pid }) => pid));
    const asked = system
      .parseSteps(await ask(system, system.listSteps(), env))
      .filter(({ starter }) => starter !== undefined && pids.has(starter.pid) && starter.host === shortHostName());
    const steps = asked.filter(({ isWaiting }) => isWaiting !== true);
    if (steps.length > 0) return { system, env, steps, nodes: await nodesOf(system, steps, env) };
    const [waiting] = asked;
    const forWhat = waiting === undefined ? await queuedFor(system, first, env) : `for resources of job ${waiting.job}`;
    if (forWhat !== undefined)
      throw new NotStartedError(`process ${first.pid} (${first.name}) waits ${forWhat}: nothing has been started yet`);
  }
  return undefined;
}

/** Where the launcher waits, in words; undefined: not in the queue. */
async function queuedFor(
  { queue, ...system }: BatchSystem,
  { name, pid }: ProcessStatus,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  // Inside a job it starts steps of that.
  if (queue?.waiters.includes(name) !== true || env[system.jobVariable] !== undefined) return undefined;
  const session = await new HostProcess(localHost, pid).session();
  const jobs = queue
    .jobsIn(await ask(system, queue.command, env))
    .filter((job) => job.session === session && isThisHost(job.host));
  const [job, ...others] = jobs;
  if (job === undefined) return undefined;
  const which = others.length === 0 ? ` (job ${job.id}: ${job.reason})` : '';
  return `in the queue of ${system.title}${which}`;
}

/** `id`: of a job, or of one of its steps. Rejects with StartError where there is none, and where it does not tell which. */
export async function stepsOf(id: string, mpis: KnownMpis, env = process.env): Promise<StepsOfJob> {
  const { system, job, state } = await jobNamed(id, mpis, env);
  const printed = await ask(system, system.listSteps(job), env).catch(() => '');
  const all = system
    .parseSteps(printed, job)
    .filter(({ name, isWaiting }) => name !== system.ownSteps && isWaiting !== true);
  const steps = chosenOf(id, all, mpis);
  if (steps.length === 0) {
    const mayCome = state !== undefined && system.mayRun.test(state);
    throw new (mayCome ? NotStartedError : StartError)(whyNone(id, job, all, state));
  }
  return { system, env, steps, nodes: await nodesOf(system, steps, env) };
}

interface NamedJob {
  readonly system: BatchSystem;
  readonly job: string;
  /** In the batch system's word; undefined: it does not tell. */
  readonly state: string | undefined;
}

/** By the batch system that we are in, or else by the first one here that knows it. */
async function jobNamed(id: string, { batchSystems }: KnownMpis, env: NodeJS.ProcessEnv): Promise<NamedJob> {
  const able = batchSystems.filter(({ jobPattern }) => jobPattern.test(id));
  if (able.length === 0) throw new StartError(`"${id}" is not the number of a job: give JOB or JOB.STEP, as in 4711.0`);
  const here = able.filter((system) => isHere(system, env));
  const titles = able.map(({ title }) => title).join(', ');
  if (here.length === 0) throw new StartError(`no commands of a batch system (${titles}) are in PATH`);
  const around = here.filter(({ jobVariable }) => env[jobVariable] !== undefined);
  const asked = around.length === 1 ? around : here;
  const failures: unknown[] = [];
  for (const system of asked) {
    const job = system.jobPattern.exec(id)?.[1] ?? id;
    try {
      const printed = await ask(system, system.tellState(job), env);
      return { system, job, state: system.parseState(printed, job) };
    } catch (error) {
      // It has an answer, which is no.
      const isUnknown = error instanceof StartError && system.isUnknownJob.test(error.message);
      if (!isUnknown) failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  const where = asked.map(({ title }) => title).join(' and ');
  throw new StartError(`there is no job ${id.replace(/\.\d+$/, '')} in ${where}, or it ended a while ago`);
}

function chosenOf(id: string, all: readonly BatchStep[], mpis: KnownMpis): BatchStep[] {
  const [step] = all.filter((each) => each.id === id);
  const named = step === undefined ? [] : all.filter((each) => each === step || isStartedTogether(each, step));
  const started = named.length > 0 ? named : all.filter(({ isScript }) => !isScript);
  if (named.length === 0 && id.includes('.')) return [];
  const starters = new Set(started.map(({ id: each, starter }) => (starter ? `${starter.host}:${starter.pid}` : each)));
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
  const lists = await Promise.all(steps.map(({ nodeList }) => named(system, system.nodesIn(nodeList), env)));
  return [...new Set(lists.flat())];
}

async function named(system: BatchSystem, nodes: NodeNames, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  if (nodes.kind === 'names') return nodes.names;
  const printed = await ask(system, nodes.command, env);
  return printed.split('\n').filter((name) => name !== '');
}

/**
 * The other nodes of the allocation in which something is to be started: none where it has this machine only; undefined where this
 * environment is in none. Rejects with StartError.
 */
export async function nodesOfAllocation(system: BatchSystem, env: NodeJS.ProcessEnv): Promise<string[] | undefined> {
  const { allocation } = system;
  const value = allocation === undefined ? undefined : env[allocation.variable];
  if (allocation === undefined || value === undefined) return undefined;
  const text = allocation.isFile ? await readFile(value, 'utf8').catch(() => '') : value;
  const names = await named(system, allocation.nodesIn(text), env);
  return names.filter((name) => !isThisHost(name));
}

/** As batch systems call this machine. */
function shortHostName(): string {
  return localHost.name.replace(/\..*/, '');
}

/** Batch systems name nodes with their domain, or without it. */
export function isThisHost(name: string): boolean {
  return name.replace(/\..*/, '') === shortHostName();
}

/**
 * What has to precede a command to run it once on each of these nodes, in the jobs of these steps; undefined: the batch system starts
 * nothing in a job. Rejects with StartError.
 */
export async function commandOnEach(
  { system, env, steps }: StepsOfJob,
  nodes: readonly string[],
): Promise<readonly string[] | undefined> {
  const { onEachNode } = system;
  if (onEachNode === undefined) return undefined;
  const left = new Set(nodes);
  const commands: (readonly string[])[] = [];
  for (const job of new Set(steps.map((step) => step.job))) {
    const all = await nodesOf(
      system,
      steps.filter((step) => step.job === job),
      env,
    );
    // Two parts of a job may share a node.
    const own = all.filter((name) => left.delete(name));
    if (own.length > 0) commands.push(onEachNode(await partOf(system, job, env), own));
  }
  return together(commands);
}

async function partOf({ tellPart, ...system }: BatchSystem, job: string, env: NodeJS.ProcessEnv): Promise<JobPart> {
  return tellPart === undefined ? { job } : tellPart.partIn(await ask(system, tellPart.command(job), env), job);
}

/** One command that does what all of them do. */
function together(commands: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = commands;
  if (others.length === 0) return first;
  const quoted = commands.map((words) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' '));
  return ['sh', '-c', `${quoted.map((words) => `${words} "$@" &`).join(' ')} wait`, 'sh'];
}

/** Never rejects: where it does not answer, its launcher will say so. */
export async function openPorts(system: BatchSystem, env: NodeJS.ProcessEnv): Promise<PortRange | undefined> {
  const { openPorts: asked } = system;
  if (asked === undefined) return undefined;
  return ask(system, asked.command, env).then(asked.portsIn, () => undefined);
}
