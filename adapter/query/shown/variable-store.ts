/** Each rank's variable objects, which cost gdb memory and time until they are deleted. */
import { prepareComponents } from '../../gdb/python/fortran-components';
import { GdbError } from '../../gdb/mi/mi-connection';
import { varCreate, varDelete, type VariableObject } from '../../gdb/variable-objects';
import type { Rank } from '../../job/rank';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';

export class VariableStore {
  private readonly made = new Map<Rank, string[]>();

  /** It lives until the rank runs. Rejects with GdbError in gdb's words. */
  async create(evalFrame: EvaluationFrame, expression: string): Promise<VariableObject> {
    await prepareComponents(evalFrame.thread.gdb, expression);
    const variable = await varCreate(evalFrame, expression);
    const { rank } = evalFrame.thread;
    this.made.set(rank, [...(this.made.get(rank) ?? []), variable.name]);
    return variable;
  }

  /** The rank runs, or has ended. */
  drop(rank: Rank): void {
    const names = this.made.get(rank) ?? [];
    this.made.delete(rank);
    for (const name of names) varDelete(rank.gdb, name).catch(forgiven);
  }
}

/** A gdb that has ended has none left. */
function forgiven(error: unknown): void {
  if (!(error instanceof GdbError)) throw error;
}
