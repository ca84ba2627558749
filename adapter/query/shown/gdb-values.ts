/** The program's values as people see them: a reader of their trees that decodes MPI's handles on the way. */
import { describeElement } from '../../../plugin-api/mpi/describe-list';
import type { TypeMeaning } from '../../expressions/handle-types';
import { inWordsOf, nothingThere, writtenInWords } from '../../gdb/fortran-words';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';
import { meaningIn } from '../../fortran/integer-handles';
import { dataEvaluateExpression } from '../../gdb/mi/data-manipulation';
import { WouldChangeError } from '../../gdb/mi/read-only';
import { nowhere } from '../../gdb/mi/failure';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { Frame } from '../../stacks/frame';
import { addressIn, textOfStruct, type GdbValue } from '../../gdb/mi/value';
import { withoutLibraryShells, withoutPadding } from '../../../plugin-api/answers/values/value-text';
import { containedAs } from '../../gdb/python/container-functions';
import { deferredCharacter } from '../../gdb/value-type';
import type { Rank, RankThread } from '../../job/rank';
import type { JobQueries } from '../job-queries';
import { handleInValue, handleOf, type HandleMeaning } from '../../values/handle-value';
import { namedNumber } from '../../values/named-number';
import { variableWithoutTypeName } from '../../values/lost-type-name';
import { ValueNode } from '../../values/value-node';
import type { Reading } from '../../values/reading';
import { isAbsentArgument, isOfAbsentObject, textOfTarget } from './fortran-text';
import { HandleVariables } from './handle-variables';
import { asLambda, lambdaIn } from './lambda';
import { maxWideLine, ShortLines } from './short-line';
import { pointerTo, rawOf, shortened, withConflict, withText } from './shown-forms';
import { isStructure, type Children, type ShownVariable } from './shown-variable';
import { StructureSummaries } from './structure-summary';
import { elementsInside } from './told-members';
import { childrenOf } from './value-children';
import type { VariableStore } from './variable-store';

/** Characters of a structure or list that the debug console writes out. */
const maxTextLength = 4000;

/** Elements of a list that is too long. */
const elementsInBeginning = 20;

/** A value as a variable; `node`: its tree, where gdb knows it. */
export interface OpenedValue {
  shown: ShownVariable;
  node?: ValueNode;
}

export class GdbValues {
  readonly handles: HandleVariables;
  private readonly summaries = new StructureSummaries((node) => this.show(node));
  private readonly lines = new ShortLines((node) => this.show(node));

  constructor(
    private readonly store: VariableStore,
    private readonly queries: JobQueries,
  ) {
    this.handles = new HandleVariables(queries);
  }

  /** A frame as a place to evaluate in. */
  evaluationFrame(thread: RankThread, frame: Frame): EvaluationFrame {
    return this.queries.evaluationFrame(thread, frame);
  }

  /** `expression` is for gdb; `path` is what the user would write. Rejects with GdbError in gdb's words. */
  async evaluate(evalFrame: EvaluationFrame, expression: string, name: string, path: string): Promise<ShownVariable> {
    return (await this.openValue(evalFrame, expression, name, path)).shown;
  }

  /** The value with its tree. Rejects with GdbError in gdb's words. */
  async openValue(evalFrame: EvaluationFrame, expression: string, name: string, path: string): Promise<OpenedValue> {
    const constant = await this.constant(evalFrame, expression, name, path);
    if (constant !== undefined) return { shown: constant };
    const node = await this.open(evalFrame, expression, path).catch(async (error: unknown) => {
      const isAbsent = error instanceof GdbError && (await isOfAbsentObject(evalFrame, expression, error));
      throw isAbsent ? new GdbError(nowhere, error.command) : error;
    });
    const shown = await this.show(node, name);
    if (await isAbsentArgument(evalFrame, expression, { type: node.type, text: shown.value }))
      throw new GdbError(nowhere, expression);
    if (isStructure(shown) || node.shape.kind === 'struct' || node.isDerived) await checkMemory(node, expression);
    return { shown, node };
  }

  /** One of MPI's constants that Fortran knows by their addresses, such as MPI_IN_PLACE; undefined: it is another variable. */
  async constant(
    evalFrame: EvaluationFrame,
    expression: string,
    name: string,
    path: string,
  ): Promise<ShownVariable | undefined> {
    const constant = await this.queries.fortranConstant(evalFrame, expression);
    return constant === undefined ? undefined : { name, value: constant, evaluateName: path };
  }

