/** When a breakpoint stops, as stop-script.ts decides it in gdb, and what it says of that. */
import type { MpiFunction } from '../../../plugin-api/fortran/call-words';
import { withVisibleEscapes } from '../mi/text-escapes';

/**
 * A part of a log message: text, or an expression that is written for gdb; `instead`: as in StopRule; `names`: an expression with all
 * of its names, as some may be hidden in functions by then.
 */
export type LogPart = string | { expression: string; instead?: string | undefined; names?: string };

/** `count` is compared with a rank's hits so far, including this one; '%': every so many hits. */
export interface HitTest {
  operator: '<' | '<=' | '==' | '!=' | '>=' | '>' | '%';
  count: number;
}

/** When one breakpoint stops. With `log` it never does. */
export interface StopRule {
  hits?: HitTest | undefined;
  log?: readonly LogPart[] | undefined;
  /**
   * Decides first; written for gdb, in the language of the place. Hits for which it is false are not counted. Where it
   * cannot be evaluated, a rank stops the first time for each reason, and goes on from then on.
   */
  condition?: string | undefined;
  /** Where gdb would call an operator or a method of the program for the condition: the same without. */
  instead?: string | undefined;
  /** A function of MPI: nested bindings of one call are one hit, and its condition may have words such as $tag. */
  call?: MpiFunction | undefined;
  /** The number of the only inferior that it stops. */
  inferior?: number | undefined;
}

/** What a rule says of the inferior with this number ("i3" is 3): the text of a log point, or why a condition cannot be evaluated. */
export type ToldByRule = { rule: number; inferior: number } & (
  { kind: 'logged'; text: string } | { kind: 'failed'; why: string }
);

/** The same as gdb's Python writes it: a log point's text in parts, its values in gdb's words. */
type WrittenByRule =
  | Extract<ToldByRule, { kind: 'failed' }>
  | (Omit<Extract<ToldByRule, { kind: 'logged' }>, 'text'> & { parts: (string | { value: string })[] });

const mark = '\u0001mpidbg ';

/** Parses a line of gdb's log; undefined for gdb's own lines. `wordsOf`: why a value of this rule is not known, from gdb's words. */
export function toldByRule(
  line: string,
  wordsOf: (rule: number, why: string) => string = (_, why) => why,
): ToldByRule | undefined {
  if (!line.startsWith(mark)) return undefined;
  const told = JSON.parse(line.slice(mark.length)) as WrittenByRule;
  if (told.kind === 'failed') return told;
  const { parts, ...others } = told;
  const shown = ({ value }: { value: string }): string =>
    withVisibleEscapes(
      value.replace(/^<(?:error(?: reading variable)?: )?(.*)>$/s, (_, why: string) => `<${wordsOf(told.rule, why)}>`),
    );
  return { ...others, text: parts.map((part) => (typeof part === 'string' ? part : shown(part))).join('') };
}
