/** In which scopes variables are declared, and annotations of those that are named with their scope. */
import type { Inference } from './infer';
import type { LinkedScope, Program } from './program';
import type { SourceLocation, Scope } from './program-model';
import type { InferredProgram, SaidOfVariable } from './sources';

/** A designator as it is named where its variable is declared. */
export interface Declaration {
  readonly variable: string;
  /** The program, module or procedure; '' for a program without a name. */
  readonly scope: string;
  readonly file: string;
}

/** The kind of a variable of the module, program or procedure of this name, from anywhere. */
export function inferenceIn(
  { program, inferences }: InferredProgram,
  name: string,
  path: string,
): Inference | undefined {
  const named = program.scopes.flat().filter(({ scope }) => scope.name === name.toLowerCase() && !scope.isInterface);
  const scope = named.find((candidate) => candidate.scope.kind === 'module') ?? named[0];
  const entity = scope && program.resolve(scope, path.toLowerCase(), scope.scope.location);
  return entity && inferences.get(entity);
}

/** Where the variable is declared that a designator begins with at a line of a file; undefined: there is no such name. */
export function declarationAt(
  { program }: InferredProgram,
  file: string,
  line: number,
  path: string,
): Declaration | undefined {
  const scope = program.scopeAt(file, line);
  return scope && findDeclaration(program, scope, path.toLowerCase(), { file, line, column: 1 });
}

/** Whether a designator exists in one of the scopes for which `isFor` is true; undefined: there is no such scope. */
export function isDeclared(
  { program }: InferredProgram,
  path: string,
  isFor: SaidOfVariable['isFor'],
): boolean | undefined {
  const scopes = program.scopes
    .flat()
    .filter(({ scope }) => !scope.isInterface && isFor(scope.name, scope.location.file));
  if (scopes.length === 0) return undefined;
  return scopes.some((scope) => program.resolve(scope, path.toLowerCase(), scope.scope.location) !== undefined);
}

function findDeclaration(
  program: Program,
  from: LinkedScope,
  path: string,
  location: SourceLocation,
): Declaration | undefined {
  if (program.resolve(from, path, location) === undefined) return undefined;
  const [first = '', ...components] = path.split('%');
  for (let at: LinkedScope | undefined = from; at !== undefined; at = at.parent) {
    if (declares(at.scope, first)) return declarationIn(at, path);
  }
  const entity = program.resolve(from, first, location);
  // By USE, perhaps under another name here; an implicitly typed variable is of its procedure.
  return entity && declarationIn(entity.scope, [entity.name, ...components].join('%'));
}

const declares = ({ variables, dummies, result, aliases }: Scope, name: string): boolean =>
  variables.has(name) || dummies.includes(name) || result === name || aliases.has(name);

/** A variable of a BLOCK or ASSOCIATE construct counts to the procedure around it, which has a name. */
function declarationIn(owner: LinkedScope, variable: string): Declaration {
  let { scope, parent } = owner;
  while (/^(block|associate|select)$/.test(scope.kind) && parent !== undefined) ({ scope, parent } = parent);
  return { variable, scope: scope.name, file: scope.location.file };
}
