/** What cannot be an expression, and what can. */
import assert from 'node:assert/strict';
import { syntaxFault } from '../../adapter/expressions/syntax-faults';

describe('the syntax of an expression', () => {
  it('is told to be wrong with the part that is', () => {
    for (const [expression, why] of [
      ['i =< 3', '"=<" is no operator here: write <='],
      ['i === 3', '"===" is no operator here: write == or !='],
      ['i <=> 3', '"<=>" is no operator here: write ==, < or >'],
      ['i ==', 'an operand is missing behind "=="'],
      ['i == 3 &&', 'an operand is missing behind "&&"'],
      ['&& i', 'an operand is missing before "&&"'],
      ['f(1) + (/ 2)', 'an operand is missing before "/"'],
      ['(i == ) 3', 'an operand is missing behind "=="'],
      ['i *', 'an operand is missing behind "*"'],
      ['(i == 3', 'a parenthesis is not closed'],
      ['v[3 == 1', 'a bracket ([) is not closed'],
      ['i == 3)', 'a closing parenthesis has no opening one'],
      ['v(3]', 'a closing bracket (]) has no opening one'],
      ['name == "ocean', 'a quote (") is not closed'],
      ["i == '1", "a quote (') is not closed"],
      ['1 2', 'an operator is missing between "1" and "2"'],
      ['name 2', 'an operator is missing between "name" and "2"'],
      ["name == 'ocean'", `'ocean' is no character: text is written in double quotes, as in name == "ocean"`],
    ] as const)
      assert.equal(syntaxFault(expression, 'c'), why, expression);
    for (const [expression, why] of [
      ['i != 4', '"!=" is no operator here: write /='],
      ['i == 3 && flag', '"&&" is no operator here: write .and.'],
      ['i == 3 and flag', '"and" is no operator here: write .and.'],
      ['not flag', '"not" is no operator here: write .not.'],
      ['!flag', '"!" is no operator here: write .not.'],
      ['cell->id == 3', '"->" is no operator here: a component is written with %, as in cell%id'],
      ['cell.id == 3', 'a component is written with %, as in cell%id'],
      ['i * == 3', 'an operand is missing behind "*"'],
      ['i == 3 .and.', 'an operand is missing behind ".and."'],
      ['.or. i', 'an operand is missing before ".or."'],
      ['i == 3)', 'a closing parenthesis has no opening one'],
      ["name == 'x", "a quote (') is not closed"],
    ] as const)
      assert.equal(syntaxFault(expression, 'fortran'), why, expression);
  });

  it('is right in whatever gdb reads', () => {
    for (const expression of [
      ...[
        'sizeof(int *)',
        '(struct cell *)v',
        '*p',
        '&x',
        'x.*pm',
        'a->*b',
        'std::less<>',
        'v<int>(3)',
        'a ?: b',
        'f(a, b)',
      ],
      ...[
        '(std::vector<int> *)p',
        '{int} &i == 3',
        'vla@3',
        'a - -b',
        'a && !b',
        '.5 < x',
        '1.e5 < x',
        '1.5f',
        'sizeof x',
      ],
      ...[
        '(unsigned int)3',
        'x == -1.5e-3',
        '"a" "b"',
        `c == '\\''`,
        "'c1.c'::i",
        'a[i] == b[j]',
        '::g == 3',
        'x = {1,2}',
      ],
      ...[
        'i++',
        '--i',
        'f()',
        'x >> 2',
        'operator==(a,b)',
        '0x1f',
        'i not_eq 3',
        'i and d',
        'not i',
        '$rank',
        '$_siginfo',
      ],
      ...[
        'dynamic_cast<const Derived &>(alike).extra == 9',
        'reinterpret_cast<char *>(p) == q',
        'Box<int *>::all',
        "c == 'c'",
      ],
      ...["'(anonymous namespace)::hidden' == 4", 'L"x" == ws', "u == U'x'", 'i == 0b11', 'é == 3'],
    ])
      assert.equal(syntaxFault(expression, 'c'), undefined, expression);
    for (const expression of [
      ...[
        'a(:)',
        'a(1:)',
        'a(::2)',
        'm(1,:)',
        '*ptr',
        '((integer *)&(x)) == 3',
        '-x',
        '.not. a',
        'a .and. .not. b',
        '1.eq.i',
      ],
      ...['x.eq.1.and.y', '1.d0 == x', '1._8', 'a%b%c', 'types::x', 'f()', '2**3', 'x**-1', 'a(-1)', `"it""s"`, 'w@3'],
      ...["'a'//'b'", '(1d0,2d0)', 'a==b.or.c==d', 'x==2.or.y==3', '1.0_dp', 'and == 3', "name == 'a.b'", '.not.flag'],
    ])
      assert.equal(syntaxFault(expression, 'fortran'), undefined, expression);
  });

  it('has no fault in names that are JavaScript’s own', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty'])
      for (const language of ['c', 'fortran'] as const)
        assert.equal(syntaxFault(`${name} == 3`, language), undefined, name);
  });
});
