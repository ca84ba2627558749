/** What a type that gdb has written can be. */
import assert from 'node:assert/strict';
import { mayBeOfClass } from '../../adapter/gdb/value-type';

describe('a type that gdb has written', () => {
  for (const type of [
    'Grid *',
    'const Grid *const',
    'Grid &',
    'geometry::Shape<double> &&',
    '(anonymous namespace)::Grid *',
    'Pointer',
    'Grid',
  ])
    it(`may be of a class: ${type}`, () => assert.ok(mayBeOfClass(type)));

  for (const type of [
    'double *',
    'const unsigned char *',
    'void *',
    'bool &',
    'Grid **',
    'struct field *',
    'enum side &',
    'void (*)(int)',
  ])
    it(`is of none: ${type}`, () => assert.ok(!mayBeOfClass(type)));
});
