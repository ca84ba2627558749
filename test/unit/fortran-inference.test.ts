/**
 * Compares inferences with the expected values in the sources' own comments: `!? name=kind, …` gives the kinds of these
 * names at the comment's line; `none`: no inference, `conflict`: contradicting kinds.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeReason, type Inference } from '../../plugin-api/fortran/infer';
import { FortranSources } from '../../plugin-api/fortran/sources';
import { haloModule, proceduresPerFile } from '../support/halo-module';

const folder = join(__dirname, '..', 'fortran', 'sources');

function readInclude(name: string, from: string): { file: string; text: string } | undefined {
  const file = join(dirname(from), name);
  return name.startsWith('mpif') ? undefined : { file, text: readFileSync(file, 'utf8') };
}

interface Expectation {
  file: string;
  line: number;
  path: string;
  kind: string;
}

function expectationsOf(file: string): Expectation[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const comment = /(?:!|^c)\?\s+(.*)$/.exec(text)?.[1];
      return (comment?.split(/,\s*/) ?? []).map((item) => {
        const [path = '', kind = ''] = item.trim().split('=');
        return { file, line: index + 1, path, kind };
      });
    });
}

describe('Fortran inference', () => {
  const files = readdirSync(folder)
    .filter((name) => /\.f(90)?$/i.test(name))
    .map((name) => join(folder, name));

  const counts = { expected: 0, found: 0, right: 0 };
  after(() => {
    const percent = (of: number): string => `${counts.right} of ${of} (${((100 * counts.right) / of).toFixed(1)} %)`;
    console.log(`    Fortran handles: precision ${percent(counts.found)}, recall ${percent(counts.expected)}`);
  });

  for (const file of files) {
    it(`knows the handles of ${basename(file)}`, () => {
      const sources = new FortranSources(readInclude);
      sources.set(file, readFileSync(file, 'utf8'));
      const expectations = expectationsOf(file);
      assert.ok(expectations.length > 5, 'the file says what it expects');
      const stated = new Set<Inference>();
      const wrong = expectations.flatMap(({ line, path, kind }) => {
        const inference = sources.inferenceAt(file, line, path);
        const found = inference === undefined ? 'none' : (inference.kind ?? 'conflict');
        counts.expected += kind === 'none' ? 0 : 1;
        counts.found += found === 'none' ? 0 : 1;
        counts.right += found !== 'none' && found === kind ? 1 : 0;
        const why = inference?.reasons.map(describeReason).join('; ') ?? '';
        if (inference !== undefined) stated.add(inference);
        return found === kind ? [] : [`${basename(file)}:${line}: ${path} is ${kind}, not ${found} (${why})`];
      });
      assert.deepEqual(wrong, []);
      // Nothing else is inferred.
      const more = [...sources.infer().inferences].filter(([{ variable }, inference]) => {
        return variable?.type !== 'derived' && !stated.has(inference);
      });
      counts.found += more.length;
      assert.deepEqual(
        more.map(([{ name, location }, { kind }]) => `${basename(location.file)}:${location.line}: ${name} is ${kind}`),
        [],
      );
    });
  }

  /** The inference for `name` at the first line with the text `at`, in a program of several files. */
  function infer(files: Record<string, string>, at: string, name: string): string {
    const sources = new FortranSources();
    for (const [file, text] of Object.entries(files)) sources.set(file, text);
    const [file, text] =
      Object.entries(files).find(([, text]) => text.includes(at)) ?? assert.fail(`no line with ${at}`);
    const line = text.slice(0, text.indexOf(at)).split('\n').length;
    const inference = sources.inferenceAt(file, line, name);
    return inference?.reasons.map((reason) => `${reason.kind}: ${describeReason(reason)}`).join(' | ') ?? 'none';
  }

  const library = `
    subroutine split(parent, part)
      integer :: parent, part, ierr
      call MPI_Comm_split(parent, 0, 0, part, ierr)
    end subroutine`;

  it('finds all handles of a large program and nothing else', () => {
    const sources = new FortranSources();
    const modules = 20;
    for (let file = 0; file < modules; file++) sources.set(`halo_${file}.f90`, haloModule(file, modules));
    const found = new Map<string, number>();
    for (const [{ name }, { kind }] of sources.infer().inferences) {
      const key = `${name.replace(/^grid_\d+/, 'grid')}: ${kind}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    const procedures = modules * proceduresPerFile;
    const perProcedure = ['comm: comm', 'local: comm', 'requests: request', 'rows: datatype', 'statuses: status'];
    const expected = new Map(perProcedure.map((key) => [key, procedures]));
    expected.set('grid%comm: comm', modules);
    assert.deepEqual(found, expected);
    const total = procedures * perProcedure.length + modules;
    for (const count of ['expected', 'found', 'right'] as const) counts[count] += total;
  });

  it('names the call and the argument that decided', () => {
    const main = `program p
      integer :: comm
      call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
      end`;
    assert.equal(infer({ 'dir/p.f90': main }, 'integer', 'comm'), 'comm: second argument of MPI_Comm_dup, p.f90:3');
  });

  it('names the path through procedures of other files', () => {
    const main = `program p
      integer :: mine, other
      call split(mine, other)
      mine = other
      end program`;
    assert.equal(
      infer({ 'main.f90': main, 'lib.f90': library }, 'integer :: mine', 'other'),
      'comm: fourth argument of MPI_Comm_split, lib.f90:4 (passed to split as part, main.f90:3)',
    );
  });

  it('does not choose between two procedures with the same name', () => {
    const main = 'program p\n integer :: other\n call split(i, other)\n end';
    const files = { 'main.f90': main, 'lib.f90': library, 'lib2.f90': library.replace('part, ierr)', 'parent, ierr)') };
    assert.equal(infer(files, 'integer :: other', 'other'), 'none');
  });

  it('prefers the procedure of the same file over those of other programs', () => {
    const program = (routine: string): string => `program p
      call MPI_${routine}_create_errhandler(handler, i, j)
      end
      subroutine handler(object, code)
      integer :: object, code
      end`;
    const files = {
      'c.f90': program('Comm'),
      'w.f90': program('Win').replace('integer :: object', 'integer :: ob, object'),
    };
    assert.match(infer(files, 'integer :: object', 'object'), /^comm: first argument of MPI_Comm_errhandler_function/);
    assert.match(infer(files, 'integer :: ob,', 'object'), /^win: first argument of MPI_Win_errhandler_function/);
  });

  it('prefers the module of the same file over those of other programs', () => {
    const program = (routine: string): string => `module kept
      integer :: handle
      end module
      program p
      use kept
      call ${routine}(handle, ierr)
      end`;
    const files = {
      'c.f90': program('MPI_Barrier'),
      'w.f90': program('MPI_Win_free').replace('handle', 'handle, one'),
    };
    assert.match(infer(files, 'integer :: handle\n', 'handle'), /^comm: first argument of MPI_Barrier/);
    assert.match(infer(files, 'integer :: handle,', 'handle'), /^win: first argument of MPI_Win_free/);
  });

  it('resolves a type in its scope, whatever procedures of other programs are called', () => {
    const main = `module grids
      type :: grid
        integer :: comm
      end type
      contains
      subroutine make(world)
        integer :: world
        type(grid) :: made
        made = grid(world)
        call MPI_Barrier(made%comm, ierr)
      end subroutine
      end module`;
    const other = `integer function grid(n)
      integer :: n
      grid = n
      end`;
    const alone = { 'm.f90': main };
    for (const files of [alone, { ...alone, 'o.f90': other }])
      assert.match(infer(files, 'integer :: world', 'world'), /^comm: first argument of MPI_Barrier/);
  });

  it('knows the arguments of a submodule procedure that does not repeat them', () => {
    const module = `module par
      type :: env
        integer :: comm
      end type
      interface
        module subroutine start(e, old, new)
          type(env) :: e
          integer :: old, new
        end subroutine
      end interface
      end module`;
    const body = `submodule (par) bodies
      contains
      module procedure start
        call MPI_Comm_dup(old, e%comm, ierr)
        new = e%comm
      end procedure
      end submodule`;
    const main = `program p
      use par
      integer :: mine, his
      call start(e, mine, his)
      end`;
    const files = { 'par.f90': module, 'bodies.f90': body, 'main.f90': main };
    assert.match(infer(files, 'integer :: mine', 'mine'), /^comm: first argument of MPI_Comm_dup, bodies\.f90:4/);
    assert.match(infer(files, 'integer :: mine', 'his'), /^comm: second argument of MPI_Comm_dup, bodies\.f90:4/);
    assert.match(infer(files, 'new = e%comm', 'old'), /^comm: first argument of MPI_Comm_dup, bodies\.f90:4/);
  });

  it('uses the name of the procedure if the text has changed and the line no longer fits', () => {
    const sources = new FortranSources();
    sources.set(
      'l.f90',
      `${library}\n${library.replaceAll('split', 'other').replace('0, 0, part', 'part, 0, parent')}`,
    );
    const kindOf = (line: number, name: string, procedure?: string): string | undefined =>
      sources.inferenceAt('l.f90', line, name, procedure)?.kind;
    assert.deepEqual(
      [kindOf(4, 'part', 'SPLIT'), kindOf(4, 'part', 'other'), kindOf(9, 'part', 'split')],
      ['comm', undefined, 'comm'],
    );
    assert.equal(kindOf(4, 'part', 'of_another_file'), 'comm');
  });

  it('reports both kinds if they conflict', () => {
    const main = `program p
      call MPI_Type_commit(ihandle, ierr)
      call MPI_Barrier(ihandle, ierr)
      end`;
    assert.equal(
      infer({ 'p.f90': main }, 'program', 'ihandle'),
      'datatype: first argument of MPI_Type_commit, p.f90:2 | comm: first argument of MPI_Barrier, p.f90:3',
    );
  });

  it('forgets removed files and reads new texts', () => {
    const sources = new FortranSources();
    sources.set('m.f90', 'program p\n integer :: c\n call split(c, c)\n end');
    sources.set('lib.f90', library);
    assert.equal(sources.kindAt('m.f90', 2, 'c'), 'comm');
    sources.set('lib.f90', library.replace('MPI_Comm_split', 'my_split'));
    assert.equal(sources.kindAt('m.f90', 2, 'c'), undefined);
    sources.set('lib.f90', library);
    sources.delete('lib.f90');
    assert.equal(sources.kindAt('m.f90', 2, 'c'), undefined);
  });
});
