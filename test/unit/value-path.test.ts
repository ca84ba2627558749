import assert from 'node:assert/strict';
import { partOfSection } from '../../adapter/expressions/access-path';
import { fortranVariable, reservedNamesIn, withFortranVariables } from '../../adapter/expressions/fortran-names';
import { withoutPadding } from '../../plugin-api/answers/values/value-text';
import {
  basePath,
  containedPath,
  elementPath,
  memberPath,
  namelessPath,
  noSection,
  pointeePath,
  rootPath,
  sourceText,
  subscriptedPath,
  targetPath,
  writtenElements,
  writtenText,
} from '../../adapter/values/value-path';

const root = (text: string) => rootPath(text, text);

describe('paths of values', () => {
  it('in C lead through members, pointers and elements', () => {
    assert.equal(writtenText(memberPath(root('a'), 'b', 'c')), 'a.b');
    assert.equal(writtenText(memberPath(root('*p'), 'b', 'c')), 'p->b');
    assert.equal(writtenText(memberPath(pointeePath(root('a->b')), 'c', 'c')), 'a->b->c');
    assert.equal(writtenText(memberPath(pointeePath(root('*pp')), 'c', 'c')), '(*pp)->c');
    assert.equal(writtenText(targetPath(root('p'))), '*p');
    assert.equal(writtenText(elementPath(root('a'), 2)), 'a[2]');
    assert.equal(writtenText(elementPath(root('a + 1'), 0)), '(a + 1)[0]');
    assert.equal(writtenText(elementPath(root('*p@3'), 1)), 'p[1]');
    const elements = { type: 'int [300]', first: 100, count: 50 };
    assert.equal(writtenElements(root('a.b'), 'c', elements), 'a.b[100]@50');
  });

  it('name the members of a base class as the object does, but those that the object hides', () => {
    const base = basePath(root('ferry'), 'Vessel', ['deck', 'name']);
    assert.equal(writtenText(base), '*(Vessel *)&(ferry)');
    assert.equal(writtenText(memberPath(base, 'engine', 'c')), 'ferry.engine');
    assert.equal(writtenText(memberPath(base, 'name', 'c')), 'ferry.Vessel::name');
    const pointee = basePath(pointeePath(root('to_ferry')), 'Vessel', ['name']);
    assert.equal(writtenText(pointee), '*(Vessel *)(to_ferry)');
    const deeper = basePath(pointee, 'Body', ['engine']);
    assert.equal(writtenText(deeper), '*(Body *)&(*(Vessel *)(to_ferry))');
    assert.equal(writtenText(memberPath(deeper, 'weight', 'c')), 'to_ferry->weight');
    for (const hidden of ['engine', 'name'])
      assert.equal(writtenText(memberPath(deeper, hidden, 'c')), `to_ferry->Body::${hidden}`);
    const union = namelessPath(root('ferry'));
    assert.equal(writtenText(union), undefined);
    assert.equal(writtenText(memberPath(union, 'bits', 'c')), 'ferry.bits');
  });

  it('lead into containers, for gdb by position, for the user where an expression does', () => {
    const at = (name: string, as: Parameters<typeof containedPath>[2]['as']) =>
      containedPath(root('all'), 3, { name, as });
    const source = '$_mpidbg_child(all, 3)';
    const element = at('[3]', { kind: 'index', index: '3' });
    assert.deepEqual([writtenText(element), sourceText(element)], ['all[3]', source]);
    assert.equal(writtenText(at('second', { kind: 'member' })), 'all.second');
    assert.equal(writtenText(at('[contained value]', { kind: 'value' })), '*all');
    const pointer = at('get()', { kind: 'pointer' });
    assert.deepEqual([writtenText(pointer), sourceText(pointer)], [undefined, source]);
    const member = memberPath(pointeePath(pointer), 'comm', 'c');
    assert.deepEqual([writtenText(member), sourceText(member)], ['all->comm', `${source}->comm`]);
    const unnamed = memberPath(at('key', undefined), 'comm', 'c');
    assert.deepEqual([writtenText(unnamed), sourceText(unnamed)], [undefined, `${source}.comm`]);
  });

  it('in Fortran count dimensions from the last one, in the bounds of the array', () => {
    const column = subscriptedPath(root('field'), '0', 2, noSection);
    assert.deepEqual([writtenText(column), sourceText(column)], ['field(:,0)', 'field(:,0)']);
    assert.equal(writtenText(subscriptedPath(column, '2', 1, noSection)), 'field(2,0)');
    const elements = { type: 'real(kind=8) (3)', first: 2, count: 2 };
    assert.equal(writtenElements(column, 'fortran', elements), 'field(2:3,0)');
    assert.equal(writtenText(memberPath(root('one'), 'comm', 'fortran')), 'one%comm');
  });

  it('in Fortran lead from a section and a slice into the array itself', () => {
    const bounds = { ofArray: [0, -1], own: [1] };
    assert.equal(writtenText(subscriptedPath(root('m(2:6:2)'), '3', 1, bounds)), 'm(6)');
    const column = subscriptedPath(root('m(:,2:3)'), '2', 2, bounds);
    assert.equal(writtenText(column), 'm(:,3)');
    assert.equal(writtenText(subscriptedPath(column, '1', 1, bounds)), 'm(0,3)');
    assert.equal(writtenText(subscriptedPath(root('a(2)@3'), '3', 1, { ofArray: [], own: [1] })), 'a(4)');
    assert.equal(partOfSection('m(::-1,4)', ['2'], [0, -1]), undefined, 'where it begins is its high bound');
  });

  it('in Fortran name the function of variables that gdb takes for intrinsics', () => {
    assert.equal(fortranVariable('rank', 'heat'), 'heat::rank');
    assert.equal(fortranVariable('token', 'heat'), 'token');
    assert.equal(
      withFortranVariables('rank + size(a) * a%size', 'heat'),
      'heat::rank + size(a) * $_mpidbg_component_size(a)',
    );
    const variables = new Map([
      ['size', { hasParts: true }],
      ['mod', { hasParts: false }],
      ['real', { hasParts: true }],
    ]);
    assert.equal(
      withFortranVariables('Size(1) + mod(mod, 2) + a%size(2) * real(1) + loc(x) + integer', 'heat', variables),
      'heat::Size(1) + mod(heat::mod, 2) + $_mpidbg_component_size(a)(2) * heat::real(1) + loc(x) + integer',
    );
    assert.deepEqual(reservedNamesIn("SIZE(a%kind) + heat::mod // 'rank' + real"), ['size', 'real']);
    const nested = withFortranVariables("(grid%cells(i, size)%shape) / a % size // 'a%size'", 'heat');
    const shape = '$_mpidbg_component_shape(grid%cells(i, heat::size))';
    assert.equal(nested, `(${shape}) / $_mpidbg_component_size(a) // 'a%size'`);
    assert.equal(withFortranVariables("heat::rank // 'rank'", 'heat'), "heat::rank // 'rank'");
  });

  it('show the text of a char array without the zeros behind it', () => {
    assert.equal(withoutPadding('{name = "north", \'\\000\' <repeats 10 times>, n = 1}'), '{name = "north", n = 1}');
    assert.equal(withoutPadding('"tide\\000\\000\\000"'), '"tide"');
    assert.equal(withoutPadding("'\\000' <repeats 15 times>"), '""');
    assert.equal(withoutPadding('"\\000\\000\\200?"'), '"\\000\\000\\200?"');
  });
});
