/** What a command that a user gives gdb would do, as far as its beginning tells. */
import { isAssignment } from './mi/read-only';

/** With the abbreviations that gdb takes: they would start a process or let it go on, or lose the core file. */
const running =
  /^(r|run|start|starti|c|cont|continue|fg|s|step|si|stepi|n|next|ni|nexti|u|until|advance|fin|finish|j|jump|call|k|kill|signal|attach|detach|disconnect|target|tar|core|core-file|file|exec-file|checkpoint|restart|record|rc|reverse-\w+)\b/;

/** undefined: nothing that a core file could not do. */
export function effectOf(command: string): 'runs' | 'assigns' | undefined {
  if (running.test(command)) return 'runs';
  const expression = /^(?:set\s+var\w*|p|print|output)\b(.*)$/s.exec(command)?.[1];
  return expression !== undefined && assigns(expression) ? 'assigns' : undefined;
}

/** gdb's own variables, as in "$i = 3", are in no process. */
export function assigns(expression: string): boolean {
  return !/^\s*\$/.test(expression) && isAssignment(expression, 'unknown');
}
