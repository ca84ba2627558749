/** The topology of a communicator, which MPICH keeps behind an attribute of its own. */
import { readI32Array } from '../../memory';
import type { CommInfo, Known } from '../../mpi/records';
import { CorruptError, isUnavailable, known } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import { maxProcesses } from './group';
import type { topologySpec } from './specs';

type Topology = StructValues<typeof topologySpec>;
export type TopologyKind = 'cart' | 'graph' | 'distGraph';

/** MPIR_Topo_type. */
const topologyKinds: Readonly<Record<number, TopologyKind>> = {
  ...{ 1: 'graph', 2: 'cart', 3: 'distGraph' },
  // In the library for the standard ABI, whose MPI_CART and the like have other values.
  ...{ 212: 'graph', 211: 'cart', 213: 'distGraph' },
};
const maxDimensions = 1 << 16;

/** What a communicator's record has of its topology. */
export interface ShownTopology {
  /** undefined: it has none. */
  kind: Known<TopologyKind> | undefined;
  /** The topology under the name of its kind; if it may be any, all are Unavailable. */
  fields: Pick<CommInfo, TopologyKind>;
}

export async function readTopology(reader: StructReader, found: Known<Topology> | undefined): Promise<ShownTopology> {
  if (found === undefined) return { kind: undefined, fields: {} };
  const topology = isUnavailable(found) ? found : await known(async () => ({ kind: kindOf(found), struct: found }));
  if (isUnavailable(topology))
    return { kind: topology, fields: { cart: topology, graph: topology, distGraph: topology } };
  const { kind, struct } = topology;
  return { kind, fields: { [kind]: await known<object>(() => readers[kind](reader, struct)) } };
}

function kindOf({ kind }: Topology): TopologyKind {
  const found = topologyKinds[kind];
  if (found === undefined) throw new CorruptError(`the kind of the topology is ${kind}, which is not plausible`);
  return found;
}

const readers = { cart: readCart, graph: readGraph, distGraph: readDistGraph };

async function readCart({ image }: StructReader, topology: Topology) {
  const read = (address: bigint, what: string) =>
    readI32Array(image, address, topology.cartDimensions, maxDimensions, what);
  const periods = await read(topology.cartPeriods, 'the number of dimensions');
  return {
    dims: await read(topology.cartDims, 'the number of dimensions'),
    periods: periods.map((p) => p !== 0),
    coords: await read(topology.cartPosition, 'the number of dimensions'),
  };
}

async function readGraph({ image }: StructReader, topology: Topology) {
  return {
    index: await readI32Array(image, topology.graphIndex, topology.graphNodes, maxProcesses, 'the number of nodes'),
    edges: await readI32Array(image, topology.graphEdgeList, topology.graphEdges, maxProcesses, 'the number of edges'),
  };
}

async function readDistGraph({ image }: StructReader, topology: Topology) {
  const { sourceCount, destinationCount } = topology;
  const sources = (address: bigint) => readI32Array(image, address, sourceCount, maxProcesses, 'the number of sources');
  const destinations = (address: bigint) =>
    readI32Array(image, address, destinationCount, maxProcesses, 'the number of destinations');
  const weighted = topology.isWeighted !== 0;
  const edges = {
    sources: await sources(topology.sources),
    destinations: await destinations(topology.destinations),
    weighted,
  };
  if (!weighted) return edges;
  return {
    ...edges,
    sourceWeights: await sources(topology.sourceWeights),
    destinationWeights: await destinations(topology.destinationWeights),
  };
}
