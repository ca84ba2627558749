/** Which programs the test suite of MPICH has, and what each is built of and run with: from its own lists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SuiteProgram {
  /** "pt2pt/bsend1", below test/mpi; of several lines about one program, the second is "pt2pt/bsend1#2". */
  name: string;
  folder: string;
  target: string;
  sources: string[];
  definitions: string[];
  isThreaded: boolean;
  ranks: number;
  args: string[];
  env: Record<string, string>;
}

/** Folders of programs in C that are one job: not of other languages, of benchmarks, or for people to look at. */
const folders = [
  ...['attr', 'basic', 'coll', 'comm', 'datatype', 'errhan', 'group', 'info', 'init', 'io', 'part', 'pt2pt'],
  ...['rma', 'session', 'spawn', 'threads', 'topo', 'errors'],
];

/** What one line of a list asks of the machine that we do not give it. */
const tooMuch = { ranks: 16, gigabytes: 2 };

/** `suite`: the folder test/mpi. */
export function findPrograms(suite: string): SuiteProgram[] {
  const programs = folders
    .filter((folder) => existsSync(join(suite, folder)))
    .flatMap((folder) => inFolder(suite, folder));
  const seen = new Map<string, number>();
  return programs.map((program) => {
    const times = (seen.get(program.name) ?? 0) + 1;
    seen.set(program.name, times);
    return times === 1 ? program : { ...program, name: `${program.name}#${times}` };
  });
}

function inFolder(suite: string, folder: string): SuiteProgram[] {
  const path = join(suite, folder);
  const below = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const makefile = readIfThere(join(path, 'Makefile.am')).replace(/\\\n/g, ' ');
  const list =
    ['testlist.in', 'testlist'].map((name) => readIfThere(join(path, name))).find((text) => text !== '') ?? '';
  const lines = list.split('\n').flatMap((line) => readLine(suite, folder, makefile, line) ?? []);
  return [...lines, ...below.flatMap((entry) => inFolder(suite, join(folder, entry.name)))];
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** "sendrecv 2 arg=-x env=A=b mem=6"; undefined where there is no program to run. */
function readLine(suite: string, folder: string, makefile: string, line: string): SuiteProgram | undefined {
  const [target = '', ranks, ...options] = line.replace(/#.*/, '').replace(/@\w+@/g, '').trim().split(/\s+/);
  const count = Number(ranks);
  if (target === '' || !(count >= 1 && count <= tooMuch.ranks)) return undefined;
  const given = (key: string): string[] =>
    options.flatMap((option) => (option.startsWith(`${key}=`) ? [option.slice(key.length + 1)] : []));
  if (Number(given('mem')[0] ?? 0) > tooMuch.gigabytes) return undefined;
  const variable = (name: string): string[] =>
    new RegExp(`^${target}_${name}\\s*=(.*)$`, 'm').exec(makefile)?.[1]?.trim().split(/\s+/) ?? [];
  const listed = variable('SOURCES').filter((word) => word.endsWith('.c'));
  const sources = (listed.length > 0 ? listed : [`${target}.c`]).map((source) => join(folder, source));
  if (!sources.every((source) => existsSync(join(suite, source)))) return undefined;
  return {
    name: join(folder, target),
    folder,
    target,
    sources,
    definitions: variable('CPPFLAGS').filter((word) => word.startsWith('-D')),
    isThreaded: makefile.includes('Makefile_threads.mtest'),
    ranks: count,
    args: given('arg'),
    env: Object.fromEntries(given('env').map((text) => text.split(/=(.*)/s).slice(0, 2) as [string, string])),
  };
}
