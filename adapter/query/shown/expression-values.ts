/** The value of an expression in one frame: as a variable that can be opened, and written out as text. */
import { evaluated } from '../../expressions/containers';
import { parseQueryExpression, prefixFault } from '../../expressions/expression';
import { fortranForGdb, writtenFor } from '../../expressions/fortran-expression';
import { languageOf, type ThreadFrame } from '../../expressions/frames';
import { dataEvaluateExpression } from '../../gdb/mi/data-manipulation';
import { inHexadecimal } from '../../gdb/mi/hexadecimal';
import { GdbError } from '../../gdb/mi/mi-connection';
import { isEnumeration } from '../../gdb/mi/symbol-query';
import { inOneRank } from '../../gdb/python/stop-script';
import { isNotANumber, numberInText } from '../../gdb/number-text';
import { isArrayLength, withoutPadding } from '../../gdb/value-text';
import { isCharPointer } from '../../gdb/value-type';
import { parseRankSet, rankSetHas } from '../../job/rank-set';
import type { JobQueries } from '../job-queries';
import type { GdbValues } from './gdb-values';
import { NoValueError } from './no-value-error';
import type { ShownVariable } from './shown-variable';

/** A value as one text. */
export interface ValueText {
  text: string;
  /** An integer, a real number, or none (NaN). */
  isNumber: boolean;
}

export class ExpressionValues {
  constructor(
    private readonly queries: JobQueries,
    private readonly values: GdbValues,
  ) {}

  /** Rejects with GdbError in gdb's words, and with NoValueError. */
  async evaluate(ref: ThreadFrame, expression: string, hex = false): Promise<ShownVariable> {
    const { thread, frame } = ref;
    const { rank } = thread;
    const fault = prefixFault(expression);
    if (fault !== undefined) throw new NoValueError(fault);
    const isQuery =
      parseQueryExpression(expression).kind !== undefined || (await this.queries.isHandleName(rank, expression));
    if (isQuery) {
      const { answers } = await this.queries.of(rank).show(expression, { thread, frame: frame.level });
      return this.values.handles.ofAnswers(rank, expression, answers);
    }
    const plain = this.values.evaluationFrame(thread, frame);
    const evalFrame = hex ? { ...plain, thread: inHexadecimal(thread) } : plain;
    const forGdb = await this.forGdb(ref, expression);
    return this.values.evaluate(evalFrame, forGdb, expression, writtenFor(forGdb, expression));
  }

  /** Structures and arrays written out. Rejects as `evaluate` does. */
  async text(ref: ThreadFrame, expression: string): Promise<ValueText> {
    const shown = await this.evaluate(ref, expression);
    if (isShortened(shown.value)) return { text: await this.writtenOut(ref, expression), isNumber: false };
    return { text: withoutAddress(shown), isNumber: await this.isNumber(ref, shown) };
  }

  /** The user's expression as gdb reads it in this frame. */
  async forGdb({ thread, frame }: ThreadFrame, expression: string): Promise<string> {
    const language = languageOf(frame);
    const { number } = thread.rank;
    const asked =
      number === null ? expression : inOneRank(expression, number, (set) => rankSetHas(parseRankSet(set), number));
    const source = await this.queries.gdbExpression(thread, language, asked);
    return language === 'fortran' ? fortranForGdb(thread, frame, source) : source;
  }

  private async writtenOut(ref: ThreadFrame, expression: string): Promise<string> {
    const { thread, frame } = ref;
    const source = await this.forGdb(ref, expression);
    const evalFrame = this.values.evaluationFrame(thread, frame);
    const withHandles = await this.values.writtenOut(evalFrame, source, expression);
    if (withHandles !== undefined) return withHandles;
    try {
      return withoutPadding(
        await evaluated(thread.gdb, source, (each) => dataEvaluateExpression(thread, frame.level, each)),
      );
    } catch (error) {
      if (!(error instanceof GdbError && error.failure.reason === 'tooLong')) throw error;
      return this.values.beginning(evalFrame, source, expression);
    }
  }

  /** gdb writes an enumeration as a number where it knows no name for the value. */
  private async isNumber({ thread }: ThreadFrame, { value, type }: ShownVariable): Promise<boolean> {
    if (numberInText(value) === undefined && !isNotANumber(value)) return false;
    return type !== undefined && !(await isEnumeration(thread, type));
  }
}

/** Of a text that a pointer leads to: two processes have the same text, but hardly at the same address. */
function withoutAddress({ value, type }: ShownVariable): string {
  return isCharPointer(type ?? '') ? value.replace(/^0x[0-9a-f]+ (?=")/, '') : value;
}

/** What is shown on one line is not all of the value. */
function isShortened(value: string): boolean {
  return value === '{...}' || value.endsWith('…') || isArrayLength(value);
}
