/** The functions of a C or C++ source: their extents, and whether a name is unambiguous in one. */

/** Positions in the text: the parenthesis that opens the parameters, and the braces that open and close the body. */
export interface CFunction {
  readonly parameters: number;
  readonly start: number;
  readonly end: number;
}

/** Matches what precedes the opening brace of a function, but not of a class, a namespace or an initializer. */
const heading = /\)\s*(?:(?:const|noexcept|override|final|volatile|try|&&?)\s*)*(?:->[^;{}()]*)?$/;
const statement = /\b(?:if|for|while|switch|catch)\s*$/;

/** The outermost functions; nested ones count as part of them. `code`: without comments and string literals. */
export function functionsIn(code: string): CFunction[] {
  const found: CFunction[] = [];
  /** The open braces; `parameters` is set for those that open a function. */
  const open: { index: number; parameters: number | undefined }[] = [];
  for (const { index, 0: brace } of code.matchAll(/[{}]/g)) {
    if (brace === '{') {
      const isInside = open.some(({ parameters }) => parameters !== undefined);
      open.push({ index, parameters: isInside ? undefined : parametersBefore(code, index) });
      continue;
    }
    // Branches of #if may open a brace twice: a closing brace in the first column always ends the function.
    const around = open.findIndex(({ parameters }) => parameters !== undefined);
    if (around >= 0 && (index === 0 || code[index - 1] === '\n')) open.length = around + 1;
    const start = open.pop();
    if (start?.parameters !== undefined) found.push({ parameters: start.parameters, start: start.index, end: index });
  }
  return found;
}

function parametersBefore(code: string, brace: number): number | undefined {
  const match = heading.exec(code.slice(Math.max(0, brace - 1000), brace));
  if (match === null) return undefined;
  let depth = 0;
  for (let at = brace - match[0].length; at >= 0; at--) {
    const character = code[at];
    if (character === ')') depth++;
    else if (character === '(' && --depth === 0) return statement.test(code.slice(0, at)) ? undefined : at;
  }
  return undefined;
}

const declaration =
  /^\s*(?:for\s*\(\s*)?(?:(?:static|const|unsigned|signed|register|volatile)\s+)*(?:int|long|short|auto|MPI_Fint|int32_t)\b/;

/** Whether a name stands for a single variable in the function: it is declared at most once. */
export function isOneVariable(code: string, { parameters, start, end }: CFunction, name: string): boolean {
  const isNamed = (text: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
  const declared = code
    .slice(start, end)
    .split(/[;{}]/)
    .filter((text) => declaration.test(text))
    .filter((text) => isNamed(declaratorsOf(text)));
  return declared.length + (isNamed(code.slice(parameters, start)) ? 1 : 0) <= 1;
}

/** A declaration without its initializers. */
function declaratorsOf(statement: string): string {
  let text = statement.replace(/^\s*for\s*\(/, '');
  for (let before = ''; before !== text;) [before, text] = [text, text.replace(/\([^()]*\)/g, '')];
  return text.replace(/=[^,]*/g, '');
}
