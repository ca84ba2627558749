/** GDB/MI Data Manipulation. Memory in bulk does not go over MI: the images read it directly. */
import { select, type GdbThread } from './context';
import { quote, text } from './mi-values';

/** The value as gdb prints it. `frame`: 0 is the innermost. Rejects with GdbError in gdb's words. */
export async function dataEvaluateExpression(thread: GdbThread, frame: number, expression: string): Promise<string> {
  const answer = await thread.gdb.command(`-data-evaluate-expression ${select(thread, frame)} ${quote(expression)}`);
  return text(answer, 'value');
}
