/** The scopes open at the scanner's position: program units, procedures, constructs, interfaces, derived types. */
import { wholeDesignator } from './designators';
import { OpenBlocks } from './open-blocks';
import type { DerivedType, SourceLocation, Scope, ScopeKind, Variable } from './program-model';
import { readType } from './scan-declarations';
import {
  readAncestor,
  readBindings,
  readDummies,
  readResult,
  readSelect,
  readTypeHeading,
  readUse,
  startOfProcedure,
} from './scan-headings';
import { afterParentheses, splitAtCommas, type Token } from './tokens';

const silent = new Set(
  'contains import external intrinsic save private public data namelist enum enumerator'.split(' '),
);

export class ScopeStack {
  private readonly open: OpenBlocks;

  constructor(private readonly scopes: Scope[]) {
    this.open = new OpenBlocks(scopes);
  }

  /** False inside `#if 0`. */
  get isCompiled(): boolean {
    return this.open.isCompiled;
  }

  get inDerivedType(): boolean {
    return this.open.innermost?.what === 'type';
  }

  preprocessor(directive: string, condition: string): void {
    this.open.preprocessor(directive, condition);
  }

  /** The scope of the current statement. Statements outside all program units form a main program without heading. */
  current(location: SourceLocation): number {
    return this.open.innermostScope ?? this.enter('program', 'main__', location);
  }

  /** The innermost open scope; undefined: none is open. */
  get innermost(): number | undefined {
    return this.open.innermostScope;
  }

  isArray(name: string): boolean {
    for (let scope = this.innermostScope(); scope !== undefined; scope = this.parentOf(scope)) {
      const variable = scope.variables.get(name);
      if (variable !== undefined) return variable.dimensions.length > 0;
    }
    return false;
  }

  declare(variable: Variable): void {
    const { variables } = this.scopes[this.current(variable.location)] as Scope;
    const known = variables.get(variable.name);
    // `dimension reqs(5)` may come before `integer reqs`.
    if (known !== undefined && variable.dimensions.length === 0) variable.dimensions = known.dimensions;
    variables.set(variable.name, variable);
  }

  shape(name: string, dimensions: readonly string[], location: SourceLocation): void {
    const { variables } = this.scopes[this.current(location)] as Scope;
    const known = variables.get(name);
    if (known !== undefined) known.dimensions = dimensions;
    else variables.set(name, { name, type: /^[i-n]/.test(name) ? 'integer' : 'other', dimensions, location });
  }

  component(variable: Variable): void {
    const entry = this.open.innermost;
    if (entry?.what === 'type') entry.type.components.set(variable.name, variable);
  }

  /** A further COMMON statement for the block appends to it, except in `#if`, where it may replace the first one. */
  common(block: string, names: string[], location: SourceLocation): void {
    const { commons } = this.scopes[this.current(location)] as Scope;
    const known = commons.find((common) => common.block === block);
    if (known === undefined || this.open.inConditional) commons.push({ block, names });
    else known.names.push(...names);
  }

  endAll(line: number): void {
    this.open.closeAll(line);
  }

  /** A statement that opens or closes a scope or declares something for it; false: any other statement. */
  readStatement(tokens: readonly Token[], at: (token: Token) => SourceLocation, line: number): boolean {
    const [first, second] = tokens as [Token, Token | undefined];
    if (/^end/.test(first.text) && this.open.readEnd(tokens, line)) return true;
    if (silent.has(first.text)) return true;
    switch (first.text) {
      case 'use':
        this.scopes[this.current(at(first))]?.uses.push(...readUse(tokens));
        return true;
      case 'implicit':
        if (second?.text === 'none') (this.scopes[this.current(at(first))] as Scope).implicitNone = true;
        return true;
      case 'abstract':
      case 'interface':
        this.open.push({ what: 'interface', generic: first.text === 'interface' ? second?.text : undefined });
        return true;
      case 'associate':
        this.enterAssociate(tokens, at);
        return true;
      case 'block':
      case 'blockdata':
        this.enter(
          second?.text === 'data' || first.text === 'blockdata' ? 'module' : 'block',
          second?.text ?? '',
          at(first),
        );
        return true;
      case 'select':
      case 'selecttype':
      case 'selectcase':
        this.open.push({ what: 'select', ...readSelect(tokens) });
        return true;
      case 'program':
        this.enter('program', second?.text ?? 'main__', at(second ?? first));
        return true;
      case 'submodule':
        this.enter('submodule', tokens.at(-1)?.text ?? '', at(first), readAncestor(tokens));
        return true;
    }
    return this.readGuard(tokens, at, line) || this.openType(tokens) || this.readProcedureHeading(tokens, at);
  }

  /** A statement in a derived type's definition that is not a component declaration. */
  readTypeStatement(tokens: readonly Token[]): boolean {
    const entry = this.open.innermost;
    const first = tokens[0]?.text ?? '';
    if (entry?.what !== 'type') return false;
    if (first === 'endtype' || (first === 'end' && (tokens.length === 1 || tokens[1]?.text === 'type'))) {
      this.open.closeDerivedType();
      return true;
    }
    if (first !== 'procedure') return /^(contains|private|public|sequence|generic|final)$/.test(first);
    for (const [name, binding] of readBindings(tokens)) entry.type.bindings.set(name, binding);
    return true;
  }

  private innermostScope(): Scope | undefined {
    const { innermostScope } = this.open;
    return innermostScope === undefined ? undefined : this.scopes[innermostScope];
  }

