/** What a session on core files leaves out: everything that needs a process. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { coreCannotRun } from './errors';

/** Requests that set something going or change something. */
const refused: Readonly<Record<string, string>> = {
  continue: 'continue',
  next: 'step',
  stepIn: 'step',
  stepOut: 'step',
  pause: 'be paused',
  goto: 'go elsewhere',
  gotoTargets: 'go elsewhere',
  setVariable: 'be changed',
  setExpression: 'be changed',
  writeMemory: 'be changed',
};

const settingBreakpoints = [
  'setBreakpoints',
  'setFunctionBreakpoints',
  'setInstructionBreakpoints',
  'setDataBreakpoints',
  'setExceptionBreakpoints',
];

/** What a client is told when the job turns out to be one of core files. */
export const postmortemCapabilities: DebugProtocol.Capabilities = {
  supportsSetVariable: false,
  supportsSetExpression: false,
  supportsWriteMemoryRequest: false,
  supportsGotoTargetsRequest: false,
  supportsFunctionBreakpoints: false,
  supportsDataBreakpoints: false,
  supportsInstructionBreakpoints: false,
  supportsBreakpointLocationsRequest: false,
  supportsTerminateRequest: false,
  supportsSteppingGranularity: false,
};

/**
 * The answer to a request that makes no sense on core files; undefined: it makes sense. Throws RequestError for what a
 * process would have to do.
 */
export function postmortemAnswer(command: string, args: unknown): object | undefined {
  const what = refused[command];
  if (what !== undefined) throw coreCannotRun(what);
  if (!settingBreakpoints.includes(command)) return undefined;
  const { breakpoints = [], filters = [] } = (args ?? {}) as { breakpoints?: unknown[]; filters?: unknown[] };
  const message = 'a core file does not run: nothing stops here';
  return { breakpoints: [...breakpoints, ...filters].map(() => ({ verified: false, message, reason: 'failed' })) };
}
