/**
 * What the scanner finds in one source file, without knowledge of other files. Names are in lower case; a scope is
 * named by its index in SourceModel.scopes. All of it is data: it can be cached and sent between processes.
 */

/** File is the name the scanner was given, or that of a file included there. Line and column count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A variable, component or function result as written, without subscripts: "comm", "grid%halo%comm". */
export interface Designator {
  readonly path: string;
  readonly location: SourceLocation;
}

export interface Variable {
  readonly name: string;
  readonly type: 'integer' | 'derived' | 'other';
  /** The derived type's name. */
  typeName?: string;
  /** The extents as written, e.g. ["mpi_status_size", "n"]; empty for a scalar. */
  dimensions: readonly string[];
  intent?: 'in' | 'out' | 'inout';
  isOptional?: true;
  readonly location: SourceLocation;
}

export interface DerivedType {
  readonly name: string;
  readonly parent?: string;
  readonly components: Map<string, Variable>;
  readonly bindings: Map<string, Binding>;
}

/** A type-bound procedure, or a component that points to one. */
export interface Binding {
  /** What is called, or its interface where that is decided at run time. */
  readonly procedure: string;
  /** The dummy argument that is the object; missing: the first one; null: it is not passed. */
  readonly passedAs?: string | null;
}

export type ScopeKind =
  'program' | 'module' | 'submodule' | 'subroutine' | 'function' | 'block' | 'associate' | 'select' | 'interface';

export interface Scope {
  readonly kind: ScopeKind;
  readonly name: string;
  /** The scope around it, whose names are visible here too; undefined at the outermost level and in interface bodies. */
  readonly parent: number | undefined;
  /** A procedure's interface only; its code is elsewhere. */
  readonly isInterface: boolean;
  readonly location: SourceLocation;
  /** Last line, in the file of `place`. */
  endLine: number;
  readonly uses: { module: string; only: boolean; names: { local: string; name: string }[] }[];
  readonly variables: Map<string, Variable>;
  readonly types: Map<string, DerivedType>;
  /** Generic names → specific procedures. */
  readonly generics: Map<string, string[]>;
  /** ASSOCIATE and SELECT TYPE names → what they stand for. */
  readonly aliases: Map<string, Designator>;
  readonly commons: { block: string; names: string[] }[];
  dummies: readonly string[];
  /** A function's result variable. */
  result?: string;
  implicitNone: boolean;
  /** Of a submodule: its module, or "module:submodule" where it belongs to another one. */
  readonly ancestor?: string;
}

export interface Argument {
  keyword?: string;
  /** Missing for an expression. */
  designator?: Designator;
  /** The names in an array constructor. */
  elements?: readonly Designator[];
}

/** CALL statement, or a reference with parentheses in an expression (which may be an array element). */
export interface Call {
  readonly scope: number;
  readonly callee: Designator;
  readonly arguments: readonly Argument[];
}

/** `to = from`, also of an initialiser, a pointer assignment and a comparison for equality (isComparison). */
export interface Assignment {
  readonly scope: number;
  readonly to: Designator;
  readonly from: Designator;
  readonly isComparison: boolean;
}

export interface SourceModel {
  readonly file: string;
  readonly scopes: Scope[];
  readonly calls: Call[];
  readonly assignments: Assignment[];
  /** Calculated with, ordered, or used as a subscript: no handle, or an array that holds numbers too. Each once per scope. */
  readonly numbers: { readonly scope: number; readonly name: Designator }[];
}
