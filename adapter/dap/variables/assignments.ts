/** setVariable and setExpression: no code of the program runs for it, so strings are written as bytes. */
import { counted } from '../../../plugin-api/counted';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { addressOf, dataEvaluateExpression, dataWriteMemoryBytes } from '../../gdb/mi/data-manipulation';
import { sizeOfValue } from '../../gdb/python/wide-sizes';
import { GdbError } from '../../gdb/mi/mi-connection';
import { ptype } from '../../gdb/mi/symbol-query';
import { complexNumberIn } from '../../../plugin-api/answers/values/exact-number';
import { isNumberType, isOfWholeNumbers, isText, partOfComplex } from '../../gdb/value-type';
import type { Rank } from '../../job/rank';
import { evaluated } from '../../expressions/containers';
import { languageOf } from '../../expressions/frames';
import { inWordsOf } from '../../gdb/fortran-words';
import { bytesOfReal, isIntegerLiteral, notFinite, whyNotKept } from './assigned-numbers';
import { bytesOfComplex, writtenParts } from './complex-values';
import { notEvaluated } from '../client/errors';
import type { Evaluation } from './evaluate';
import type { FrameRef } from '../references/stack-frames';
import { withoutMark, type Variables } from './variables';

type Result = DebugProtocol.SetExpressionResponse['body'];

/** What is assigned to. `source`: as gdb reads it. */
interface Target {
  name: string;
  source: string;
}

export class Assignments {
  constructor(
    private readonly variables: Variables,
    private readonly evaluation: Evaluation,
    /** The rank's memory differs from what the client was told. */
    private readonly changed: (rank: Rank) => void,
  ) {}

  async setVariable(args: DebugProtocol.SetVariableArguments): Promise<DebugProtocol.SetVariableResponse['body']> {
    const { ref, variable } = await this.variables.find(args.variablesReference, args.name);
    if (ref === undefined || variable.evaluateName === undefined) {
      throw notEvaluated(`${args.name} cannot be changed: it is not a variable of the program`);
    }
    return this.assign(ref, variable.evaluateName, withoutMark(args.value), args.format?.hex === true);
  }

  async setExpression(args: DebugProtocol.SetExpressionArguments): Promise<Result> {
    const ref = await this.evaluation.frame(args.frameId, args.expression);
    return this.assign(ref, args.expression, args.value, args.format?.hex === true);
  }

  private async assign(ref: FrameRef, target: string, value: string, hex: boolean): Promise<Result> {
    if (value.trim() === '') throw notEvaluated(`${target} needs a value`);
    const isFortran = languageOf(ref.frame) === 'fortran';
    const text = literalText(value, isFortran);
    try {
      const source = await this.evaluation.placeForGdb(ref, target);
      await this.write(ref, { name: target, source }, value, text, isFortran);
    } catch (error) {
      if (error instanceof GdbError) throw notEvaluated(inWordsOf(languageOf(ref.frame), error.message));
      throw error;
    }
    this.changed(ref.thread.rank);
    const { result, ...rest } = await this.evaluation.shown(ref, target, hex);
    return { value: result, ...rest };
  }

  private async write(
    ref: FrameRef,
    target: Target,
    value: string,
    text: string | undefined,
    isFortran: boolean,
  ): Promise<void> {
    if (text === undefined && (await this.writeNumber(ref, target, value))) return;
    const right = await this.evaluation.forGdb(ref, withoutNumber(value));
    const isWritten =
      text === undefined
        ? await this.writeComplex(ref, target, right)
        : await this.writeText(ref, target, text, isFortran);
    if (isWritten) return;
    const { thread, frame } = ref;
    const source = isFortran ? `${target.source} = ${right}` : `${target.source} = (${right})`;
    const at = { gdb: thread.gdb, language: languageOf(frame) };
    await evaluated(at, source, (each) => dataEvaluateExpression(thread, frame.level, each));
  }

