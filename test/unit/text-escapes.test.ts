/** Characters that gdb writes in octal digits, in the form that all else of mpidbg writes them in. */
import assert from 'node:assert/strict';
import { valueOf } from '../../adapter/gdb/mi/value';
import { withVisibleEscapes } from '../../adapter/gdb/mi/text-escapes';
import { visible } from '../../plugin-api/visible-text';

describe('escapes in texts of gdb', () => {
  it('are those of other texts', () => {
    // As gdb 13 writes char text[] = "a\033[31mb\xc2\x9b\u202e\x9b", and a char of it.
    assert.equal(
      withVisibleEscapes('"a\\033[31mb\\302\\233\\342\\200\\256\\233"'),
      '"a\\u001b[31mb\\u009b\\u202e\\233"',
    );
    assert.equal(withVisibleEscapes('"\\a\\\\a\\v"'), '"\\u0007\\\\a\\u000b"');
    assert.equal(valueOf("27 '\\033'").text, "27 '\\u001b'");
    assert.equal(valueOf('0x4a1b "\\033[2J"').text, '0x4a1b "\\u001b[2J"');
    assert.equal(visible('\x1b[2J'), '\\u001b[2J');
  });

  it('are what they are where C or the program has written them', () => {
    for (const text of [
      '"a\\\\033"',
      '"\\\\\\\\033"',
      '"\\n\\t\\b"',
      "'\\000' <repeats 15 times>",
      '"\\200\\300?"',
      '\\033',
      '"a',
    ])
      assert.equal(withVisibleEscapes(text), text);
  });

  it('come in any order', () => {
    assert.equal(withVisibleEscapes('"\\\\\\033\\303\\033\\302\\205"'), '"\\\\\\u001b\\303\\u001b\\u0085"');
    assert.equal(withVisibleEscapes('{a = "\\001", b = 2 \'\\002\'}'), '{a = "\\u0001", b = 2 \'\\u0002\'}');
  });
});
