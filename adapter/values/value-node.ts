/**
 * The tree of a value: what it is, what leads to it, and its parts. The Variables view, the one line of a structure and
 * the search for handles all read this tree; gdb is asked only for what a reader visits.
 */
import type { HandleKind } from '../../plugin-api/mpi/records';
import { meaningIn } from '../fortran/integer-handles';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { addressIn, wholeNumberIn, type GdbValue } from '../gdb/mi/value';
import { isReference } from '../gdb/value-type';
import type { VariableObject } from '../gdb/variable-objects';
import { lastStepOf } from '../expressions/access-path';
import { evaluated } from '../expressions/containers';
import { arrayOfType, type ForwardArray } from '../expressions/fortran-arrays';
import type { TypeMeaning } from '../expressions/handle-types';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { objectIn, sectionBounds } from './fortran-parts';
import { opened } from './opened-value';
import { creator, type Reading } from './reading';
import { castToRealClass } from './real-class';
import { addressOf, type Location } from './value-address';
import {
  contentsOf,
  elementsOfC,
  elementsOfFortran,
  entriesOf,
  membersOf,
  type Part,
  type Range,
  type Step,
  type Whole,
} from './value-parts';
import { sourceText, writtenElements, writtenText, type SectionBounds, type ValuePath } from './value-path';
import { handleWithoutTypeName } from './lost-type-name';
import { namedNumber } from './named-number';
import { shapeOf, type Shape } from './value-shape';

/** For a container with more numbers, nobody asks the library whether they are handles. */
const maxNumbers = 256;

/** Few structs have more members. */
const usualMembers = 100;

export class ValueNode {
  /** As shown to the user: "comm", "[3]", "(:,2)", "*pointer", `["east"]`. */
  readonly name: string;
  readonly step: Step;
  readonly shape: Shape;
  /** The key, if this is an entry of a map. */
  readonly key: ValueNode | undefined;
  private readonly path: ValuePath;
  private readonly variable: VariableObject;
  private known: Promise<TypeMeaning> | undefined;
  private listed: { to: number; nodes: Promise<ValueNode[]> } | undefined;
  private forwards: Promise<ForwardArray | undefined> | undefined;
  private bounds: Promise<SectionBounds> | undefined;
  private located: Promise<Location> | undefined;
  private written: Promise<GdbValue> | undefined;
  private numbersAre: Promise<HandleKind | undefined> | undefined;
  private part: Promise<ValueNode | undefined> | undefined;
  private real: Promise<ValueNode | undefined> | undefined;
  /** From what realObject answers: the class of the object, and the type that it is declared with. */
  private derived: { realClass: string; declared: string | undefined } | undefined;

  private constructor(
    private readonly reading: Reading,
    { name, step, path, variable }: Part,
    key: ValueNode | undefined,
    /** The value that this one is a part of. */
    readonly parent: ValueNode | undefined,
  ) {
    this.name = name;
    this.step = step;
    this.path = path;
    this.variable = variable;
    this.key = key;
    this.shape = shapeOf(variable);
  }

  /** The value of an expression. `source`: as gdb reads it; `text`: as the user would write it. Rejects with GdbError. */
  static async ofExpression(reading: Reading, source: string, text: string | undefined): Promise<ValueNode> {
    return opened(reading, source, text, (part) => ValueNode.of(reading, part, undefined));
  }

  /** What a CLASS is, in its place. */
  private static async of(reading: Reading, part: Part, parent: ValueNode | undefined): Promise<ValueNode> {
    const object = await objectIn(reading.evalFrame, part.variable, part.path, creator(reading));
    const key = part.key && (await ValueNode.of(reading, part.key, parent));
    return new ValueNode(reading, { ...part, ...object }, key, parent);
  }

  /** As gdb prints it; undefined if gdb has none. */
  get type(): string | undefined {
    return this.variable.type;
  }

  get value(): GdbValue {
    return this.variable.value;
  }

  get evalFrame(): EvaluationFrame {
    return this.reading.evalFrame;
  }

  /** An expression for it, as the user would write it; undefined: there is none. */
  get expression(): string | undefined {
    return writtenText(this.path);
  }

  /** Elements of an array, from position `from` (0: the first) on, as the user would write them. */
  expressionOfElements(from: number, count: number): string | undefined {
    return this.shape.kind === 'array'
      ? writtenElements(this.path, this.evalFrame.language, { type: this.type, first: this.shape.first + from, count })
      : undefined;
  }

  /** An expression for it, as gdb reads it; undefined: there is none. */
  get source(): string | undefined {
    return sourceText(this.path);
  }