  private parentOf(scope: Scope): Scope | undefined {
    return scope.parent === undefined ? undefined : this.scopes[scope.parent];
  }

  private enter(kind: ScopeKind, name: string, location: SourceLocation, ancestor?: string): number {
    const inInterface = this.open.innermost?.what === 'interface';
    const parent = inInterface ? undefined : this.open.innermostScope;
    const both = this.scopes.findIndex(
      (scope) => this.open.inConditional && scope.endLine === 0 && scope.name === name && scope.parent === parent,
    );
    const index = both >= 0 ? both : this.scopes.length;
    if (both < 0) {
      this.scopes.push({
        kind,
        name,
        parent,
        isInterface: inInterface,
        location,
        endLine: 0,
        uses: [],
        variables: new Map(),
        types: new Map(),
        generics: new Map(),
        aliases: new Map(),
        commons: [],
        dummies: [],
        implicitNone: false,
        ...(ancestor !== undefined && { ancestor }),
      });
    }
    this.open.push({ what: 'scope', scope: index });
    return index;
  }

  private enterAssociate(tokens: readonly Token[], at: (token: Token) => SourceLocation): void {
    const scope = this.scopes[this.enter('associate', '', at(tokens[0] as Token))] as Scope;
    for (const part of splitAtCommas(tokens, 2, afterParentheses(tokens, 1) - 1)) {
      const target = part[1]?.text === '=>' ? wholeDesignator(part.slice(2), at) : undefined;
      const name = part[0] as Token;
      if (target !== undefined) scope.aliases.set(name.text, { target, location: at(name) });
    }
  }

  /** `type is (grid)`, `class is (grid)`, `class default`: the name has this type until the next guard. */
  private readGuard(tokens: readonly Token[], at: (token: Token) => SourceLocation, line: number): boolean {
    const select = this.open.innermostSelect;
    if (select?.name === undefined) return false;
    if (!/^(type|class)$/.test(tokens[0]?.text ?? '') || !/^(is|default)$/.test(tokens[1]?.text ?? '')) return false;
    this.open.closeInside(select, line);
    const location = at(tokens[0] as Token);
    const scope = this.scopes[this.enter('select', '', location)] as Scope;
    const typeName = tokens[2]?.text === '(' ? tokens[3]?.text : undefined;
    if (typeName !== undefined) {
      scope.variables.set(select.name, { name: select.name, type: 'derived', typeName, dimensions: [], location });
    } else if (select.target !== select.name && select.target !== undefined) {
      scope.aliases.set(select.name, { target: { path: select.target, location }, location });
    }
    return true;
  }

  private openType(tokens: readonly Token[]): boolean {
    const heading = readTypeHeading(tokens);
    const scope = this.innermostScope();
    if (heading === undefined || scope === undefined) return false;
    const { name, parent } = heading;
    const type: DerivedType = {
      name,
      components: new Map(),
      bindings: new Map(),
      ...(parent !== undefined && { parent }),
    };
    scope.types.set(name, type);
    this.open.push({ what: 'type', type });
    return true;
  }

  private readProcedureHeading(tokens: readonly Token[], at: (token: Token) => SourceLocation): boolean {
    const block = this.open.innermost;
    const isModuleProcedure = tokens[0]?.text === 'module' && tokens[1]?.text === 'procedure';
    if (block?.what === 'interface' && (isModuleProcedure || tokens[0]?.text === 'procedure')) {
      const names = tokens.slice(isModuleProcedure ? 2 : 1).filter(({ kind }) => kind === 'name');
      this.addSpecifics(
        block.generic,
        names.map(({ text }) => text),
      );
      return true;
    }
    if (tokens[0]?.text === 'procedure') return true;
    if (isModuleProcedure) {
      this.enter('subroutine', tokens[2]?.text ?? '', at(tokens[2] ?? (tokens[0] as Token)));
      return true;
    }
    const start = startOfProcedure(tokens);
    if (start === undefined) {
      if (tokens[0]?.text !== 'module' || tokens[1]?.kind !== 'name' || tokens.length > 2) return false;
      this.enter('module', tokens[1].text, at(tokens[1]));
      return true;
    }
    const name = tokens[start + 1] as Token;
    if (block?.what === 'interface') this.addSpecifics(block.generic, [name.text]);
    const kind = tokens[start]?.text as 'function' | 'subroutine';
    const scope = this.scopes[this.enter(kind, name.text, at(name))] as Scope;
    if (scope.dummies.length === 0) scope.dummies = readDummies(tokens, start + 2);
    if (kind === 'function') this.declareResult(scope, tokens, start, at(name));
    return true;
  }

  private declareResult(scope: Scope, tokens: readonly Token[], start: number, location: SourceLocation): void {
    scope.result = readResult(tokens, start + 2) ?? scope.name;
    for (let i = 0; i < start; i++) {
      const declared = readType(tokens.slice(i, start));
      if (declared === undefined) continue;
      const { type, typeName } = declared;
      const result = {
        name: scope.result,
        type,
        dimensions: [],
        location: location,
        ...(typeName !== undefined && { typeName }),
      };
      scope.variables.set(scope.result, result);
      return;
    }
  }

  private addSpecifics(generic: string | undefined, names: string[]): void {
    const scope = this.innermostScope();
    if (generic === undefined || scope === undefined) return;
    scope.generics.set(generic, [...(scope.generics.get(generic) ?? []), ...names]);
  }
}
