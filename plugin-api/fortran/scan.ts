/**
 * Scans one Fortran source file for scopes, declarations, calls and assignments. It is not a Fortran parser: it skips
 * statements that are irrelevant to handles, and invalid text affects only its own statement.
 */
import {
  comparisonsIn,
  forEachOperand,
  holdsNumber,
  isCalculated,
  readArguments,
  readDesignator,
  sourcesOf,
  wholeDesignator,
  wholePath,
} from './designators';
import { withBlanks } from './fixed-form';
import { Macros } from './macros';
import type { Designator, SourceLocation, SourceModel } from './program-model';
import { readCommon, readDeclaration, readDimensions, readType } from './scan-declarations';
import { ScopeStack } from './scan-scopes';
import { assignmentAt, withoutLabel } from './statements';
import { logicalLines, locationIn, type LogicalLine, type SourceForm } from './source-lines';
import { afterParentheses, splitAtCommas, statementsOf, type Token } from './tokens';

/** The text of an included file and its name, or undefined if it cannot be found. */
export type ReadInclude = (name: string, from: string) => { file: string; text: string } | undefined;

/** Usual folders for included files, relative to the source's folder. */
export const includeFolders: readonly string[] = ['.', 'include', '../include'];

/** In tokens: the longest standard statement has fewer, and no program nests this deeply. */
const maxStatementLength = 5000;

/** Files may include each other; a real program's depth is 1 or 2. */
const maxIncludeDepth = 8;

export function scanSource(file: string, text: string, form: SourceForm, readInclude?: ReadInclude): SourceModel {
  const scanner = new Scanner(file, form, readInclude);
  scanner.scan(file, text, 0);
  return scanner.finish();
}

/**
 * In tokens: anything longer is not a subscript list, and reading it once for each of its names would take too long.
 */
const maxSubscriptsLength = 200;

const ignored = new Set(
  'do else enddo endif print write read format stop return continue cycle exit goto deallocate'.split(' '),
);
/** Called very often and never returns a handle, so not worth recording. */
const intrinsics = new Set(
  `abs acos aimag aint all allocated anint any asin associated atan atan2 ceiling char cmplx conjg cos cosh count cshift
  dabs dble dcos dexp dlog dmax1 dmin1 dot_product dsin dsqrt epsilon exp floor huge iand ichar ieor index int ior ishft
  kind lbound len len_trim log log10 matmul max max0 maxloc maxval merge min min0 minloc minval mod modulo nint not
  present product real reshape shape sign sin sinh size spread sqrt sum tan tanh tiny transfer transpose trim ubound`.split(
    /\s+/,
  ),
);
const shapeStatements = new Set(['dimension', 'allocatable', 'pointer', 'target', 'codimension']);

class Scanner {
  private readonly model: SourceModel;
  private readonly scopes: ScopeStack;
  /** For each scope, the paths that model.numbers already has. */
  private readonly numbers: Set<string>[] = [];
  private readonly macros = new Macros();
  private line: LogicalLine = { text: '', parts: [{ at: 0, line: 1, column: 1 }] };
  private file: string;
  private readonly at = (token: Token): SourceLocation => {
    const { line, column } = locationIn(this.line, token.at);
    return { file: this.file, line, column };
  };

  constructor(
    file: string,
    private readonly form: SourceForm,
    private readonly readInclude: ReadInclude | undefined,
  ) {
    this.file = file;
    this.model = { file, scopes: [], calls: [], assignments: [], numbers: [] };
    this.scopes = new ScopeStack(this.model.scopes);
  }

  finish(): SourceModel {
    this.scopes.endAll(this.lineNumber());
    return this.model;
  }

  scan(file: string, text: string, depth: number): void {
    const outer = { file: this.file, line: this.line };
    this.file = file;
    for (const line of logicalLines(text, this.form)) {
      this.line = line;
      if (line.text.startsWith('#')) this.preprocessor(line.text, depth);
      else if (this.scopes.isCompiled) {
        for (const statement of statementsOf(line)) {
          if (statement.length > maxStatementLength) statement.length = maxStatementLength;
          const tokens = withoutLabel(this.macros.expand(statement, line.text));
          this.statement(this.form === 'fixed' ? withBlanks(tokens) : tokens, depth);
        }
      }
    }
    this.file = outer.file;
    if (depth > 0) this.line = outer.line;
  }

  private lineNumber(): number {
    return this.line.parts.at(-1)?.line ?? 1;
  }

  private preprocessor(text: string, depth: number): void {
    const [, directive = '', rest = ''] = /^#\s*(\w+)\s*(.*)$/.exec(text) ?? [];
    if (this.scopes.isCompiled) this.macros.read(directive, rest);
    if (directive === 'include') this.include(/^["<](.+)[">]/.exec(rest)?.[1], depth);
    else this.scopes.preprocessor(directive, rest);
  }

