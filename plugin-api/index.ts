/**
 * The public surface of the query layer. A third party's plugin gets this module as the argument of its createPlugin
 * (see README.md), so that it shares the classes that guard() recognises.
 */
export * from './image';
export * from './layout';
export * from './memory';
export * from './result';
export * from './struct';
export * from './mpi/cxx-object';
export * from './mpi/describe';
export * from './mpi/facts';
export * from './mpi/known-mpis';
export * from './mpi/plugin';
export * from './mpi/records';
export * from './mpi/versioned-tables';
export type { Processor, ProcessorName, Register } from './processor/processor';
export { PluginRegistry } from './plugins/registry';
