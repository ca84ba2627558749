/** The requests about a rank's memory, and about its modules and sources. */
import {
  disassembleArguments,
  modulesArguments,
  nothing,
  readMemoryArguments,
  sourceArguments,
  writeMemoryArguments,
} from '../requests/dap-arguments';
import { jobRequests, refused } from '../requests/request';
import type { Disassembly } from './disassembly';
import type { Memory } from './memory';
import type { Modules } from './modules';

const { ofJob, ofStoppedRanks } = jobRequests<{
  readonly memory: Memory;
  readonly disassembly: Disassembly;
  readonly modules: Modules;
}>();

export const memoryRequests = {
  readMemory: ofJob({
    arguments: readMemoryArguments,
    capability: 'supportsReadMemoryRequest',
    answer: ({ memory }, args) => memory.read(args),
  }),
  writeMemory: ofJob({
    arguments: writeMemoryArguments,
    capability: 'supportsWriteMemoryRequest',
    onCores: refused('be changed'),
    answer: ({ memory }, args) => memory.write(args),
  }),
  disassemble: ofJob({
    arguments: disassembleArguments,
    capability: 'supportsDisassembleRequest',
    answer: ({ disassembly }, args) => disassembly.disassemble(args),
  }),
  modules: ofStoppedRanks({
    arguments: modulesArguments,
    capability: 'supportsModulesRequest',
    answer: ({ modules }, args, ranks) => modules.modules(args, ranks),
  }),
  loadedSources: ofStoppedRanks({
    arguments: nothing,
    capability: 'supportsLoadedSourcesRequest',
    answer: ({ modules }, _args, ranks) => modules.loadedSources(ranks),
  }),
  source: ofJob({ arguments: sourceArguments, answer: ({ modules }, args) => modules.source(args) }),
};
