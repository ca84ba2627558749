/** Parts of Fortran that neither gdb nor mpidbg can evaluate. */

/** Why the expression cannot be evaluated, in words for the user; undefined: it contains nothing of the kind. */
export function whyNotInFortran(expression: string): string | undefined {
  const bare = withoutTexts(expression);
  const parenthesis = unmatchedParenthesis(bare);
  if (parenthesis !== undefined) return parenthesis;
  if (bare.includes('//')) return "mpidbg does not join texts (//): compare each part, as in name == 'ocean'";
  const statement = /\b(?:select\s+type|(?:class|type)\s+is|class\s+default)\b/i.exec(bare)?.[0];
  return statement === undefined
    ? undefined
    : `"${statement}" is part of a statement: ask for a component of the object, as in shape%radius`;
}

/** The same of what is evaluated at a breakpoint, where no function is called: gdb 13 ends with SIGSEGV when an array has no subscripts. */
export function whyNotAtBreakpoint(expression: string): string | undefined {
  const [, name] = /(\w+|\))\s*\(\s*\)/.exec(withoutTexts(expression)) ?? [];
  return name === undefined
    ? whyNotInFortran(expression)
    : `nothing is between the parentheses behind ${name}: mpidbg calls no function in a rank, and an element of an array needs its subscripts`;
}

function withoutTexts(expression: string): string {
  return expression.replace(/"[^"]*"|'[^']*'/g, "''");
}

function unmatchedParenthesis(bare: string): string | undefined {
  let depth = 0;
  for (const each of bare) {
    if (each === '(') depth += 1;
    else if (each === ')' && --depth < 0) return 'a closing parenthesis has no opening one';
  }
  return depth === 0 ? undefined : 'a parenthesis is not closed';
}
