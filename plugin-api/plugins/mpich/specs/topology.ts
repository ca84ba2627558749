/** Topologies. */
import { i32, pointer, struct } from '../../../struct';

export const topologySpec = struct('MPIR_Topology', {
  kind: i32('kind'),
  graphNodes: i32('topo.graph.nnodes'),
  graphEdges: i32('topo.graph.nedges'),
  graphIndex: pointer('topo.graph.index'),
  graphEdgeList: pointer('topo.graph.edges'),
  cartNodes: i32('topo.cart.nnodes'),
  cartDimensions: i32('topo.cart.ndims'),
  cartDims: pointer('topo.cart.dims'),
  cartPeriods: pointer('topo.cart.periodic'),
  cartPosition: pointer('topo.cart.position'),
  sourceCount: i32('topo.dist_graph.indegree'),
  sources: pointer('topo.dist_graph.in'),
  sourceWeights: pointer('topo.dist_graph.in_weights'),
  destinationCount: i32('topo.dist_graph.outdegree'),
  destinations: pointer('topo.dist_graph.out'),
  destinationWeights: pointer('topo.dist_graph.out_weights'),
  isWeighted: i32('topo.dist_graph.is_weighted'),
});
