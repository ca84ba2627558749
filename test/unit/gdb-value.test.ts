import assert from 'node:assert/strict';
import { addressIn, comparableText, integerIn, valueOf, wholeNumberIn } from '../../adapter/gdb/mi/value';

/** What it is, without its text. */
function told(text: string): object {
  const { text: own, ...rest } = valueOf(text);
  assert.equal(own, text);
  return rest;
}

describe('values as gdb writes them', () => {
  it('are told apart', () => {
    const kinds: Record<string, readonly string[]> = {
      none: [''],
      struct: ['{...}'],
      optimizedOut: ['<optimized out>'],
      unreadable: ['<error: Cannot access memory at address 0x10>', '<error reading variable: No symbol "n".>'],
      number: ['0', '-12', '1.5e-07', 'inf', "97 'a'"],
      notANumber: ['nan(0x8000000000000)', '1 + -nan(0x8)i', '{_M_value = nan(0x8) + 2i}'],
      truth: ['true', '.FALSE.'],
      other: ['RED', '(A | unknown: 0x8)', '{x = 1}', '"0x10"', '1 + 2i', '"std::list with 3 elements"', "'x = {'"],
    };
    for (const [kind, texts] of Object.entries(kinds))
      for (const text of texts) assert.equal(valueOf(text).kind, kind, text);
  });

  it('lead somewhere', () => {
    const pointers: Record<string, readonly [bigint, string, boolean]> = {
      '0x0': [0n, '', false],
      '(int *) 0x7ffe10': [0x7ffe10n, '', false],
      '(PTR TO -> ( integer(kind=4) )) 0x7ffe10': [0x7ffe10n, '', false],
      '(void (*)(int)) 0x401136 <twice>': [0x401136n, '<twice>', false],
      '(std::vector<int, std::allocator<int> > *) 0x10': [0x10n, '', false],
      '0x4a1b "a (b) 0x2"': [0x4a1bn, '"a (b) 0x2"', true],
      '0x1 <error: Cannot access memory at address 0x1>': [1n, '<error: Cannot access memory at address 0x1>', false],
    };
    for (const [text, [address, beside, isText]] of Object.entries(pointers))
      assert.deepEqual(told(text), { kind: 'pointer', address, told: beside, isText });
    assert.deepEqual(told('(int &) @0x7ffe10: 5'), { kind: 'reference', address: 0x7ffe10n, told: '5' });
    assert.equal(addressIn(valueOf('12')), undefined);
  });

  it('have a length', () => {
    assert.deepEqual(told('[20000000]'), { kind: 'array', count: 20_000_000 });
    const vector = 'std::vector of length 2, capacity 2 = ';
    assert.deepEqual(told(`${vector}{1, 2}`), { kind: 'titled', title: vector, length: 2 });
    assert.deepEqual(told('std::vector of length 0, capacity 0'), { kind: 'titled', title: '', length: 0 });
    assert.deepEqual(told('std::map with 1 element = {["a"] = {x = 1}}'), {
      ...{ kind: 'titled', title: 'std::map with 1 element = ', length: 1 },
    });
    const list = 'std::__cxx11::list = ';
    assert.deepEqual(told(`${list}{[0] = 4}`), { kind: 'titled', title: list, length: undefined });
  });

  it('are whole numbers, which a handle may be', () => {
    const numbers = ['-3', "97 'a'", '0x44000000', '3.5', '1e+10', 'RED', ''].map((text) => valueOf(text));
    assert.deepEqual(numbers.map(integerIn), [-3n, 97n, 0x44000000n, undefined, undefined, undefined, undefined]);
    assert.deepEqual(numbers.map(wholeNumberIn), [-3n, ...Array.from({ length: 6 }, () => undefined)]);
  });

  it('are compared between processes without their addresses', () => {
    const texts = ['0x0', '(int *) 0x7ff', '0x4a1b "ocean"', '(void (*)(int)) 0x40 <twice>', '@0x7ff: 5', '7'];
    assert.deepEqual(
      texts.map((text) => comparableText(valueOf(text))),
      ['null', 'not null', '"ocean"', '<twice>', '5', '7'],
    );
  });
});
