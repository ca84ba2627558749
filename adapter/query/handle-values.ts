/** The handles in the value of an expression: itself, its elements, its members. gdb reads it, we find the handles. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { FailureCode } from '../../plugin-api/result';
import { dataEvaluateExpression } from '../gdb/data-manipulation';
import { GdbError } from '../gdb/mi-connection';
import {
  varCreate,
  varDelete,
  varInfoPathExpression,
  varListChildren,
  type VariableObject,
} from '../gdb/variable-objects';
import { meaningIn, type KindOfVariable } from '../fortran/integer-handles';
import type { RankThread } from '../job/rank';
import type { Language } from './expression';
import type { HandleTypes } from './handle-types';

/** How many handles one expression answers. */
const mostHandles = 1000;
/** How many variables are looked at on the way, and how deep: a struct may hold anything. */
const mostVariables = 20_000;
const mostLevels = 16;

/** Where an expression is evaluated. */
export interface Place {
  thread: RankThread;
  /** 0 is the innermost. */
  frame: number;
  language: Language;
  /** What is known of the frame's INTEGERs. */
  kindOfVariable?: KindOfVariable;
}

/** What the user's prefix asks for; undefined: the declared types decide. */
export interface Wanted {
  kind: HandleKind;
  isFortran: boolean;
}

/** What a value is: a C handle, a Fortran INTEGER, or the address of an object of C++ that has a handle. A status: its address, too. */
export type HandleForm = 'c' | 'fortran' | 'cxx';

/** One handle of the expression. `path` is the expression with what leads to it: "reqs[2]", "domain%comm". */
export type FoundHandle =
  | { path: string; kind: HandleKind; form: HandleForm; value: bigint }
  | { path: string; kind?: HandleKind; code: FailureCode; reason: string };

/**
 * Evaluates `source` and finds the handles in it, in memory order, at most mostHandles and then one failure that says
 * so. `label` begins every path. Rejects with GdbError when gdb cannot evaluate it.
 */
export async function findHandles(
  place: Place,
  source: string,
  label: string,
  types: HandleTypes,
  wanted?: Wanted,
): Promise<FoundHandle[]> {
  const { gdb } = place.thread;
  const variable = await varCreate(place.thread, place.frame, source);
  try {
    const search = new Search(place, types, wanted, { label, source });
    await search.visit(variable, { path: label, indexes: [] }, 0);
    return search.result(variable, label);
  } finally {
    await varDelete(gdb, variable.name);
  }
}

/** The path so far; Fortran's indexes are collected, since gdb lists the last dimension first. */
interface Path {
  path: string;
  indexes: string[];
  /** Of the first base of an object: the object, which begins where its first base does. */
  object?: VariableObject;
}

/** Of a column the dimensions that are left out are those before. */
function pathText({ path, indexes }: Path): string {
  return indexes.length === 0 ? path : `${path}(${[...indexes].reverse().join(',')})`;
}

class Search {
  private readonly found: FoundHandle[] = [];
  private visited = 0;
  private left = 0;
  private conflict: string | undefined;

  constructor(
    private readonly place: Place,
    private readonly types: HandleTypes,
    private readonly wanted: Wanted | undefined,
    /** How all paths begin, and what gdb takes for it. */
    private readonly root: { label: string; source: string },
  ) {}

  result(variable: VariableObject, label: string): FoundHandle[] {
    if (this.left > 0) {
      const reason = `${this.left} more elements are left out: ask for a part of ${label}`;
      return [...this.found, { path: label, code: 'MPIDBG_ERR_OUT_OF_RANGE', reason }];
    }
    if (this.found.length > 0) return this.found;
    if (this.conflict !== undefined) {
      const reason = `the program uses ${label} as handles of several kinds (${this.conflict}): name one, as in comm.f:${label}`;
      return [{ path: label, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }];
    }
    const reason =
      variable.type === undefined || this.wanted !== undefined
        ? `${label} holds no value that can be read as a handle`
        : `its type is ${variable.type}, which is no MPI handle: name the kind, as in comm:${label} or comm.f:${label}`;
    return [{ path: label, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }];
  }

