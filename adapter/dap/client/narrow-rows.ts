/** The rows of VS Code's Variables view, of which its side bar shows some 30 characters. */
import type { DebugProtocol } from '@vscode/debugprotocol';

/** `row`: its value in few words. */
export type VariableWithRow = DebugProtocol.Variable & { row?: string };

/** The body of a response: each value in few words, or as other clients show it. */
export function withRows(command: string, body: unknown, isNarrow: boolean): unknown {
  if (command !== 'variables') return body;
  const { variables } = body as { variables: readonly VariableWithRow[] };
  return {
    variables: variables.map(({ row, ...variable }) =>
      isNarrow && row !== undefined ? { ...variable, value: row } : variable,
    ),
  };
}
