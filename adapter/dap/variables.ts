/** Scopes and variables: a tree that is read as far as the user opens it. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { GdbError } from '../gdb/mi-connection';
import { stackListVariables, type GdbVariable } from '../gdb/stack-manipulation';
import type { Rank } from '../job/rank';
import { fortranVariable } from '../query/fortran-names';
import type { Place } from '../query/handle-values';
import { rankRuns } from './errors';
import { canBeRead } from './focus';
import type { FrameRef } from './frames';
import type { GdbValues } from './gdb-values';
import { References } from './references';
import type { Children, Page, ShownVariable } from './shown-variable';

/** Something that can be opened. */
interface Node {
  rank: Rank;
  /** Names it within its rank, also at the next stop. */
  key: string;
  children: Children;
}

export class Variables {
  private readonly references = new References<Node>();

  constructor(private readonly values: GdbValues) {}

  drop(rank: Rank): void {
    this.references.drop(rank);
  }

  scopes(ref: FrameRef): DebugProtocol.Scope[] {
    const { thread, frame } = ref;
    const key = `${thread.id}/${frame.function ?? ''}/${frame.level}/locals`;
    const variablesReference = this.reference(thread.rank, key, { list: () => this.listLocals(ref) });
    return [{ name: 'Locals', presentationHint: 'locals', variablesReference, expensive: false }];
  }

  async list(args: DebugProtocol.VariablesArguments): Promise<DebugProtocol.Variable[]> {
    const node = this.references.get(args.variablesReference);
    if (!canBeRead(node.rank)) throw rankRuns(node.rank);
    // A list has elements and nothing else; all else has names.
    const isList = node.children.indexed !== undefined;
    if (args.filter !== undefined && (args.filter === 'indexed') !== isList) return [];
    const page: Page = { start: args.start ?? 0, count: args.count === 0 ? undefined : args.count };
    const shown = await node.children.list(page);
    return shown.map((variable) => ({ ...this.describe(node.rank, node.key, variable), name: variable.name }));
  }

  /** What a response says of a variable, its number included. `under` is the key of what it belongs to. */
  describe(
    rank: Rank,
    under: string,
    { name, value, type, evaluateName, children }: ShownVariable,
  ): Omit<DebugProtocol.Variable, 'name'> {
    return {
      value,
      variablesReference: children === undefined ? 0 : this.reference(rank, `${under}/${name}`, children),
      ...(type === undefined ? {} : { type }),
      ...(evaluateName === undefined ? {} : { evaluateName }),
      ...(children?.indexed === undefined ? {} : { indexedVariables: children.indexed, namedVariables: 0 }),
    };
  }

  private reference(rank: Rank, key: string, children: Children): number {
    return this.references.give(rank, key, { rank, key, children });
  }

  private async listLocals({ thread, frame }: FrameRef): Promise<ShownVariable[]> {
    const place = this.values.place(thread, frame);
    // A name with a dot is the compiler's own: the length of a CHARACTER.
    const found = (await stackListVariables(thread, frame.level)).filter(({ name }) => !name.includes('.'));
    const seen = new Set<string>();
    const shown = await Promise.all(
      found.map(async (variable) => {
        // gdb lists inner blocks first: a second one of the name is hidden by the first.
        const isHidden = seen.has(variable.name);
        seen.add(variable.name);
        return isHidden ? hidden(variable) : this.local(place, variable, frame.function);
      }),
    );
    return shown.filter((variable) => variable !== undefined);
  }

  private async local(
    place: Place,
    { name, type, value }: GdbVariable,
    inFunction: string | undefined,
  ): Promise<ShownVariable> {
    if (type !== undefined && value !== undefined && !mayHaveParts(type)) {
      return this.values.showSimple(place, name, type, value);
    }
    const expression = place.language === 'fortran' ? fortranVariable(name, inFunction) : name;
    try {
      return await this.values.evaluate(place, expression, name, expression);
    } catch (error) {
      // One variable that gdb cannot read leaves the others readable.
      if (!(error instanceof GdbError)) throw error;
      return { name, value: value ?? `<${error.message}>`, ...(type === undefined ? {} : { type }) };
    }
  }
}

function hidden({ name, type, value }: GdbVariable): ShownVariable | undefined {
  if (value === undefined) return undefined;
  return { name: `${name} (hidden by the inner ${name})`, value, ...(type === undefined ? {} : { type }) };
}

/** Pointers, references, arrays, functions: by how their types are written. */
function mayHaveParts(type: string): boolean {
  return /[*&[(]|^PTR/.test(type.replace(/\(kind=\d+\)/, ''));
}
