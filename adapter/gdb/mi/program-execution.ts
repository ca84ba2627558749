/** GDB/MI Program Execution. In non-stop mode a thread group means all its threads. */
import { select, type GdbThread, type GdbThreadGroup } from './context';

/**
 * in, over, out: by source lines; the Instruction forms by machine instructions. inAnyway: also into code that is skipped, see
 * skipped-code.ts.
 */
export type StepKind = 'in' | 'inAnyway' | 'over' | 'out' | 'inInstruction' | 'overInstruction';

const stepCommands: Record<StepKind, string> = {
  in: '-exec-step',
  inAnyway: '-exec-step',
  over: '-exec-next',
  out: '-exec-finish',
  inInstruction: '-exec-step-instruction',
  overInstruction: '-exec-next-instruction',
};

export async function execContinue(at: GdbThread | GdbThreadGroup): Promise<void> {
  await at.gdb.command(`-exec-continue ${select(at)}`);
}

/** Resolves when the thread has started to run; a *stopped tells the end of the step. */
export async function execStep(thread: GdbThread, kind: StepKind): Promise<void> {
  await thread.gdb.command(`${stepCommands[kind]} ${select(thread, kind === 'out' ? 0 : undefined)}`);
}

/** Lets the thread run until the frame of this depth returns. Resolves as execStep does. */
export async function execFinish(thread: GdbThread, level: number): Promise<void> {
  await thread.gdb.command(`-exec-finish ${select(thread, level)}`);
}

/** Resolves when gdb has taken note; a *stopped per thread tells when it stopped. */
export async function execInterrupt(at: GdbThread | GdbThreadGroup): Promise<void> {
  await at.gdb.command(`-exec-interrupt ${select(at)}`);
}
