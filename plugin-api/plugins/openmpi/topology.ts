/** The process topology of a communicator. */
import { readI32Array } from '../../memory';
import type { CommInfo, Known } from '../../mpi/records';
import { known } from '../../result';
import type { Decoder } from './handles';
import { cartSpec, distGraphSpec, graphSpec, topologySpec } from './specs';

type KnownValue<T> = T extends Known<infer V> ? V : never;
type Cart = KnownValue<NonNullable<CommInfo['cart']>>;
type Graph = KnownValue<NonNullable<CommInfo['graph']>>;
type DistGraph = KnownValue<NonNullable<CommInfo['distGraph']>>;

const readers = { cart: readCart, graph: readGraph, distGraph: readDistGraph };

/** The part of CommInfo that this topology fills. `module`: the communicator's topology module. */
export async function readTopology(
  decoder: Decoder,
  kind: keyof typeof readers,
  module: bigint,
): Promise<Pick<CommInfo, 'cart' | 'graph' | 'distGraph'>> {
  return { [kind]: await known(async () => readers[kind](decoder, (await readModule(decoder, module)).data)) };
}

/** Whether the library was allowed to renumber the ranks. */
export async function isReordered(decoder: Decoder, module: bigint): Promise<boolean> {
  return (await readModule(decoder, module)).isReordered;
}

function readModule({ reader }: Decoder, module: bigint) {
  return reader.read(topologySpec, module);
}

/** Empty arrays are NULL. */
function readInts({ image }: Decoder, array: bigint, count: number, limit: number, what: string): Promise<number[]> {
  return count === 0 ? Promise.resolve([]) : readI32Array(image, array, count, limit, what);
}

const maxDimensions = 1 << 10;

async function readCart(decoder: Decoder, address: bigint): Promise<Cart> {
  const cart = await decoder.reader.read(cartSpec, address);
  const perDimension = (array: bigint) =>
    readInts(decoder, array, cart.dimensions, maxDimensions, 'the number of dimensions');
  const periods = await perDimension(cart.periods);
  return {
    dims: await perDimension(cart.dims),
    periods: periods.map((isPeriodic) => isPeriodic !== 0),
    coords: await perDimension(cart.coords),
  };
}

const maxNodes = 1 << 24;
const maxEdges = 1 << 24;

async function readGraph(decoder: Decoder, address: bigint): Promise<Graph> {
  const graph = await decoder.reader.read(graphSpec, address);
  const index = await readInts(decoder, graph.index, graph.nodes, maxNodes, 'the number of nodes');
  // index[i] counts the edges of the nodes up to i.
  const edges = await readInts(decoder, graph.edges, index.at(-1) ?? 0, maxEdges, 'the number of edges');
  return { index, edges };
}

async function readDistGraph(decoder: Decoder, address: bigint): Promise<DistGraph> {
  const graph = await decoder.reader.read(distGraphSpec, address);
  const incoming = (array: bigint) => readInts(decoder, array, graph.indegree, maxEdges, 'the indegree');
  const outgoing = (array: bigint) => readInts(decoder, array, graph.outdegree, maxEdges, 'the outdegree');
  const neighbours = { sources: await incoming(graph.sources), destinations: await outgoing(graph.destinations) };
  if (!graph.isWeighted) return { ...neighbours, weighted: false };
  return {
    ...neighbours,
    sourceWeights: await incoming(graph.sourceWeights),
    destinationWeights: await outgoing(graph.destinationWeights),
    weighted: true,
  };
}