  async visit(variable: VariableObject, path: Path, level: number): Promise<void> {
    if (++this.visited > mostVariables || level > mostLevels) return;
    const type = variable.type ?? '';
    const declared = await meaningIn(this.place, type, pathText(path), await this.types.meaning(type));
    if (declared.form === 'other') this.conflict ??= declared.conflict;
    // A prefix says how to read what is there, not where it is: a pointer to a handle is followed with and without one.
    const isDeclared =
      this.wanted === undefined ||
      declared.form === 'pointer' ||
      declared.form === 'fortranHandle' ||
      declared.form === 'object' ||
      declared.form === 'objectPointer';
    const meaning = isDeclared ? declared : this.wanted;
    if ('form' in meaning) {
      if (meaning.form === 'handle') return this.take(variable, path, meaning.kind, 'c');
      if (meaning.form === 'integer') return this.take(variable, path, meaning.kind, 'fortran');
      if (meaning.form === 'fortranHandle')
        return this.takeMember(variable, path, this.wanted?.kind ?? meaning.kind, level);
      if (meaning.form === 'object') return this.takeObject(variable, path, this.wanted?.kind ?? meaning.kind, level);
      if (meaning.form === 'objectPointer')
        return this.takeText(variable.value ?? '', path, this.wanted?.kind ?? meaning.kind, 'cxx');
      // gdb shows the members of the struct below a pointer to it: the pointer says where the status lies.
      if (meaning.form === 'pointer' && meaning.kind === 'status')
        return this.takeText(variable.value ?? '', path, meaning.kind, 'c');
      if (meaning.form === 'pointer') return this.children(variable, level, () => path);
    } else if (this.isScalar(variable)) {
      return this.take(variable, path, meaning.kind, this.formOf(variable, meaning.isFortran));
    }
    if (isPointer(variable) && !variable.dynamic) {
      if (this.wanted?.kind === 'status') return this.takeText(variable.value ?? '', path, 'status', 'c');
      const followsPointer = this.wanted?.isFortran === true;
      return followsPointer ? this.children(variable, level, () => path) : undefined;
    }
    return this.children(variable, level, (child, index) => this.childPath(variable, child, path, index));
  }

  /** A handle of C is its value; a Fortran handle an INTEGER; a status is where it lies. */
  private async take(variable: VariableObject, path: Path, kind: HandleKind, form: HandleForm): Promise<void> {
    if (kind !== 'status') return this.takeText(variable.value ?? '', path, kind, form);
    const { indexes } = path;
    // An element that is a TYPE(MPI_Status) has a path of its own.
    if (indexes.length === 0 || !/^integer/.test(variable.type ?? ''))
      return this.takeText(await this.addressOf(variable), path, kind, form);
    const column = { path: `${path.path}(:,${[...indexes].reverse().join(',')})`, indexes: [] };
    this.takeText(await this.addressOfColumn(variable, path), column, kind, form);
  }

  private takeText(text: string, path: Path, kind: HandleKind, form: HandleForm): void {
    const value = /^(0x[0-9a-f]+|-?\d+)/.exec(text)?.[1];
    if (value === undefined) {
      const reason = `${pathText(path)} cannot be read: ${text === '' ? 'it has no value here' : text}`;
      this.found.push({ path: pathText(path), kind, code: 'MPIDBG_ERR_UNAVAILABLE', reason });
    } else {
      const magnitude = BigInt(value.replace('-', ''));
      const number = value.startsWith('-') ? -magnitude : magnitude;
      this.found.push({ path: pathText(path), kind, form, value: number });
    }
  }

  /** TYPE(MPI_Comm): its one member is the INTEGER. */
  private async takeMember(variable: VariableObject, path: Path, kind: HandleKind, level: number): Promise<void> {
    if (level > mostLevels) return;
    const [member] = await varListChildren(this.place.thread, variable.name, 0, 1);
    if (member !== undefined) await this.take(member, path, kind, 'fortran');
  }

