/** The program's values in the Variables view: gdb's variable objects, with MPI handles decoded on the way. */
import { dataEvaluateExpression } from '../../gdb/mi/data-manipulation';
import { meaningIn } from '../../fortran/integer-handles';
import { WouldChangeError } from '../../gdb/mi/look';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { GdbFrame } from '../../gdb/mi/stack-manipulation';
import { varListChildren, type VariableObject } from '../../gdb/variable-objects';
import type { HandleKind } from '../../../plugin-api/mpi/records';
import type { RankThread } from '../../job/rank';
import { dereferenced, grouped } from '../../expressions/access-path';
import { evaluated } from '../../expressions/containers';
import { inWordsOf } from '../../expressions/fortran-words';
import type { HandleForm } from '../../values/found-handle';
import { hasNoValue } from '../../values/handle-values';
import type { Place } from '../../expressions/place';
import type { JobQueries } from '../../query/job-queries';
import { objectIn } from '../../values/value-parts';
import { textOfComponent } from './fortran-text';
import { handlesInSummary, listText, type HandleValue, type HandleVariables, type RawHandle } from './handle-variables';
import type { Page, ShownVariable } from './shown-variable';
import { StructureSummaries, type Located } from './structure-summary';
import { ValueChildren, withLength } from './value-children';
import {
  elementCount,
  elementPath,
  firstIndex,
  isArray,
  isNull,
  isPointer,
  rootPath,
  stepOf,
  wholeSource,
  type Path,
} from './variable-paths';
import type { VariableStore } from './variable-store';

/** Characters of the one line that a structure or list is shown with. */
const longestSummary = 120;
/** The same where the debug console writes all of it. */
const longestText = 4000;

export class GdbValues {
  private readonly summaries: StructureSummaries;
  private readonly children: ValueChildren;

  constructor(
    private readonly store: VariableStore,
    private readonly queries: JobQueries,
    private readonly handles: HandleVariables,
  ) {
    this.summaries = new StructureSummaries(queries, store, (place, located) => this.show(place, located));
    this.children = new ValueChildren(store, (place, located) => this.show(place, located));
  }

  /** A frame as a place to evaluate in. */
  place(thread: RankThread, frame: GdbFrame): Place {
    return this.queries.place(thread, frame);
  }

  /** `expression` is for gdb; `path` is what the user would write. Rejects with GdbError in gdb's words. */
  async evaluate(place: Place, expression: string, name: string, path: string): Promise<ShownVariable> {
    const constant = await this.constant(place, expression, name, path);
    if (constant !== undefined) return constant;
    const variable = await this.create(place, expression);
    const shown = await this.show(place, { variable, path: rootPath(path, expression), name });
    if (shown.value === '{...}') await this.checkMemory(place, expression);
    return shown;
  }

  /** One of MPI's constants that Fortran knows by their addresses, such as MPI_IN_PLACE; undefined: it is another variable. */
  async constant(place: Place, expression: string, name: string, path: string): Promise<ShownVariable | undefined> {
    const constant = await this.queries.fortranConstant(place, expression);
    return constant === undefined ? undefined : { name, value: constant, evaluateName: path };
  }

  /** A value that gdb has told already, of a type without parts. */
  async showSimple(place: Place, name: string, type: string, told: string): Promise<ShownVariable> {
    const value = inWordsOf(place.language, told);
    const plain = { name, value, type, evaluateName: name };
    const meaning = await meaningIn(place, type, name, await this.queries.meaning(place.thread.rank, type));
    if (meaning.form === 'other') return withConflict(plain, meaning.conflict);
    if (meaning.form !== 'handle' && meaning.form !== 'integer') return plain;
    const number = numberIn(value, meaning.form === 'handle' ? 'c' : 'fortran');
    return this.handles.show(place.thread.rank, meaning.kind, number, {
      ...plain,
      children: undefined,
      ...(meaning.because === undefined ? {} : { because: meaning.because }),
    });
  }

  /** A structure or list written out with what its handles are; undefined: it holds none. */
  async writtenOut(place: Place, expression: string, path: string): Promise<string | undefined> {
    const variable = await this.create(place, expression);
    return this.summaries.of(place, { variable, path: rootPath(path, expression), name: path }, longestText);
  }

  private async create(place: Place, expression: string): Promise<VariableObject> {
    return evaluated(place.thread.gdb, expression, async (source) => {
      const evaluate = (): Promise<string> => dataEvaluateExpression(place.thread, place.frame, source);
      try {
        const variable = await this.store.create(place, source);
        if (hasNoValue(variable)) await evaluate();
        return variable;
      } catch (error) {
        // -var-create does not tell why; evaluating the expression does.
        if (error instanceof GdbError) await evaluate();
        throw error;
      }
    });
  }

