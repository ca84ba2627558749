/** Which declared types are MPI handles: MPI_Comm, through typedefs, pointers, arrays and references; TYPE(MPI_Comm); MPI::Comm. */
import { cxxClasses } from '../../plugin-api/mpi/cxx-object';
import { typeNames } from '../../plugin-api/mpi/describe';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { typeNameOf, type TypeName } from '../gdb/type-name';

/**
 * What a type means for the query layer. `pointer` and `array` are those of handles; all else is `other`. `because`: why an
 * INTEGER is read so; `conflict`: why it is not, where the program uses it as handles of several kinds; `untold`:
 * why nothing is known of it, where a source is missing. `isOfNumbers`: a template of C++ with `int` among its arguments, which
 * may be what is left of MPI_Comm.
 */
export type TypeMeaning =
  | { form: 'handle'; kind: HandleKind; because?: string }
  /** TYPE(MPI_Comm) of mpi_f08: one INTEGER inside. */
  | { form: 'fortranHandle'; kind: HandleKind }
  /** An INTEGER that the sources or the user say is a handle. */
  | { form: 'integer'; kind: HandleKind; because?: string }
  /** MPI::Intracomm of C++: an object with a handle inside; objectPointer: of such. */
  | { form: 'object'; kind: HandleKind }
  | { form: 'objectPointer'; kind: HandleKind }
  | { form: 'pointer'; kind: HandleKind; because?: string }
  | { form: 'array'; kind: HandleKind; because?: string }
  | { form: 'other'; conflict?: string; untold?: string; isOfNumbers?: true };

const other: TypeMeaning = { form: 'other' };

const kindOfTypeName = new Map<string, HandleKind>(
  Object.entries(typeNames).map(([kind, name]) => [name, kind as HandleKind]),
);

/** How many typedefs deep a name is followed: more than any program has, so that a cyclic answer ends. */
const maxTypedefs = 32;

/** Answers what a type name of the program stands for, one typedef further: gdb's `whatis NAME`; the same text at the end. */
export type Whatis = (type: string) => Promise<string>;

/** Classifies types of one program; remembers what it learnt. */
export class HandleTypes {
  private readonly meanings = new Map<string, Promise<TypeMeaning>>();

  /**
   * `handleStructs`: what handles point to, where they are pointers: a compiler leaves the typedef out in
   * std::vector<MPI_Comm>. Handles that are numbers cannot be told from others there.
   */
  constructor(
    private readonly whatis: Whatis,
    private readonly handleStructs: ReadonlyMap<string, HandleKind>,
  ) {}

  /** `type` as gdb prints it: "MPI_Comm", "const OceanComm [2]", "MPI_Request *", "Type mpi_comm". */
  meaning(type: string): Promise<TypeMeaning> {
    let meaning = this.meanings.get(type);
    if (meaning === undefined) {
      meaning = this.classify(this.withTypedef(type), maxTypedefs);
      this.meanings.set(type, meaning);
    }
    return meaning;
  }

  /** A type with the typedef's name instead of the struct's: "foo_communicator *[2]" is "MPI_Comm [2]". */
  private withTypedef(type: string): string {
    return type.replace(/^((?:const )?)(?:struct )?(\w+) \*/, (whole, before: string, name: string) => {
      const kind = this.handleStructs.get(name);
      return kind === undefined ? whole : `${before}${typeNames[kind]} `;
    });
  }

  private async classify(type: string, depth: number): Promise<TypeMeaning> {
    const { suffix, ...name } = typeNameOf(type);
    const meaning = await this.classifyBase(name, depth);
    if (suffix === 'none' || meaning.form === 'other') return meaning;
    // gdb shows the members of the type below a pointer to it, as below the type.
    if (meaning.form === 'fortranHandle' && suffix === 'pointer') return meaning;
    if (meaning.form === 'handle' || meaning.form === 'fortranHandle') return { form: suffix, kind: meaning.kind };
    if (meaning.form === 'object')
      return { form: suffix === 'pointer' ? 'objectPointer' : 'array', kind: meaning.kind };
    return suffix === 'array' ? { form: 'array', kind: meaning.kind } : other;
  }

  private async classifyBase({ base, keyword }: Omit<TypeName, 'suffix'>, depth: number): Promise<TypeMeaning> {
    const kind = keyword === undefined ? kindOfTypeName.get(base) : undefined;
    if (kind !== undefined) return { form: 'handle', kind };
    // In a callee of C, with its keyword.
    const kindOfClass = cxxClasses.get(base);
    if (kindOfClass !== undefined && (keyword === undefined || keyword === 'class'))
      return { form: 'object', kind: kindOfClass };
    // gdb writes types in the language of the selected frame: in a callee of C, a member of TYPE(MPI_Comm) is a struct.
    if (keyword === 'type' && /^mpi_[a-z]+$/i.test(base)) return derivedTypeMeaning(base);
    if (keyword === 'struct' && /^mpi_[a-z]+$/.test(base)) return derivedTypeMeaning(base);
    const inTemplate = /^(.*>::\w+)(?: ?&{1,2})?$/.exec(base)?.[1];
    const named = inTemplate === undefined ? other : await this.behind(inTemplate, depth);
    if (named.form !== 'other') return named;
    if (/[<,] ?int\b/.test(base)) return { form: 'other', isOfNumbers: true };
    if (keyword !== undefined || depth === 0 || !/^[A-Za-z_][\w:]*$/.test(base) || scalarTypes.has(base)) return other;
    return this.behind(base, depth);
  }

  /** What a typedef stands for. */
  private async behind(name: string, depth: number): Promise<TypeMeaning> {
    if (depth === 0) return other;
    const next = (await this.whatis(name).catch(() => name)).trim();
    return next === name ? other : this.classify(this.withTypedef(next), depth - 1);
  }
}

/** Names that gdb need not be asked for: the types of most variables. */
const scalarTypes = new Set(['int', 'char', 'long', 'short', 'float', 'double', 'void', 'unsigned', 'bool', '_Bool']);

function derivedTypeMeaning(name: string): TypeMeaning {
  for (const [kind, typeName] of Object.entries(typeNames)) {
    if (typeName.toLowerCase() !== name.toLowerCase()) continue;
    // TYPE(MPI_Status) is the status itself, not an INTEGER that stands for it.
    return { form: kind === 'status' ? 'handle' : 'fortranHandle', kind: kind as HandleKind };
  }
  return other;
}
