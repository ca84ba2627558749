import assert from 'node:assert/strict';
import { withoutEndedNames } from '../../../extension/editor/ended-blocks';
import { expressionsIn } from '../../../extension/editor/expressions-in-line';
import { textsOfStoppedLine } from '../../../extension/editor/stopped-line';

const inC = (line: string): string[] => expressionsIn(line, false, () => true).map(({ text }) => text);

describe('what the line that has stopped reads', () => {
  it('are variables, members and elements, and of a call what it is made of', () => {
    assert.deepEqual(inC('  MPI_Waitall(2, halos[i].pair, MPI_STATUSES_IGNORE);'), ['halos[i].pair', 'i']);
    assert.deepEqual(inC('MPI_Isend(h->out, N, MPI_INT, h -> peer, 10 + i, d->grid, &h->pair[1]);'), [
      'h->out',
      'h -> peer',
      'i',
      'd->grid',
      'h->pair[1]',
    ]);
    assert.deepEqual(inC('wait(requests_.size(), requests_.data(), this->me_); // x'), ['requests_']);
    assert.deepEqual(inC('for (std::size_t i = 0; i < std::max(n, m); ++i)'), ['i', 'n', 'm']);
  });

  it('never change a variable: an index that does is none', () => {
    assert.deepEqual(inC('use(a[i++], b[k = 2], c[--n]);'), ['a', 'i', 'b', 'k', 'c', 'n']);
  });

  it('are components and elements of Fortran, whose calls look like them', () => {
    const variables = new Set(['s', 'requests', 'u', 'n']);
    const texts = (line: string): string[] =>
      expressionsIn(line, true, (name) => variables.has(name.toLowerCase())).map(({ text }) => text);
    assert.deepEqual(texts("  call MPI_Irecv(s%u(N+1), 1, MPI_INTEGER, S%left, tag, requests(2), ierr) ! 'x"), [
      's%u(N+1)',
      'N',
      'S%left',
      'tag',
      'requests(2)',
      'ierr',
    ]);
    assert.deepEqual(texts('  u(n) = speed_of(n, s)'), ['u(n)', 'n', 's']);
  });

  it('have short values first, the others as far as there is room, and none without a value', async () => {
    const locals = new Map([
      ['i', '0'],
      ['h', 'not set yet'],
      ['count', '0x7ffe10'],
    ]);
    const asked: string[] = [];
    const texts = await textsOfStoppedLine('f(halos[i].pair, h->peer, i, count, name);', false, locals, 48, (each) => {
      asked.push(each);
      return Promise.resolve(each === 'name' ? undefined : '1 receive pending, 1 completed operation');
    });
    assert.deepEqual(
      texts.map(({ text }) => text),
      ['i = 0', 'halos[i].pair = 1 receive pending, …'],
    );
    assert.deepEqual(asked, ['halos[i].pair', 'name']);
  });

  it('are not told of lines in a block that has ended, whose variables are others', () => {
    const lines = [
      'for (int i = 0; i < n; i++) {',
      '  struct halo *h = &halos[i], *other;',
      '  use(h->i, i, n, other);',
      '}',
      'for (std::size_t k = 0; k < n; k++)',
      '  use(k);',
      'for (auto &each : halos) { return each; }',
      'if (k == 1) { k = n; }',
      'for (int i = 0; i < n; i++) {',
      '  use(i, h, k, each);',
    ];
    const told = withoutEndedNames(lines);
    assert.deepEqual(
      told.map((line) => line.match(/\b(?:i|h|n|k|other|each)\b/g)?.join(' ') ?? ''),
      ['n', '', 'i n', '', 'n', '', '', 'k k n', 'i i n i', 'i h k each'],
    );
    told.forEach((line, index) => assert.equal(line.length, lines[index]!.length));
  });
});
