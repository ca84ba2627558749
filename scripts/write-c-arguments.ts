/**
 * Writes plugin-api/fortran/c-arguments.json, how C passes each argument of MPI's routines, from the prototypes of MPIs:
 * npx tsx scripts/write-c-arguments.ts MPI.H... The first file that has a routine wins. One letter an argument, see c-arguments.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const output = join(__dirname, '..', 'plugin-api', 'fortran', 'c-arguments.json');
const handles = 'Comm Datatype Errhandler File Group Info Message Op Request Session Win'.split(' ');

function letterOf(argument: string): string {
  const [, type = '', stars = '', brackets = ''] =
    /^(?:const )?(?:struct )?(\w+(?: \w+)*?) ?([*\s]*)(?:const )?\w*(\[.*)?$/.exec(argument) ?? [];
  const pointers = stars.replace(/\s/g, '');
  if (brackets !== '') return '.';
  const isHandle = handles.includes(type.replace(/^MPI_/, ''));
  if (pointers === '*') return isHandle ? 'p' : /^const char /.test(argument) ? 's' : '.';
  if (pointers !== '') return '.';
  if (isHandle) return 'h';
  return type === 'int' ? 'i' : /^MPI_(Aint|Offset|Count)$/.test(type) ? 'l' : '.';
}

const routines = new Map<string, string>();
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ');
  for (const [, name = '', list = ''] of text.matchAll(/\bint (MPI_\w+)\(([^()]*)\)/g)) {
    const routine = name.toLowerCase();
    if (routines.has(routine)) continue;
    const args = list.split(',').map((each) => each.trim());
    routines.set(routine, args.join() === 'void' ? '' : args.map(letterOf).join(''));
  }
}
const sorted = [...routines].sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(output, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
console.log(`${sorted.length} routines`);
