/** The value of an expression in one frame: as a variable that can be opened, and written out as text. */
import { guard } from '../../../plugin-api/result';
import { parseQueryExpression, prefixFault, withoutDigitSeparators } from '../../expressions/expression';
import { refuseForeignNames } from '../../expressions/foreign-names';
import { meantVariables, type MeantVariables } from '../../expressions/variable-copies';
import { fortranForGdb, writtenFor } from '../../expressions/fortran-expression';
import { languageOf, type ThreadFrame } from '../../expressions/frames';
import { withWideSizes } from '../../gdb/python/wide-sizes';
import { inHexadecimal } from '../../gdb/mi/hexadecimal';
import { readOnly } from '../../gdb/mi/read-only';
import { isEnumeration } from '../../gdb/mi/symbol-query';
import { cppForGdb } from '../../gdb/python/cpp-expression';
import { inOneRank } from '../../gdb/python/rank-words';
import type { GdbValue } from '../../gdb/mi/value';
import { isWhole } from '../../../plugin-api/answers/values/value-text';
import { isCharPointer, isNumberType } from '../../gdb/value-type';
import { hasRank, parseRanks } from '../../../plugin-api/answers/rank-set';
import type { Digest } from '../../../plugin-api/answers/value-over-ranks';
import type { JobQueries } from '../job-queries';
import type { GdbValues, OpenedValue } from './gdb-values';
import { isOfLibrary } from './library-object';
import { NoValueError } from './no-value-error';
import type { ValueNode } from '../../values/value-node';
import { isStructure, type ShownVariable } from './shown-variable';
import { digestOf, unknownDigest } from './value-digest';

/** A value as one text. */
export interface ValueText {
  text: string;
  /** What the text is; undefined: it is made of several values, or decoded. */
  value?: GdbValue | undefined;
  /** An integer, a real number, or none (NaN). */
  isNumber: boolean;
  /** Which of several variables of one name it is, where the frame does not decide. */
  of?: string;
  /** For a structure, a list, or a pointer to one: reads what is in it in few words; undefined: there are none. */
  readLine?: () => Promise<string | undefined>;
  /** For a text that is not all of the value: reads what it can be compared by. */
  readDigest?: () => Promise<Digest>;
}

export class ExpressionValues {
  constructor(
    private readonly queries: JobQueries,
    private readonly values: GdbValues,
  ) {}

  /** Rejects with GdbError in gdb's words, and with NoValueError. */
  async evaluate(ref: ThreadFrame, expression: string, hex = false): Promise<ShownVariable> {
    const { shown, told } = await this.open(ref, expression, hex);
    return withTold(shown, told);
  }

  /** With as much of a structure or array as a line of a hover has room for. Rejects as `evaluate` does. */
  async inHover(ref: ThreadFrame, expression: string, hex = false): Promise<ShownVariable> {
    const { shown, node, told } = await this.open(ref, expression, hex);
    const line = shown.isShort === true && node !== undefined ? await this.values.wideLine(node) : undefined;
    return withTold(line === undefined ? shown : { ...shown, value: line }, told);
  }

  /** Structures and arrays written out. Rejects as `evaluate` does. */
  async text(ref: ThreadFrame, expression: string): Promise<ValueText> {
    const { shown, node, told } = await this.open(ref, expression);
    const isPointer = shown.isShort === true && shown.plain !== undefined;
    const isShort = !isPointer && isShortened(shown) && node !== undefined && !isHeldWhole(shown, node);
    // The members of the library's own objects say nothing to a user.
    const ofLibrary = node?.shape.kind === 'struct' && isOfLibrary(node.type);
    const line = ofLibrary ? await this.values.wideLine(node) : undefined;
    const isTypeAlone = line?.startsWith('std::') === true;
    const words = isTypeAlone ? undefined : line;
    const text =
      words ?? (isShort ? await this.values.text(node) : isPointer ? shown.plain!.text : withoutAddress(shown));
    const source = node?.source;
    return {
      text,
      value: isShort ? undefined : shown.plain,
      isNumber: !isShort && (await this.isNumber(ref, shown)),
      ...(told === undefined ? {} : { of: told }),
      ...(shown.isShort === true && node !== undefined
        ? { readLine: async () => (await this.values.wideLine(node)) ?? shown.value }
        : {}),
      ...(isWhole(text)
        ? {}
        : {
            readDigest: () =>
              source === undefined ? Promise.resolve(unknownDigest) : digestOf(node!.evalFrame, source),
          }),
    };
  }

