/**
 * GDB/MI Variable Objects. A variable object is bound to the thread and frame it was made in; its name is all that the
 * other commands need. Whoever makes one deletes it: gdb keeps them for ever otherwise.
 */
import { select, type GdbThread, type MiCommands } from './context';
import { integer, optionalInteger, optionalText, quote, text, tuples, type MiTuple } from './mi-values';

export interface VariableObject {
  /** gdb's name: "var1", "var1.public.x". */
  name: string;
  /** As shown: the member's name, the index; for a root the expression. */
  expression: string;
  type: string | undefined;
  value: string | undefined;
  /** Of static children; a dynamic one (pretty-printed) tells by hasMore. */
  childCount: number;
  hasMore: boolean;
  /** A pretty printer shows it. */
  dynamic: boolean;
  /** "map", "array" or "string" for what a pretty printer shows. */
  displayHint: string | undefined;
}

export async function varCreate(thread: GdbThread, frame: number, expression: string): Promise<VariableObject> {
  const answer = await thread.gdb.command(`-var-create ${select(thread, frame)} - * ${quote(expression)}`);
  return variableOf(answer, expression);
}

/** Children `from` (included) to `to` (not included), with their values. */
export async function varListChildren(
  gdb: MiCommands,
  name: string,
  from: number,
  to: number,
): Promise<VariableObject[]> {
  const answer = await gdb.command(`-var-list-children --all-values ${quote(name)} ${from} ${to}`);
  return tuples(answer, 'children').map((child) => variableOf(child, text(child, 'exp')));
}

/** An expression that evaluates to the variable anywhere in its frame: "(domain)->comm". */
export async function varInfoPathExpression(gdb: MiCommands, name: string): Promise<string> {
  return text(await gdb.command(`-var-info-path-expression ${quote(name)}`), 'path_expr');
}

export async function varEvaluateExpression(gdb: MiCommands, name: string): Promise<string> {
  return text(await gdb.command(`-var-evaluate-expression ${quote(name)}`), 'value');
}

/** Answers the new value. */
export async function varAssign(gdb: MiCommands, name: string, expression: string): Promise<string> {
  return text(await gdb.command(`-var-assign ${quote(name)} ${quote(expression)}`), 'value');
}

export async function varDelete(gdb: MiCommands, name: string): Promise<void> {
  await gdb.command(`-var-delete ${quote(name)}`);
}

function variableOf(answer: MiTuple, expression: string): VariableObject {
  return {
    name: text(answer, 'name'),
    expression,
    type: optionalText(answer, 'type'),
    value: optionalText(answer, 'value'),
    childCount: integer(answer, 'numchild'),
    hasMore: (optionalInteger(answer, 'has_more') ?? 0) > 0,
    dynamic: answer.dynamic === '1',
    displayHint: optionalText(answer, 'displayhint'),
  };
}
