/**
 * Why a line of a file has no code in the program: mostly because the program was compiled from a copy of the file that is
 * elsewhere, or was (a container, Spack, another clone).
 */
import { basename } from 'node:path';
import type { GdbThread } from '../gdb/mi/context';
import { listSourceFiles } from '../gdb/mi/file-commands';
import { GdbError } from '../gdb/mi/mi-connection';
import { knowsLinesOfMain } from '../gdb/mi/symbol-query';
import { functionsOfSource, type SourceFunction } from '../gdb/python/source-functions';
import type { Rank } from './rank';
import { sourceText } from './source-text';

export type CompiledSource =
  /** The file is the program's, and no code is in this line or below it. */
  | { kind: 'noCode' }
  /** It was compiled from a file like this one, which these maps of folders lead to. */
  | { kind: 'moved'; compiledFrom: string; maps: readonly [FolderMap, ...FolderMap[]] }
  /** It was compiled from files of this name that are not like this one. */
  | { kind: 'others'; compiledFrom: readonly string[] }
  /** Nothing that is loaded was compiled from a file of this name. */
  | { kind: 'none' }
  /** The program does not tell of its sources. */
  | { kind: 'noDebugInformation' };

/** Sources below the one folder are those below the other. */
interface FolderMap {
  readonly from: string;
  readonly to: string;
}

export type MovedSource = Extract<CompiledSource, { kind: 'moved' }>;

/** Why a breakpoint on a line has no place: one sentence. */
export function whyUnplaced(source: CompiledSource, { file, line }: { file: string; line: number }): string {
  const name = basename(file);
  switch (source.kind) {
    case 'noCode':
    case 'moved':
      return `no code in line ${line} of ${name} or below it`;
    case 'others':
      return `the program was compiled from ${source.compiledFrom.slice(0, maxNamed).join(', ')}, and this file is another: open that one, or map its folder to the one of this file`;
    case 'none':
      return `nothing that is loaded now was compiled from a file named ${name}; a library that is loaded later may be`;
    case 'noDebugInformation':
      return 'the program has no debug information, so its lines are unknown: compile with -g; of what a script or a container starts, they are known when it has begun';
  }
}

/** So many files are named. */
const maxNamed = 3;

/** The share of functions that have to be where the debug information has them: a file may have been edited since. */
const alike = 0.75;

/** `file`: absolute. Undefined while no rank can be asked. The first and the last rank may execute different programs. */
export async function sourceOf(ranks: readonly Rank[], file: string): Promise<CompiledSource | undefined> {
  const asked = ranks.filter(({ threads }) => threads.length > 0);
  let told: CompiledSource | undefined;
  for (const rank of new Set([asked[0], asked.at(-1)])) {
    const [thread] = rank?.threads ?? [];
    if (thread === undefined) continue;
    try {
      const source = await compiledSource(thread, file);
      if (source.kind !== 'none' && source.kind !== 'noDebugInformation') return source;
      told ??= source;
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
    }
  }
  return told;
}

/** Rejects with GdbError. */
async function compiledSource(thread: GdbThread, file: string): Promise<CompiledSource> {
  const known = (await listSourceFiles(thread)).filter(({ path }) => basename(path) === basename(file));
  const named = [...new Set(known.map(({ path }) => path))];
  if (named.includes(file)) return { kind: 'noCode' };
  if (named.length === 0) return { kind: (await knowsLinesOfMain(thread)) ? 'none' : 'noDebugInformation' };
  const text = await sourceText(file);
  const same: string[] = [];
  if (text !== undefined) for (const path of named) if (await isAlike(thread, path, text)) same.push(path);
  const [compiledFrom, another] = same;
  if (compiledFrom === undefined || another !== undefined) return { kind: 'others', compiledFrom: named };
  const shared = sharedTail(compiledFrom, file);
  // gdb maps the folder in which the compiler ran and the path below it that the compiler was given, never both together.
  const given = known.filter(({ path, given }) => path === compiledFrom && !given.startsWith('/'));
  const from = new Set(given.map((each) => folderAbove(each.given, shared)).filter((folder) => folder !== ''));
  const to = folderAbove(file, shared);
  return {
    kind: 'moved',
    compiledFrom,
    maps: [{ from: folderAbove(compiledFrom, shared), to }, ...[...from].map((folder) => ({ from: folder, to }))],
  };
}

/** By its contents where it is there, else by where its functions are. Rejects with GdbError. */
async function isAlike(thread: GdbThread, path: string, text: string): Promise<boolean> {
  const compiled = await sourceText(path);
  return compiled === undefined ? holds(text, await functionsOfSource(thread, path)) : compiled === text;
}

/** True if nearly all functions are declared in their lines of the text. */
function holds(text: string, functions: readonly SourceFunction[]): boolean {
  const lines = text.split('\n').map((line) => line.toLowerCase());
  const found = functions.filter(({ name, line }) => lines[line - 1]?.includes(name.toLowerCase()));
  return found.length > 0 && found.length >= alike * functions.length;
}

/** How many names both absolute paths end with: 2 for "/build/src/a.c" and "/home/me/src/a.c". */
function sharedTail(one: string, other: string): number {
  const [a, b] = [one.split('/'), other.split('/')];
  let shared = 0;
  // Neither folder may become the root, below which everything is.
  const most = Math.min(a.length, b.length) - 2;
  while (shared < most && a.at(-1 - shared) === b.at(-1 - shared)) shared++;
  return shared;
}

/** Without the last names. */
function folderAbove(path: string, names: number): string {
  return path.split('/').slice(0, -names).join('/');
}
