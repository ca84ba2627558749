/** The blocks that are open at the scanner's position, innermost last, and what END statements close. */
import { Conditionals } from './conditionals';
import type { DerivedType, Scope, ScopeKind } from './program-model';
import type { Token } from './tokens';

/** `scope`: its index among the scopes of the file. */
export type OpenBlock =
  | { what: 'scope'; scope: number }
  | { what: 'interface'; generic: string | undefined }
  | { what: 'type'; type: DerivedType }
  | { what: 'select'; name: string | undefined; target: string | undefined };

const units = new Set<ScopeKind>(['program', 'module', 'submodule', 'subroutine', 'function']);

export class OpenBlocks {
  private open: OpenBlock[] = [];
  private readonly conditionals = new Conditionals<OpenBlock>();

  /** `scopes`: closing one sets its last line. */
  constructor(private readonly scopes: readonly Scope[]) {}

  /** False inside `#if 0`. */
  get isCompiled(): boolean {
    return this.conditionals.isCompiled;
  }

  /** True inside any `#if`: another branch may repeat declarations. */
  get inConditional(): boolean {
    return this.conditionals.areOpen;
  }

  get innermost(): OpenBlock | undefined {
    return this.open.at(-1);
  }

  /** Index of the innermost scope. */
  get innermostScope(): number | undefined {
    for (let i = this.open.length - 1; i >= 0; i--) {
      const entry = this.open[i] as OpenBlock;
      if (entry.what === 'scope') return entry.scope;
    }
    return undefined;
  }

  /** The innermost SELECT. */
  get innermostSelect(): Extract<OpenBlock, { what: 'select' }> | undefined {
    const select = this.open.findLast(({ what }) => what === 'select');
    return select?.what === 'select' ? select : undefined;
  }

  preprocessor(directive: string, condition: string): void {
    this.open = this.conditionals.read(directive, condition, this.open);
  }

  push(block: OpenBlock): void {
    this.open.push(block);
  }

  closeDerivedType(): void {
    if (this.innermost?.what === 'type') this.open.pop();
  }

  /** Closes everything inside `block`, which stays open. */
  closeInside(block: OpenBlock, line: number): void {
    while (this.open.at(-1) !== block) this.pop(line);
  }

  closeAll(line: number): void {
    while (this.open.length > 0) this.pop(line);
  }

  /** A statement that begins with END; false: it ends no block or construct. */
  readEnd(tokens: readonly Token[], line: number): boolean {
    const text = tokens[0]?.text ?? '';
    const word = text === 'end' ? (tokens[1]?.text ?? '') : text.slice(3);
    const kindOf = (entry: OpenBlock): ScopeKind | undefined =>
      entry.what === 'scope' ? this.scopes[entry.scope]?.kind : undefined;
    const isUnit = (entry: OpenBlock): boolean => units.has(kindOf(entry) ?? 'block');
    switch (word) {
      case '':
      case 'program':
      case 'procedure':
      case 'blockdata':
        this.closeThrough(isUnit, line);
        return true;
      case 'module':
      case 'submodule':
      case 'subroutine':
      case 'function':
      case 'associate':
        this.closeThrough((entry) => kindOf(entry) === word, line);
        return true;
      case 'block':
        this.closeThrough((entry) => (tokens[2]?.text === 'data' ? isUnit(entry) : kindOf(entry) === 'block'), line);
        return true;
      case 'interface':
      case 'select':
        this.closeThrough(({ what }) => what === word, line);
        return true;
    }
    return /^(if|do|where|forall|critical|team|enum|type|file)$/.test(word);
  }

  private pop(line: number): OpenBlock | undefined {
    const entry = this.open.pop();
    if (entry?.what === 'scope') (this.scopes[entry.scope] as Scope).endLine = line;
    return entry;
  }

  /** Closes everything up to and including the innermost entry that `wanted` accepts; nothing if there is none. */
  private closeThrough(wanted: (entry: OpenBlock) => boolean, line: number): void {
    if (!this.open.some(wanted)) return;
    for (let entry = this.pop(line); entry !== undefined && !wanted(entry); entry = this.pop(line));
  }
}