  /** An object by its address; one that only a pretty printer of gdb leads to has none, but may show what is in it. */
  private async takeObject(variable: VariableObject, path: Path, kind: HandleKind, level: number): Promise<void> {
    // gdb cannot name a base whose type it does not know the inside of.
    const address = await this.addressOf(path.object ?? variable);
    if (address.startsWith('0x')) return this.takeText(address, path, kind, 'cxx');
    const before = this.found.length;
    await this.children(variable, level, () => path);
    if (this.found.length === before) this.takeText(address, path, kind, 'cxx');
    for (const handle of this.found.slice(before)) handle.path = pathText(path);
  }

  private async children(
    variable: VariableObject,
    level: number,
    pathOf: (child: VariableObject, index: number) => Path,
  ): Promise<void> {
    if (variable.childCount === 0 && !variable.dynamic) return;
    const room = mostHandles - this.found.length;
    const children = await varListChildren(this.place.thread, variable.name, 0, room + 1);
    for (const [index, child] of children.entries()) {
      if (this.found.length >= mostHandles) {
        this.left = Math.max(variable.childCount, children.length) - index;
        return;
      }
      await this.visit(child, pathOf(child, index), level + 1);
    }
  }

  private childPath(parent: VariableObject, child: VariableObject, at: Path, index: number): Path {
    const name = child.expression;
    // "public" and "private" group the members of a class; base classes and anonymous unions have no name to write.
    const isBase = child.type?.replace(/^(class|struct) /, '') === name;
    if (isBase && index === 0) return { ...at, object: at.object ?? parent };
    if (isBase || child.type === undefined || name.startsWith('<')) return { path: at.path, indexes: at.indexes };
    if (/^-?\d+$/.test(name)) {
      if (this.place.language === 'fortran') return { path: at.path, indexes: [...at.indexes, name] };
      return { path: `${at.path}[${name}]`, indexes: [] };
    }
    if (name.startsWith('[')) return { path: `${at.path}${name}`, indexes: [] };
    const separator = this.place.language === 'fortran' ? '%' : isPointer(parent) ? '->' : '.';
    return { path: `${pathText(at)}${separator}${name}`, indexes: [] };
  }

  /** Of a column of a Fortran array, which gdb's own path for it does not name: that of its first element. */
  private async addressOfColumn(column: VariableObject, path: Path): Promise<string> {
    const [first] = await varListChildren(this.place.thread, column.name, 0, 1);
    const { label, source } = this.root;
    const text = pathText({ ...path, indexes: [...path.indexes, first?.expression ?? '1'] });
    return this.addressAt(() => Promise.resolve(`${source}${text.slice(label.length)}`));
  }

  private addressOf(variable: VariableObject): Promise<string> {
    return this.addressAt(() => varInfoPathExpression(this.place.thread, variable.name));
  }

  /** Or gdb's words, where it has none. */
  private async addressAt(expression: () => Promise<string>): Promise<string> {
    const { thread, frame } = this.place;
    try {
      const printed = await dataEvaluateExpression(thread, frame, `&(${await expression()})`);
      return /0x[0-9a-f]+/.exec(printed)?.[0] ?? printed;
    } catch (error) {
      if (error instanceof GdbError) return error.message;
      throw error;
    }
  }

  private isScalar(variable: VariableObject): boolean {
    if (this.wanted?.kind === 'status') return !isPointer(variable);
    return (variable.childCount === 0 && !variable.dynamic) || (isPointer(variable) && !this.wanted?.isFortran);
  }

  /** An INTEGER of a Fortran frame cannot hold a C handle: `comm:newcomm` means the same as `comm.f:newcomm` there. */
  private formOf(variable: VariableObject, isFortran: boolean): HandleForm {
    const isInteger = this.place.language === 'fortran' && /^integer\(kind=4\)/.test(variable.type ?? '');
    return isFortran || isInteger ? 'fortran' : 'c';
  }
}

function isPointer(variable: VariableObject): boolean {
  return /\*$|^PTR TO/.test(variable.type ?? '');
}
