/** Adds gdb's knowledge to an image that reads memory directly: the layouts of structs, from debug information. */
import type { Module } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import type { EpochImage } from '../images/epoch-image';
import { ForwardedImage } from '../images/forwarded-image';
import type { GdbThread, GdbThreadGroup, MiCommands } from './mi/context';
import { structLayout } from './struct-layout';

type Types = Map<string, Promise<TypeLayout | undefined>>;

/** The ranks of a gdb that have the same libraries have the same types: gdb is asked once for all of them. */
const known = new WeakMap<MiCommands, Map<string, Types>>();

function typesOf(gdb: MiCommands, modules: readonly Module[]): Types {
  const ofGdb = known.get(gdb) ?? new Map<string, Types>();
  known.set(gdb, ofGdb);
  const key = modules.map(({ path, buildId }) => `${path} ${buildId}`).join('\n');
  const types = ofGdb.get(key) ?? (new Map() as Types);
  ofGdb.set(key, types);
  return types;
}

export class GdbImage extends ForwardedImage {
  private types: Types = new Map();
  private modulesWithTypes = 0;

  /** `at` may change: a thread that has ended cannot be asked, but its process can. */
  constructor(
    image: EpochImage,
    private readonly at: () => GdbThread | GdbThreadGroup,
  ) {
    super(image);
  }

  knownMemory(address: bigint, length: number): Uint8Array | undefined {
    return this.image.knownMemory?.(address, length);
  }

  /** What gdb knows about a type is valid until a new library brings more types. */
  override async findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    const modules = await this.image.modules();
    if (modules.length !== this.modulesWithTypes) this.types = typesOf(this.at().gdb, modules);
    this.modulesWithTypes = modules.length;
    const key = [name, ...fields].join(' ');
    let type = this.types.get(key);
    if (type === undefined) {
      type = structLayout(this.at(), name, fields);
      this.types.set(key, type);
    }
    return type;
  }
}