  /** gdb itself has no value for it, or another one: a CLASS, and a CHARACTER whose length is known at run time. */
  get isUnknownToGdb(): boolean {
    return this.type === '' || /^\$_mpidbg_(?:array|text_of|object)_?/.test(this.path.source.text);
  }

  /** An object of Fortran. */
  get isDerived(): boolean {
    return this.evalFrame.language === 'fortran' && this.shape.kind === 'struct';
  }

  /** It is a part of an array of Fortran that is an array itself: `(:,2)`. */
  get isColumn(): boolean {
    return this.path.subscripts !== undefined;
  }

  /** The length of a CHARACTER of deferred length is kept in a component of its own. */
  private get isOfCompiler(): boolean {
    return this.evalFrame.language === 'fortran' && this.step.kind === 'member' && /^_\w+_length$/.test(this.name);
  }

  meaning(): Promise<TypeMeaning> {
    return (this.known ??= this.findMeaning());
  }

  /** MPI's name for a number that its function gives to MPI as a rank, a tag, …: "MPI_PROC_NULL (-2)". */
  namedNumber(): Promise<string | undefined> {
    const { evalFrame, type = '', value, expression } = this;
    return this.shape.kind === 'scalar' ? namedNumber(evalFrame, type, expression, value) : Promise.resolve(undefined);
  }

  /** Parts `from` (included) to `to` (not included), in the order of memory. Rejects with GdbError. */
  async parts(from: number, to: number): Promise<ValueNode[]> {
    if (from > 0) return this.list({ from, to });
    const { listed } = this;
    const isListed = listed !== undefined && (listed.to >= to || (await listed.nodes).length < listed.to);
    // To know what hides a member of a base class takes all members; gdb lists many at the price of one.
    const hasMembers = this.shape.kind === 'struct' || this.shape.kind === 'pointer';
    const enough = hasMembers && this.evalFrame.language !== 'fortran' ? Math.max(to, usualMembers) : to;
    const nodes = isListed ? listed.nodes : this.list({ from, to: enough });
    if (!isListed) this.listed = { to: enough, nodes };
    nodes.catch(() => (this.listed = undefined));
    return (await nodes).filter(({ isOfCompiler }) => !isOfCompiler).slice(0, to);
  }

  /** How many parts a list has; undefined if that is unknown until they are listed. */
  async length(): Promise<number | undefined> {
    if (this.shape.kind === 'array') return this.shape.count;
    if (this.shape.kind !== 'container') return undefined;
    const written = await this.writtenOut();
    return written?.kind === 'titled' ? written.length : undefined;
  }

