/** Where the programs are in the words of a launcher's command. */
import type { LauncherFacts } from '../../plugin-api/mpi/facts';
import { basename } from 'node:path';
import { findExecutable } from '../hosts/executables';

/**
 * The places of the programs among the launcher's arguments, one for each part between colons. A word behind an option that is
 * not known may be its value or the program: it is the program if it can be run.
 */
export function programWords(
  args: readonly string[],
  { valuesBehind }: LauncherFacts,
  cwd: string,
  path: string | undefined,
): number[] {
  const isProgram = (word: string): boolean => findExecutable(word, cwd, path) !== undefined;
  const found: number[] = [];
  let isPartOver = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word === ':') isPartOver = false;
    else if (isPartOver) continue;
    else if (word.startsWith('-')) at += word.includes('=') ? 0 : (valuesBehind?.(word) ?? 0);
    else if (isProgram(word)) {
      found.push(at);
      isPartOver = true;
    }
  }
  return found;
}

/** The launcher's arguments with these words before each program, from which the job still has its name. */
export function beforePrograms(
  words: readonly string[],
  args: readonly string[],
  facts: LauncherFacts,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): string[] {
  const programs = new Set(programWords(args, facts, cwd, env.PATH));
  return args.flatMap((word, at) => {
    if (!programs.has(at)) return [word];
    const ofPart = args.slice(args.lastIndexOf(':', at) + 1, at);
    return [...(facts.jobName?.(basename(word), { args: ofPart, env }) ?? []), ...words, word];
  });
}