  private async open(
    ref: ThreadFrame,
    expression: string,
    hex = false,
  ): Promise<OpenedValue & Pick<MeantVariables, 'told'>> {
    const { thread, frame } = ref;
    const { rank } = thread;
    const fault = prefixFault(expression);
    if (fault !== undefined) throw new NoValueError(fault);
    const isQuery =
      parseQueryExpression(expression).kind !== undefined || (await this.queries.isHandleName(rank, expression));
    if (isQuery) {
      const { answers } = await this.queries.of(rank).expressions.show(expression, { thread, frame: frame.level });
      return { shown: this.values.handles.ofAnswers(rank, expression, answers) };
    }
    const plain = this.values.evaluationFrame(thread, frame);
    const evalFrame = hex ? { ...plain, thread: inHexadecimal(thread) } : plain;
    const { source: meant, told } = await this.meant(ref, expression);
    const forGdb = await this.written(ref, meant);
    const path = meant === expression ? writtenFor(forGdb, expression) : expression;
    const opened = await this.values.openValue(evalFrame, forGdb, expression, path);
    return told === undefined ? opened : { ...opened, told };
  }

  /** The user's expression as gdb reads it in this frame. */
  async forGdb(ref: ThreadFrame, expression: string): Promise<string> {
    return this.written(ref, (await this.meant(ref, expression)).source);
  }

  /** Rejects with GdbError for a name that the frame does not know. */
  private async meant({ thread, frame }: ThreadFrame, expression: string): Promise<MeantVariables> {
    const queries = this.queries.of(thread.rank);
    const code = await guard(() => queries.code());
    const source = withoutDigitSeparators(expression);
    if (!code.ok) return { source };
    const at = { thread: readOnly(thread, languageOf(frame)), frame };
    await refuseForeignNames(at, expression, code.value);
    return meantVariables(at, source, queries.image(), code.value);
  }

  private async written({ thread, frame }: ThreadFrame, expression: string): Promise<string> {
    const language = languageOf(frame);
    await this.queries.of(thread.rank).expressions.refuseUnknownWords(thread, expression, language);
    const { number } = thread.rank;
    const isIn = (set: string): boolean => hasRank(parseRanks(set), thread.rank, this.queries.firstWorld);
    const asked = number === null ? expression : inOneRank(expression, number, isIn);
    const source = await this.queries.gdbExpression(thread, language, asked);
    const forGdb =
      language === 'fortran'
        ? await fortranForGdb(thread, frame, source)
        : await cppForGdb(thread, frame.level, source);
    return withWideSizes(thread.gdb, forGdb);
  }

  /** gdb writes an enumeration as a number where it knows no name for the value. */
  private async isNumber({ thread }: ThreadFrame, { plain, type }: ShownVariable): Promise<boolean> {
    if (plain?.kind !== 'number' && plain?.kind !== 'notANumber') return false;
    return type !== undefined && (isNumberType(type) || !(await isEnumeration(thread, type)));
  }
}

function withTold(shown: ShownVariable, told: string | undefined): ShownVariable {
  return told === undefined ? shown : { ...shown, value: `${shown.value} · in ${told}` };
}

/** The text that a pointer leads to, without the address: two processes have the same text, but hardly at the same address. */
function withoutAddress({ value, plain, type }: ShownVariable): string {
  return isCharPointer(type ?? '') && plain?.kind === 'pointer' && plain.isText ? plain.told : value;
}

/** What is shown on one line is not all of the value. */
function isShortened(shown: ShownVariable): boolean {
  return shown.isShort === true || isStructure(shown) || shown.plain?.kind === 'array' || /…[)\]}]*$/.test(shown.value);
}

/** The line of an optional, a smart pointer and their like is all that there is, where nothing is left out. */
function isHeldWhole({ isShort, value }: ShownVariable, { shape }: ValueNode): boolean {
  return isShort === true && shape.kind === 'container' && shape.of === 'parts' && isWhole(value);
}
