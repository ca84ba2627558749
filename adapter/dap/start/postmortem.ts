/** What a session on core files leaves out: everything that needs a process. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { isAssignment } from '../../gdb/mi/look';
import { coreCannotRun } from '../client/errors';

/** Requests that set something going or change something. */
const refused: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
  }),
);

/** Commands of gdb, with the abbreviations that it takes, that would start a process, or lose the core file. */
const runningCommands =
  /^(r|run|start|starti|c|cont|continue|fg|s|step|si|stepi|n|next|ni|nexti|u|until|advance|fin|finish|j|jump|call|k|kill|signal|attach|detach|disconnect|target|tar|core|core-file|file|exec-file|checkpoint|restart|record|rc|reverse-\w+)\b/;

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
  const what = refused.get(command);
  if (what !== undefined) throw coreCannotRun(what);
  if (command === 'evaluate') checkExpression((args as Partial<DebugProtocol.EvaluateArguments>).expression ?? '');
  if (!settingBreakpoints.includes(command)) return undefined;
  const { breakpoints = [], filters = [] } = (args ?? {}) as { breakpoints?: unknown[]; filters?: unknown[] };
  const message = 'a core file does not run: nothing stops here';
  return { breakpoints: [...breakpoints, ...filters].map(() => ({ verified: false, message, reason: 'failed' })) };
}

/** Throws RequestError. gdb itself would say of an assignment that the memory cannot be accessed. */
function checkExpression(expression: string): void {
  const ofGdb = /^\s*-exec\s+(.*)$/s.exec(expression)?.[1];
  if (ofGdb !== undefined && runningCommands.test(ofGdb)) throw coreCannotRun('run');
  const changing = ofGdb === undefined ? expression : /^(?:set\s+var\w*|p|print|output)\b(.*)$/s.exec(ofGdb)?.[1];
  // gdb's own variables, as in "$i = 3", are in no process.
  if (changing !== undefined && !/^\s*\$/.test(changing) && isAssignment(changing, 'unknown'))
    throw coreCannotRun('be changed');
}
