/** The topology of a communicator, which MPICH keeps behind an attribute of its own. */
import { readI32Array } from '../../memory';
import type { CommInfo } from '../../mpi/records';
import { guard, known } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import { mostProcesses } from './group';
import type { topologySpec } from './specs';

type Topology = StructValues<typeof topologySpec>;
export type TopologyKind = 'cart' | 'graph' | 'distGraph';

/** MPIR_Topo_type. */
const topologyKinds: Readonly<Record<number, TopologyKind>> = {
  ...{ 1: 'graph', 2: 'cart', 3: 'distGraph' },
  // In the library of the standard ABI, whose MPI_CART and so on have other values.
  ...{ 212: 'graph', 211: 'cart', 213: 'distGraph' },
};
const mostDimensions = 1 << 16;

export function topologyKind(topology: Topology): TopologyKind | undefined {
  return topologyKinds[topology.kind];
}

/** Whether the struct is a topology by all that makes one: the kind, and numbers that fit together. */
export async function isTopology(reader: StructReader, topology: Topology): Promise<boolean> {
  switch (topologyKind(topology)) {
    case 'cart': {
      const cart = await guard(() => readCart(reader, topology));
      return cart.ok && cart.value.dims.reduce((a, b) => a * b, 1) === topology.cartNodes;
    }
    case 'graph': {
      const graph = await guard(() => readGraph(reader, topology));
      return graph.ok && (graph.value.index.at(-1) ?? 0) === topology.graphEdges;
    }
    case 'distGraph':
      return (await guard(() => readDistGraph(reader, topology))).ok;
    case undefined:
      return false;
  }
}

export async function readTopology(reader: StructReader, topology: Topology): Promise<Pick<CommInfo, TopologyKind>> {
  switch (topologyKind(topology)) {
    case 'cart':
      return { cart: await known(() => readCart(reader, topology)) };
    case 'graph':
      return { graph: await known(() => readGraph(reader, topology)) };
    case 'distGraph':
      return { distGraph: await known(() => readDistGraph(reader, topology)) };
    case undefined:
      return {};
  }
}

async function readCart({ image }: StructReader, topology: Topology) {
  const read = (address: bigint, what: string) =>
    readI32Array(image, address, topology.cartDimensions, mostDimensions, what);
  const periods = await read(topology.cartPeriods, 'the number of dimensions');
  return {
    dims: await read(topology.cartDims, 'the number of dimensions'),
    periods: periods.map((p) => p !== 0),
    coords: await read(topology.cartPosition, 'the number of dimensions'),
  };
}

async function readGraph({ image }: StructReader, topology: Topology) {
  return {
    index: await readI32Array(image, topology.graphIndex, topology.graphNodes, mostProcesses, 'the number of nodes'),
    edges: await readI32Array(image, topology.graphEdgeList, topology.graphEdges, mostProcesses, 'the number of edges'),
  };
}

async function readDistGraph({ image }: StructReader, topology: Topology) {
  const { sourceCount, destinationCount } = topology;
  const sources = (address: bigint) =>
    readI32Array(image, address, sourceCount, mostProcesses, 'the number of sources');
  const destinations = (address: bigint) =>
    readI32Array(image, address, destinationCount, mostProcesses, 'the number of destinations');
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
