/** An expression of a Fortran frame as gdb reads it there. */
import type { GdbThread } from '../gdb/context';
import { dataEvaluateExpression } from '../gdb/data-manipulation';
import { prepareComponents, variableOf } from '../gdb/fortran-components';
import { GdbError } from '../gdb/mi-connection';
import type { GdbFrame } from '../gdb/stack-manipulation';
import { withComponents, withFortranVariables } from './fortran-names';

/** What gdb is to evaluate; it knows all that is needed by then. Rejects with NoPythonError, GdbError. */
export async function fortranForGdb(
  thread: GdbThread,
  { function: fn, level }: Pick<GdbFrame, 'function' | 'level'>,
  source: string,
): Promise<string> {
  const named = withFortranVariables(source, fn);
  const isInlinedName = named !== source && fn !== undefined && (await isInlined(thread, level));
  const forGdb = isInlinedName ? withVariablesOf(named, fn) : named;
  await prepareComponents(thread.gdb, forGdb);
  if (!named.includes('%') || !(await lacksComponent(thread, level, forGdb))) return forGdb;
  const withAll = withComponents(forGdb, () => true);
  await prepareComponents(thread.gdb, withAll);
  return withAll;
}

/** Whether gdb itself does not find a component: it is one of a CLASS, or inherited. Nothing is read. */
async function lacksComponent(thread: GdbThread, level: number, forGdb: string): Promise<boolean> {
  try {
    await dataEvaluateExpression(thread, level, `sizeof(${forGdb})`);
    return false;
  } catch (error) {
    if (error instanceof GdbError) return /^There is no member named/.test(error.message);
    throw error;
  }
}

/** Debian's mpifort of MPICH adds -O2, which puts even the main program into what calls it. */
async function isInlined(thread: GdbThread, level: number): Promise<boolean> {
  return / inlined into frame \d/.test(await thread.gdb.console(`info frame level ${level}`, thread));
}

function withVariablesOf(source: string, fn: string): string {
  return source.replace(/(?<![\w:])((?:\w+::)+)(\w+)/g, (whole, before: string, name: string) =>
    before === `${fn}::` ? variableOf(name) : whole,
  );
}
