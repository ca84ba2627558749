/** The attributes cached on a communicator: a list that holds the program's own and some of the library's. */
import { walkList } from '../../memory';
import type { CommInfo, Hex, Integer, Unavailable } from '../../mpi/records';
import { guard } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import type { Objects } from './containers';
import type { Decoder } from './handles';
import { attributeSpec, keyvalSpec, topologySpec } from './specs';
import { isTopology } from './topology';

type Attribute = Exclude<CommInfo['attributes'], Unavailable>[number];
type Topology = StructValues<typeof topologySpec>;

const mostAttributes = 4096;

/** MPIR_Attr_type: by which language's call the value was set, which tells what it is. */
const setFromC = 0;
const setAsInteger = 3;

export interface Attributes {
  /** The program's, in the order of the list. */
  own: Attribute[];
  topology: Topology | undefined;
}

/** `first`: the head of the object's list, 0n for none. Throws CorruptError, FaultError. */
export async function readAttributes(decoder: Decoder, first: bigint): Promise<Attributes> {
  const { reader } = decoder.objects;
  const found: Attributes = { own: [], topology: undefined };
  const next = ({ next }: { next: bigint }) => (next === 0n ? undefined : next);
  const read = (address: bigint) => reader.read(attributeSpec, address);
  const start = first === 0n ? undefined : first;
  for await (const attribute of walkList(start, read, next, mostAttributes, 'the list of attributes')) {
    const keyval = await reader.read(keyvalSpec, attribute.keyval);
    const isOfLibrary = isLibraryCode(decoder, keyval.deleteFunction);
    const topology = isOfLibrary ? await topologyAt(reader, BigInt.asUintN(64, attribute.value)) : undefined;
    // In a static executable the library's code is not told from the program's.
    if (topology !== undefined) found.topology = topology;
    else if (!isOfLibrary || decoder.library.module.isExecutable)
      found.own.push({ keyval: keyval.handle | 0, value: valueOf(attribute) });
  }
  return found;
}

/** The library's own attributes have delete callbacks inside it; a program's callbacks are its own or none. */
export function isLibraryCode({ library }: Decoder, address: bigint): boolean {
  return library.module.segments.some(
    (s) => s.executable && address >= s.address && address < s.address + BigInt(s.size),
  );
}

async function topologyAt(reader: StructReader, address: bigint): Promise<Topology | undefined> {
  const topology = await guard(() => reader.read(topologySpec, address));
  return topology.ok && (await isTopology(reader, topology.value)) ? topology.value : undefined;
}

function valueOf({ type, value }: StructValues<typeof attributeSpec>): Hex | Integer {
  if (type === setFromC) return `0x${BigInt.asUintN(64, value).toString(16)}`;
  if (type === setAsInteger) return Number(BigInt.asIntN(32, value));
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

/** How MPIR_Process says that the launcher gave no value. */
const notSet = -1;

/** MPI's own attributes of MPI_COMM_WORLD: no list holds them. */
export function predefinedAttributes({ process }: Objects): Attribute[] {
  if (process === undefined) return [];
  const attributes: Attribute[] = [
    { keyval: 0x64400001, name: 'MPI_TAG_UB', value: process.tagUb },
    { keyval: 0x64400003, name: 'MPI_HOST', value: process.host },
    { keyval: 0x64400005, name: 'MPI_IO', value: process.io },
    { keyval: 0x64400007, name: 'MPI_WTIME_IS_GLOBAL', value: process.wtimeIsGlobal },
    { keyval: 0x6440000b, name: 'MPI_LASTUSEDCODE', value: process.lastUsedCode },
  ];
  if (process.universe !== notSet)
    attributes.push({ keyval: 0x64400009, name: 'MPI_UNIVERSE_SIZE', value: process.universe });
  if (process.appnum !== notSet) attributes.push({ keyval: 0x6440000d, name: 'MPI_APPNUM', value: process.appnum });
  return attributes;
}
