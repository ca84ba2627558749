/**
 * What the arguments of requests have to be, as DAP says: a client may send any JSON. Handlers get nothing of another type,
 * and null, which some clients write for what is not there, is not there.
 */
import { wrongArguments } from './errors';

type Shape = 'text' | 'integer' | 'flag' | readonly [Shape] | Fields;

interface Fields {
  readonly [name: string]: Shape;
}

/** What a handler cannot do without: "command" or "command.breakpoints". */
const needed: ReadonlyMap<string, readonly string[]> = new Map([
  ['setBreakpoints', ['source']],
  ['setBreakpoints.breakpoints', ['line']],
  ['setFunctionBreakpoints', ['breakpoints']],
  ['setFunctionBreakpoints.breakpoints', ['name']],
  ['setExceptionBreakpoints', ['filters']],
  ['setExceptionBreakpoints.filterOptions', ['filterId']],
  ['setDataBreakpoints', ['breakpoints']],
  ['setDataBreakpoints.breakpoints', ['dataId']],
  ['setInstructionBreakpoints', ['breakpoints']],
  ['setInstructionBreakpoints.breakpoints', ['instructionReference']],
  ['breakpointLocations', ['source', 'line']],
  ['dataBreakpointInfo', ['name']],
  ['gotoTargets', ['source', 'line']],
  ['evaluate', ['expression']],
  ['setVariable', ['name', 'value']],
  ['setExpression', ['expression', 'value']],
  ['completions', ['text', 'column']],
  ['readMemory', ['memoryReference', 'count']],
  ['writeMemory', ['memoryReference', 'data']],
  ['disassemble', ['memoryReference', 'instructionCount']],
]);

const rules: Fields = { condition: 'text', hitCondition: 'text', logMessage: 'text' };
const source: Fields = { name: 'text', path: 'text', sourceReference: 'integer' };
const place: Fields = { source, line: 'integer', column: 'integer', endLine: 'integer', endColumn: 'integer' };
const moving: Fields = { threadId: 'integer', singleThread: 'flag', granularity: 'text' };
const inMemory: Fields = { memoryReference: 'text', offset: 'integer' };
const format: Fields = { hex: 'flag' };

/** Those that launch, attach, restart and our own requests look at themselves are not here. */
const shapes: ReadonlyMap<string, Fields> = new Map(
  Object.entries<Fields>({
    cancel: { requestId: 'integer', progressId: 'text' },
    disconnect: { terminateDebuggee: 'flag' },

    setBreakpoints: {
      ...{ source, lines: ['integer'] },
      breakpoints: [{ ...rules, line: 'integer', column: 'integer' }],
    },
    setFunctionBreakpoints: { breakpoints: [{ ...rules, name: 'text' }] },
    setExceptionBreakpoints: { filters: ['text'], filterOptions: [{ filterId: 'text', condition: 'text' }] },
    setDataBreakpoints: { breakpoints: [{ ...rules, dataId: 'text', accessType: 'text' }] },
    setInstructionBreakpoints: { breakpoints: [{ ...rules, instructionReference: 'text', offset: 'integer' }] },
    breakpointLocations: place,
    dataBreakpointInfo: {
      ...{ name: 'text', variablesReference: 'integer', frameId: 'integer' },
      ...{ bytes: 'integer', asAddress: 'flag', mode: 'text' },
    },
    exceptionInfo: { threadId: 'integer' },

    stackTrace: { threadId: 'integer', startFrame: 'integer', levels: 'integer', format: {} },
    scopes: { frameId: 'integer' },
    variables: { variablesReference: 'integer', filter: 'text', start: 'integer', count: 'integer', format },
    evaluate: { expression: 'text', frameId: 'integer', context: 'text', format },
    setVariable: { variablesReference: 'integer', name: 'text', value: 'text', format },
    setExpression: { expression: 'text', value: 'text', frameId: 'integer', format },
    completions: { frameId: 'integer', text: 'text', column: 'integer', line: 'integer' },

    continue: moving,
    next: moving,
    stepIn: moving,
    stepOut: moving,
    pause: moving,
    gotoTargets: place,
    goto: { threadId: 'integer', targetId: 'integer' },

    modules: { startModule: 'integer', moduleCount: 'integer' },
    source: { source, sourceReference: 'integer' },
    readMemory: { ...inMemory, count: 'integer' },
    writeMemory: { ...inMemory, data: 'text', allowPartial: 'flag' },
    disassemble: { ...inMemory, instructionOffset: 'integer', instructionCount: 'integer', resolveSymbols: 'flag' },

    'mpidbg/rankSet': { dimension: 'integer', stoppedLike: 'integer', frameId: 'integer' },
    'mpidbg/value': { frameId: 'integer' },
    'mpidbg/show': { frameId: 'integer' },
  }),
);

/** Throws RequestError, which names the argument that is something else. */
export function checkedArguments(command: string, args: unknown): object {
  return fieldsOf(args ?? {}, shapes.get(command) ?? {}, { command, path: command, name: '' });
}

/** Where a value is: `name` as the user reads it, `path` without the places in lists. */
interface At {
  readonly command: string;
  readonly path: string;
  readonly name: string;
}

function checked(value: unknown, shape: Shape, at: At): unknown {
  if (typeof shape === 'string') {
    if (isOf[shape](value)) return value;
    throw wrongArguments(at.command, `"${at.name}" has to be ${words[shape]}`);
  }
  if (!isList(shape)) return fieldsOf(value, shape, at);
  if (!Array.isArray(value)) throw wrongArguments(at.command, `"${at.name}" has to be a list`);
  return value.map((item: unknown, i) => checked(item, shape[0], { ...at, name: `${at.name}[${i}]` }));
}

const isOf = {
  text: (value: unknown) => typeof value === 'string',
  integer: (value: unknown) => Number.isSafeInteger(value),
  flag: (value: unknown) => typeof value === 'boolean',
};

const words = { text: 'a text', integer: 'a whole number', flag: 'true or false' };

function isList(shape: readonly [Shape] | Fields): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function fieldsOf(value: unknown, fields: Fields, { command, path, name }: At): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongArguments(command, `${name === '' ? 'what is sent with it' : `"${name}"`} has to be an object`);
  const given = new Map<string, unknown>(Object.entries(value));
  const nameOf = (field: string): string => (name === '' ? field : `${name}.${field}`);
  for (const [field, shape] of Object.entries(fields)) {
    const each = given.get(field) ?? undefined;
    if (each === undefined) given.delete(field);
    else given.set(field, checked(each, shape, { command, path: `${path}.${field}`, name: nameOf(field) }));
  }
  const missing = needed.get(path)?.find((field) => !given.has(field));
  if (missing !== undefined) throw wrongArguments(command, `"${nameOf(missing)}" is missing`);
  return Object.fromEntries(given);
}
