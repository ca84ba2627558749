/** Scanner and inference neither fail nor take long on many mutated pieces of Fortran. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FortranSources } from '../../plugin-api/fortran/sources';
import { randomNumbers } from '../support/random-numbers';
import { randomCases } from '../support/thorough';

const folder = join(__dirname, '..', 'fortran', 'sources');
const mutated = randomCases(100_000);
const pieces = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => readFileSync(join(folder, name), 'utf8').split('\n'));
const insertions = [
  '(',
  ')',
  '&',
  '\n',
  "'",
  '"',
  '!',
  ';',
  '%',
  '=>',
  '::',
  '#if 0\n',
  '#else\n',
  '#endif\n',
  'end',
  '\0',
  '(/',
  '0',
];

describe('the Fortran scanner on mutated sources', () => {
  it(`reads ${mutated} of them`, function () {
    this.timeout(180_000);
    const below = randomNumbers(20261121);
    let inferred = 0;
    for (let round = 0; round < mutated; round++) {
      const lines = pieces[below(pieces.length)] ?? [];
      let text = lines.slice(below(lines.length)).slice(0, 8).join('\n');
      for (let i = below(4); i >= 0; i--) {
        const at = below(text.length + 1);
        const cut = below(2) === 0 ? 0 : below(20);
        text = text.slice(0, at) + (insertions[below(insertions.length)] ?? '') + text.slice(at + cut);
      }
      const sources = new FortranSources((name) => ({ file: name, text: `include '${name}'` }));
      sources.set('a.f90', text, round % 3 === 0 ? 'fixed' : 'free');
      inferred += sources.infer().inferences.size;
    }
    assert.ok(inferred > mutated / 10, `only ${inferred} handles were found: the mutations leave nothing`);
  });

  // Without bounds on a walk, each of these would take minutes or overflow the stack.
  const long = 200_000;
  const wild: Record<string, string> = {
    'nested parentheses': `x = ${'f('.repeat(long)}y`,
    'nested IF statements': 'if (a) '.repeat(long) + 'b = c',
    'a chain of comparisons': `l = a${' == a'.repeat(long)}`,
    'a long component path': `call f(a${'%a'.repeat(long)})`,
    'continuations without end': 'x = &\n'.repeat(long),
    'conditionals without end': '#if x\nsubroutine s\n'.repeat(2000),
    'modules that use each other':
      Array.from(
        { length: 40 },
        (_, i) => `module m${i}\n${Array.from({ length: 40 }, (_, j) => `use m${j}\n`).join('')}\nend module`,
      ).join('\n') + '\nprogram p\nuse m0\nimplicit none\ncall MPI_Barrier(nowhere, ierr)\nend',
    'types that extend each other':
      'module m\ntype, extends(b) :: a\nend type\ntype, extends(a) :: b\nend type\nend module\nprogram p\nuse m\ntype(a) x\ncall MPI_Barrier(x%c, i)\nend',
  };
  for (const [name, text] of Object.entries(wild)) {
    it(`reads ${name}`, () => {
      const sources = new FortranSources();
      sources.set('a.f90', text);
      sources.infer();
    });
  }
});
