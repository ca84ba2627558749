/** The processes of a batch system's steps on a host. */
import type { BatchStep, StepMark } from '../../../plugin-api/batch/batch-system';
import type { Host } from '../../hosts/host';
import { HostProcess, processesOf } from '../../hosts/host-process';
import type { StepsOfJob } from './batch-steps';

export interface StepRoot {
  /** All processes of the step descend from it, but for those that have lost their parent. */
  readonly pid: number;
  readonly step: BatchStep;
  /** The pids of the step's own; undefined: all that descend from it are. */
  readonly members: ReadonlySet<number> | undefined;
}

export async function rootsOn(host: Host, { system, steps }: StepsOfJob): Promise<StepRoot[]> {
  const found = await Promise.all(
    steps.map(async (step) => {
      const mark = system.mark(step);
      const pids = await markedBy(host, mark);
      if (mark.kind === 'daemon') return pids.map((pid) => ({ pid, step, members: undefined }));
      const members = new Set(pids);
      return (await parentsOf(host, members)).map((pid) => ({ pid, step, members }));
    }),
  );
  return found.flat();
}

async function markedBy(host: Host, mark: StepMark): Promise<number[]> {
  const found = await Promise.all(
    (await processesOf(host)).map(async (process) => ((await hasMark(process, mark)) ? [process.pid] : [])),
  );
  return found.flat();
}

async function hasMark(process: HostProcess, mark: StepMark): Promise<boolean> {
  if (mark.kind === 'daemon') return ((await process.arguments()) ?? [''])[0]!.trim() === mark.title;
  return mark.values.includes((await process.environment()).get(mark.name) ?? '');
}

/** Those that are no members themselves, each once. */
async function parentsOf(host: Host, members: ReadonlySet<number>): Promise<number[]> {
  const parents = await Promise.all(
    [...members].map(async (pid) => (await new HostProcess(host, pid).status())?.parent),
  );
  return [...new Set(parents)].filter((pid) => pid !== undefined && pid > 0 && !members.has(pid)) as number[];
}