  /** gdb makes a variable object of a structure that is nowhere. Rejects with GdbError. */
  private async checkMemory({ thread, frame }: Place, expression: string): Promise<void> {
    try {
      await evaluated(thread.gdb, expression, (source) => dataEvaluateExpression(thread, frame, source));
    } catch (error) {
      const isRefused = error instanceof WouldChangeError;
      if (!(error instanceof GdbError) || isRefused || error.failure.reason === 'cannotRead') throw error;
    }
  }

  private async show(place: Place, shown: Located): Promise<ShownVariable> {
    const located = await this.objectIn(place, shown);
    const { variable, path, name } = located;
    const { rank } = place.thread;
    const type = variable.type ?? '';
    const meaning = await meaningIn(place, type, path.text, await this.queries.meaning(rank, type));
    if (meaning.form === 'other') return withConflict(await this.plain(place, located), meaning.conflict);
    const isStatus = meaning.form === 'handle' && meaning.kind === 'status';
    if (path.indexes.length > 0 && !isStatus) return this.plain(place, located);
    if (meaning.form === 'array') return this.listOfHandles(place, located);
    const bare = this.bare(place, located);
    const because = 'because' in meaning && meaning.because !== undefined ? { because: meaning.because } : {};
    const raw: RawHandle = { type: undefined, evaluateName: undefined, children: undefined, ...bare, ...because };
    switch (meaning.form) {
      case 'handle':
        return this.handles.show(rank, meaning.kind, await this.handleIn(place, located, meaning.kind), raw);
      case 'integer':
        return this.handles.show(rank, meaning.kind, numberIn(variable.value ?? '', 'fortran'), raw);
      case 'fortranHandle': {
        if (isNull(variable)) return bare;
        const [member] = await varListChildren(place, variable, 0, 1);
        const text = member?.value ?? '';
        const number = numberIn(text, 'fortran');
        return this.handles.show(rank, meaning.kind, number, { ...raw, value: text, children: undefined });
      }
      case 'object': {
        const object = await addressIn(place, path);
        if (object === undefined) return this.plain(place, located);
        return this.handles.show(rank, meaning.kind, { ...object, form: 'cxx' }, raw);
      }
      case 'objectPointer':
        if (isNull(variable)) return bare;
        return this.handles.show(rank, meaning.kind, numberIn(variable.value ?? '', 'cxx'), raw);
      case 'pointer': {
        const [target] = isNull(variable) ? [] : await varListChildren(place, variable, 0, 1);
        if (target === undefined) return bare;
        const targetPath = stepOf(path, dereferenced);
        const decoded = await this.show(place, { variable: target, path: targetPath, name });
        return pointerTo(decoded, bare);
      }
    }
  }

  /** What a CLASS is at this moment; the same of what is none. */
  private async objectIn(place: Place, located: Located): Promise<Located> {
    const { variable, path } = located;
    const object = await objectIn(place, variable, path.source, (source) => this.store.create(place, source));
    if (object === undefined) return located;
    const { variable: found, ...at } = object;
    return { ...located, variable: found, path: { ...path, ...at } };
  }

  /** The first handles by name instead of by their numbers. */
  private async listOfHandles(place: Place, located: Located): Promise<ShownVariable> {
    const bare = this.bare(place, located);
    if (bare.children === undefined) return this.plain(place, located);
    const length = elementCount(located.variable);
    const first = await bare.children.list({ start: 0, count: Math.min(length, handlesInSummary) });
    return {
      ...bare,
      value: listText(
        first.map(({ value }) => value),
        length,
      ),
    };
  }

