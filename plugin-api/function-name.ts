/** Names of functions in C++, as demanglers write them. */

/** What may stand behind the parameters. */
const qualifiers = /( const| volatile| &{1,2}| \[clone [^\]]*\])+$/;

/** "ocean::step<void (int)>" of "ocean::step<void (int)>(double) const"; a name without parameters as it is. */
export function withoutParameters(name: string): string {
  const end = name.replace(qualifiers, '');
  if (!end.endsWith(')')) return name;
  let depth = 0;
  for (let at = end.length - 1; at >= 0; at--) {
    if (end[at] === ')') depth++;
    else if (end[at] === '(' && --depth === 0) {
      const rest = end.slice(0, at);
      // The brackets are the name of the operator, or all that there is of it: "(anonymous namespace)".
      return rest === '' || /(^|\W)operator$/.test(rest) || rest.endsWith('::') ? name : rest;
    }
  }
  return name;
}