  private include(name: string | undefined, depth: number): void {
    // mpif.h only declares MPI's constants, which are known.
    if (name === undefined || /mpif[\w-]*\.h$/.test(name) || depth >= maxIncludeDepth) return;
    const found = this.readInclude?.(name, this.file);
    if (found !== undefined) this.scan(found.file, found.text, depth + 1);
  }

  private statement(tokens: readonly Token[], depth = 0): void {
    const first = tokens[0];
    if (first === undefined) return;
    if (this.scopes.inDerivedType) return this.inDerivedType(tokens);
    const equals = assignmentAt(tokens);
    if (equals !== undefined) return this.assignment(tokens, equals);
    if (first.text === 'call') return this.call(tokens);
    if (this.scopes.readStatement(tokens, this.at, this.lineNumber())) return;
    if (first.text === 'include' && tokens[1]?.kind === 'string')
      return this.include(tokens[1].text.slice(1, -1), depth);
    if (first.text === 'if' || first.text === 'elseif') return this.conditional(tokens);
    if (first.text === 'else' && tokens[1]?.text === 'if') return this.conditional(tokens.slice(1));
    const type = readType(tokens);
    if (type !== undefined) return this.declaration(tokens, type);
    if (shapeStatements.has(first.text)) return this.shapes(tokens);
    if (first.text === 'common') return this.common(tokens);
    if (first.text === 'equivalence') return this.equivalences(tokens);
    if (first.text === 'parameter' && tokens[1]?.text === '(') return this.parameters(tokens);
    if (first.text === 'where' || first.text === 'forall') {
      return this.statement(tokens.slice(afterParentheses(tokens, 1)));
    }
    if (first.text === 'do') return this.loop(tokens);
    if (!ignored.has(first.text)) this.references(tokens, 1);
  }

  /** `do i = first, last`, `do while (condition)`. */
  private loop(tokens: readonly Token[]): void {
    const start = tokens[1]?.kind === 'number' ? 2 : 1;
    const counter = tokens[start];
    const equals = assignmentAt(tokens.slice(start));
    this.calculation(tokens);
    if (counter !== undefined && equals !== undefined) {
      for (const part of [[counter], ...splitAtCommas(tokens, start + equals + 1, tokens.length)]) {
        const path = wholePath(part);
        if (path !== undefined) this.number(path, part[0] as Token);
      }
    }
    this.references(tokens, 1);
  }

  /** Records operands of arithmetic and order comparisons, and subscripts of arrays. */
  private calculation(tokens: readonly Token[]): void {
    forEachOperand(tokens, this.number);
    for (let i = 0; i + 1 < tokens.length; i++) {
      const { kind, text } = tokens[i] as Token;
      if (kind !== 'name' || tokens[i + 1]?.text !== '(' || !this.scopes.isArray(text)) continue;
      const end = afterParentheses(tokens, i + 1) - 1;
      if (end - i > maxSubscriptsLength) continue;
      for (const part of splitAtCommas(tokens, i + 2, end)) {
        const subscript = wholePath(part);
        if (subscript !== undefined) this.number(subscript, part[0] as Token);
      }
    }
  }

  private readonly number = (path: string, first: Token): void => {
    const scope = this.scopes.innermost ?? this.scopes.current(this.at(first));
    const known = (this.numbers[scope] ??= new Set());
    if (known.has(path) || intrinsics.has(path)) return;
    known.add(path);
    this.model.numbers.push({ scope, name: { path, location: this.at(first) } });
  };

  private assignment(tokens: readonly Token[], equals: number): void {
    this.calculation(tokens);
    const to = wholeDesignator(tokens.slice(0, equals), this.at);
    const right = tokens.slice(equals + 1);
    if (to !== undefined) {
      // A number among its elements rules out an array of handles; a scalar may hold a number that means "no handle".
      const isOfNumbers = (tokens[1]?.text === '(' || this.scopes.isArray(to.path)) && holdsNumber(right);
      if (isOfNumbers || isCalculated(right)) this.number(to.path, tokens[0] as Token);
      this.assign(to, right);
    }
    this.references(tokens, equals + 1);
  }

  private assign(to: { path: string; location: SourceLocation }, right: readonly Token[]): void {
    for (const from of sourcesOf(right, this.at)) {
      this.model.assignments.push({ scope: this.scopes.current(to.location), to, from, isComparison: false });
    }
  }

