/** What clients send with DAP's requests, property by property. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { scopes, type Scope } from '../../../plugin-api/answers/focus-body';
import {
  anything,
  count,
  flag,
  integer,
  integerWithin,
  listOf,
  matching,
  oneOf,
  optional,
  record,
  text,
  unread,
} from '../../questions/argument-checks';

/** The range between an address and the requested instructions must be read, too. */
const maxInstructions = 100_000;

/** DAP defines none for it, or none that matters. */
export const nothing = record<object>({});

export const initializeArguments = record<
  Pick<DebugProtocol.InitializeRequestArguments, 'clientID' | 'supportsInvalidatedEvent' | 'supportsProgressReporting'>
>({ clientID: optional(text), supportsInvalidatedEvent: optional(flag), supportsProgressReporting: optional(flag) });

/** Attributes of a launch configuration are checked when the job starts. */
export const configuration = anything;

export const restartArguments = record<{ arguments?: unknown }>({ arguments: optional(configuration) });

export const disconnectArguments = record<DebugProtocol.DisconnectArguments>({
  restart: unread,
  terminateDebuggee: optional(flag),
  suspendDebuggee: unread,
});

export const cancelArguments = record<DebugProtocol.CancelArguments>({
  requestId: optional(integer),
  progressId: optional(text),
});

const source = record<DebugProtocol.Source>({
  name: optional(text),
  path: optional(text),
  sourceReference: optional(integer),
  presentationHint: unread,
  origin: unread,
  sources: unread,
  adapterData: unread,
  checksums: unread,
});

const format = record<DebugProtocol.ValueFormat>({ hex: optional(flag) });

/** DAP has log messages for lines alone. Where a client sends one for another place, a stop in its stead would be wrong. */
interface WithLog {
  logMessage?: string;
}
const rules = { condition: optional(text), hitCondition: optional(text), logMessage: optional(text) };

export const setBreakpointsArguments = record<DebugProtocol.SetBreakpointsArguments>({
  source,
  breakpoints: optional(
    listOf(
      record<DebugProtocol.SourceBreakpoint>({
        line: integer,
        column: unread,
        ...rules,
        mode: unread,
      }),
    ),
  ),
  lines: optional(listOf(integer)),
  sourceModified: unread,
});

export const setFunctionBreakpointsArguments = record<DebugProtocol.SetFunctionBreakpointsArguments>({
  breakpoints: listOf(record<DebugProtocol.FunctionBreakpoint & WithLog>({ name: text, ...rules })),
});

export const setExceptionBreakpointsArguments = record<DebugProtocol.SetExceptionBreakpointsArguments>({
  filters: listOf(text),
  filterOptions: optional(
    listOf(record<DebugProtocol.ExceptionFilterOptions>({ filterId: text, condition: optional(text), mode: unread })),
  ),
  exceptionOptions: unread,
});

export const setDataBreakpointsArguments = record<DebugProtocol.SetDataBreakpointsArguments>({
  breakpoints: listOf(
    record<DebugProtocol.DataBreakpoint & WithLog>({
      dataId: text,
      accessType: optional(oneOf(['read', 'write', 'readWrite'])),
      ...rules,
    }),
  ),
});

export const setInstructionBreakpointsArguments = record<DebugProtocol.SetInstructionBreakpointsArguments>({
  breakpoints: listOf(
    record<DebugProtocol.InstructionBreakpoint & WithLog>({
      instructionReference: text,
      offset: optional(integer),
      ...rules,
      mode: unread,
    }),
  ),
});

export const breakpointLocationsArguments = record<DebugProtocol.BreakpointLocationsArguments>({
  source,
  line: integer,
  column: unread,
  endLine: optional(integer),
  endColumn: unread,
});

export const dataBreakpointInfoArguments = record<DebugProtocol.DataBreakpointInfoArguments>({
  variablesReference: optional(integer),
  name: text,
  frameId: optional(integer),
  bytes: optional(integer),
  asAddress: optional(flag),
  mode: unread,
});

