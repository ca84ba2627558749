/** The walk over the parts of a value that finds its handles, in memory order. gdb reads the value. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import { meaningIn } from '../fortran/integer-handles';
import { prepareContainers } from '../gdb/python/container-functions';
import { dataEvaluateExpression, dataReadMemoryBytes } from '../gdb/mi/data-manipulation';
import { prepareComponents } from '../gdb/python/fortran-components';
import { GdbError } from '../gdb/mi/mi-connection';
import { varInfoPathExpression, varListChildren, type VariableObject } from '../gdb/variable-objects';
import { elementCount, isPointerType } from '../expressions/access-path';
import type { Asked, FoundHandle, HandleForm, Wanted } from './found-handle';
import type { Path, PathFinder } from './handle-path';
import type { HandleTypes } from '../expressions/handle-types';
import { optimizedOut, whyNoHandle, whyOptimizedOut } from './no-handle';
import type { Place } from '../expressions/place';
import { arrayOf, objectIn, partsOf, type Create } from './value-parts';

/** How many handles one expression answers. */
const mostHandles = 1000;
/** gdb makes all elements of an array to tell of the first ones: 25 µs each, minutes for millions of numbers. */
const longArray = 10_000;
/** "double [10000000]", "real(kind=8) (100,100)": neither handles nor anything that holds some. */
const isOfNumbers = (type = ''): boolean =>
  /^(const |volatile )*((unsigned|signed|long|short|char|int|float|double|_Bool|bool|_Complex)\b ?)+\[/.test(type) ||
  /^(integer|real|complex|logical|character)\b(\(kind=\d+\)|\*\d+)?.*\(/i.test(type);

/** How many variables are looked at on the way, and how deep: a struct may hold anything. */
const mostVariables = 20_000;
const mostLevels = 16;

export class HandleSearch {
  private readonly found: FoundHandle[] = [];
  private visited = 0;
  private left = 0;
  private sawNumber = false;
  private conflict: string | undefined;
  private untold: string | undefined;

  constructor(
    private readonly place: Place & { create: Create },
    private readonly types: HandleTypes,
    private readonly asked: Asked,
    private readonly paths: PathFinder,
    private readonly wanted: Wanted | undefined,
  ) {}

  start(variable: VariableObject): Promise<void> {
    const { text, source } = this.asked;
    return this.visit(variable, { text, source, indexes: [], isRoot: true }, 0);
  }

  result(variable: VariableObject): FoundHandle[] {
    const { prefix, text } = this.asked;
    const path = `${prefix}${text}`;
    if (this.left > 0) {
      const reason = `${this.left} more elements are left out: ask for a part of ${path}`;
      return [...this.found, { path, code: 'MPIDBG_ERR_OUT_OF_RANGE', reason }];
    }
    if (this.found.length > 0) return this.found;
    if (variable.dynamic && variable.childCount === 0 && !variable.hasMore)
      return [{ path, code: 'MPIDBG_ERR_UNAVAILABLE', reason: `${text} is empty` }];
    const { wanted, conflict, sawNumber, untold } = this;
    const reason = whyNoHandle(variable.type, text, { isKindGiven: wanted !== undefined, sawNumber, conflict, untold });
    return [{ path, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }];
  }

  private async visit(variable: VariableObject, path: Path, level: number): Promise<void> {
    if (++this.visited > mostVariables || level > mostLevels) return;
    const object = await objectIn(this.place, variable, this.paths.evaluated(path), this.place.create);
    if (object !== undefined) {
      const { variable: found, ...at } = object;
      return this.visit(found, { ...path, text: this.paths.written(path), indexes: [], ...at }, level + 1);
    }
    const type = variable.type ?? '';
    const declared = await meaningIn(this.place, type, this.paths.written(path), await this.types.meaning(type));
    if (declared.form === 'other') {
      this.conflict ??= declared.conflict;
      this.untold ??= declared.untold;
    }
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
      const kind = meaning.form === 'other' || meaning.form === 'array' ? undefined : meaning.kind;
      if (kind !== undefined) {
        const wantedKind = this.wanted?.kind ?? kind;
        if (meaning.form === 'fortranHandle') return this.takeMember(variable, path, wantedKind, level);
        if (meaning.form === 'object') return this.takeObject(variable, path, wantedKind, level);
        if (await this.leadsNowhere(variable, path, wantedKind)) return;
        if (meaning.form === 'objectPointer') return this.takeText(variable, path, wantedKind, 'cxx');
        // gdb shows the members of the struct below a pointer to it: the pointer says where the status lies.
        if (kind === 'status') return this.takeText(variable, path, kind, 'c');
        return this.target(variable, path, level);
      }
    } else if (await this.isScalar(variable)) {
      return this.take(variable, path, meaning.kind, this.formOf(variable, meaning.isFortran));
    }
    if (isPointer(variable) && !variable.dynamic) return this.pointer(variable, path, level);
    if (/^-?\d+$/.test(variable.value ?? '') && !/float|double|real/.test(type)) this.sawNumber = true;
    return this.children(variable, path, level);
  }

  /** Only the pointer that is asked for is followed to a struct: lists may be circular. */
  private async pointer(variable: VariableObject, path: Path, level: number): Promise<void> {
    if (this.wanted?.kind === 'status') return this.takeText(variable, path, 'status', 'c');
    if (this.wanted?.isFortran === true) {
      if (!(await this.leadsNowhere(variable, path))) await this.target(variable, path, level);
      return;
    }
    if (path.isRoot !== true || !(await this.leadsToStruct(variable))) return;
    if (!(await this.leadsNowhere(variable, path))) await this.children(variable, path, level);
  }

  /** What a pointer leads to is read in its place. */
  private async target(variable: VariableObject, path: Path, level: number): Promise<void> {
    const { isRoot: _, ...at } = path;
    const children = await varListChildren(this.place, variable, 0, 1);
    for (const child of children) await this.visit(child, at, level + 1);
  }

  /** Tells of a pointer that nothing lies where it leads. */
  private async leadsNowhere(variable: VariableObject, path: Path, kind?: HandleKind): Promise<boolean> {
    const address = /^(?:\([^)]*\) )?(0x[0-9a-f]+)/.exec(variable.value ?? '')?.[1];
    if (address === undefined) return false;
    const what = this.paths.written(path);
    if (BigInt(address) === 0n) {
      await this.fail(variable, path, kind, `${what} is a null pointer`);
      return true;
    }
    try {
      await dataReadMemoryBytes(this.place.thread, BigInt(address), 1);
      return false;
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
      await this.fail(variable, path, kind, `${what} points to ${address}, where the process has no memory`);
      return true;
    }
  }

  /** A handle of C is its value; a Fortran handle an INTEGER; a status is where it lies. */
  private async take(variable: VariableObject, path: Path, kind: HandleKind, form: HandleForm): Promise<void> {
    if (kind !== 'status') return this.takeText(variable, path, kind, form);
    const { indexes } = path;
    // An element that is a TYPE(MPI_Status) has a path of its own.
    if (indexes.length === 0 || !/^integer/.test(variable.type ?? ''))
      return this.takeText(variable, path, kind, form, await this.addressOf(variable, path));
    const column = { ...path, text: `${path.text}(:,${[...indexes].reverse().join(',')})`, indexes: [] };
    return this.takeText(variable, column, kind, form, await this.addressOfColumn(variable, path));
  }

  private async takeText(
    variable: VariableObject,
    path: Path,
    kind: HandleKind,
    form: HandleForm,
    text = variable.value ?? '',
  ): Promise<void> {
    const value = /^(0x[0-9a-f]+|-?\d+)/.exec(text)?.[1];
    if (value === undefined) {
      const written = this.paths.written(path);
      if (text === optimizedOut) return this.fail(variable, path, kind, `${written} is ${whyOptimizedOut}`);
      const why = text === '' ? 'it has no value here' : text;
      return this.fail(variable, path, kind, `${written} cannot be read: ${why}`);
    }
    const magnitude = BigInt(value.replace('-', ''));
    const number = value.startsWith('-') ? -magnitude : magnitude;
    this.found.push({ path: await this.label(variable, path), kind, form, value: number });
  }

  private async fail(
    variable: VariableObject,
    path: Path,
    kind: HandleKind | undefined,
    reason: string,
  ): Promise<void> {
    const label = await this.label(variable, path);
    const known = kind ?? this.wanted?.kind;
    this.found.push({ path: label, ...(known && { kind: known }), code: 'MPIDBG_ERR_UNAVAILABLE', reason });
  }

  /** An expression that asks for this handle alone, with the user's prefix. */
  private async label(variable: VariableObject, path: Path): Promise<string> {
    const { prefix } = this.asked;
    if (path.isUnwritable !== true) return `${prefix}${this.paths.written(path)}`;
    const address = await this.addressOf(variable, path);
    return `${prefix}*(${variable.type} *)${address}`;
  }

  /** TYPE(MPI_Comm): its one member is the INTEGER. */
  private async takeMember(variable: VariableObject, path: Path, kind: HandleKind, level: number): Promise<void> {
    if (level > mostLevels || (await this.leadsNowhere(variable, path, kind))) return;
    const [member] = await varListChildren(this.place, variable, 0, 1);
    if (member !== undefined) await this.take(member, path, kind, 'fortran');
  }

  /** An object by its address; one that only a pretty printer of gdb leads to has none, but may show what is in it. */
  private async takeObject(variable: VariableObject, path: Path, kind: HandleKind, level: number): Promise<void> {
    // gdb cannot name a base whose type it does not know the inside of.
    const address = await this.addressOf(path.object ?? variable, path);
    if (address.startsWith('0x')) return this.takeText(variable, path, kind, 'cxx', address);
    const before = this.found.length;
    await this.children(variable, path, level);
    if (this.found.length === before) await this.takeText(variable, path, kind, 'cxx', address);
    for (const handle of this.found.slice(before)) handle.path = await this.label(variable, path);
  }

  private async children(variable: VariableObject, path: Path, level: number): Promise<void> {
    const count = elementCount(variable.type, variable.childCount);
    if (count === 0 && !variable.dynamic) return;
    if (count > longArray && this.wanted === undefined && isOfNumbers(variable.type)) {
      this.sawNumber ||= !/float|double|_Complex|^real|^complex|^logical|^character/i.test(variable.type ?? '');
      return;
    }
    const room = mostHandles - this.found.length;
    const wanted = variable.dynamic ? room + 1 : Math.min(room + 1, count);
    const { children, at } = await this.parts(variable, path, wanted);
    for (const [position, child] of children.entries()) {
      if (this.found.length >= mostHandles) {
        this.left = Math.max(count, children.length) - position;
        return;
      }
      await this.visit(child, this.paths.child(variable, children, position, at), level + 1);
    }
  }

  /** `at`: what the children are parts of. */
  private async parts(
    variable: VariableObject,
    path: Path,
    count: number,
  ): Promise<{ children: VariableObject[]; at: Path }> {
    const { place } = this;
    const indexes = [...path.indexes].reverse();
    const array = await arrayOf(place, variable, { source: path.source, array: path.array, indexes });
    const children = await partsOf(place, variable, { array, indexes }, { from: 0, to: count, create: place.create });
    return { children, at: array === undefined ? path : { ...path, array } };
  }

  /** Of a column of a Fortran array, which gdb's own path for it does not name: that of its first element. */
  private async addressOfColumn(column: VariableObject, path: Path): Promise<string> {
    const { children, at } = await this.parts(column, path, 1);
    return this.addressAt(() => Promise.resolve(this.paths.evaluated(at, [children[0]?.expression ?? '1'])));
  }

  private addressOf(variable: VariableObject, path: Path): Promise<string> {
    return this.addressAt(() =>
      path.inContainer === true || this.place.language === 'fortran'
        ? Promise.resolve(this.paths.evaluated(path))
        : varInfoPathExpression(this.place.thread, variable.name),
    );
  }

  /** Or gdb's words, where it has none. */
  private async addressAt(expression: () => Promise<string>): Promise<string> {
    const { thread, frame } = this.place;
    try {
      const source = await expression();
      await prepareContainers(thread.gdb, source);
      await prepareComponents(thread.gdb, source);
      const printed = await dataEvaluateExpression(thread, frame, `&(${source})`);
      return /0x[0-9a-f]+/.exec(printed)?.[0] ?? printed;
    } catch (error) {
      if (error instanceof GdbError) return error.message;
      throw error;
    }
  }

  /** Open MPI's handles are pointers, and so may be what they are kept in; a pointer to a struct of the program is none. */
  private async isScalar(variable: VariableObject): Promise<boolean> {
    const { kind, isFortran } = this.wanted ?? {};
    if (kind === 'status') return !isPointer(variable);
    if (!isPointer(variable)) return variable.childCount === 0 && !variable.dynamic;
    return isFortran !== true && !(await this.leadsToStruct(variable));
  }

  /** gdb lists the members of a struct below a pointer to it, of another target the target itself. */
  private async leadsToStruct(pointer: VariableObject): Promise<boolean> {
    if (pointer.childCount === 0) return false;
    const [first] = await varListChildren(this.place, pointer, 0, 1);
    return first !== undefined && !first.expression.startsWith('*');
  }

  /** An INTEGER of a Fortran frame cannot hold a C handle: `comm:newcomm` means the same as `comm.f:newcomm` there. */
  private formOf(variable: VariableObject, isFortran: boolean): HandleForm {
    const isInteger = this.place.language === 'fortran' && /^integer\(kind=4\)/.test(variable.type ?? '');
    return isFortran || isInteger ? 'fortran' : 'c';
  }
}

function isPointer(variable: VariableObject): boolean {
  return isPointerType(variable.type);
}