  private call(tokens: readonly Token[]): void {
    const read = readDesignator(tokens, 1, this.at);
    if (read === undefined) return;
    this.calculation(tokens);
    const { designator: callee, lastOpen } = read;
    const scope = this.scopes.current(callee.location);
    this.model.calls.push({ scope, callee, arguments: readArguments(tokens, lastOpen, this.at) });
    if (lastOpen !== undefined) this.references(tokens, lastOpen + 1);
  }

  /** `if (condition) statement`. */
  private conditional(tokens: readonly Token[]): void {
    if (tokens[1]?.text !== '(') return;
    const end = afterParentheses(tokens, 1);
    this.calculation(tokens.slice(0, end));
    this.references(tokens.slice(0, end), 1);
    const rest = tokens.slice(end);
    if (rest[0]?.kind === 'name' && rest[0].text !== 'then') this.statement(rest);
  }

  /** Function references and comparisons in an expression. */
  private references(tokens: readonly Token[], from: number): void {
    for (const { left, right } of comparisonsIn(tokens, from, this.at)) {
      const scope = this.scopes.current(left.location);
      this.model.assignments.push({ scope, to: left, from: right, isComparison: true });
    }
    for (let i = from; i + 1 < tokens.length; i++) {
      const token = tokens[i] as Token;
      const startsName = token.kind === 'name' && tokens[i - 1]?.text !== '%';
      if (!startsName || (tokens[i + 1]?.text !== '(' && tokens[i + 1]?.text !== '%')) continue;
      if (intrinsics.has(token.text) || this.scopes.isArray(token.text)) continue;
      const read = readDesignator(tokens, i, this.at);
      if (read?.lastOpen === undefined) continue;
      const actual = readArguments(tokens, read.lastOpen, this.at);
      if (!actual.some(({ designator, elements }) => (designator ?? elements) !== undefined)) continue;
      this.model.calls.push({
        scope: this.scopes.current(read.designator.location),
        callee: read.designator,
        arguments: actual,
      });
    }
  }

  private declaration(tokens: readonly Token[], type: NonNullable<ReturnType<typeof readType>>): void {
    const declared = readDeclaration(tokens, type, this.at, (value) => sourcesOf(value, this.at)[0]);
    if (declared === undefined) return;
    for (const variable of declared.variables) this.scopes.declare(variable);
    for (const { name, value } of declared.initial) {
      const location = this.at(name);
      const to = { path: name.text, location: location };
      this.model.assignments.push({ scope: this.scopes.current(location), to, from: value, isComparison: false });
    }
  }

  private inDerivedType(tokens: readonly Token[]): void {
    if (this.scopes.readTypeStatement(tokens)) return;
    const type = readType(tokens);
    const declared = type && readDeclaration(tokens, type, this.at, () => undefined);
    for (const component of declared?.variables ?? []) this.scopes.component(component);
  }

  /** `dimension reqs(10)`: the shape of a variable whose type is declared elsewhere. */
  private shapes(tokens: readonly Token[]): void {
    const start = tokens[1]?.text === '::' ? 2 : 1;
    for (const part of splitAtCommas(tokens, start, tokens.length)) {
      if (part[0]?.kind === 'name' && part[1]?.text === '(') this.shape(part[0], readDimensions(part, 1));
    }
  }

  private shape(name: Token, dimensions: string[]): void {
    this.scopes.shape(name.text, dimensions, this.at(name));
  }

  private common(tokens: readonly Token[]): void {
    for (const { block, names, shapes } of readCommon(tokens)) {
      this.scopes.common(block, names, this.at(tokens[0] as Token));
      for (const { name, dimensions } of shapes) this.shape(name, dimensions);
    }
  }

  /** `equivalence (comm, list(1)), (a, b)`: both share memory. */
  private equivalences(tokens: readonly Token[]): void {
    for (const part of splitAtCommas(tokens, 1, tokens.length)) {
      const [first, ...others] = splitAtCommas(part, 1, part.length - 1).flatMap((name): Designator[] => {
        const designator = wholeDesignator(name, this.at);
        if (designator?.part !== 'start') return designator === undefined ? [] : [designator];
        // What begins with the first element shares memory as if it were named whole.
        return [{ ...designator, part: 'columns' }];
      });
      for (const other of first === undefined ? [] : others) {
        const scope = this.scopes.current(other.location);
        this.model.assignments.push({ scope, to: first as Designator, from: other, isComparison: false });
        this.model.assignments.push({ scope, to: other, from: first as Designator, isComparison: false });
      }
    }
  }

  private parameters(tokens: readonly Token[]): void {
    for (const part of splitAtCommas(tokens, 2, afterParentheses(tokens, 1) - 1)) {
      const to = part[1]?.text === '=' ? wholeDesignator(part.slice(0, 1), this.at) : undefined;
      if (to !== undefined) this.assign(to, part.slice(2));
    }
  }
}
