/** After any number of edits, the inference equals a fresh analysis of the resulting texts. */
import assert from 'node:assert/strict';
import { describeReason } from '../../plugin-api/fortran/infer';
import { FortranSources } from '../../plugin-api/fortran/sources';
import { randomNumbers } from '../support/random-numbers';

const programs = 60;
const editsPerProgram = 12;
const filesPerProgram = 5;

/** Random programs with few names, so that most names clash. */
class Author {
  constructor(private readonly below: (limit: number) => number) {}

  file(number: number): string[] {
    const lines = this.below(3) > 0 ? this.module(number) : [];
    for (let i = this.below(3); i > 0; i--)
      lines.push(...this.procedure(this.pick(['s0', 's1', 's2', 's3', 's4']), number));
    if (this.below(4) === 0)
      lines.push(`program p${number}`, ...this.specification(number), ...this.statements(), 'end program');
    return lines;
  }

  /** Inserts statements, deletes a line, or replaces one. */
  edit(lines: readonly string[]): string[] {
    const at = this.below(lines.length + 1);
    const inserted = this.pick([[], [''], this.statements(), [this.declaration()], [this.declaration(), '']]);
    return [...lines.slice(0, at), ...inserted, ...lines.slice(at + this.below(2))];
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  private module(number: number): string[] {
    return [
      `module m${number}`,
      ...this.specification(number),
      ...(this.below(2) === 0 ? ['type :: t', ...this.several(() => this.declaration()), 'end type'] : []),
      ...(this.below(2) === 0 ? ['interface g', 'module procedure s0, s1', 'end interface'] : []),
      ...(this.below(3) === 0 ? ['interface', ...this.procedure('s2', number), 'end interface'] : []),
      'contains',
      ...this.procedure('s0', number),
      ...(this.below(2) === 0 ? this.procedure('s1', number) : []),
      'end module',
    ];
  }

  private procedure(name: string, number: number): string[] {
    const isFunction = this.below(5) === 0;
    const heading = isFunction ? `integer function ${name}(a, b)` : `subroutine ${name}(a, b)`;
    return [
      heading,
      ...this.specification(number),
      ...this.statements(),
      isFunction ? 'end function' : 'end subroutine',
    ];
  }

  /** Modules use only modules of earlier files, as compilers require. */
  private specification(number: number): string[] {
    const used = `m${this.below(number + 1)}`;
    return [
      ...(number > 0 && used !== `m${number}`
        ? [this.pick([`use ${used}`, `use ${used}, only: x, y => z, t, g`, `use ${used}, z => x`])]
        : []),
      ...(this.below(3) === 0 ? ['implicit none'] : []),
      ...this.several(() => this.declaration()),
      ...(this.below(4) === 0 ? [`common /${this.pick(['one', 'two'])}/ ${this.pick(['x, y', 'y, i', 'z'])}`] : []),
    ];
  }

  private declaration(): string {
    const type = this.pick([
      'integer',
      'integer',
      'integer',
      'real',
      'type(t)',
      'type(MPI_Comm)',
      'integer, intent(in)',
    ]);
    return `${type} :: ${this.pick(['a', 'b', 'x', 'y', 'z', 'i(4)', 'x, y', 'a, b', 'k(MPI_STATUS_SIZE)'])}`;
  }

  private statements(): string[] {
    return this.several(() => {
      const [one, other] = [this.name(), this.name()];
      const inner = this.pick([
        `call MPI_Comm_dup(${one}, ${other}, ierr)`,
        `call MPI_Wait(${one}, ${other}, ierr)`,
        `call MPI_Type_commit(${one}, ierr)`,
        `call MPI_Send(x, ${one}, MPI_INTEGER, 0, 0, ${other}, ierr)`,
        `${one} = ${other}`,
        `${one} = MPI_COMM_WORLD`,
        `${one} = ${other} + 1`,
        `call ${this.pick(['s0', 's1', 's2', 's3', 'g'])}(${one}, ${other})`,
        `${one} = ${this.pick(['s0', 's4', 'g'])}(${other}, 3)`,
        `call s1(b=${one}, a=MPI_INFO_NULL)`,
        `if (${one} == MPI_REQUEST_NULL) return`,
      ]);
      if (this.below(6) > 0) return inner;
      return this.pick([
        `block\ninteger :: ${this.pick(['x', 'y'])}\n${inner}\nend block`,
        `associate (x => ${one})\n${inner}\nend associate`,
      ]);
    });
  }

  private name(): string {
    return this.pick(['a', 'b', 'x', 'y', 'z', 'i(1)', 'x%y', 'a%x', 'j', 'k']);
  }

  private several(make: () => string): string[] {
    return Array.from({ length: this.below(4) }, make);
  }
}

/** All inferences, sorted. */
function inferredOf(sources: FortranSources): string[] {
  return [...sources.infer().inferences]
    .map(([{ name, location, scope }, { kind, reasons, integer }]) => {
      const at = `${location.file}:${location.line}:${location.column} ${scope.scope.name} ${name}`;
      const why = reasons.map((reason) => `${reason.kind} ${describeReason(reason)}`).join(' | ');
      return `${at}: ${kind ?? 'conflict'} (${why}) ${integer === undefined ? '' : `${integer.text} ${integer.location.file}:${integer.location.line}`}`;
    })
    .sort();
}

describe('Fortran inference after edits', () => {
  it(`equals a fresh analysis, for ${programs} programs with ${editsPerProgram} edits each`, () => {
    const author = new Author(randomNumbers(19571015));
    let compared = 0;
    for (let program = 0; program < programs; program++) {
      const texts = new Map<string, string[]>();
      const edited = new FortranSources();
      for (let number = 0; number < filesPerProgram; number++) texts.set(`f${number}.f90`, author.file(number));
      for (const [file, lines] of texts) edited.set(file, lines.join('\n'));
      const history: string[] = [];
      for (let edit = 0; edit < editsPerProgram; edit++) {
        const number = author.pick([...Array(filesPerProgram).keys()]);
        const file = `f${number}.f90`;
        const known = texts.get(file);
        const change = author.pick(['edit', 'edit', 'edit', 'edit', 'write', 'delete']);
        if (change === 'delete') {
          texts.delete(file);
          edited.delete(file);
        } else {
          const lines = known === undefined || change === 'write' ? author.file(number) : author.edit(known);
          texts.set(file, lines);
          edited.set(file, lines.join('\n'));
        }
        history.push(`${change} ${file}`);
        // Sometimes several edits come together.
        if (author.pick([false, false, true])) continue;
        const fresh = new FortranSources();
        for (const [file, lines] of texts) fresh.set(file, lines.join('\n'));
        const expected = inferredOf(fresh);
        compared += expected.length;
        const listing = (): string => [...texts].map(([file, lines]) => `--- ${file}\n${lines.join('\n')}`).join('\n');
        assert.deepEqual(inferredOf(edited), expected, `program ${program}, ${history.join(', ')}\n${listing()}`);
      }
    }
    assert.ok(compared > 3000, `only ${compared} inferences were compared`);
  });
});
