/** The words of a command line, told apart: options, their arguments, and the rest. */
import { parseArgs } from 'node:util';
import type { optionTable } from './command-table';
import { optionEntries, type OptionName } from './command-table';
import { UsageError } from './usage-error';

/** The options of a command line by name. */
export type Values = ReturnType<typeof parseOptions>['values'];

/** In the form that parseArgs takes. */
const options = Object.fromEntries(
  optionEntries.map(([name, { argument, short, multiple }]) => [
    name,
    { type: argument === undefined ? 'boolean' : 'string', ...(short && { short }), ...(multiple && { multiple }) },
  ]),
) as ParseOptions;

/** The options as parseArgs wants them: whether one takes an argument decides how it is parsed. */
type ParseOptions = {
  [K in OptionName]: (typeof optionTable)[K] extends { argument: string }
    ? (typeof optionTable)[K] extends { multiple: true }
      ? { type: 'string'; multiple: true }
      : { type: 'string' }
    : { type: 'boolean' };
};

/** Commands whose arguments may be expressions. */
const withExpressions: readonly string[] = ['show', 'print', 'nan'];
const shortOptions = optionEntries.flatMap(([, { short }]) => (short === undefined ? [] : [`-${short}`]));
const longWithArgument = optionEntries.flatMap(([name, { argument }]) => (argument === undefined ? [] : [`--${name}`]));
/** No word of a command line has it. */
const mark = '\u0000';

/** `-x` and `-a**2` are expressions, which parseArgs would take for options: it gets them with a mark in front. */
function withMarks(argv: readonly string[]): string[] {
  const dashes = argv.indexOf('--');
  const words = dashes < 0 ? argv : argv.slice(0, dashes);
  if (!words.some((word) => withExpressions.includes(word))) return [...argv];
  const isExpression = (word: string, i: number): boolean =>
    i < words.length &&
    /^-[^-]/.test(word) &&
    !shortOptions.includes(word) &&
    !longWithArgument.includes(words[i - 1] ?? '');
  return argv.map((word, i) => (isExpression(word, i) ? mark + word : word));
}

function withoutMark(word: string): string {
  return word.startsWith(mark) ? word.slice(mark.length) : word;
}

/** Throws UsageError. */
export function parseOptions(argv: readonly string[]) {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: withMarks(argv),
      options,
      allowPositionals: true,
      tokens: true,
    });
    // The shell makes `--core core.*` a list of words: those up to the next option are core files too.
    const cores = [...(values.core ?? [])];
    const others = [...positionals];
    let last = '';
    for (const token of tokens) {
      if (token.kind === 'option') last = token.name;
      else if (token.kind === 'option-terminator') last = '';
      else if (last === 'core' && !token.value.startsWith(mark)) {
        cores.push(token.value);
        others.splice(others.indexOf(token.value), 1);
      }
    }
    const given = new Map(tokens.flatMap((token) => (token.kind === 'option' ? [[token.name, token.rawName]] : [])));
    const dashes = tokens.findIndex(({ kind }) => kind === 'option-terminator');
    const behindDashes = dashes < 0 ? undefined : argv.slice(tokens[dashes]!.index + 1);
    return {
      values: { ...values, core: values.core && cores },
      positionals: others.map(withoutMark),
      behindDashes,
      given,
    };
  } catch (error) {
    throw new UsageError(wordsOf(error));
  }
}

/** The first sentence of what parseArgs throws; for an option that is followed by another one, or is the last word, what is missing. */
function wordsOf(error: unknown): string {
  const [message = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
  const [, option] = /^Option '(?:-\w, )?(-[\w-]+)(?: <value>)?' argument (?:is ambiguous|missing)/.exec(message) ?? [];
  return option === undefined ? message : `${option} needs an argument`;
}

export function positive(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text.trim()) || Number(text) === 0)
    throw new UsageError(`${option} takes a whole number above 0, not "${text}"`);
  return Number(text);
}

/** Seconds in each unit. */
const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };

/** Answers seconds: at most what a timer can wait. Throws UsageError. */
export function durationOf(option: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,7})([smh]?)$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * (units[unit] ?? 0);
  if (!(seconds > 0 && seconds <= 2_000_000))
    throw new UsageError(`${option} takes a duration up to 555h, as in 90s, 30m or 2h, not "${text}"`);
  return seconds;
}
