/**
 * Writes plugin-api/fortran/bindings.json, the MPI routines of Fortran and what each argument is, from the mpi_f08 modules
 * that gfortran compiled for an MPI: npx tsx scripts/write-fortran-bindings.ts MPI_F08.MOD...
 * mpi_f08 says with each argument's type what mpif.h and `use mpi` only call INTEGER; names and order of the arguments are
 * the same in all three (MPI 4.1, 19.1). Several modules are merged, the first that has a routine wins.
 * A module file is a gzipped tree of parentheses (gfortran's module version 15 and 16); of it only the symbols are used:
 * number 'name' 'module' 'binding' namespace (attributes components type namespace common (arguments) ...).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

type Tree = string | Tree[];
interface ModuleSymbol {
  name: string;
  module: string;
  attributes: string[];
  type: Tree[];
  arguments: string[];
}

const kinds = 'comm datatype errhandler file group info message op request session status win'.split(' ');
const output = join(__dirname, '..', 'plugin-api', 'fortran', 'bindings.json');

function parseTree(text: string): Tree[] {
  const stack: Tree[][] = [[]];
  for (const token of text.match(/\(|\)|'(?:[^']|'')*'|[^\s()]+/g) ?? []) {
    if (token === '(') stack.push([]);
    else if (token === ')') {
      const done = stack.pop() as Tree[];
      stack.at(-1)?.push(done);
    } else stack.at(-1)?.push(token.startsWith("'") ? token.slice(1, -1) : token);
  }
  return stack[0] as Tree[];
}

function readSymbols(path: string): Map<string, ModuleSymbol> {
  const text = gunzipSync(readFileSync(path)).toString('latin1');
  const tree = parseTree(text.slice(text.indexOf('\n')));
  const flat = tree[6] as Tree[];
  const symbols = new Map<string, ModuleSymbol>();
  for (let i = 0; i + 5 < flat.length; i += 6) {
    const [number, name, module] = flat.slice(i, i + 3) as string[];
    const body = flat[i + 5] as Tree[];
    symbols.set(number as string, {
      name: (name as string).toLowerCase(),
      module: module as string,
      attributes: (body[0] ?? []) as string[],
      type: (body[2] ?? []) as Tree[],
      arguments: Array.isArray(body[5]) ? (body[5] as string[]) : [],
    });
  }
  return symbols;
}

/** The kind of handle a type is; undefined for any other type. */
function kindOf(type: Tree[], symbols: Map<string, ModuleSymbol>): string | undefined {
  const name = type[0] === 'DERIVED' ? symbols.get(type[1] as string)?.name : undefined;
  return kinds.find((kind) => name === `mpi_${kind}`);
}

/** One word per argument; the grammar is told in bindings.ts. */
function describeArguments(routine: ModuleSymbol, symbols: Map<string, ModuleSymbol>): string {
  const words = routine.arguments.map((number) => {
    const { name, attributes, type } = symbols.get(number) as ModuleSymbol;
    const kind = kindOf(type, symbols);
    const array = attributes.includes('DIMENSION') ? '()' : '';
    if (kind !== undefined) return `${name}:${kind}${array}${attributes[1]?.endsWith('OUT') ? '!' : ''}`;
    if (attributes[0] === 'PROCEDURE') return `${name}@${symbols.get(type[2] as string)?.name ?? ''}`;
    return type[0] === 'INTEGER' && type[1] === '4' ? `${name}#` : name;
  });
  return words.join(' ');
}

const routines: Record<string, string> = {};
const callbacks: Record<string, string> = {};
const constants: Record<string, Set<string>> = {};
for (const path of process.argv.slice(2)) {
  const symbols = readSymbols(path);
  for (const symbol of symbols.values()) {
    const { name, attributes } = symbol;
    const kind = kindOf(symbol.type, symbols);
    if (attributes[0] === 'PARAMETER' && kind !== undefined) (constants[kind] ??= new Set()).add(name);
    if (attributes[0] !== 'PROCEDURE' || !name.startsWith('mpi_')) continue;
    if (attributes.includes('ABSTRACT')) callbacks[name] ??= describeArguments(symbol, symbols);
    const routine = /^(mpi_\w+)_f08(?:ts)?$/.exec(name)?.[1];
    if (routine !== undefined) routines[routine] ??= describeArguments(symbol, symbols);
  }
}

const sorted = (of: Record<string, string>, wanted: (text: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(of)
      .filter(([, text]) => wanted(text))
      .sort(([a], [b]) => a.localeCompare(b)),
  );
const table = {
  routines: sorted(routines, () => true),
  callbacks: sorted(callbacks, (text) => text.includes(':')),
  constants: Object.fromEntries(Object.entries(constants).map(([kind, names]) => [kind, [...names].sort()])),
};
writeFileSync(output, `${JSON.stringify(table, undefined, 1)}\n`);
