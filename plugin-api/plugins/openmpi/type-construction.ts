/** How a datatype was made: the arguments of its constructor, and those of the types it was made of. */
import { boundedCount, readI32Array, readPointerArray } from '../../memory';
import type { TypeConstruction } from '../../mpi/type-map';
import { once } from '../../once';
import { CorruptError, QueryError } from '../../result';
import { checkHandle, type Decoder, objectName } from './handles';
import { datatypeSpec, typeArgumentsSpec } from './specs';

/**
 * A datatype with the datatypes that it was made of below it; one that is used several times is the same node each
 * time.
 */
export interface TypeNode extends TypeConstruction {
  readonly address: bigint;
  readonly datatypes: readonly TypeNode[];
  /** Types below it, each counted as often as it is used. */
  readonly nested: number;
}

const deepestNesting = 256;
const maxArguments = 1 << 20;

/** Throws CorruptError if there is no datatype, for arguments that no datatype has, and if a type is made of itself. */
export function readConstruction(decoder: Decoder, address: bigint): Promise<TypeNode> {
  return read(decoder, address, []);
}

/** The type and all that are below it, each once. */
export function allNodes(type: TypeNode): ReadonlySet<TypeNode> {
  const all = new Set([type]);
  for (const node of all) for (const inner of node.datatypes) all.add(inner);
  return all;
}

/** Those already read. */
const finished = once((_decoder: Decoder) => new Map<bigint, TypeNode>());

/** `above`: the types that this one is a part of. */
async function read(decoder: Decoder, address: bigint, above: readonly bigint[]): Promise<TypeNode> {
  const known = finished(decoder);
  const done = known.get(address);
  if (done !== undefined) return done;
  if (above.includes(address)) throw new CorruptError('a datatype is made of itself');
  if (above.length > deepestNesting) throw new CorruptError('datatypes are nested too deeply');
  await checkHandle(decoder, 'datatype', address);
  const { size, lb, ub, args } = await decoder.reader.read(datatypeSpec, address);
  // Not its current name: the program may have renamed it.
  const constant = (await decoder.constants.predefined('datatype', address))?.name;
  const name = constant ?? (await objectName(decoder, 'datatype', address));
  const made = args === 0n ? named : await readArguments(decoder, args);
  const datatypes: TypeNode[] = [];
  for (const inner of made.datatypes) datatypes.push(await read(decoder, inner, [...above, address]));
  const nested = datatypes.reduce((sum, inner) => sum + 1 + inner.nested, 0);
  const { combiner, integers, addresses } = made;
  const node: TypeNode = { address, name, size, lb, extent: ub - lb, combiner, integers, addresses, datatypes, nested };
  known.set(address, node);
  return node;
}

const named = {
  combiner: 'MPI_COMBINER_NAMED',
  integers: [] as number[],
  addresses: [] as bigint[],
  datatypes: [] as bigint[],
};

async function readArguments(decoder: Decoder, address: bigint): Promise<typeof named> {
  const { image, reader, constants } = decoder;
  const args = await reader.read(typeArgumentsSpec, address);
  const combiner = constants.nameOf('MPI_COMBINER_', args.combiner);
  if (combiner === undefined) throw new CorruptError(`${args.combiner} is not a datatype combiner`);
  if (args.largeCount !== undefined && args.largeCount > 0)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `${combiner} with arguments of MPI_Count is not decoded`);
  const what = `the number of arguments of ${combiner}`;
  const datatypeCount = boundedCount(args.datatypeCount, maxArguments, what);
  const addresses = await readPointerArray(image, args.addresses, args.addressCount, maxArguments, what);
  return {
    combiner,
    integers: await readI32Array(image, args.integers, args.integerCount, maxArguments, what),
    addresses: addresses.map((value) => BigInt.asIntN(64, value)),
    datatypes: await readPointerArray(image, args.datatypes, datatypeCount, maxArguments, what),
  };
}
