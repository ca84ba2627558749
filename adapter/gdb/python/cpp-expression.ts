/** Expressions of C and C++ as gdb reads them at a place: with names that lead through inline namespaces, and without casts that run code. */
import type { GdbThread, MiCommands } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { classCastScript } from './class-casts';
import { inlineNamespaceScript } from './inline-namespaces';
import { namespaceScript } from './namespace-names';
import { printedAnswer } from './printed-answer';
import { NoPythonError, runPythonOnce } from './run-python';

/** For conditions, log messages and sizes of this gdb. Rejects with NoPythonError, GdbError. */
export async function prepareCpp(gdb: MiCommands): Promise<void> {
  await runPythonOnce(gdb, inlineNamespaceScript);
  await runPythonOnce(gdb, namespaceScript);
  await runPythonOnce(gdb, classCastScript);
}

/** The expression for gdb in this frame. Rejects with GdbError for a cast that has no value; what is not known stays as it is. */
export async function cppForGdb(thread: GdbThread, frame: number, expression: string): Promise<string> {
  const lines = `text = _mpidbg_namespaces.written(text); fault = _mpidbg_class_casts.fault(text)`;
  const answer = await asked(thread, expression, lines, frame);
  if (typeof answer?.fault === 'string') throw new GdbError(answer.fault, expression);
  return answer?.text ?? expression;
}

/** Names as gdb knows them in code that no thread may be in. */
export async function withNamespacesAt(thread: GdbThread, address: bigint, expression: string): Promise<string> {
  const lines = `text = _mpidbg_namespaces.written_for(text, gdb.block_for_pc(${address})); fault = None`;
  return (await asked(thread, expression, lines))?.text ?? expression;
}

async function asked(
  thread: GdbThread,
  expression: string,
  lines: string,
  frame?: number,
): Promise<{ text: string; fault: string | null } | undefined> {
  if (!/[A-Za-z_]/.test(expression)) return undefined;
  const encoded = Buffer.from(expression).toString('base64');
  const given = `import base64, json; text = base64.b64decode('${encoded}').decode()`;
  try {
    await prepareCpp(thread.gdb);
    const printed = await thread.gdb.console(
      `python ${given}; ${lines}; print(json.dumps({'text': text, 'fault': fault}))`,
      thread,
      frame,
    );
    return printedAnswer(printed) as { text: string; fault: string | null };
  } catch (error) {
    if (error instanceof GdbError || error instanceof NoPythonError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
