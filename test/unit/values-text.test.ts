import assert from 'node:assert/strict';
import { compareNumbers, isNotANumber, numberInText } from '../../plugin-api/answers/values/exact-number';
import { truthOf, valueOf } from '../../adapter/gdb/mi/value';
import { allWithShortNumbers, withShortNumbers } from '../../plugin-api/answers/values/short-numbers';
import { valueOverRanks, type RankValue, type ValueOverRanks } from '../../plugin-api/answers/value-over-ranks';
import { valuesText } from '../../plugin-api/answers/text/values-text';

/** Ranks 0, 1, 2, … with these values. */
function of(texts: readonly string[], more: Partial<RankValue> = {}): RankValue[] {
  return texts.map((text, rank) => ({ rank: { rank }, text, value: valueOf(text), ...more }));
}

function linesOf(answers: readonly RankValue[], full = false): string[] {
  return valuesText({ expressions: [valueOverRanks('x', answers)] }, { full })
    .split('\n')
    .slice(0, -1);
}

describe('numbers as gdb writes them', () => {
  it('are compared exactly, also beyond the digits of a double', () => {
    const ascending = ['-inf', '-1e+300', '-2', '-1.5', '0', '1e-4000', '1e-07', "97 'a'", '1e+22', '1e+4000', 'inf'];
    const numbers = ascending.map((text) => numberInText(text)!);
    for (const [i, number] of numbers.entries())
      for (const [j, other] of numbers.entries())
        assert.equal(Math.sign(compareNumbers(number, other)), Math.sign(i - j), `${ascending[i]} ${ascending[j]}`);
    const [third, above] = ['0.333333333333333333342', '0.333333333333333333451'].map((text) => numberInText(text)!);
    assert.ok(compareNumbers(third!, above!) < 0);
    assert.equal(compareNumbers(numberInText('1.50')!, numberInText('15e-1')!), 0);
  });

  it('are not what begins like one', () => {
    for (const text of ['0x10', '1 + 2i', '"12"', 'nan', 'infinite', '{1}', '12 apples', '<optimized out>'])
      assert.equal(numberInText(text), undefined, text);
    for (const text of ['nan(0x8000000000000)', '-nan(0x8000000000000)', '1 + nan(0x8)i', '(nan(0x8),2)'])
      assert.equal(isNotANumber(text), true, text);
    for (const text of ['nan_value', 'nano', '1', '"nan"']) assert.equal(isNotANumber(text), false, text);
  });

  it('are true or false', () => {
    assert.deepEqual(
      ['0', '0.0', '1e-300', 'inf', '.TRUE.', 'false', '0x0', '(int *) 0x7ff', 'RED'].map((text) =>
        truthOf(valueOf(text)),
      ),
      [...[false, false, true, true, true, false, false, true, undefined]],
    );
  });
});