/** `scope` and `ranks` are ours: what this one command acts on. `ranks`: a rank set, instead of the scope. */
export type ContinueArguments = DebugProtocol.ContinueArguments & { scope?: Scope; ranks?: string };
/** `anyway` is ours: step also into code that is skipped. */
export type StepArguments = ContinueArguments & { granularity?: DebugProtocol.SteppingGranularity; anyway?: boolean };
/** Without a thread: of all ranks that the scope means. */
export type PauseArguments = Partial<ContinueArguments>;

const scope = optional(
  matching(`what the command acts on: it is one of ${scopes.join(', ')}`, (value): value is Scope =>
    scopes.includes(value as Scope),
  ),
);

const ranks = optional(matching('a rank set such as "0-3,7"', (value) => typeof value === 'string'));

export const continueArguments = record<ContinueArguments>({
  threadId: integer,
  singleThread: optional(flag),
  scope,
  ranks,
});

export const stepArguments = record<StepArguments>({
  threadId: integer,
  singleThread: optional(flag),
  granularity: optional(oneOf(['statement', 'line', 'instruction'])),
  anyway: optional(flag),
  scope,
  ranks,
});

export const pauseArguments = record<PauseArguments>({
  threadId: optional(integer),
  singleThread: optional(flag),
  scope,
  ranks,
});

export const gotoTargetsArguments = record<DebugProtocol.GotoTargetsArguments>({
  source,
  line: integer,
  column: unread,
});

export const gotoArguments = record<DebugProtocol.GotoArguments>({ threadId: integer, targetId: integer });

export const exceptionInfoArguments = record<DebugProtocol.ExceptionInfoArguments>({ threadId: integer });

export const stackTraceArguments = record<DebugProtocol.StackTraceArguments>({
  threadId: integer,
  startFrame: optional(count),
  levels: optional(count),
  format: unread,
});

export const scopesArguments = record<DebugProtocol.ScopesArguments>({ frameId: integer });

export const variablesArguments = record<DebugProtocol.VariablesArguments>({
  variablesReference: integer,
  filter: optional(oneOf(['indexed', 'named'])),
  start: optional(count),
  count: optional(count),
  format: optional(format),
});

export const evaluateArguments = record<DebugProtocol.EvaluateArguments>({
  expression: text,
  frameId: optional(integer),
  line: unread,
  column: unread,
  source: unread,
  context: optional(text),
  format: optional(format),
});

export const setVariableArguments = record<DebugProtocol.SetVariableArguments>({
  variablesReference: integer,
  name: text,
  value: text,
  format: optional(format),
});

export const setExpressionArguments = record<DebugProtocol.SetExpressionArguments>({
  expression: text,
  value: text,
  frameId: optional(integer),
  format: optional(format),
});

export const completionsArguments = record<DebugProtocol.CompletionsArguments>({
  frameId: optional(integer),
  text,
  column: integer,
  line: unread,
});

export const modulesArguments = record<DebugProtocol.ModulesArguments>({
  startModule: optional(count),
  moduleCount: optional(count),
});

export const sourceArguments = record<Pick<DebugProtocol.SourceArguments, 'source'>>({ source: optional(source) });

export const readMemoryArguments = record<DebugProtocol.ReadMemoryArguments>({
  memoryReference: text,
  offset: optional(integer),
  count,
});

export const writeMemoryArguments = record<DebugProtocol.WriteMemoryArguments>({
  memoryReference: text,
  offset: optional(integer),
  allowPartial: unread,
  data: text,
});

export const disassembleArguments = record<DebugProtocol.DisassembleArguments>({
  memoryReference: text,
  offset: optional(integer),
  instructionOffset: optional(integerWithin(-maxInstructions, maxInstructions)),
  instructionCount: integerWithin(0, maxInstructions),
  resolveSymbols: unread,
});