  private async plain(place: Place, located: Located): Promise<ShownVariable> {
    const bare = this.bare(place, located);
    const { variable, path } = located;
    if (isPointer(variable)) return this.withFortranText(place, bare, located);
    if (bare.children === undefined && !isArray(variable) && !variable.dynamic) return bare;
    const summary = await this.summary(place, wholeSource(variable, path));
    const withHandles = await this.summaries.of(place, located, longestSummary);
    if (withHandles === undefined && summary === undefined) return bare;
    // "std::vector of length 2, capacity 2 = "
    const title = variable.dynamic ? (/^[^={]+ = (?=\{)/.exec(summary ?? '')?.[0] ?? '') : '';
    const value = withHandles === undefined ? summary! : `${title}${withHandles}`;
    return { ...bare, value, children: withLength(bare.children, variable, summary ?? '') };
  }

  /** A CHARACTER of deferred length is a pointer to gdb, to the user it is a text. */
  private async withFortranText(
    place: Place,
    bare: ShownVariable,
    { variable, path }: Located,
  ): Promise<ShownVariable> {
    const { source } = path;
    const type = variable.type ?? '';
    if (!/^PTR TO -> \( character/.test(type) || isNull(variable) || source === undefined) return bare;
    const isComponent = type.endsWith('character*0 )');
    const text = isComponent
      ? await textOfComponent(place, source, longestSummary)
      : await this.summary(place, `*(${source})`);
    return { ...bare, children: undefined, ...(text !== undefined && { value: text }) };
  }

  private bare(place: Place, located: Located): ShownVariable {
    const { variable, path, name } = located;
    const { type } = variable;
    const value = variable.value && inWordsOf(place.language, variable.value);
    const children = this.children.of(place, located);
    const evaluateName =
      path.indexes.length > 0 ? undefined : path.own === undefined ? path.text : (path.own ?? undefined);
    const target = isPointer(variable) ? /^0x[0-9a-f]+/.exec(value ?? '')?.[0] : undefined;
    return {
      name,
      value: value === undefined || value === '' ? (children === undefined ? 'cannot be read' : '{...}') : value,
      ...(type === undefined ? {} : { type }),
      ...(evaluateName === undefined ? {} : { evaluateName }),
      ...(target === undefined ? {} : { address: BigInt(target) }),
      ...(children === undefined ? {} : { children }),
    };
  }

  /** A structure or list written out, as far as it fits on a line. */
  private async summary(place: Place, expression: string | undefined): Promise<string | undefined> {
    if (expression === undefined) return undefined;
    try {
      const text = withoutPadding(
        await evaluated(place.thread.gdb, expression, (source) =>
          dataEvaluateExpression(place.thread, place.frame, source),
        ),
      );
      const told = inWordsOf(place.language, text);
      return told.length <= longestSummary ? told : `${told.slice(0, longestSummary)}…`;
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }

  private async handleIn(place: Place, { variable, path }: Located, kind: HandleKind): ReturnType<typeof addressIn> {
    if (kind !== 'status') return numberIn(variable.value ?? '', 'c');
    // A column of an array of statuses lies where its first element does.
    const isColumn = path.indexes.length > 0;
    return addressIn(
      place,
      isColumn ? elementPath(place.language, { variable, path }, String(firstIndex(variable))).path : path,
    );
  }
}

/** An INTEGER that the program uses as handles of several kinds stays one; why is told below it. */
function withConflict(plain: ShownVariable, conflict: string | undefined): ShownVariable {
  if (conflict === undefined) return plain;
  const told: ShownVariable = { name: 'handles of several kinds', value: conflict };
  const list = async (page: Page): Promise<ShownVariable[]> => [...((await plain.children?.list(page)) ?? []), told];
  return { ...plain, children: plain.children?.indexed === undefined ? { list } : plain.children };
}

/** What a pointer leads to, and the pointer itself among its parts. */
function pointerTo(target: ShownVariable, pointer: ShownVariable): ShownVariable {
  const own: ShownVariable = { ...pointer, name: 'pointer', children: undefined };
  const list = async (page: Page): Promise<ShownVariable[]> => [...((await target.children?.list(page)) ?? []), own];
  return { ...pointer, value: target.value, children: { list } };
}

/** A status has no handle: it is asked for by its address, as an object of C++ is. */
async function addressIn(place: Place, { source }: Path): Promise<HandleValue | undefined> {
  if (source === undefined) return undefined;
  try {
    const printed = await evaluated(place.thread.gdb, `&${grouped(source)}`, (each) =>
      dataEvaluateExpression(place.thread, place.frame, each),
    );
    return numberIn(/0x[0-9a-f]+/.exec(printed)?.[0] ?? '', 'c');
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** The number that gdb's text begins with. */
function numberIn(text: string, form: HandleForm): HandleValue | undefined {
  const match = /^(-?)(0x[0-9a-f]+|\d+)/.exec(text);
  if (match === null) return undefined;
  const magnitude = BigInt(match[2]!);
  return { number: match[1] === '-' ? -magnitude : magnitude, form };
}

/** The rest of a char array behind the text in it is nothing that one wants to read. */
export function withoutPadding(text: string): string {
  return text
    .replace(/", '\\000' <repeats \d+ times>/g, '"')
    .replace(/'\\000' <repeats \d+ times>/g, '""')
    .replace(/(\\000)+"/g, '"');
}
