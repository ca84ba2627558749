/** The scopes that declare variables, and variables named with their scope. */
import type { Inference } from './infer';
import type { Entity, LinkedScope, Program } from './program';
import type { SourceLocation, Scope } from './program-model';
import type { InferredProgram, SaidOfVariable } from './sources';

/** A designator as named in the scope that declares its variable. */
export interface Declaration {
  readonly variable: string;
  /** The program, module or procedure; '' for a program without a name. */
  readonly scope: string;
  readonly file: string;
}

/** The inference for a variable of the module, program or procedure `name`, whichever file has it. */
export function inferenceIn(inferred: InferredProgram, name: string, path: string): Inference | undefined {
  const entity = entityIn(inferred, name, path);
  return entity && inferred.inferences.get(entity);
}

/** A variable of the module, program or procedure `name`, whichever file has it. */
export function entityIn(
  { program }: Pick<InferredProgram, 'program'>,
  name: string,
  path: string,
): Entity | undefined {
  const named = program.scopes.flat().filter(({ scope }) => scope.name === name.toLowerCase() && !scope.isInterface);
  const scope = named.find((candidate) => candidate.scope.kind === 'module') ?? named[0];
  return scope && program.resolve(scope, path.toLowerCase(), scope.scope.location);
}

/**
 * The declaration of a designator's variable, as seen from a line of a file; undefined: the name does not exist there.
 */
export function declarationAt(
  { program }: InferredProgram,
  file: string,
  line: number,
  path: string,
): Declaration | undefined {
  const scope = program.scopeAt(file, line);
  return scope && findDeclaration(program, scope, path.toLowerCase(), { file, line, column: 1 });
}

/** Whether one of the scopes that `isFor` accepts has this designator; undefined: it accepts no scope. */
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
  // From a USE statement, perhaps renamed; an implicitly typed variable belongs to its procedure.
  return entity && declarationIn(entity.scope, [entity.name, ...components].join('%'));
}

const declares = ({ variables, dummies, result, aliases }: Scope, name: string): boolean =>
  variables.has(name) || dummies.includes(name) || result === name || aliases.has(name);

/** A variable of a BLOCK or ASSOCIATE construct counts as one of the enclosing procedure, which has a name. */
function declarationIn(owner: LinkedScope, variable: string): Declaration {
  let { scope, parent } = owner;
  while (/^(block|associate|select)$/.test(scope.kind) && parent !== undefined) ({ scope, parent } = parent);
  return { variable, scope: scope.name, file: scope.location.file };
}