  /** A value that gdb has already printed, of a type without parts. */
  async showSimple(evalFrame: EvaluationFrame, name: string, type: string, told: GdbValue): Promise<ShownVariable> {
    const isAbsent = await isAbsentArgument(evalFrame, name, { type, text: told.text });
    const value = inWordsOf(evalFrame.language, isAbsent ? nowhere : told.text);
    const plain = { name, value, plain: isAbsent ? undefined : told, type, evaluateName: name };
    const { rank } = evalFrame.thread;
    const declared = await meaningIn(evalFrame, type, name, await this.queries.meaning(rank, type));
    const untold = { name, type, value: told };
    const meaning =
      (declared.form === 'other' && (await variableWithoutTypeName(evalFrame, untold, this.libraryOf(rank)))) ||
      declared;
    if (meaning.form === 'other') {
      const named = await namedNumber(evalFrame, type, name, told);
      return withConflict(named === undefined ? plain : { ...plain, value: named, plain: undefined }, meaning.conflict);
    }
    if (meaning.form !== 'handle' && meaning.form !== 'integer') return plain;
    const form = meaning.form === 'handle' ? 'c' : 'fortran';
    return this.handles.show(rank, meaning.kind, handleInValue(told, form, value), rawOf(plain, meaning));
  }

  /** A structure, list, or object that a pointer leads to, in few words for a whole line of a window; undefined: it has no such line. */
  async wideLine(node: ValueNode): Promise<string | undefined> {
    return (await lambdaIn(node)) === undefined ? this.lines.of(node, maxWideLine) : undefined;
  }

  /**
   * A structure or list written out, with what its handles are; of what is too long for gdb the members, or the first
   * elements and how many there are. Rejects with GdbError in gdb's words.
   */
  async text(node: ValueNode): Promise<string> {
    const target = await this.targetOf(node);
    if (target !== undefined) return this.text(target);
    const withHandles = await this.summaries.of(node, maxTextLength);
    if (withHandles !== undefined) return withoutLibraryShells(withHandles);
    try {
      const text = withoutLibraryShells(withoutPadding((await node.write()).text));
      return node.evalFrame.language === 'fortran' ? writtenInWords(text) : text;
    } catch (error) {
      if (!(error instanceof GdbError && error.failure.reason === 'tooLong')) throw error;
      return this.beginning(node);
    }
  }

