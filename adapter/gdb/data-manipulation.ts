/** GDB/MI Data Manipulation. Memory in bulk does not go over MI: the images read it directly. */
import { select, type GdbThread } from './context';
import { quote, text, tuples } from './mi-values';

/** The value as gdb prints it. `frame`: 0 is the innermost. Rejects with GdbError in gdb's words. */
export async function dataEvaluateExpression(thread: GdbThread, frame: number, expression: string): Promise<string> {
  const answer = await thread.gdb.command(`-data-evaluate-expression ${select(thread, frame)} ${quote(expression)}`);
  return text(answer, 'value');
}

/** The bytes from `address` on that can be read, at most `length`. Rejects with GdbError when not even the first can. */
export async function dataReadMemoryBytes(thread: GdbThread, address: bigint, length: number): Promise<Uint8Array> {
  const command = `-data-read-memory-bytes ${select(thread)} 0x${address.toString(16)} ${length}`;
  const [first] = tuples(await thread.gdb.command(command), 'memory');
  return first === undefined ? new Uint8Array() : Buffer.from(text(first, 'contents'), 'hex');
}
