/** Lines of /proc/PID/maps whose paths have characters that end a line elsewhere. */
import assert from 'node:assert/strict';
import { it } from 'mocha';
import { parseMaps } from '../../adapter/hosts/process-maps';

it('the path of a mapping may have any character', () => {
  for (const path of ['/a\rb', '/a\u2028b\u2029', '/a\tb', '/a\u001b[2J', '/a\u{fffd}b', '/a b', '/a\u0085b']) {
    const [mapping, ...others] = parseMaps(`7f00-7f10 r-xp 00000010 08:01 42                         ${path}\n`);
    assert.deepEqual(others, []);
    assert.deepEqual([mapping?.path, mapping?.file, mapping?.offset], [path, '08:01:42', 16]);
  }
});

it('a newline in a path is what the kernel writes for it', () => {
  const [mapping] = parseMaps('7f00-7f10 rw-p 00000000 08:01 42 /a\\012b (deleted)\n');
  assert.equal(mapping?.path, '/a\nb');
});