  /** Writes `nan` and `inf`; false for other values. Throws for a literal that the variable cannot hold. */
  private async writeNumber(ref: FrameRef, target: Target, value: string): Promise<boolean> {
    const special = notFinite(value);
    if (special === undefined && !isIntegerLiteral(value)) return false;
    const { thread, frame } = ref;
    const type = (await this.typeIn(ref, target.source)) ?? '';
    if (!isNumberType(type)) return false;
    const isWhole = isOfWholeNumbers(type);
    // The program may have a variable of that name.
    if (special !== undefined && isNumberType((await this.typeIn(ref, special.name)) ?? '')) return false;
    if (special !== undefined && isWhole)
      throw notEvaluated(`${target.name} is an integer: it cannot be ${value.trim()}`);
    return evaluated({ gdb: thread.gdb, language: languageOf(frame) }, target.source, async (source) => {
      const size = await sizeOfValue(thread, frame.level, source);
      const why = isWhole ? whyNotKept(value, size) : undefined;
      if (why !== undefined) throw notEvaluated(why);
      if (special === undefined) return false;
      const bytes = bytesOfReal(special.number, size);
      const address = await addressOf(thread, frame.level, `&(${source})`);
      if (bytes === undefined || address === undefined)
        throw notEvaluated(`${value.trim()} cannot be written to ${target.name}`);
      await dataWriteMemoryBytes(thread, address, bytes);
      return true;
    });
  }

  /** Without qualifiers. */
  private async typeIn({ thread, frame }: FrameRef, expression: string): Promise<string | undefined> {
    try {
      const type = await ptype(thread, frame.level, expression);
      return type.replace(/^type = |\b(?:const|volatile) |\s*&*\s*$/g, '');
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }

  /** Assigns a complex number; false if the target is not one. */
  private async writeComplex({ thread, frame }: FrameRef, { name, source }: Target, value: string): Promise<boolean> {
    const ask = async (expression: string): Promise<string> =>
      (await dataEvaluateExpression(thread, frame.level, expression)).text;
    const size = partOfComplex(await ptype(thread, frame.level, source));
    if (size === undefined) return false;
    const [real, imaginary] = await Promise.all((writtenParts(value) ?? [value]).map(ask));
    const parts = complexNumberIn(imaginary === undefined ? real! : `(${real},${imaginary})`);
    if (parts === undefined) throw notEvaluated(`${value} is not a complex number: write {1, 2} or 1`);
    const address = await addressOf(thread, frame.level, `&(${source})`);
    if (address === undefined) throw notEvaluated(`${name} is not in memory`);
    await dataWriteMemoryBytes(thread, address, bytesOfComplex(parts, size));
    return true;
  }

  /** Into an array of characters or a CHARACTER of the same length; false for what is neither. */
  private async writeText(ref: FrameRef, { name, source }: Target, text: string, isFortran: boolean): Promise<boolean> {
    const { thread, frame } = ref;
    const type = await this.evaluation.typeOf(ref, source);
    if (!isText(type, isFortran)) return false;
    const size = await sizeOfValue(thread, frame.level, source);
    const address = await addressOf(thread, frame.level, `&(${source})`);
    if (address === undefined || !(size > 0)) return false;
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length > size)
      throw notEvaluated(`"${text}" is longer than ${name}, which has room for ${counted(size, 'byte')}`);
    const padded = Buffer.alloc(size, isFortran ? ' ' : '\0');
    bytes.copy(padded);
    await dataWriteMemoryBytes(thread, address, padded);
    return true;
  }
}

/** "MPI_PROC_NULL (-2)", as a variable is shown and a client offers it to be edited: the name. */
function withoutNumber(value: string): string {
  return value.replace(/^\s*(MPI_\w+) \(-\d+\)\s*$/, '$1');
}

/** "fog", 'fog', in Fortran 'f': the text; undefined for what is no literal of one. A quote in it is written \" or, as Fortran has it, "". */
function literalText(value: string, isFortran: boolean): string | undefined {
  const match = /^\s*(?:"((?:[^"\\]|\\.|"")*)"|'((?:[^'\\]|''|\\.)*)')\s*$/.exec(value);
  const inner = match?.[1] ?? match?.[2];
  const isCharacter = /^\s*'(\\.|.)'\s*$/.test(value);
  if (isCharacter && !isFortran) return undefined;
  return inner?.replace(/\\(["'\\])|""|''/g, (whole, char: string | undefined) => char ?? whole.charAt(0));
}
