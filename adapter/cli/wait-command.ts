/** mpidbg wait: returns when a batch job has started, with how to attach to it. */
import { counted } from '../../plugin-api/counted';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { onlyJobOnceStarted, stepsOnceStarted } from '../launchers/batch/awaited-steps';
import { attachLines } from './attach-lines';

/** `job`: undefined: the only one that runs. What it prints. Rejects with StartError. */
export async function waitForJob(job: string | undefined): Promise<string> {
  const id = job ?? (await onlyJobOnceStarted(shippedMpis));
  const { steps, nodes } = await stepsOnceStarted(id, shippedMpis);
  const programs = steps.flatMap(({ name, tasks, isScript }) =>
    isScript ? [] : [tasks === undefined ? name : `${name} (${counted(tasks, 'task')})`],
  );
  const what = programs.length === 0 ? '' : `: ${programs.join(', ')}`;
  const lines = [
    `job ${id} runs on ${nodes.join(', ')}${what}`,
    ...attachLines({ job: id }).map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