  /** The whole value as gdb prints it; undefined if gdb cannot. */
  async writtenOut(): Promise<GdbValue | undefined> {
    try {
      return await this.write();
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }

  /** The whole value as gdb prints it. Rejects with GdbError in gdb's words. */
  write(): Promise<GdbValue> {
    return (this.written ??= this.writeOut());
  }

  location(): Promise<Location> {
    return (this.located ??= this.locate());
  }

  /** Reads the value again with other settings of gdb; this node where gdb has no expression for it. */
  async readAgain(evalFrame: EvaluationFrame): Promise<ValueNode> {
    const source = this.wholeSource();
    if (source === undefined) return this;
    const { reading, name, step, path, key, parent } = this;
    try {
      const variable = await reading.create(evalFrame, source);
      return new ValueNode({ ...reading, evalFrame }, { name, step, path, variable }, key, parent);
    } catch (error) {
      if (error instanceof GdbError) return this;
      throw error;
    }
  }

  /** As its object's virtual functions tell it, of what realObject answers. */
  get realClass(): string | undefined {
    return this.derived?.realClass;
  }

  /** As the program has declared it. */
  get declaredType(): string | undefined {
    return this.derived === undefined ? this.type : this.derived.declared;
  }

  /**
   * For a pointer or reference to a base class, or what `*pointer` is: the same with the object's own class, whose members it has.
   * undefined: it is declared so, or the class is not known.
   */
  realObject(): Promise<ValueNode | undefined> {
    return (this.real ??= this.findRealObject());
  }

  private async findRealObject(): Promise<ValueNode | undefined> {
    try {
      const { evalFrame, shape, value, type, source, expression } = this;
      const isRoot = this.step.kind === 'root';
      const cast = await castToRealClass({ evalFrame, shape, value, type, source, expression, isRoot });
      if (cast === undefined) return undefined;
      const node = await ValueNode.ofExpression(this.reading, cast.source, cast.text);
      node.derived = { realClass: cast.name, declared: this.type };
      return node;
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }

  private async findMeaning(): Promise<TypeMeaning> {
    const type = this.type ?? '';
    const declared = await meaningIn(this.evalFrame, type, this.path.text?.text, await this.reading.meaningOf(type));
    return (declared.form === 'other' ? await handleWithoutTypeName(this, this.reading) : undefined) ?? declared;
  }

  /**
   * This value as a part of what its expression leads through, `reqs[2]` of `reqs`, for which any other element may stand; undefined: it is
   * a variable, or gdb has no such part.
   */
  asPart(): Promise<ValueNode | undefined> {
    return (this.part ??= this.parent === undefined ? this.findPart() : Promise.resolve(this));
  }

  private async findPart(): Promise<ValueNode | undefined> {
    const last = lastStepOf(this.expression ?? '');
    if (last === undefined) return undefined;
    try {
      const whole = await ValueNode.ofExpression(this.reading, last.whole, last.whole);
      return last.member === undefined ? (await whole.parts(0, 1))[0] : await whole.member(last.member);
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }

  /** Also one of a base class. */
  private async member(name: string): Promise<ValueNode | undefined> {
    const parts = await this.parts(0, usualMembers);
    const own = parts.find((part) => part.name === name);
    if (own !== undefined) return own;
    for (const base of parts.filter(({ step }) => step.kind === 'base' || step.kind === 'nameless')) {
      const found = await base.member(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The kind of which all its parts are handles, where handles are numbers. */
  kindOfParts(): Promise<HandleKind | undefined> {
    return (this.numbersAre ??= this.findKindOfParts());
  }

  private async findKindOfParts(): Promise<HandleKind | undefined> {
    const parts = await this.parts(0, maxNumbers + 1);
    const values = parts.flatMap(({ value }) => wholeNumberIn(value) ?? []);
    return parts.length > maxNumbers || values.length < parts.length ? undefined : this.reading.kindOfNumbers(values);
  }

  private async locate(): Promise<Location> {
    // The address of an array column is that of its first element.
    const [at] = this.isColumn ? await this.parts(0, 1) : [this];
    const found = await addressOf(this.evalFrame, at?.source);
    if (found.kind === 'address' || this.step.kind !== 'base' || !this.step.isFirst) return found;
    // gdb cannot name a base class whose inside it does not know; the first begins where the object begins.
    return this.parent!.targetLocation();
  }

  private async list(range: Range): Promise<ValueNode[]> {
    const parts = await this.listParts(range);
    return Promise.all(parts.map((part) => ValueNode.of(this.reading, part, this)));
  }

  private async listParts(range: Range): Promise<Part[]> {
    const { evalFrame, shape, path, variable, name } = this;
    const whole: Whole = { evalFrame, shape, path, variable, name, create: creator(this.reading) };
    switch (shape.kind) {
      case 'scalar':
      case 'text':
        return [];
      case 'array': {
        if (evalFrame.language !== 'fortran') return elementsOfC(whole, shape.count, range);
        const [array, section] = await Promise.all([
          this.forwardArray(),
          (this.bounds ??= sectionBounds(evalFrame, path, this.type)),
        ]);
        return elementsOfFortran(whole, { array, first: shape.first, section }, range);
      }
      case 'container':
        return shape.of === 'map' ? entriesOf(whole, range) : contentsOf(whole, range);
      case 'pointer':
      case 'struct':
        return range.from === 0 ? membersOf(whole, range.to) : [];
    }
  }

  private forwardArray(): Promise<ForwardArray | undefined> {
    const { array, source } = this.path;
    if (array !== undefined) return Promise.resolve(array);
    return (this.forwards ??= arrayOfType(this.evalFrame, source.text, this.type));
  }

  private wholeSource(): string | undefined {
    const { source } = this;
    return source !== undefined && isReference(this.type ?? '') ? `*&(${source})` : source;
  }

  private async writeOut(): Promise<GdbValue> {
    const { thread, frame, language } = this.evalFrame;
    const source = this.wholeSource();
    if (source === undefined) throw new GdbError('gdb has no expression for it', this.name);
    return evaluated({ gdb: thread.gdb, language }, source, (each) => dataEvaluateExpression(thread, frame, each));
  }

  /** Where a pointer leads to; for everything else its own location. */
  private async targetLocation(): Promise<Location> {
    const address = this.shape.kind === 'pointer' ? addressIn(this.value) : undefined;
    return address === undefined ? this.location() : { kind: 'address', address };
  }
}
