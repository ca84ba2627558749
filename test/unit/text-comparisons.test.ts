import assert from 'node:assert/strict';
import { withTextComparisons } from '../../adapter/expressions/text-comparisons';
import type { Language } from '../../adapter/expressions/expression';

/** `{0 name ocean}` for the comparison of name with "ocean" by the first operator: what gdb gets, made readable. */
function compared(source: string, language: Language = 'c'): string {
  const operand = String.raw`((?:[^,()]|\([^()]*\)|\[[^[\]]*\]|"[^"]*")+)`;
  const shape = language === 'c' ? String.raw`sizeof\(\2\), _Alignof\(__typeof__\(\2\)\)` : '0, 0';
  const pattern = new RegExp(String.raw`\$_mpidbg_text\((\d), ${operand}, ${shape}((?:, \d+)*)\)`, 'g');
  return withTextComparisons(source, language).replace(pattern, (_, operator, of, codes: string) => {
    const bytes = Buffer.from(codes.split(', ').slice(1).map(Number));
    return `{${operator} ${of} ${bytes.toString('utf8')}}`;
  });
}

describe('comparisons with a literal text', () => {
  it('are found with the operand on either side, by every operator', () => {
    assert.equal(compared('name == "ocean"'), '{0 name ocean}');
    assert.equal(compared('"ocean" == name'), '{0 name ocean}');
    assert.equal(compared('name != "ocean"'), '{1 name ocean}');
    assert.equal(compared('name<"ocean"'), '{2 name ocean}');
    assert.equal(compared('"ocean" < name'), '{4 name ocean}');
    assert.equal(compared('name >= ""'), '{5 name }');
    for (const operator of ['>', '<=']) assert.match(compared(`name ${operator} "o"`), /^\{\d name o\}$/);
  });

  it('take the operand that belongs to them', () => {
    assert.equal(compared('lap == 3 && buoys[i + 1].at->name == "reef"'), 'lap == 3 && {0 buoys[i + 1].at->name reef}');
    assert.equal(compared('(name == "a" || *names[2] == "b")'), '({0 name a} || {0 *names[2] b})');
    assert.equal(compared('!(name == "a")'), '!({0 name a})');
    assert.equal(compared('lap > 1 ? name == "a" : name == "b"'), 'lap > 1 ? {0 name a} : {0 name b}');
    assert.equal(compared('ns::name == "a"'), '{0 ns::name a}');
    assert.equal(compared('&buffer[2] == "a"'), '{0 &buffer[2] a}');
    assert.equal(compared('flags & 1 && name == "a"'), 'flags & 1 && {0 name a}');
    assert.equal(compared('by_key["a,b"] == "c"'), '{0 $_mpidbg_at(by_key, "a,b") c}');
    assert.equal(compared('(char *)p == "c"'), '{0 (char *)p c}');
  });

  it('leave everything else as it is', () => {
    for (const source of [
      'lap == 3',
      'argc != "abc"[0]',
      "initial == '\"'",
      '$_streq(name, "ocean")',
      'by_key["a"].depth == 3',
      'name + "x" == 0',
      '"abc"',
      'p = "abc"',
      '== "abc"',
      'name == "not closed',
    ])
      assert.equal(withTextComparisons(source, 'c'), source);
  });

  it('read escapes as C does', () => {
    assert.equal(compared(String.raw`name == "a\"b\\c\n\x41\102\u00e9"`), '{0 name a"b\\c\nABé}');
    assert.equal(compared('wide == L"é"'), '{0 wide é}');
  });

  it('read Fortran', () => {
    assert.equal(compared("name == 'ocean'", 'fortran'), '{0 name ocean}');
    assert.equal(compared("trim(name) .EQ. 'don''t'", 'fortran'), "{0 name don't}");
    assert.equal(compared('"a" /= b%names(2)', 'fortran'), '{1 b%names(2) a}');
    assert.equal(
      compared("lap == 3 .and. name .lt. 'b' .or. .not. name == 'a'", 'fortran'),
      'lap == 3 .and. {2 name b} .or. .not. {0 name a}',
    );
    assert.equal(compared('name == "say ""a"""', 'fortran'), '{0 name say "a"}');
  });
});
