/** Which INTEGERs of a frame are handles: by the user's word, else by what the sources say. */
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { GdbThread } from '../gdb/context';
import { listSourceFiles } from '../gdb/file-commands';
import type { GdbFrame } from '../gdb/stack-manipulation';
import type { TypeMeaning } from '../query/handle-types';
import { Annotations } from './annotations';
import { ProgramSources } from './program-sources';

/** In one frame. null: the user says that it is none; undefined: nothing is known. */
export type KindOfVariable = (path: string) => Promise<HandleKind | null | undefined>;

/** Of a job: what its programs' sources say, each read once, and what the user says. */
export class IntegerHandles {
  readonly annotations = new Annotations();
  private readonly programs = new Map<string, ProgramSources>();

  /** What is known in a frame. `program`: the path of the executable, asked for only when a source has to be read. */
  in(
    thread: GdbThread,
    { function: fn, fullName: file, line }: Pick<GdbFrame, 'function' | 'fullName' | 'line'>,
    program: () => Promise<string>,
  ): KindOfVariable {
    return async (path) => {
      const variable = designatorOf(path);
      if (variable === undefined) return undefined;
      const said = this.annotations.kindOf(variable, { function: fn, file });
      if (said !== undefined || file === undefined || line === undefined) return said;
      return (await this.sourcesOf(thread, await program()).inferenceAt(file, line, variable))?.kind;
    };
  }

  private sourcesOf(thread: GdbThread, program: string): ProgramSources {
    let sources = this.programs.get(program);
    if (sources === undefined) {
      sources = new ProgramSources(() => listSourceFiles(thread));
      this.programs.set(program, sources);
    }
    return sources;
  }
}

/** What a variable means in its frame: what is known of it as an INTEGER, else its declared type. */
export async function meaningIn(
  place: { kindOfVariable?: KindOfVariable },
  type: string,
  path: string | undefined,
  declared: TypeMeaning,
): Promise<TypeMeaning> {
  if (place.kindOfVariable === undefined || path === undefined || declared.form !== 'other' || !isInteger(type)) {
    return declared;
  }
  const kind = await place.kindOfVariable(path);
  return (kind && meaningOfInteger(type, kind)) ?? declared;
}

/**
 * What an INTEGER variable means, by its type as gdb prints it and its kind. A status is as many INTEGERs as MPI writes
 * there, and stays one where it is an array of one dimension.
 */
function meaningOfInteger(type: string, kind: HandleKind): TypeMeaning | undefined {
  const dimensions = (fortranInteger.exec(type)?.[1] ?? cInteger.exec(type)?.[1])?.split(',').length ?? 0;
  if (kind === 'status') return dimensions === 1 ? { form: 'handle', kind } : undefined;
  return { form: dimensions === 0 ? 'integer' : 'array', kind };
}

const fortranInteger = /^integer(?:\(kind=4\))?(?:, (?:allocatable|pointer))?(?: \(([-\d:,]+)\))?\s*&?$/;
const cInteger = /^(?:const )?(?:int|MPI_Fint|int32_t|integer)(?: ?\[(\d+)\])?$/;

const isInteger = (type: string): boolean => fortranInteger.test(type) || cInteger.test(type);

/** "step::reqs(2)" → "reqs"; undefined for what is no designator. */
function designatorOf(path: string): string | undefined {
  const bare = path
    .replace(/\([^()]*\)|\[[^\]]*\]/g, '')
    .replace(/^\w+::(?=\w+$)/, '')
    .trim();
  return /^[A-Za-z_]\w*(?:%\w+)*$/.test(bare) ? bare : undefined;
}
