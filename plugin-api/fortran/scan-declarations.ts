/** Type declaration statements: `integer, dimension(:), allocatable :: reqs, comm = MPI_COMM_NULL`, `type(grid) g`. */
import type { Designator, Variable } from './program-model';
import { afterParentheses, splitAtCommas, type Token } from './tokens';

export interface DeclaredType {
  type: Variable['type'];
  typeName?: string;
  /** Index of the first token after the type. */
  next: number;
}

export interface Declaration {
  variables: Variable[];
  /** Initializations by a name: variable and value. */
  initial: { name: Token; value: Designator }[];
}

const otherTypes = new Set(['real', 'logical', 'complex', 'character', 'double', 'doubleprecision', 'doublecomplex']);

/** The type that a statement begins with; undefined: none. */
export function readType(tokens: readonly Token[]): DeclaredType | undefined {
  const first = tokens[0]?.text ?? '';
  if (first === 'integer' || otherTypes.has(first)) {
    let next = first === 'double' && tokens[1]?.kind === 'name' ? 2 : 1;
    // integer*4, character*(*)
    if (tokens[next]?.text === '*')
      next = tokens[next + 1]?.text === '(' ? afterParentheses(tokens, next + 1) : next + 2;
    else if (tokens[next]?.text === '(') next = afterParentheses(tokens, next);
    return { type: first === 'integer' ? 'integer' : 'other', next };
  }
  if ((first === 'type' || first === 'class') && tokens[1]?.text === '(') {
    return { type: 'derived', typeName: tokens[2]?.text ?? '', next: afterParentheses(tokens, 1) };
  }
  return undefined;
}

/** Dimensions as written between the parentheses that open at this token. */
export function readDimensions(tokens: readonly Token[], open: number): string[] {
  return splitAtCommas(tokens, open + 1, afterParentheses(tokens, open) - 1).map((part) =>
    part.map(({ text }) => text).join(''),
  );
}

/**
 * The attributes and names of a type declaration; undefined: not a declaration (a function statement). `at`: a token's
 * location in the file. `designate`: reads the designator that starts at a token.
 */
export function readDeclaration(
  tokens: readonly Token[],
  { type, typeName, next }: DeclaredType,
  at: (token: Token) => Designator['location'],
  designate: (tokens: readonly Token[]) => Designator | undefined,
): Declaration | undefined {
  let start = next;
  let shared: string[] = [];
  let intent: Variable['intent'];
  let isOptional = false;
  const separator = tokens.findIndex(({ text }) => text === '::');
  if (separator >= 0) {
    for (const attribute of splitAtCommas(tokens, next, separator)) {
      if (attribute[0]?.text === 'dimension') shared = readDimensions(attribute, 1);
      if (attribute[0]?.text === 'optional') isOptional = true;
      if (attribute[0]?.text === 'intent') {
        intent = attribute
          .slice(2, -1)
          .map(({ text }) => text)
          .join('') as Variable['intent'];
      }
    }
    start = separator + 1;
  } else if (tokens[start]?.text === ',') start++;
  const declaration: Declaration = { variables: [], initial: [] };
  for (const entity of splitAtCommas(tokens, start, tokens.length)) {
    const name = entity[0];
    if (name?.kind !== 'name') return undefined;
    const hasShape = entity[1]?.text === '(';
    const dimensions = hasShape ? readDimensions(entity, 1) : shared;
    const variable: Variable = { name: name.text, type, dimensions, location: at(name) };
    if (typeName !== undefined) variable.typeName = typeName;
    if (intent !== undefined) variable.intent = intent;
    if (isOptional) variable.isOptional = true;
    declaration.variables.push(variable);
    const equals = entity.findIndex(({ text }) => text === '=' || text === '=>');
    const value = equals > 0 ? designate(entity.slice(equals + 1)) : undefined;
    if (value !== undefined) declaration.initial.push({ name, value });
  }
  return declaration;
}

export interface CommonBlock {
  /** Empty for blank common. */
  block: string;
  names: string[];
  /** The extents of names that are declared with extents here. */
  shapes: { name: Token; dimensions: string[] }[];
}

/** `common /block/ a, b(3) /other/ c`. */
export function readCommon(tokens: readonly Token[]): CommonBlock[] {
  const blocks: CommonBlock[] = [{ block: '', names: [], shapes: [] }];
  for (let i = 1; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.text === '/' || token.text === '//') {
      const block = token.text === '/' && tokens[i + 1]?.kind === 'name' ? (tokens[i + 1] as Token).text : '';
      blocks.push({ block, names: [], shapes: [] });
      if (token.text === '/') i += block === '' ? 1 : 2;
    } else if (token.kind === 'name') {
      const last = blocks.at(-1) as CommonBlock;
      last.names.push(token.text);
      if (tokens[i + 1]?.text === '(') {
        last.shapes.push({ name: token, dimensions: readDimensions(tokens, i + 1) });
        i = afterParentheses(tokens, i + 1) - 1;
      }
    }
  }
  return blocks.filter(({ names }) => names.length > 0);
}