  /** The object that a smart pointer, or a POINTER of Fortran, has; undefined: the value is none, or leads to nothing with members. */
  private async targetOf(node: ValueNode): Promise<ValueNode | undefined> {
    const { source, expression = source, evalFrame } = node;
    const pointer = evalFrame.language === 'fortran' ? node : await onlyPointer(node);
    if (source === undefined || pointer?.shape.kind !== 'pointer' || pointer.shape.isNull) return undefined;
    const [first] = await pointer.parts(0, 1);
    if (first === undefined || first.step.kind === 'target') return undefined;
    try {
      return await this.open(evalFrame, `*(${source})`, `*${expression}`);
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }

  private async beginning(node: ValueNode): Promise<string> {
    const length = await node.length();
    if (length === undefined) return this.summaries.members(node, maxTextLength);
    const texts: string[] = [];
    for (const part of await node.parts(0, Math.min(length, elementsInBeginning))) {
      const shown = await this.show(part);
      const isWhole = !isStructure(shown) && shown.plain?.kind !== 'array';
      texts.push(isWhole ? shown.value : ((await part.writtenOut())?.text ?? '…'));
    }
    const [open, close] = node.evalFrame.language === 'fortran' ? ['(', ')'] : ['{', '}'];
    return `${open}${texts.join(', ')}, … ${length} in all${close}`;
  }

  private async open(evalFrame: EvaluationFrame, expression: string, path: string): Promise<ValueNode> {
    const reading: Reading = {
      evalFrame,
      create: (at, source) => this.store.create(at, source),
      meaningOf: (type) => this.queries.meaning(evalFrame.thread.rank, type),
      ...this.libraryOf(evalFrame.thread.rank),
    };
    const node = await ValueNode.ofExpression(reading, expression, path);
    // A reference is its object.
    return node.shape.kind === 'pointer' ? node : ((await node.realObject()) ?? node);
  }

  private libraryOf(rank: Rank): Pick<Reading, 'smallestHandle' | 'kindOfNumbers'> {
    const { expressions } = this.queries.of(rank);
    return {
      smallestHandle: () => expressions.smallestHandle(),
      kindOfNumbers: (values) => expressions.kindOfNumbers(values),
    };
  }

  private async show(node: ValueNode, given?: string): Promise<ShownVariable> {
    const name = given ?? (await this.nameOf(node));
    const meaning = await node.meaning();
    switch (meaning.form) {
      case 'other':
        return withReason(node, withConflict(await this.plain(node, name), meaning.conflict));
      case 'array':
        return node.isColumn ? this.plain(node, name) : this.listOfHandles(node, name);
      case 'pointer':
        return this.pointerToHandle(node, name, meaning);
      case 'objectPointer':
      case 'fortranHandle':
        if (node.shape.kind === 'pointer' && node.shape.isNull) return this.bare(node, name);
        return this.handle(node, name, meaning);
      case 'object':
        if ((await node.location()).kind === 'nowhere') return this.plain(node, name);
        return this.handle(node, name, meaning);
      case 'handle':
      case 'integer':
        return this.handle(node, name, meaning);
    }
  }

  /** An entry of a map that has handles for keys is named after what its key is. */
  private async nameOf({ name, key }: ValueNode): Promise<string> {
    if (key === undefined || (await key.meaning()).form !== 'handle') return name;
    const { brief, value } = await this.show(key);
    return `[${brief ?? value}]`;
  }

  /** In a list of handles each begins with what tells it from the others. */
  private async showPart(part: ValueNode): Promise<ShownVariable> {
    const shown = await this.show(part);
    const { kind } = part.step;
    // gdb's printer of std::optional has words of its own for it.
    const named = part.name === '[contained value]' ? { ...shown, name: 'value()' } : shown;
    const isInList = kind === 'element' || kind === 'entry' || (kind === 'contained' && part.step.isElement);
    return isInList && shown.handle !== undefined ? { ...named, value: describeElement(shown.handle) } : named;
  }

  private async handle(node: ValueNode, name: string, meaning: HandleMeaning): Promise<ShownVariable> {
    const raw = rawOf(this.bare(node, name), meaning);
    const handle = await handleOf(node, meaning);
    const { rank } = node.evalFrame.thread;
    if (meaning.form !== 'fortranHandle') return this.handles.show(rank, meaning.kind, handle, raw);
    const [component] = await node.parts(0, 1);
    return this.handles.show(rank, meaning.kind, handle, {
      ...raw,
      value: component?.value.text ?? '',
      children: undefined,
    });
  }

  /** What the pointer leads to, in its place. */
  private async pointerToHandle(
    node: ValueNode,
    name: string,
    meaning: TypeMeaning & { form: 'pointer' },
  ): Promise<ShownVariable> {
    const bare = this.bare(node, name);
    if (node.shape.kind === 'pointer' && node.shape.isNull) return bare;
    // gdb shows the members of the status below a pointer to it.
    if (meaning.kind === 'status') {
      const raw = rawOf(bare, meaning);
      return this.handles.show(node.evalFrame.thread.rank, meaning.kind, handleInValue(node.value, 'c'), raw);
    }
    const [target] = await node.parts(0, 1);
    return target === undefined ? bare : pointerTo(await this.show(target, name), bare);
  }

  /** What the handles are instead of their numbers. */
  private async listOfHandles(node: ValueNode, name: string): Promise<ShownVariable> {
    const bare = this.bare(node, name);
    const line = bare.children === undefined ? undefined : await this.lines.of(node);
    return line === undefined ? this.plain(node, name) : { ...bare, value: line, plain: undefined, isShort: true };
  }

  private async plain(node: ValueNode, name: string): Promise<ShownVariable> {
    const bare = this.bare(node, name);
    const { shape, evalFrame } = node;
    if (shape.kind === 'scalar' && (await node.realObject()) === undefined) {
      const named = await node.namedNumber();
      return named === undefined ? bare : { ...bare, value: named, plain: undefined };
    }
    if (shape.kind === 'pointer' && deferredCharacter(node.type ?? '') !== undefined)
      return this.withFortranText(bare, node);
    const length = shape.kind === 'container' && shape.of === 'list' ? await node.length() : undefined;
    const own = this.childrenOf((await node.realObject()) ?? node);
    const children = own && (length === undefined ? own : { ...own, indexed: length });
    const held = await this.heldHandle(node, name);
    if (held !== undefined) return { ...held, children: bare.children };
    const lambda = await lambdaIn(node);
    if (lambda !== undefined) return asLambda(bare, lambda);
    const line = await this.lines.of(node);
    // What a pointer of C leads to stands for it, but does not take its place where it is compared.
    const plain = shape.kind === 'pointer' && evalFrame.language === 'c' ? bare.plain : undefined;
    if (line !== undefined) {
      const elements = await elementsInside(node);
      const below = elements === undefined ? children : (await this.show(elements)).children;
      return { ...bare, value: line, plain, isShort: true, children: below };
    }
    const written = shape.kind === 'pointer' ? undefined : await node.writtenOut();
    return written === undefined ? bare : { ...bare, ...shortened(evalFrame, written), children };
  }

  /** The one handle that an optional or its like holds. */
  private async heldHandle(node: ValueNode, name: string): Promise<ShownVariable | undefined> {
    const { shape, type, expression } = node;
    if (shape.kind !== 'container' || shape.of !== 'parts' || shape.isEmpty) return undefined;
    const [only, another] = await node.parts(0, 2);
    if (
      only === undefined ||
      another !== undefined ||
      (only.shape.kind === 'pointer' && (await only.meaning()).form === 'other')
    )
      return undefined;
    const shown = await this.show(only, name);
    return shown.handle === undefined
      ? undefined
      : { ...shown, ...(type && { type }), ...(expression && { evaluateName: expression }) };
  }

  /** gdb sees a CHARACTER of deferred length as a pointer; the user sees a string. */
  private async withFortranText(bare: ShownVariable, node: ValueNode): Promise<ShownVariable> {
    const { source, shape, evalFrame } = node;
    const character = deferredCharacter(node.type ?? '');
    const isNull = shape.kind === 'pointer' && shape.isNull;
    if (character === undefined || isNull || source === undefined) return bare;
    const written = await textOfTarget(evalFrame, source);
    return withText(bare, written && shortened(evalFrame, written).value);
  }

  private childrenOf(node: ValueNode): Children | undefined {
    return childrenOf(node, (part) => this.showPart(part));
  }

  private bare(node: ValueNode, name: string): ShownVariable {
    const { declaredType: type, expression, shape } = node;
    const isNothing = shape.kind === 'pointer' && shape.isNull && node.evalFrame.language === 'fortran';
    const value = isNothing && shape.hasParts ? nothingThere : inWordsOf(node.evalFrame.language, node.value.text);
    const children = this.childrenOf(node);
    const address = shape.kind === 'pointer' ? addressIn(node.value) : undefined;
    return {
      name,
      value: value === '' ? (children === undefined ? unread : textOfStruct) : value,
      plain: value === nothingThere ? undefined : node.value,
      ...(type === undefined ? {} : { type }),
      ...(expression === undefined ? {} : { evaluateName: expression }),
      ...(address === undefined ? {} : { address }),
      ...(children === undefined ? {} : { children }),
    };
  }
}

/** An object of Fortran whose type is known at run time only: where it cannot be read, why. */
async function withReason({ source, evalFrame }: ValueNode, shown: ShownVariable): Promise<ShownVariable> {
  if (shown.value !== unread || source === undefined || evalFrame.language !== 'fortran') return shown;
  try {
    await dataEvaluateExpression(evalFrame.thread, evalFrame.frame, source);
    return shown;
  } catch (error) {
    if (!(error instanceof GdbError)) throw error;
    return { ...shown, value: `<${inWordsOf('fortran', error.message).replace(/\.$/, '')}>`, plain: undefined };
  }
}

const unread = 'cannot be read';

/** The pointer that a smart pointer keeps; undefined: it is none. */
async function onlyPointer(node: ValueNode): Promise<ValueNode | undefined> {
  if (node.shape.kind !== 'container' || node.shape.of !== 'parts') return undefined;
  const [only, another] = await node.parts(0, 2);
  return only !== undefined && another === undefined && containedAs(only.name)?.kind === 'pointer' ? only : undefined;
}

/** gdb creates variable objects even for a structure without a location. Rejects with GdbError. */
async function checkMemory({ evalFrame, source }: ValueNode, expression: string): Promise<void> {
  try {
    await dataEvaluateExpression(evalFrame.thread, evalFrame.frame, source ?? expression);
  } catch (error) {
    const isRefused = error instanceof WouldChangeError;
    if (!(error instanceof GdbError) || isRefused || error.failure.reason === 'cannotRead') throw error;
  }
}
