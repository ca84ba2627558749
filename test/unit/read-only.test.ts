import assert from 'node:assert/strict';
import { isAssignment } from '../../adapter/gdb/mi/read-only';

const inC = {
  assigning: [
    'x = 1',
    'x=1',
    '(x=1,x)',
    'x++',
    '--x',
    'x += y',
    'x<<=1',
    'x >>= 2',
    'x ^= 1',
    'p->x=1',
    'a[i++]',
    'x /= 2',
    '$pc=0',
    "c='='==c?1:(x=2)",
  ],
  others: [
    'x == 1',
    'x<=1',
    'x>=-1',
    'x != y',
    '!x==1',
    'p->x',
    'a - -b',
    'x < <y',
    'f("a=b")',
    "c == '='",
    '"\\"=1"',
    'ns::x',
    '{int}0x10',
    '*p@4',
  ],
};
const inFortran = {
  assigning: ['x = 1', 'x%y=1', 'a(1)=2', "text = 'a=b'"],
  others: ['x == 1', 'x /= 1', 'x >= 1 .and. y <= 2', "text == 'a=b'", "text == 'it''s = 3'", '"\\" == text', 'i--1'],
};

describe('an expression', () => {
  it('of C that assigns is known by its operators, whatever its texts say', () => {
    for (const each of inC.assigning) assert.equal(isAssignment(each, 'c'), true, each);
    for (const each of inC.others) assert.equal(isAssignment(each, 'c'), false, each);
  });

  it('of Fortran compares with /=, and has no escapes in texts', () => {
    for (const each of inFortran.assigning) assert.equal(isAssignment(each, 'fortran'), true, each);
    for (const each of inFortran.others) assert.equal(isAssignment(each, 'fortran'), false, each);
  });

  it('of an unknown language is not refused for a comparison in either', () => {
    for (const each of [...inC.others, 'x /= 1']) assert.equal(isAssignment(each, 'unknown'), false, each);
    for (const each of ['x++', 'x = 1']) assert.equal(isAssignment(each, 'unknown'), true, each);
  });
});
