/**
 * What the scanner finds in one source file, independently of other files. Names are in lower case; scopes are referred
 * to by their index in SourceModel.scopes. Pure data: it can be cached and sent between processes.
 */

/** `file`: the name given to the scanner, or that of an included file. Lines and columns count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A variable, component or function result as written, without subscripts: "comm", "grid%halo%comm". */
export interface Designator {
  readonly path: string;
  /** Which part of the last name's array it is; missing: the whole. */
  readonly part?: ArrayPart;
  readonly location: SourceLocation;
}

/**
 * `columns`: all of the first dimension, `stat(:,2)`; `start`: the element that a column begins with, `stat(1,2)`, from
 * which on a called procedure may use a whole column; `element`, `section`: any other.
 */
export type ArrayPart = 'columns' | 'start' | 'element' | 'section';

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
  /** The procedure that is called, or its interface if the procedure is chosen at run time. */
  readonly procedure: string;
  /** The dummy argument that receives the object; missing: the first one; null: none (NOPASS). */
  readonly passedAs?: string | null;
}

export type ScopeKind =
  'program' | 'module' | 'submodule' | 'subroutine' | 'function' | 'block' | 'associate' | 'select' | 'interface';

/** `location`: of the name itself. */
export interface Alias {
  readonly target: Designator;
  readonly location: SourceLocation;
}

export interface Scope {
  readonly kind: ScopeKind;
  readonly name: string;
  /** The enclosing scope, whose names are visible here; undefined at the outermost level and for interface bodies. */
  readonly parent: number | undefined;
  /** An interface body; the procedure's code is elsewhere. */
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
  readonly aliases: Map<string, Alias>;
  readonly commons: { block: string; names: string[] }[];
  dummies: readonly string[];
  /** A function's result variable. */
  result?: string;
  implicitNone: boolean;
  /** For a submodule: its module, or "module:submodule" if its parent is a submodule. */
  readonly ancestor?: string;
}

export interface Argument {
  keyword?: string;
  /** Missing: the argument is an expression. */
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

/** `to = from`; also an initialiser, a pointer assignment, or a comparison for equality (isComparison). */
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
  /** Used in arithmetic, order comparisons or subscripts: not handles, or arrays with numbers. Each once per scope. */
  readonly numbers: { readonly scope: number; readonly name: Designator }[];
}
