/** Topologies. */
import { bool, i32, pointer, struct } from '../../../struct';

export const topologySpec = struct('mca_topo_base_module_t', {
  isReordered: bool('reorder'),
  data: pointer('mtc'),
});

export const cartSpec = struct('mca_topo_base_comm_cart_2_2_0_t', {
  dimensions: i32('ndims'),
  dims: pointer('dims'),
  periods: pointer('periods'),
  coords: pointer('coords'),
});

export const graphSpec = struct('mca_topo_base_comm_graph_2_2_0_t', {
  nodes: i32('nnodes'),
  index: pointer('index'),
  edges: pointer('edges'),
});

export const distGraphSpec = struct('mca_topo_base_comm_dist_graph_2_2_0_t', {
  sources: pointer('in'),
  sourceWeights: pointer('inw'),
  destinations: pointer('out'),
  destinationWeights: pointer('outw'),
  indegree: i32('indegree'),
  outdegree: i32('outdegree'),
  isWeighted: bool('weighted'),
});
