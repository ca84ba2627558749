/**
 * What cannot be an expression, in a sentence that names the wrong part. gdb would answer with where its parser has given up, which is often
 * another place, reads "i =< 3" as an assignment, and takes "i == 3)" for "i == 3".
 */
import { withoutDigitSeparators, type Language } from './expression';

/** Numbers, names and texts are operands; all else stands for itself. */
const tokens: Readonly<Record<Language, RegExp>> = {
  c: /[LuUR]?8?"(?:[^"\\]|\\.)*"|[LuU]?'(?:[^'\\]|\\.)*'|\$?[A-Za-z_][\w$]*|\$\d*|\.?\d[\w.]*(?:[eE][+-]?\d+)?|->\*?|<=>|<<=|>>=|[=!]==|=<|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|::|\S/g,
  fortran:
    /"[^"]*"|'[^']*'|\.[a-z]+\.|\$?[a-z_]\w*|\$\d*|(?:\d+(?:\.(?![a-z]+\.)\d*)?|\.\d+)(?:[deq][-+]?\d+)?(?:_\w+)?|\*\*|\/\/|[=/<>!]=|=<|&&|\|\||->|::|\S/gi,
};

/** They stand between two operands, and nowhere else. */
const binary: Readonly<Record<Language, RegExp>> = {
  c: /^(?:==|!=|<=|>=|<|>|&&|\|\||[/%|^?]|[-+*/%&|^]=|<<=?|>>=?|=|\.|->)$/,
  fortran: /^(?:==|\/=|<=|>=|<|>|\*\*?|\/|=|%|\.(?:and|or|n?eqv|eq|ne|lt|le|gt|ge|xor)\.)$/i,
};
/** Behind them an operand is expected. */
const opening: Readonly<Record<Language, RegExp>> = {
  c: /^(?:[-+!~,:([])$/,
  fortran: /^(?:[-+,(]|\.not\.)$/i,
};

const prefix = /^(?:[-+!~]|\.not\.)$/i;

const instead: Readonly<Record<Language, readonly (readonly [RegExp, string])[]>> = {
  c: [
    [/^=<$/, 'write <='],
    [/^[=!]==$/, 'write == or !='],
    [/^<=>$/, 'write ==, < or >'],
  ],
  fortran: [
    [/^&&$/, 'write .and.'],
    [/^\|\|$/, 'write .or.'],
    [/^!=$/, 'write /='],
    [/^!$/, 'write .not.'],
    [/^=<$/, 'write <='],
    [/^->$/, 'a component is written with %, as in cell%id'],
  ],
};

/** Undefined: nothing is seen to be wrong. */
export function syntaxFault(expression: string, language: Language): string | undefined {
  // Such names have operators in them.
  if (language === 'c' && /\boperator\b/.test(expression)) return undefined;
  const read = language === 'c' ? withoutDigitSeparators(expression) : expression;
  const found = [...read.matchAll(tokens[language])].map(([each]) => each);
  return (
    unclosedQuote(found) ??
    unmatchedBracket(found) ??
    unknownOperator(found, language) ??
    missingOperator(found, language) ??
    missingOperand(found, language) ??
    (language === 'c' ? textInSingleQuotes(found) : componentWithDot(expression))
  );
}

function unclosedQuote(found: readonly string[]): string | undefined {
  const quote = found.find((each) => each === '"' || each === "'");
  return quote === undefined ? undefined : `a quote (${quote}) is not closed`;
}

const closings: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

function unmatchedBracket(found: readonly string[]): string | undefined {
  const open: string[] = [];
  for (const each of found) {
    if (/^[([{]$/.test(each)) open.push(each);
    const opened = closings.get(each);
    if (opened !== undefined && open.pop() !== opened)
      return each === ')'
        ? 'a closing parenthesis has no opening one'
        : `a closing bracket (${each}) has no opening one`;
  }
  const last = open.pop();
  if (last === undefined) return undefined;
  return last === '(' ? 'a parenthesis is not closed' : `a bracket (${last}) is not closed`;
}

function unknownOperator(found: readonly string[], language: Language): string | undefined {
  for (const each of found) {
    const [, hint] = instead[language].find(([form]) => form.test(each)) ?? [];
    if (hint !== undefined) return `"${each}" is no operator here: ${hint}`;
  }
  return undefined;
}

const operatorWord = /\.(?:and|or|not|n?eqv|eq|ne|lt|le|gt|ge|xor|true|false)\./i;
const cppWord = /^(?:and|or|xor|not|bitand|bitor|not_eq)$/;
const number = /^\.?\d/;
const operand = /^[\w.$"']/;
const word = /^(?:and|or|not)$/i;

function missingOperator(found: readonly string[], language: Language): string | undefined {
  const isBeside = (each: string | undefined): boolean => /^[\w)]/.test(each ?? '');
  const asWord =
    language === 'fortran' &&
    found.find((each, i) => word.test(each) && (isBeside(found[i - 1]) || isBeside(found[i + 1])));
  if (typeof asWord === 'string') return `"${asWord}" is no operator here: write .${asWord.toLowerCase()}.`;
  for (const [i, each] of found.entries()) {
    const after = found[i + 1];
    if (after === undefined || (language === 'c' && [each, after].some((beside) => cppWord.test(beside)))) continue;
    const isOperand = operand.test(each) && !operatorWord.test(each);
    const isNext = /^[\w"']/.test(after) && !/^(?:sizeof|alignof|_Alignof)$/.test(each);
    if (isNext && (number.test(each) || (isOperand && number.test(after))))
      return `an operator is missing between "${each}" and "${after}"`;
  }
  return undefined;
}

function missingOperand(found: readonly string[], language: Language): string | undefined {
  const isBinary = (each: string): boolean => binary[language].test(each);
  for (const [i, each] of found.entries()) {
    if (isPartOfType(found, i)) continue;
    const [before, after] = [found[i - 1], found[i + 1]];
    // Both languages have a * before its operand here.
    const isBetween = isBinary(each) && each !== '*';
    if (isBetween && (before === undefined || opening[language].test(before)))
      return `an operand is missing before "${each}"`;
    // Behind a * or & the name of a type may end.
    const isOperator = isBinary(each) || prefix.test(each) || (after === undefined && /^[*&]$/.test(each));
    const isFollowed = after !== undefined && (after === '*' || !isBinary(after)) && !(isBetween && after === ')');
    if (isOperator && !isFollowed) return `an operand is missing behind "${each}"`;
  }
  return undefined;
}

/** "std::less<>", "vector<int>(3)", "char (*)[3]": the angle brackets and stars of types. */
function isPartOfType(found: readonly string[], at: number): boolean {
  return /^(?:[<>*]|>>)$/.test(found[at] ?? '') && found.some((each, i) => i !== at && /^(?:[<>*]|>>)$/.test(each));
}

const comparison = /^(?:[=!<>]=|[<>])$/;

/** gdb takes 'ocean' for the name of a variable. */
function textInSingleQuotes(found: readonly string[]): string | undefined {
  for (const [i, each] of found.entries()) {
    if (!/^'[^'\\:]{2,}'$/.test(each)) continue;
    if (comparison.test(found[i - 1] ?? '') || comparison.test(found[i + 1] ?? ''))
      return `${each} is no character: text is written in double quotes, as in name == "${each.slice(1, -1)}"`;
  }
  return undefined;
}

function componentWithDot(expression: string): string | undefined {
  const bare = expression.replace(/"[^"]*"|'[^']*'/g, "''").replace(new RegExp(operatorWord, 'gi'), ' , ');
  const [, object, component] = /(?<![\w$.])([A-Za-z]\w*)\s*\.\s*([A-Za-z]\w*)/.exec(bare) ?? [];
  return object === undefined ? undefined : `a component is written with %, as in ${object}%${component}`;
}
