/** Scopes and variables: a tree that is read only as far as the user opens it. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describeAnswer, typeNames } from '../../../plugin-api/mpi/describe';
import { describeElement } from '../../../plugin-api/mpi/describe-list';
import { visibleLines } from '../../../plugin-api/visible-text';
import { inHexadecimal } from '../../gdb/mi/hexadecimal';
import { GdbError } from '../../gdb/mi/mi-connection';
import { inWordsOf } from '../../gdb/fortran-words';
import { frameVariables, type FrameVariable } from '../../gdb/frame-variables';
import type { GdbVariable } from '../../gdb/mi/stack-manipulation';
import { mayHaveParts } from '../../gdb/value-type';
import { canBeRead, type Rank } from '../../job/rank';
import { fortranForGdb, writtenFor } from '../../expressions/fortran-expression';
import { fortranVariable } from '../../expressions/fortran-names';
import { languageOf } from '../../expressions/frames';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';
import { memoryReference } from '../references/memory-references';
import { ModuleVariables } from './module-variables';
import { notEvaluated, rankRuns } from '../client/errors';
import type { FrameRef } from '../references/stack-frames';
import type { GdbValues } from '../../query/shown/gdb-values';
import { References } from '../references/references';
import { Registers } from './registers';
import type { Children, Page, ShownVariable } from '../../query/shown/shown-variable';

/** Shown for a variable whose declaration has not run. */
const notSetYet = 'not set yet';

/** Behind the value of a variable that differs between ranks. */
const mark = ' ≠';

/** What a client gives back as a value may have been marked. */
export function withoutMark(value: string): string {
  return value.endsWith(mark) ? value.slice(0, -mark.length) : value;
}

/** A node that can be expanded. */
interface Node {
  rank: Rank;
  /** Where its expressions are evaluated. */
  ref: FrameRef;
  /** Identifies it within its rank, also at the next stop. */
  key: string;
  children: Children;
}

export class Variables {
  private readonly references = new References<Node>();

  private readonly registers = new Registers();
  private readonly modules: ModuleVariables;

  /** `differing`: the names of variables that are marked; undefined: none is. */
  constructor(
    private readonly values: GdbValues,
    private readonly differing?: (ref: FrameRef) => Promise<ReadonlySet<string>>,
  ) {
    this.modules = new ModuleVariables(values);
  }

  drop(rank: Rank): void {
    this.references.drop(rank);
  }

  scopes(ref: FrameRef): DebugProtocol.Scope[] {
    const { thread, frame } = ref;
    const give = (key: string, children: Children): number =>
      this.reference(ref, `${thread.id}/${frame.function ?? ''}/${frame.level}/${key}`, children);
    const locals = give('locals', { list: (page) => this.markedLocals(ref, page) });
    const modules = languageOf(frame) === 'fortran' ? [give('modules', this.modules.children(ref))] : [];
    const registers = give('registers', this.registers.children(ref));
    return [
      { name: 'Locals', presentationHint: 'locals', variablesReference: locals, expensive: false },
      ...modules.map((variablesReference) => ({ name: 'Modules', variablesReference, expensive: true })),
      { name: 'Registers', presentationHint: 'registers', variablesReference: registers, expensive: true },
    ];
  }

  async list(args: DebugProtocol.VariablesArguments): Promise<DebugProtocol.Variable[]> {
    const node = this.references.get(args.variablesReference);
    if (!canBeRead(node.rank)) throw rankRuns(node.rank);
    // A list has elements and nothing else; all else has names.
    const isList = node.children.indexed !== undefined;
    if (args.filter !== undefined && (args.filter === 'indexed') !== isList) return [];
    const page: Page = {
      start: args.start ?? 0,
      count: args.count === 0 ? undefined : args.count,
      hex: args.format?.hex === true,
    };
    const shown = await node.children.list(page);
    return shown.map((variable) => ({ ...this.describe(node.ref, node.key, inRow(variable)), name: variable.name }));
  }

  /** One variable by its name as the client shows it, and the frame that it was shown in. Throws RequestError when there is none. */
  async find(reference: number, name: string): Promise<{ ref: FrameRef; variable: ShownVariable }> {
    const { rank, ref, children } = this.references.get(reference);
    if (!canBeRead(rank)) throw rankRuns(rank);
    const find = async (page: Page): Promise<ShownVariable | undefined> =>
      (await children.list(page)).find((each) => visibleLines(each.name) === name);
    // An element of a long list is on a page of its own; gdb counts Fortran's from 1.
    const index = Number(/^[[(](?:.*,)?(-?\d+)[\])]$/.exec(name)?.[1] ?? Number.NaN);
    const around = { start: Math.max(0, index - 1), count: 3 };
    const variable =
      (children.indexed !== undefined && !Number.isNaN(index) ? await find(around) : undefined) ??
      (await find({ start: 0, count: undefined }));
    if (variable === undefined) throw notEvaluated(`there is no ${name} here`);
    return { ref, variable };
  }

