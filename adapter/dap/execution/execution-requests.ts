/** The requests that run ranks, pause them, or move them within a function. */
import type { StepKind } from '../../gdb/mi/program-execution';
import {
  continueArguments,
  gotoArguments,
  gotoTargetsArguments,
  pauseArguments,
  stepArguments,
  type StepArguments,
} from '../requests/dap-arguments';
import { jobRequests, refused } from '../requests/request';
import type { Execution } from './execution';
import type { Goto } from './goto';

const { ofJob, ofStoppedThread } = jobRequests<{ readonly execution: Execution; readonly goto: Goto }>();

const step = { arguments: stepArguments, capability: 'supportsSteppingGranularity', onCores: refused('step') } as const;
const goTo = { capability: 'supportsGotoTargetsRequest', onCores: refused('go to another line') } as const;

export const executionRequests = {
  continue: ofJob({
    arguments: continueArguments,
    onCores: refused('continue'),
    answer: ({ execution }, args) => execution.continue(args),
  }),
  next: ofJob({ ...step, answer: ({ execution }, args) => execution.step(args, stepKind(args, 'over')) }),
  stepIn: ofJob({ ...step, answer: ({ execution }, args) => execution.step(args, stepKind(args, 'in')) }),
  stepOut: ofJob({ ...step, answer: ({ execution }, args) => execution.step(args, 'out') }),
  pause: ofJob({
    arguments: pauseArguments,
    onCores: refused('be paused'),
    answer: ({ execution }, args) => execution.pause(args),
  }),
  gotoTargets: ofJob({
    ...goTo,
    arguments: gotoTargetsArguments,
    answer: ({ goto }, args) => goto.gotoTargets(args),
  }),
  goto: ofStoppedThread({
    ...goTo,
    arguments: gotoArguments,
    answer: ({ goto }, { targetId }, thread) => goto.goto(thread, targetId),
  }),
};

/** By lines, which are gdb's statements, or by machine instructions. */
function stepKind({ granularity, anyway }: StepArguments, kind: 'over' | 'in'): StepKind {
  if (kind === 'in' && anyway === true && granularity !== 'instruction') return 'inAnyway';
  return granularity === 'instruction' ? `${kind}Instruction` : kind;
}
