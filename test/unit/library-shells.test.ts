/** Values as gdb writes them, without what C++'s library has around them. */
import assert from 'node:assert/strict';
import { withoutLibraryShells } from '../../plugin-api/answers/values/value-text';

describe('what the library has around a value', () => {
  for (const [told, expected] of [
    ['{_M_elems = {1, 2, 3}}', '{1, 2, 3}'],
    ['{{_M_value = 1 + 2i}, {_M_value = 3 + 4i}}', '{1 + 2i, 3 + 4i}'],
    ['{__d = {__r = 5}}', '5'],
    ['{t = 1.5, v = {_M_elems = {1, 2}}, w = {_M_elems = {{_M_elems = {3}}}}}', '{t = 1.5, v = {1, 2}, w = {{3}}}'],
    ['{_M_size = 3, _M_data = 0x10}', '{_M_size = 3, _M_data = 0x10}'],
    ['{"{_M_elems = 1}", \'{\', {_M_elems = "}"}}', '{"{_M_elems = 1}", \'{\', "}"}'],
    ['{elems = {1}}', '{elems = {1}}'],
    ['{_M_elems = {1, 2...', '{_M_elems = {1, 2...'],
    ['}{', '}{'],
    ['it\'s "', 'it\'s "'],
  ] as const)
    it(told, () => assert.equal(withoutLibraryShells(told), expected));
});
