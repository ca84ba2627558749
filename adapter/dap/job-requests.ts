/** The requests that need a job and nothing else of the session: which topic answers each. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JobSession } from './job-session';

type JobRequest = (session: JobSession, args: unknown) => unknown;

export const jobRequests: ReadonlyMap<string, JobRequest> = new Map(
  Object.entries<JobRequest>({
    breakpointLocations: ({ breakpoints }, args) =>
      breakpoints.locations(args as DebugProtocol.BreakpointLocationsArguments),
    dataBreakpointInfo: ({ dataBreakpoints }, args) =>
      dataBreakpoints.info(args as DebugProtocol.DataBreakpointInfoArguments),
    exceptionInfo: ({ exceptions }, args) => exceptions.info(args as DebugProtocol.ExceptionInfoArguments),

    setVariable: ({ assignments }, args) => assignments.setVariable(args as DebugProtocol.SetVariableArguments),
    setExpression: ({ assignments }, args) => assignments.setExpression(args as DebugProtocol.SetExpressionArguments),
    completions: ({ completions }, args) => completions.complete(args as DebugProtocol.CompletionsArguments),

    modules: ({ modules }, args) => modules.modules(args as DebugProtocol.ModulesArguments),
    loadedSources: ({ modules }) => modules.loadedSources(),
    source: ({ modules }, args) => modules.source(args as DebugProtocol.SourceArguments),

    readMemory: ({ memory }, args) => memory.read(args as DebugProtocol.ReadMemoryArguments),
    writeMemory: ({ memory }, args) => memory.write(args as DebugProtocol.WriteMemoryArguments),
    disassemble: ({ disassembly }, args) => disassembly.disassemble(args as DebugProtocol.DisassembleArguments),

    gotoTargets: ({ goto }, args) => goto.gotoTargets(args as DebugProtocol.GotoTargetsArguments),
    goto: ({ goto }, args) => goto.goto(args as DebugProtocol.GotoArguments),
  }),
);
