import assert from 'node:assert/strict';
import { withoutPadding } from '../../adapter/dap/variables/gdb-values';
import { childPath, elementPath, rootPath, slice, wholeSource } from '../../adapter/dap/variables/variable-paths';
import type { VariableObject } from '../../adapter/gdb/variable-objects';
import { fortranVariable, withFortranVariables } from '../../adapter/expressions/fortran-names';

const variable = (type: string, expression = 'x', value = '{...}'): VariableObject => ({
  ...{ name: 'var1', expression, type, value, childCount: 3, hasMore: false, dynamic: false, displayHint: undefined },
});

describe('paths of variables', () => {
  it('in C lead through members, pointers and elements', () => {
    const child = (
      type: string,
      path: string,
      member: string,
      memberType = 'int',
      value?: string,
    ): string | undefined =>
      childPath(
        'c',
        { variable: variable(type, path, value), path: rootPath(path), name: path },
        variable(memberType, member),
      ).path.text;
    assert.equal(child('struct s', 'a', 'b'), 'a.b');
    assert.equal(child('struct s *', 'a->b', 'c'), 'a->b->c');
    assert.equal(child('int *', 'p', '*p'), '*p');
    assert.equal(child('int [3]', 'a', '2', 'int', '[3]'), 'a[2]');
    assert.equal(child('vec3', 'a + 1', '0', 'double', '[3]'), '(a + 1)[0]');
    assert.equal(child('Ferry', 'f', 'Vessel', 'Vessel'), 'f', 'a base class is in the object');
  });

  it('in Fortran count dimensions from the last one, in the bounds of the array', () => {
    const field = { variable: variable('real(kind=8), allocatable (3,0:3)'), path: rootPath('field') };
    const column = elementPath('fortran', field, '0');
    assert.equal(column.name, '(:,0)');
    const element = elementPath('fortran', { variable: variable('real(kind=8) (3)'), path: column.path }, '2');
    assert.deepEqual([element.name, element.path.text], ['(2,0)', 'field(2,0)']);
    assert.equal(wholeSource(variable('real(kind=8) (3)'), column.path), 'field(:,0)');
    assert.equal(slice(rootPath('a.b'), 100, 50), 'a.b[100]@50');
  });

  it('in Fortran name the function of variables that gdb takes for intrinsics', () => {
    assert.equal(fortranVariable('rank', 'heat'), 'heat::rank');
    assert.equal(fortranVariable('token', 'heat'), 'token');
    assert.equal(
      withFortranVariables('rank + size(a) * a%size', 'heat'),
      'heat::rank + size(a) * $_mpidbg_component_size(a)',
    );
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
