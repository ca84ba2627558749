/** The attributes cached on an object. */
import { readI32 } from '../../memory';
import type { CommInfo, Hex, Integer, Unavailable } from '../../mpi/records';
import { once } from '../../once';
import { guard } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import { readHashTable } from './containers';
import type { Decoder } from './handles';
import { attributeSpec, oldAttributeSpec } from './specs';

type Attribute = Exclude<CommInfo['attributes'], Unavailable>[number];
/** The part of a Decoder that attributes need. */
type AttributeDecoder = Pick<Decoder, 'image' | 'reader' | 'constants'>;
type AttributeRecord = StructValues<typeof attributeSpec>;

/**
 * In the order in which they were set, those of the library itself left out. `table`: the object's hash table; NULL
 * when no attribute was ever set.
 */
export async function readAttributes(decoder: AttributeDecoder, table: bigint): Promise<Attribute[]> {
  const records = await readAttributeRecords(decoder, table);
  const internal = await internalKeyvals(decoder.reader);
  const own = records.filter((record) => !internal.includes(record.keyval));
  own.sort((a, b) => a.sequence - b.sequence);
  return Promise.all(own.map((record) => readAttribute(decoder, record)));
}

/** All attributes of an object, in no particular order. */
export async function readAttributeRecords(decoder: AttributeDecoder, table: bigint): Promise<AttributeRecord[]> {
  if (table === 0n) return [];
  const addresses = await readHashTable(decoder.reader, table);
  const spec = await recordSpec(decoder);
  return Promise.all(addresses.map((address) => decoder.reader.read(spec, address)));
}

/** ROMIO caches two attributes of its own, on MPI_COMM_SELF and on the communicators of files, as a program would. */
const internalKeyvals = once(async ({ image }: StructReader): Promise<number[]> => {
  const variables = ['ADIO_Init_keyval', 'ADIOI_cb_config_list_keyval'].map(async (name) => {
    const symbol = await image.findSymbol(name);
    return symbol === undefined ? [] : [await readI32(image, symbol.address)];
  });
  return (await Promise.all(variables)).flat();
});

async function recordSpec({ reader }: AttributeDecoder): Promise<typeof attributeSpec> {
  const hasNew = await guard(() => reader.sizeOf(attributeSpec));
  return hasNew.ok ? attributeSpec : oldAttributeSpec;
}

async function readAttribute(decoder: AttributeDecoder, record: AttributeRecord): Promise<Attribute> {
  const { keyval } = record;
  const name = predefinedKeyvals.find((constant) => decoder.constants.integer(constant) === keyval);
  if (name === undefined) return { keyval, value: ownValue(record) };
  return { keyval, name, value: await predefinedValue(decoder, record) };
}

/** MPI's own attributes of communicators. */
const predefinedKeyvals = [
  'MPI_TAG_UB',
  'MPI_HOST',
  'MPI_IO',
  'MPI_WTIME_IS_GLOBAL',
  'MPI_APPNUM',
  'MPI_LASTUSEDCODE',
  'MPI_UNIVERSE_SIZE',
  'MPI_FT',
];

/** The language of the call that set the value, which determines what the value is: ompi_attribute_translate_t. */
const setFromC = 0;
const setFromAddress = 3;

function ownValue({ value, setFrom }: AttributeRecord): Hex | Integer {
  if (setFrom === setFromC) return `0x${value.toString(16)}`;
  if (setFrom !== setFromAddress) return Number(BigInt.asIntN(32, value));
  const signed = BigInt.asIntN(64, value);
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed.toString();
}

/** MPI's own attributes are all integers. A duplicate of the communicator holds the address of the original's. */
async function predefinedValue(decoder: AttributeDecoder, record: AttributeRecord): Promise<Hex | Integer> {
  return record.setFrom === setFromC ? readI32(decoder.image, record.value) : ownValue(record);
}
