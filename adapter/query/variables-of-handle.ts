/** The variables that hold a handle: those of the functions on a thread's stack. */
import type { HandleKind, Hex } from '../../plugin-api/mpi/records';
import { freeNames } from '../expressions/expression';
import { isUserCode, languageOf } from '../expressions/frames';
import { declarationOf, type Declaration } from '../gdb/declaration';
import { frameVariables } from '../gdb/frame-variables';
import type { Frame } from '../stacks/frame';
import { innermostFrames } from '../stacks/gdb-stack';
import { GdbError } from '../gdb/mi/mi-connection';
import type { RankThread } from '../job/rank';
import type { JobQueries } from './job-queries';

export interface VariableOfHandle {
  /** "requests[3]" */
  expression: string;
  frame: Frame;
  declaration: Declaration | undefined;
}

/** Only the innermost frames of a recursion. */
const maxFrames = 8;
const maxVariables = 100;

/** Innermost frame first. */
export async function variablesOfHandle(
  queries: JobQueries,
  thread: RankThread,
  { kind, handle }: { kind: HandleKind; handle: Hex },
): Promise<VariableOfHandle[]> {
  const code = await queries.of(thread.rank).code();
  const own = (await innermostFrames(thread)).filter((frame) => isUserCode(frame, code)).slice(0, maxFrames);
  const found: VariableOfHandle[] = [];
  for (const frame of own) {
    const expressions = await namesIn(thread, frame);
    if (expressions.length === 0) continue;
    const { document } = await queries.show([thread.rank], expressions, () => ({ thread, frame: frame.level }));
    const answers = document.ranks.flatMap((rank) => ('answers' in rank ? rank.answers : []));
    for (const answer of answers) {
      const { expression } = answer;
      if (answer.code !== 'MPIDBG_SUCCESS' || answer.kind !== kind || expression === undefined) continue;
      if (!('handle' in answer.info) || answer.info.handle !== handle) continue;
      const [name = expression] = freeNames(expression);
      found.push({ expression, frame, declaration: await declarationOf(thread, frame.level, name) });
    }
  }
  return found;
}

/** None if gdb cannot read the frame. */
async function namesIn(thread: RankThread, frame: Frame): Promise<string[]> {
  try {
    const variables = await frameVariables(thread, frame.level, languageOf(frame));
    return [...new Set(variables.filter(({ isUnset }) => !isUnset).map(({ name }) => name))].slice(0, maxVariables);
  } catch (error) {
    if (error instanceof GdbError) return [];
    throw error;
  }
}
