/** Parts of Fortran that neither gdb nor mpidbg can evaluate. */

/** Why the expression cannot be evaluated, in words for the user; undefined: it contains nothing of the kind. */
export function whyNotInFortran(expression: string): string | undefined {
  const bare = expression.replace(/"[^"]*"|'[^']*'/g, "''");
  if (bare.includes('//')) return "mpidbg does not join texts (//): compare each part, as in name == 'ocean'";
  const statement = /\b(?:select\s+type|(?:class|type)\s+is|class\s+default)\b/i.exec(bare)?.[0];
  return statement === undefined
    ? undefined
    : `"${statement}" is part of a statement: ask for a component of the object, as in shape%radius`;
}