  /** What a response says of a variable, its number included. `under` is the key of what it belongs to. */
  describe(
    ref: FrameRef,
    under: string,
    { name, value, type, evaluateName, address, children }: ShownVariable,
  ): Omit<DebugProtocol.Variable, 'name'> {
    return {
      value,
      variablesReference: children === undefined ? 0 : this.reference(ref, `${under}/${name}`, children),
      ...(type === undefined ? {} : { type }),
      ...(evaluateName === undefined ? {} : { evaluateName }),
      ...(address === undefined ? {} : { memoryReference: memoryReference(ref.thread.rank, address) }),
      ...(children?.indexed === undefined ? {} : { indexedVariables: children.indexed, namedVariables: 0 }),
    };
  }

  private reference(ref: FrameRef, key: string, children: Children): number {
    const { rank } = ref.thread;
    return this.references.give(rank, key, { rank, ref, key, children });
  }

  /** The names of the frame's variables that are handles: each process has its own numbers for them. */
  async namesOfHandles(ref: FrameRef): Promise<ReadonlySet<string>> {
    const shown = await this.listLocals(ref, { start: 0, count: undefined });
    return new Set(shown.flatMap(({ name, brief }) => (brief === undefined ? [] : [name])));
  }

  private async markedLocals(ref: FrameRef, page: Page): Promise<ShownVariable[]> {
    const [shown, differing] = await Promise.all([this.listLocals(ref, page), this.differing?.(ref)]);
    if (differing === undefined) return shown;
    return shown.map((each) => (differing.has(each.name) ? { ...each, value: `${each.value}${mark}` } : each));
  }

  private async listLocals({ thread: plain, frame }: FrameRef, { hex }: Page): Promise<ShownVariable[]> {
    const thread = hex === true ? inHexadecimal(plain) : plain;
    const evalFrame = this.values.evaluationFrame(thread, frame);
    const found = await frameVariables(thread, frame.level, evalFrame.language);
    const seen = new Set<string>();
    const shown = await Promise.all(
      found.map(async (variable) => {
        // gdb lists inner blocks first: a second one of the name is hidden by the first.
        const isHidden = seen.has(variable.name);
        seen.add(variable.name);
        return isHidden ? hidden(variable) : this.local(evalFrame, variable, frame.function);
      }),
    );
    return shown.filter((variable) => variable !== undefined);
  }

  private async local(
    evalFrame: EvaluationFrame,
    { name, type, value, isArgument, isUnset }: FrameVariable,
    inFunction: string | undefined,
  ): Promise<ShownVariable> {
    if (isUnset) return { name, value: notSetYet, evaluateName: name, ...(type === undefined ? {} : { type }) };
    const expression = evalFrame.language === 'fortran' ? fortranVariable(name, inFunction) : name;
    if (type !== undefined && value !== undefined && !mayHaveParts(type)) {
      const constant = isArgument ? await this.values.constant(evalFrame, expression, name, expression) : undefined;
      return constant ?? this.values.showSimple(evalFrame, name, type, value);
    }
    try {
      if (evalFrame.language !== 'fortran') return await this.values.evaluate(evalFrame, name, name, name);
      const forGdb = await fortranForGdb(evalFrame.thread, { function: inFunction, level: evalFrame.frame }, name);
      return await this.values.evaluate(evalFrame, forGdb, name, writtenFor(forGdb, expression));
    } catch (error) {
      // One variable that gdb cannot read leaves the others readable.
      if (!(error instanceof GdbError)) throw error;
      const why = inWordsOf(evalFrame.language, error.message);
      const told = why === error.message ? (value?.text ?? `<${why}>`) : why;
      return { name, value: told, ...(type === undefined ? {} : { type }) };
    }
  }
}

/** A request or status without its type, which is in the hover: a row has little room, and its peer and tag matter more. */
function inRow(variable: ShownVariable): ShownVariable {
  const { handle, type, value } = variable;
  if (handle?.kind !== 'request' && handle?.kind !== 'status') return variable;
  const line = describeAnswer(handle);
  const declared = type?.replace(/^const | ?&$/g, '');
  if (declared !== typeNames[handle.kind] || !value.startsWith(line)) return variable;
  return { ...variable, value: `${describeElement(handle)}${value.slice(line.length)}` };
}

function hidden({ name, type, value }: GdbVariable): ShownVariable | undefined {
  if (value === undefined) return undefined;
  return { name: `${name} (hidden by the inner ${name})`, value: value.text, ...(type === undefined ? {} : { type }) };
}
