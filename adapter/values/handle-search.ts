/** The search for the handles in a value, in memory order: a reader of its tree with a budget. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import { dataReadMemoryBytes } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { addressIn, wholeNumberIn } from '../gdb/mi/value';
import { isArrayOfNumbers, isFortranInteger, isOfWholeNumbers } from '../gdb/value-type';
import type { Asked, FoundHandle, HandleForm, HandleValue, Wanted } from './found-handle';
import { handleIn, handleOf, numberIn } from './handle-value';
import { whyNoHandle, whyOptimizedOut, type WholeNumber } from './no-handle';
import type { ValueNode } from './value-node';

/** How many handles one expression answers. */
const maxHandles = 1000;
/** The budget: how many values are searched, and how deep, since a struct may hold anything. */
const maxVisited = 20_000;
const maxLevels = 16;
/** An array of plain numbers holds no handles: its elements are not searched. */
const longArray = 10_000;

/** A value on the way. */
interface Visited {
  node: ValueNode;
  level: number;
  /** Its name where that is not its own expression: the target of a pointer is named after the pointer. */
  label: string | undefined;
  /** It is what the user asked for, perhaps inside containers of one value. */
  isRoot: boolean;
  /** It is a member of a struct, or lies in one. */
  isMember: boolean;
}

export class HandleSearch {
  private readonly found: FoundHandle[] = [];
  private visited = 0;
  /** Elements that were not searched; `count` undefined: their number is unknown. */
  private left: { count: number | undefined } | undefined;
  private number: WholeNumber | undefined;
  private conflict: string | undefined;
  private untold: string | undefined;

  constructor(
    private readonly asked: Asked,
    private readonly wanted: Wanted | undefined,
  ) {}

  /** The handles, at most maxHandles and then a failure that says so; where there is none a failure that says why. */
  async search(node: ValueNode): Promise<FoundHandle[]> {
    const { prefix, text } = this.asked;
    await this.visit({ node, level: 0, label: text, isRoot: true, isMember: false });
    const path = `${prefix}${text}`;
    if (this.left !== undefined) {
      const { count } = this.left;
      const reason = `${count === undefined ? '' : `${count} `}more elements are left out: ask for a part of ${path}`;
      return [...this.found, { kind: 'failure', path, code: 'MPIDBG_ERR_OUT_OF_RANGE', reason }];
    }
    if (this.found.length > 0) return this.found;
    if (node.shape.kind === 'container' && node.shape.isEmpty)
      return [{ kind: 'failure', path, code: 'MPIDBG_ERR_UNAVAILABLE', reason: `${text} is empty` }];
    const { wanted, conflict, number, untold } = this;
    const named = await node.namedNumber();
    const why = { isKindGiven: wanted !== undefined, number, named, conflict, untold };
    const reason = whyNoHandle(node.type, text, why);
    return [{ kind: 'failure', path, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }];
  }

  private async visit(visited: Visited): Promise<void> {
    if (++this.visited > maxVisited || visited.level > maxLevels) return;
    const { node } = visited;
    const declared = await node.meaning();
    const { wanted } = this;
    switch (declared.form) {
      case 'fortranHandle':
        if (await this.leadsNowhere(visited, this.kindOf(declared.kind))) return;
        return this.take(visited, this.kindOf(declared.kind), await handleOf(node, declared));
      case 'object':
        return this.takeObject(visited, this.kindOf(declared.kind));
      // A prefix says how to read a value, not where it is: a pointer to a handle is followed with or without one.
      case 'objectPointer':
      case 'pointer': {
        const kind = this.kindOf(declared.kind);
        if (await this.leadsNowhere(visited, kind)) return;
        if (declared.form === 'objectPointer') return this.take(visited, kind, numberIn(node, 'cxx'));
        // gdb shows the members of the struct below a pointer to it: the pointer says where the status lies.
        return declared.kind === 'status' ? this.take(visited, kind, numberIn(node, 'c')) : this.target(visited);
      }
      case 'handle':
      case 'integer':
        if (wanted === undefined) return this.take(visited, declared.kind, await handleOf(node, declared));
        break;
      case 'other':
        this.conflict ??= declared.conflict;
        this.untold ??= declared.untold;
        break;
      case 'array':
        break;
    }
    if (wanted !== undefined && (await this.isOfWantedKind(node, wanted)))
      return this.take(visited, wanted.kind, await handleIn(node, wanted.kind, this.formOf(node, wanted.isFortran)));
    if (node.shape.kind === 'pointer') return this.pointer(visited);
    if (wholeNumberIn(node.value) !== undefined && isOfWholeNumbers(node.type ?? '')) this.sawNumber(visited);
    return this.parts(visited);
  }

  /** The best advice is an expression that can be asked for directly. */
  private sawNumber({ node, isMember }: Visited): void {
    if (node.expression !== undefined) this.number ??= { expression: node.expression, isMember };
  }

  /** Only the pointer that the user asked for is followed to a struct, since lists may be circular. */
  private async pointer(visited: Visited): Promise<void> {
    const { node, isRoot } = visited;
    if (this.wanted?.kind === 'status') return this.take(visited, 'status', numberIn(node, 'c'));
    if (this.wanted?.isFortran === true) {
      if (!(await this.leadsNowhere(visited))) await this.target(visited);
      return;
    }
    if (!isRoot || !(await leadsToParts(node))) return;
    if (!(await this.leadsNowhere(visited))) await this.parts(visited);
  }

