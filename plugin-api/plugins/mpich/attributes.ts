/** The attributes cached on a communicator: a list that holds the program's own and some of the library's. */
import { walkList } from '../../memory';
import type { CommInfo, Hex, Integer, Known, Unavailable } from '../../mpi/records';
import { isUnavailable, known } from '../../result';
import type { StructValues } from '../../struct';
import type { Objects } from './containers';
import type { Decoder } from './handles';
import { isLibraryKeyval, isTopologyKeyval } from './keyvals';
import { attributeSpec, keyvalSpec, topologySpec } from './specs';

type Attribute = Exclude<CommInfo['attributes'], Unavailable>[number];
type Topology = StructValues<typeof topologySpec>;

const maxAttributes = 4096;

/** MPIR_Attr_type: the language of the call that set the value, which determines what the value is. */
const setFromC = 0;
const setAsInteger = 3;

export interface LibraryAttribute {
  keyval: StructValues<typeof keyvalSpec>;
  value: bigint;
}

export interface Attributes {
  /** The program's, in the order of the list. */
  own: Known<Attribute[]>;
  /** The library's, without the topology. */
  ofLibrary: Known<LibraryAttribute[]>;
  /** undefined: the communicator has none. */
  topology: Known<Topology> | undefined;
}

/** `first`: the head of the object's list, 0n for none. Throws CorruptError, FaultError. */
export async function readAttributes(decoder: Decoder, first: bigint): Promise<Attributes> {
  const { reader } = decoder.objects;
  const own: Attribute[] = [];
  const ofLibrary: LibraryAttribute[] = [];
  let topology: Attributes['topology'];
  let whyNotOwn: Unavailable | undefined;
  const next = ({ next }: { next: bigint }) => (next === 0n ? undefined : next);
  const read = (address: bigint) => reader.read(attributeSpec, address);
  const start = first === 0n ? undefined : first;
  for await (const attribute of walkList(start, read, next, maxAttributes, 'the list of attributes')) {
    const keyval = await reader.read(keyvalSpec, attribute.keyval);
    const isTopology = await known(() => isTopologyKeyval(decoder, keyval));
    if (isTopology === true) {
      topology = await known(() => reader.read(topologySpec, BigInt.asUintN(64, attribute.value)));
      continue;
    }
    if (isUnavailable(isTopology)) topology ??= isTopology;
    const isLibrarys = await known(() => isLibraryKeyval(decoder, keyval));
    if (isUnavailable(isLibrarys)) whyNotOwn = isLibrarys;
    else if (isLibrarys) ofLibrary.push({ keyval, value: BigInt.asUintN(64, attribute.value) });
    else own.push({ keyval: keyval.handle | 0, value: valueOf(attribute) });
  }
  return { own: whyNotOwn ?? own, ofLibrary: whyNotOwn ?? ofLibrary, topology };
}

function valueOf({ type, value }: StructValues<typeof attributeSpec>): Hex | Integer {
  if (type === setFromC) return `0x${BigInt.asUintN(64, value).toString(16)}`;
  if (type === setAsInteger) return Number(BigInt.asIntN(32, value));
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

/** The value in MPIR_Process if the launcher gave none. */
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
