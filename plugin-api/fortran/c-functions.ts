/** The functions of a C or C++ source: where they begin and end, and which variables have a name twice in one. */

/** From the parenthesis of its parameters to the brace that ends it; positions in the text. */
export interface CFunction {
  readonly parameters: number;
  readonly start: number;
  readonly end: number;
}

/** Before the brace of a function, not of a class, a namespace or an initializer. */
const heading = /\)\s*(?:(?:const|noexcept|override|final|volatile|try|&&?)\s*)*(?:->[^;{}()]*)?$/;
const statement = /\b(?:if|for|while|switch|catch)\s*$/;

/** The outermost ones: what is nested in a function belongs to it. `code`: without comments and texts. */
export function functionsIn(code: string): CFunction[] {
  const found: CFunction[] = [];
  /** Of each open brace, whether it begins a function. */
  const open: { index: number; parameters: number | undefined }[] = [];
  for (const { index, 0: brace } of code.matchAll(/[{}]/g)) {
    if (brace === '{') {
      const isInside = open.some(({ parameters }) => parameters !== undefined);
      open.push({ index, parameters: isInside ? undefined : parametersBefore(code, index) });
      continue;
    }
    // Branches of #if may open a brace twice: one in the first column ends the function all the same.
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

/** Whether a name is declared once at most in the function: else it is several variables. */
export function isOneVariable(code: string, { parameters, start, end }: CFunction, name: string): boolean {
  const isNamed = (text: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
  const declared = code
    .slice(start, end)
    .split(/[;{}]/)
    .filter((text) => declaration.test(text))
    .filter((text) => isNamed(declaratorsOf(text)));
  return declared.length + (isNamed(code.slice(parameters, start)) ? 1 : 0) <= 1;
}

/** Without what they are initialized with. */
function declaratorsOf(statement: string): string {
  let text = statement.replace(/^\s*for\s*\(/, '');
  for (let before = ''; before !== text;) [before, text] = [text, text.replace(/\([^()]*\)/g, '')];
  return text.replace(/=[^,]*/g, '');
}