  /** The target of a pointer is read in its place. */
  private async target({ node, level, label, isMember }: Visited): Promise<void> {
    for (const target of await node.parts(0, 1))
      await this.visit({ node: target, level: level + 1, label: label ?? node.expression, isRoot: false, isMember });
  }

  private async parts(visited: Visited): Promise<void> {
    const { node, level, label, isRoot } = visited;
    const { shape, type = '' } = node;
    const count = shape.kind === 'array' ? shape.count : Infinity;
    if (count > longArray && this.wanted === undefined && isArrayOfNumbers(type)) {
      if (isOfWholeNumbers(type)) this.sawNumber(visited);
      return;
    }
    const parts = await node.parts(0, Math.min(maxHandles - this.found.length + 1, count));
    for (const [position, part] of parts.entries()) {
      if (this.found.length >= maxHandles) {
        const isList = shape.kind === 'array' || shape.kind === 'container';
        const length = isList ? await node.length() : parts.length;
        // Counts in the outermost list, a part of which can be asked for.
        if (isList || this.left === undefined) this.left = { count: length && length - position };
        return;
      }
      if (part.key !== undefined)
        await this.visit({ node: part.key, level: level + 1, label: undefined, isRoot: false, isMember: true });
      const { step } = part;
      const isOnly = step.kind === 'contained' && step.isOnly;
      // The value of a container and the first base of an object are named after it.
      const isSame = isOnly || (step.kind === 'base' && step.isFirst);
      const called = isSame ? (label ?? node.expression) : undefined;
      const isMember = visited.isMember || step.kind === 'member';
      await this.visit({ node: part, level: level + 1, label: called, isRoot: isOnly && isRoot, isMember });
    }
  }

  /** Reports that a pointer leads to no memory. */
  private async leadsNowhere(visited: Visited, kind?: HandleKind): Promise<boolean> {
    const { node } = visited;
    const address = addressIn(node.value);
    if (address === undefined) return false;
    const what = this.called(visited) ?? node.name;
    if (address === 0n) {
      await this.fail(visited, kind, `${what} is a null pointer`);
      return true;
    }
    try {
      await dataReadMemoryBytes(node.evalFrame.thread, address, 1);
      return false;
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
      await this.fail(visited, kind, `${what} points to 0x${address.toString(16)}, where the process has no memory`);
      return true;
    }
  }

  private async take(visited: Visited, kind: HandleKind, handle: HandleValue): Promise<void> {
    if (handle.kind === 'value') {
      const { value, form } = handle;
      this.found.push({ kind: 'handle', path: await this.label(visited), handleKind: kind, form, value });
      return;
    }
    const what = this.called(visited) ?? visited.node.name;
    const isGone = handle.why === whyOptimizedOut;
    await this.fail(visited, kind, isGone ? `${what} is ${handle.why}` : `${what} cannot be read: ${handle.why}`);
  }

  /** An object of C++ that only a pretty printer of gdb leads to has no address, but may show what is in it. */
  private async takeObject(visited: Visited, kind: HandleKind): Promise<void> {
    const handle = await handleOf(visited.node, { form: 'object', kind });
    const before = this.found.length;
    if (handle.kind === 'unreadable') await this.parts(visited);
    if (this.found.length === before) return this.take(visited, kind, handle);
    for (const inside of this.found.slice(before)) inside.path = await this.label(visited);
  }

  private async fail(visited: Visited, kind: HandleKind | undefined, reason: string): Promise<void> {
    const path = await this.label(visited);
    const known = kind ?? this.wanted?.kind;
    const code = 'MPIDBG_ERR_UNAVAILABLE';
    this.found.push({ kind: 'failure', path, ...(known && { handleKind: known }), code, reason });
  }

  /** An expression that asks for this handle alone, with the user's prefix. */
  private async label(visited: Visited): Promise<string> {
    const { prefix } = this.asked;
    const written = this.called(visited);
    if (written !== undefined) return `${prefix}${written}`;
    const { node } = visited;
    const location = await node.location();
    const where = location.kind === 'address' ? `0x${location.address.toString(16)}` : location.why;
    return `${prefix}*(${node.type} *)${where}`;
  }

  private called({ node, label }: Visited): string | undefined {
    return label ?? node.expression;
  }

  private kindOf(declared: HandleKind): HandleKind {
    return this.wanted?.kind ?? declared;
  }

  /** Open MPI's handles are pointers, and so may be what they are kept in; a pointer to a struct of the program is none. */
  private async isOfWantedKind(node: ValueNode, { kind, isFortran }: Wanted): Promise<boolean> {
    const isPointer = node.shape.kind === 'pointer';
    if (kind === 'status') return !isPointer;
    if (!isPointer) return node.shape.kind === 'scalar';
    return !isFortran && !(await leadsToParts(node));
  }

  /** An INTEGER of a Fortran frame cannot hold a C handle: `comm:newcomm` means the same as `comm.f:newcomm` there. */
  private formOf({ evalFrame, type = '' }: ValueNode, isFortran: boolean): HandleForm {
    return isFortran || (evalFrame.language === 'fortran' && isFortranInteger(type)) ? 'fortran' : 'c';
  }
}

/** To a struct, whose members are listed below the pointer, or to an array. */
async function leadsToParts(pointer: ValueNode): Promise<boolean> {
  const [first] = await pointer.parts(0, 1);
  return first !== undefined && (first.step.kind !== 'target' || first.shape.kind === 'array');
}