describe('real numbers as gdb writes them', () => {
  it('have the fewest digits that read back, where the type is known or needs no knowing', () => {
    const examples: readonly (readonly [text: string, type: string | undefined, short: string])[] = [
      ['0.10000000000000001', 'double', '0.1'],
      ['-2.5000000000000001e-07', undefined, '-2.5e-07'],
      ['0.30000000000000004', undefined, '0.30000000000000004'],
      ['1.2345678901234568e+22', undefined, '1.2345678901234568e+22'],
      ['6.9533558075099112e-310', 'double', '6.9533558075099e-310'],
      ['{x = 0.10000000000000001, n = 12345678901234567, s = "0.10000000000000001"}', undefined, ''],
      ['0.100000001', 'float', '0.1'],
      ['3.40282347e+38', 'float', '3.4028235e+38'],
      ['(0.333333343, 16777216, 1.17549435e-38)', 'real(kind=4) (3)', '(0.33333334, 16777216, 1.1754944e-38)'],
      ['0.100000001', 'double', '0.100000001'],
      ['0.100000001', undefined, '0.100000001'],
      ['0.10000000000000001', 'long double', '0.10000000000000001'],
      ['0.100000000000000000001', undefined, '0.100000000000000000001'],
      ['1.7976931348623157e+308', undefined, '1.7976931348623157e+308'],
    ];
    for (const [text, type, short] of examples) {
      const { text: shown } = valueOf(text, type);
      assert.equal(shown, short === '' ? '{x = 0.1, n = 12345678901234567, s = "0.10000000000000001"}' : short);
    }
  });

  it('read back as the same number', () => {
    let seed = 1n;
    const bits = Buffer.alloc(8);
    for (let i = 0; i < 2000; i++) {
      seed = (seed * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
      bits.writeBigUInt64LE(seed);
      const double = bits.readDoubleLE(0);
      const float = bits.readFloatLE(4);
      if (Number.isFinite(double)) assert.equal(Number(valueOf(asGdb(double, 17)).text), double);
      if (Number.isFinite(float)) assert.equal(Math.fround(Number(valueOf(asGdb(float, 9), 'float').text)), float);
    }
  });

  /** C's %.17g, and %.9g. */
  function asGdb(value: number, digits: number): string {
    const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
    return `${mantissa.replace(/\.?0+$/, '')}e${exponent.replace(/^([+-])(\d)$/, '$10$2')}`;
  }
});

describe('real numbers in tables', () => {
  it('have 6 digits; whole numbers and texts of the program stay', () => {
    const examples: Record<string, string> = {
      '0.033333333333333333': '0.0333333',
      '-2.5000000000000001e-07': '-2.5e-07',
      '123456789.12345': '1.23457e+08',
      '0.1': '0.1',
      '1234567890123': '1234567890123',
      '{x = 0.10000000000000001, n = 1234567, s = "0.10000000000000001"}':
        '{x = 0.1, n = 1234567, s = "0.10000000000000001"}',
      'nan(0x8000000000000)': 'nan',
      '1.0000000000000001e+4000': '1.0000000000000001e+4000',
    };
    for (const [text, short] of Object.entries(examples)) assert.equal(withShortNumbers(text), short);
  });

  it('stay whole where two would read the same', () => {
    const texts = ['0.30000000000000004', '0.29999999999999999', '0.6666666666'];
    assert.deepEqual([...allWithShortNumbers(texts).values()], [texts[0], texts[1], '0.666667']);
  });
});

describe('the values of an expression over ranks', () => {
  it('are merged, the largest group first, with who differs', () => {
    assert.deepEqual(valueOverRanks('x', of(['9', '7', '7', '7'])), {
      expression: 'x',
      values: [
        { ranks: '1-3', text: '7' },
        { ranks: '0', text: '9' },
      ],
      minimum: { ranks: '1-3', text: '7' },
      maximum: { ranks: '0', text: '9' },
      differ: '0',
      errors: [],
    });
  });

  it('are told apart by the digests of what is not shown', () => {
    const long = (hashes: readonly (string | undefined)[], isPartial = false): ValueOverRanks =>
      valueOverRanks(
        'x',
        [...of(hashes.map(() => '{1...}'))].map((value, i) => ({ ...value, digest: { hash: hashes[i], isPartial } })),
      );
    const apart = long(['a', 'a', 'b', 'a']);
    assert.deepEqual(apart.values, [
      { ranks: '0-1,3', text: '{1...}', beyond: 'differs' },
      { ranks: '2', text: '{1...}', beyond: 'differs' },
    ]);
    assert.equal(apart.differ, '2');
    assert.deepEqual(long(['a', 'a']).values, [{ ranks: '0-1', text: '{1...}' }]);
    for (const unknown of [long(['a', undefined]), long(['a', 'a'], true)]) {
      assert.deepEqual(unknown.values, [{ ranks: '0-1', text: '{1...}', beyond: 'unknown' }]);
      assert.equal(unknown.differ, undefined);
    }
    assert.deepEqual(
      valuesText({ expressions: [apart] })
        .split('\n')
        .slice(0, 3),
      [
        'x  0-1,3  {1...} · differs beyond this part',
        '   2      {1...} · differs beyond this part',
        '          rank 2 differs',
      ],
    );
  });

  it('have no smallest where they are no numbers, though they read as some', () => {
    assert.equal(valueOverRanks('x', of(['7', '8'], { isNumber: false })).minimum, undefined);
  });

  it('are a row for each group, and below them the range and who is odd', () => {
    assert.deepEqual(
      linesOf([...of(['0.25', 'nan(0x8)', '0.25']), { rank: { rank: 3 }, text: 'gone', failed: true }]),
      ['x  0,2  0.25', '   1    nan', '        not a number in rank 1; rank 1 differs', '   3    gone'],
    );
    assert.deepEqual(linesOf(of(['1', '2'])), ['x  0  1', '   1  2', '      minimum 1 (rank 0), maximum 2 (rank 1)']);
  });

  it('are one row for handles that differ in what differs by nature', () => {
    const handles = of([0, 1, 2].map((rank) => `MPI_Comm "ocean" · rank ${rank} of 3`));
    assert.deepEqual(linesOf(handles), ['x  0-2  MPI_Comm "ocean" · rank 0-2 of 3']);
    assert.equal(linesOf(handles, true).length, 3);
  });

  it('are apart by addresses, which are left out where something is said of what is there', () => {
    assert.deepEqual(linesOf(of(['0x10', '0x20'])), ['x  0  0x10', '   1  0x20']);
    assert.deepEqual(linesOf(of(['{s = 0x10 "a"}', '{s = 0x20 "a"}'])), ['x  0-1  {s = "a"}']);
    assert.deepEqual(linesOf(of(['0x10 <puts>', '0x20 <puts>'])), ['x  0-1  <puts>']);
    const structs = of(['{s = 0x10 "a", p = 0x1}', '{s = 0x20 "a", p = 0x2}', '{s = 0x30 "0x9 ", p = 0x0}']);
    assert.deepEqual(linesOf(structs), [
      'x  0-1  {s = "a", p = 0x…}',
      '   2    {s = "0x9 ", p = 0x0}',
      '        rank 2 differs',
    ]);
    assert.deepEqual(linesOf(structs, true).slice(0, 2), [
      'x  0  {s = 0x10 "a", p = 0x1}',
      '   1  {s = 0x20 "a", p = 0x2}',
    ]);
  });

  it('are not merged beyond what is known where addresses in the part that is shown differ', () => {
    const long = (hashes: readonly string[], isPartial: boolean): string[] =>
      linesOf(
        hashes.map((hash, rank) => ({
          ...of([`{s = 0x${rank + 1} "a"...}`])[0]!,
          rank: { rank },
          digest: { hash, isPartial },
        })),
      );
    assert.deepEqual(long(['a', 'a'], false), ['x  0-1  {s = "a"...}']);
    assert.deepEqual(long(['a', 'a'], true), ['x  0-1  {s = "a"...} · equal in the part that is shown']);
    assert.deepEqual(long(['a', 'b'], false).slice(0, 2), [
      'x  0  {s = "a"...} · differs beyond this part',
      '   1  {s = "a"...} · differs beyond this part',
    ]);
  });

  it('go on in the next line where a terminal does not hold them, after a comma', () => {
    const parts = Array.from({ length: 9 }, (_, i) => `part_${i} = "a  b"`);
    const lines = linesOf(of([`{${parts.join(', ')}}`]));
    assert.ok(lines.length > 1 && lines.every((line) => line.length <= 100), lines.join('\n'));
    assert.equal(
      lines.map((line) => line.slice(6)).join(' '),
      `{${parts.join(', ')}}`.slice(0, 120) + '… (all: --full)',
    );
    assert.deepEqual(linesOf(of([`{${parts.join(', ')}}`]), true), [`x  0  {${parts.join(', ')}}`]);
  });

  it('are 8 rows at most, but all with --full', () => {
    const many = of(Array.from({ length: 20 }, (_, i) => `${i}`));
    assert.deepEqual(linesOf(many).slice(-3), [
      '   7  7',
      '      and 12 other values: see --full',
      '      minimum 0 (rank 0), maximum 19 (rank 19)',
    ]);
    assert.equal(linesOf(many, true).length, 21);
  });

  it('come before expressions without any', () => {
    const expressions = [valueOverRanks('a', of(['no'], { failed: true })), valueOverRanks('b', of(['1']))];
    assert.equal(valuesText({ expressions }), 'b  0  1\na  0  no\n');
  });
});
