/** What a datatype was made of: the arguments of its constructor, and so on for the types among them. */
import { boundedCount } from '../../memory';
import type { Known } from '../../mpi/records';
import type { TypeConstruction } from '../../mpi/type-map';
import { once } from '../../once';
import { CorruptError, QueryError, isUnavailable, known } from '../../result';
import type { StructValues } from '../../struct';
import { constants, integersOf, predefinedName } from './constants';
import { hex, liveObject, type Decoder } from './handles';
import { contentsSpec, datatypeSpec } from './specs';

type Contents = StructValues<typeof contentsSpec>;

/** A datatype with those it was made of; one that several share is read once. */
export interface DatatypeTree {
  handle: bigint;
  datatype: StructValues<typeof datatypeSpec>;
  /** The MPI name of a predefined datatype, even if the program has renamed it. */
  constant: string | undefined;
  combiner: string;
  contents: Known<Made> | undefined;
}

export interface Made {
  integers: number[];
  addresses: bigint[];
  datatypes: DatatypeTree[];
}

/** Throws what liveObject throws, and CorruptError. */
export function readTree(decoder: Decoder, handle: bigint): Promise<DatatypeTree> {
  return new TreeReader(decoder).read(handle, []);
}

/** What a type map needs of it. Throws QueryError where a part could not be read. */
export function construction(tree: DatatypeTree, done = new Map<DatatypeTree, TypeConstruction>()): TypeConstruction {
  const made = done.get(tree);
  if (made !== undefined) return made;
  const { constant, combiner, datatype, contents } = tree;
  if (isUnavailable(contents)) throw new QueryError(contents.code, contents.reason);
  const { size, lb, extent } = datatype;
  const { integers = [], addresses = [], datatypes = [] } = contents ?? {};
  const types = datatypes.map((type) => construction(type, done));
  const result = { name: constant ?? datatype.name, combiner, size, lb, extent, integers, addresses, datatypes: types };
  done.set(tree, result);
  return result;
}

/** What a type map needs of the live datatype. Throws what liveObject throws, and CorruptError. */
export async function constructionOf(decoder: Decoder, handle: bigint): Promise<TypeConstruction> {
  return construction(await readTree(decoder, handle));
}

/** Deeper or larger constructions are corrupt. */
const maxDepth = 64;
const maxTypes = 20_000;
const maxArguments = 1 << 20;

/** MPIR_Datatype_contents is followed by types, integers, addresses and counts; the first two areas are padded. */
const alignment = 16;

/** Those that have been read in this stop. */
const finished = once((_decoder: Decoder) => new Map<bigint, DatatypeTree>());

class TreeReader {
  private count = 0;

  constructor(private readonly decoder: Decoder) {}

  /** `outer`: those that this one is a part of. */
  async read(handle: bigint, outer: readonly bigint[]): Promise<DatatypeTree> {
    if (outer.includes(handle)) throw new CorruptError(`the datatype ${hex(handle)} is made of itself`);
    const known = finished(this.decoder);
    const tree = known.get(handle) ?? (await this.readNew(handle, outer));
    // A part that cannot be read within one that is too large may be readable by itself.
    if (!isUnavailable(tree.contents)) known.set(handle, tree);
    return tree;
  }

  private async readNew(handle: bigint, outer: readonly bigint[]): Promise<DatatypeTree> {
    if (outer.length > maxDepth || ++this.count > maxTypes)
      throw new CorruptError(
        `the datatype is made of more than ${outer.length > maxDepth ? maxDepth : maxTypes} others`,
      );
    const { reader } = this.decoder.objects;
    const datatype = await reader.read(datatypeSpec, await liveObject(this.decoder, 'datatype', handle));
    const constant = isNameOf(datatype.name, handle) ? datatype.name : predefinedName('datatype', handle);
    // 5.0 keeps contents for its predefined pairs too.
    if (datatype.contents === 0n || constant !== undefined)
      return { handle, datatype, constant, combiner: 'MPI_COMBINER_NAMED', contents: undefined };
    const header = await reader.read(contentsSpec, datatype.contents);
    const contents = await known(() => this.readMade(header, [...outer, handle]));
    return { handle, datatype, constant, combiner: combinerName(this.decoder, header.combiner), contents };
  }

  private async readMade(header: Contents, outer: readonly bigint[]): Promise<Made> {
    const count = (field: 'integers' | 'addresses' | 'counts' | 'datatypes') =>
      boundedCount(Number(header[field]), maxArguments, "the number of the constructor's arguments");
    const padded = (bytes: number) => Math.ceil(bytes / alignment) * alignment;
    const start = padded(await this.decoder.objects.reader.sizeOf(contentsSpec));
    const integersAt = padded(4 * count('datatypes'));
    const addressesAt = integersAt + padded(4 * count('integers'));
    const countsAt = addressesAt + 8 * count('addresses');
    const length = countsAt + 8 * count('counts');
    const bytes = await this.decoder.image.readMemory(header.address + BigInt(start), Math.max(length, 1));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const list = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i));
    const handles = list(count('datatypes'), (i) => BigInt(view.getUint32(4 * i, true)));
    const datatypes: DatatypeTree[] = [];
    for (const handle of handles) datatypes.push(await this.read(handle, outer));
    return {
      integers: [
        ...list(count('integers'), (i) => view.getInt32(integersAt + 4 * i, true)),
        // The constructors with large counts, whose integers are all counts.
        ...list(count('counts'), (i) => Number(view.getBigInt64(countsAt + 8 * i, true))),
      ],
      addresses: list(count('addresses'), (i) => view.getBigInt64(addressesAt + 8 * i, true)),
      datatypes,
    };
  }
}

/** The library stores one of the several names that mpi.h has for some handles. */
function isNameOf(name: string, handle: bigint): boolean {
  const constant = constants.get(name);
  return constant?.kind === 'handle' && constant.handleKind === 'datatype' && constant.handle === handle;
}

function combinerName({ library }: Decoder, combiner: number): string {
  const found = integersOf(library).entries.find(
    ([name, value]) => value === combiner && name.startsWith('MPI_COMBINER_'),
  );
  if (found === undefined) throw new CorruptError(`the combiner is ${combiner}, which is not plausible`);
  return found[0];
}
