/** The wrappers of MPI's functions: their table is up to date, and no function of a library that is here lacks one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  callTable,
  callTableFile,
  errorTable,
  errorTableFile,
  floatTable,
  floatTableFile,
} from '../../scripts/write-call-table';

const wrappers = join(__dirname, '..', '..', 'dist', 'mpidbg-calls.so');

/** Functions that a library defines, of MPI's names. */
function functionsOf(library: string): string[] {
  const lines = execFileSync('nm', ['-D', '--defined-only', library], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, , name = ''] = /^\S+ ([TW]) (\w+)/.exec(line) ?? [];
    return /^mpix?_/i.test(name) ? [name] : [];
  });
}

/** What has no wrapper, and why. */
const exceptions: readonly [pattern: RegExp, why: string][] = [
  [/^mpi_t_/i, 'of tools, not of programs: the collector itself calls them'],
  [/^mpi_sizeof/i, 'asks the compiler, not MPI'],
  [/_(null_copy|null_delete|dup|conversion|fn)_?(fn|null)?(_f)?_*$/i, 'a predefined callback, known by its address'],
  [/^mpix_(?!\w+_init)/i, 'an extension of one library: of these, persistent collectives only are wrapped'],
  [/^MPIX?_\w+_f(08)?$/, "called by Open MPI's own modules only"],
  [/_f90_*$/i, "what Fortran's interface blocks stand for; the program calls it by another name"],
  [
    /^mpi_\w+_cptr_*$|_(cdesc|f08ts_cdesc)_*$/i,
    'a specific procedure behind a generic name that calls the general one',
  ],
];

describe('the wrappers of MPI', () => {
  it('are written from the bindings of Fortran: npx tsx scripts/write-call-table.ts', () => {
    assert.equal(readFileSync(callTableFile, 'utf8'), callTable());
    assert.equal(readFileSync(errorTableFile, 'utf8'), errorTable());
    assert.equal(readFileSync(floatTableFile, 'utf8'), floatTable());
  });

  const folder = '/usr/lib/x86_64-linux-gnu';
  const libraries = existsSync(folder)
    ? readdirSync(folder).filter((name) => /^libmp(i|i_mpifh|i_usempi\w*|ich|ichfort)\.so\.\d+$/.test(name))
    : [];
  for (const library of libraries)
    it(`cover what ${library} defines`, () => {
      const wrapped = new Set(functionsOf(wrappers));
      const missing = functionsOf(join(folder, library)).filter(
        (name) => !wrapped.has(name) && !exceptions.some(([pattern]) => pattern.test(name)),
      );
      assert.deepEqual(missing, []);
    });
});
