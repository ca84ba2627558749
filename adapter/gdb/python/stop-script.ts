/**
 * Python functions for gdb's breakpoint conditions: the rank of a process, hit counts per rank, and log messages
 * instead of stops. gdb calls them while it decides whether a breakpoint stops a thread, so that a step continues as if
 * there were no breakpoint, and passing ranks do not wait for the adapter.
 */
import type { MpiFunction } from '../../../plugin-api/fortran/call-words';
import type { MiCommands } from '../mi/context';
import { maxEvaluation, maxEvaluationAgain } from '../mi/evaluation-limit';
import { tookTooLong } from '../mi/failure';
import { GdbError } from '../mi/mi-connection';
import { withVisibleEscapes } from '../mi/text-escapes';

/**
 * A part of a log message: text, or an expression that is written for gdb; `instead`: as in StopRule; `names`: an expression with all
 * of its names, as some may be hidden in functions by then.
 */
export type LogPart = string | { expression: string; instead?: string | undefined; names?: string };

/** `count` is compared with a rank's hits so far, including this one; '%': every so many hits. */
export interface HitTest {
  operator: '<' | '<=' | '==' | '!=' | '>=' | '>' | '%';
  count: number;
}

/** When one breakpoint stops. With `log` it never does. */
export interface StopRule {
  hits?: HitTest | undefined;
  log?: readonly LogPart[] | undefined;
  /**
   * Decides first; written for gdb, in the language of the place. Hits for which it is false are not counted. Where it
   * cannot be evaluated, a rank stops the first time for each reason, and goes on from then on.
   */
  condition?: string | undefined;
  /** Where gdb would call an operator or a method of the program for the condition: the same without. */
  instead?: string | undefined;
  /** A function of MPI: nested bindings of one call are one hit, and its condition may have words such as $tag. */
  call?: MpiFunction | undefined;
  /** The number of the only inferior that it stops. */
  inferior?: number | undefined;
}

/** What a rule says of the inferior with this number ("i3" is 3): the text of a log point, or why a condition cannot be evaluated. */
export type ToldByRule = { rule: number; inferior: number } & (
  { kind: 'logged'; text: string } | { kind: 'failed'; why: string }
);

/** The same as gdb's Python writes it: a log point's text in parts, its values in gdb's words. */
type WrittenByRule =
  | Extract<ToldByRule, { kind: 'failed' }>
  | (Omit<Extract<ToldByRule, { kind: 'logged' }>, 'text'> & { parts: (string | { value: string })[] });

/** This gdb has no Python. */
export class NoPythonError extends GdbError {
  constructor(command: string) {
    super(
      'this gdb was built without Python, which is needed for $rank, hit counts, log messages, instruction breakpoints, ' +
        'comparisons of text and Fortran components named like intrinsics: use a gdb with Python, as distributions ship it',
      command,
    );
    this.name = 'NoPythonError';
  }
}

/** Of a name that only a library has which is not meant. */
export function foreignSymbol(name: string): string {
  return `No symbol "${name}" in current context, only in a library that is not the place's`;
}

const mark = '\u0001mpidbg ';

/** The function behind codeOf. */
export const instructionPlace = `
import gdb, re
try:
    _MpidbgCode
except NameError:
    class _MpidbgCode(gdb.Function):
        def invoke(self, inferior, address):
            if gdb.selected_inferior().num == int(inferior):
                return address
            try:
                entry = re.search(r'AT_ENTRY.*?(0x[0-9a-f]+)', gdb.execute('info auxv', to_string=True))
            except gdb.error:
                # An inferior without a process.
                entry = None
            return gdb.Value(int(entry.group(1), 16)) if entry else address
    _MpidbgCode('_mpidbg_code')
`;

const script = `
import contextlib, gdb, json, re, signal
${instructionPlace}
try:
    _mpidbg
except NameError:
    class _mpidbg:
        ranks = {}
        rules = {}
        counts = {}
        calls = {}
        failures = {}
        # Seconds of processor time that an expression may take, and those that took longer.
        most = ${maxEvaluation / 1000}
        most_again = ${maxEvaluationAgain / 1000}
        slow = set()
        symbols = {}
        @staticmethod
        def forget_symbols(event):
            _mpidbg.symbols.clear()
        @staticmethod
        def symbol(name):
            key = gdb.selected_inferior().num, name
            if key not in _mpidbg.symbols:
                _mpidbg.symbols[key] = gdb.parse_and_eval('(long)&' + name)
            return _mpidbg.symbols[key]
        @staticmethod
        def rank():
            return _mpidbg.ranks.get(gdb.selected_inferior().num, ((), -1))
        @staticmethod
        @contextlib.contextmanager
        def reading(expression):
            # While it decides, gdb may still have the language of an earlier frame.
            gdb.newest_frame().select()
            # As in read-only.ts and evaluation-limit.ts: nobody else can end what a condition does.
            late, again = [], expression in _mpidbg.slow
            def end(number, frame):
                late.append(number)
                raise gdb.error('late')
            before = signal.signal(signal.SIGPROF, end)
            signal.setitimer(signal.ITIMER_PROF, _mpidbg.most_again if again else _mpidbg.most, 0.05)
            try:
                with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False):
                    yield
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.signal(signal.SIGPROF, before)
                if late:
                    _mpidbg.slow.add(expression)
                    raise gdb.error('${tookTooLong(maxEvaluationAgain)}' if again else '${tookTooLong(maxEvaluation)}')
        calling = re.compile('operator|Cannot (?:evaluate|resolve|call) |evaluation of this expression requires|xmethod|No symbol "(?:[^"]*<|nullopt")|do that binary op on that type|Attempt to take address of value not')
        @staticmethod
        def evaluated(expression, instead):
            expression = _mpidbg.written(expression)
            fault = '_mpidbg_class_casts' in globals() and gdb.selected_frame().language() != 'fortran' and _mpidbg_class_casts.fault(expression)
            if fault:
                raise gdb.error(fault)
            try:
                return gdb.parse_and_eval(expression)
            except (gdb.error, RuntimeError) as error:
                if instead is None:
                    raise
                first = error
            try:
                return gdb.parse_and_eval(_mpidbg.written(instead))
            except (gdb.error, RuntimeError) as error:
                raise error if _mpidbg.calling.search(str(first)) else first
        @staticmethod
        def value(expression, instead=None, names=''):
            try:
                with _mpidbg.reading(expression):
                    foreign = _mpidbg.foreign(names)
                    if foreign:
                        return '<%s>' % (_mpidbg.no_symbol % foreign)
                    value = _mpidbg.plain(_mpidbg.evaluated(expression, instead))
                    handles = globals().get('_mpidbg_handles')
                    with gdb.with_parameter('print null-stop', True):
                        return handles and handles.text(value) or value.format_string(max_elements=100)
            except gdb.error as error:
                refused = str(error).startswith('Cannot call functions in the program')
                return '<%s>' % ('this would call a function of the program' if refused else str(error).replace('Error occurred in Python: ', ''))
        no_symbol = ${JSON.stringify(foreignSymbol('%s'))}
        foreign_at = {}
        @staticmethod
        def foreign(expression):
            check = globals().get('_mpidbg_check')
            try:
                key = expression, gdb.selected_inferior().num, gdb.selected_frame().pc()
                if check and key not in _mpidbg.foreign_at:
                    _mpidbg.foreign_at[key] = check.foreign_in(expression)
            except RuntimeError:
                # The frame has no block: it has no names of its own.
                return None
            return _mpidbg.foreign_at.get(key)
        @staticmethod
        def plain(value):
            # A CHARACTER of deferred length is a pointer to gdb.
            type = value.type
            isText = type.code == gdb.TYPE_CODE_PTR and type.target().code == gdb.TYPE_CODE_STRING
            if isText and int(value) != 0:
                return value.dereference()
            return value.referenced_value() if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF) else value
        @staticmethod
        def holds(condition, instead):
            with _mpidbg.reading(condition):
                value = _mpidbg.plain(_mpidbg.evaluated(condition, instead))
                if _mpidbg.has_truth(value):
                    return bool(value)
                # Python would look at the bytes of an object.
                if instead is None:
                    raise gdb.error('a value of type %s is neither true nor false' % (value.type.name or 'without a name'))
                return bool(gdb.parse_and_eval(_mpidbg.written(instead)))
        @staticmethod
        def has_truth(value):
            code = value.type.strip_typedefs().code
            isFortran = gdb.newest_frame().language() == 'fortran'
            return code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and not (isFortran and code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING))
        @staticmethod
        def written(expression):
            # See namespace-names.ts and fortran-conditions.ts.
            for writer in ('_mpidbg_namespaces', '_mpidbg_fortran'):
                if writer in globals():
                    expression = globals()[writer].written(expression)
            return expression
        @staticmethod
        def is_call(number, call, place, inferior):
            # Counts it. Every call is looked at, so that the next one can be compared with it.
            if not _mpidbg_calls.enter(number, call, place) or _mpidbg_calls.is_inner(number):
                return False
            calls = _mpidbg.calls.setdefault(number, {})
            calls[inferior] = calls.get(inferior, 0) + 1
            return True
        @staticmethod
        def failed(number, inferior, why):
            # Whether it is new in this rank: another address is no other reason.
            reasons = _mpidbg.failures.setdefault(number, {}).setdefault(inferior, set())
            reason = re.sub(r'0x[0-9a-f]+|\\d+', '', why)
            if reason in reasons:
                return False
            reasons.add(reason)
            _mpidbg.tell(number, inferior, {'kind': 'failed', 'why': why})
            return True
        @staticmethod
        def tell(number, inferior, told):
            line = json.dumps({'rule': number, 'inferior': inferior, **told})
            gdb.write('\\x01mpidbg ' + line + '\\n', gdb.STDLOG)
    class _MpidbgRank(gdb.Function):
        def invoke(self):
            return _mpidbg.rank()[1]
    class _MpidbgSymbol(gdb.Function):
        def invoke(self, *codes):
            try:
                return _mpidbg.symbol(bytes(int(code) for code in codes).decode())
            except (gdb.error, RuntimeError) as error:
                raise gdb.GdbError(str(error))
    class _MpidbgRankIn(gdb.Function):
        def invoke(self, *numbers):
            own, rank = _mpidbg.rank()
            numbers = tuple(int(each) for each in numbers)
            while numbers:
                parts, numbers = numbers[0], numbers[1:]
                world, first, last = numbers[:parts], numbers[parts], numbers[parts + 1]
                if world == own and first <= rank <= last:
                    return 1
                numbers = numbers[parts + 2:]
            return 0
    class _MpidbgStop(gdb.Function):
        def invoke(self, number, place=0):
            number = int(number)
            rule = _mpidbg.rules.get(number, {})
            inferior = gdb.selected_inferior().num
            if rule.get('inferior', inferior) != inferior:
                return 0
            condition, log = rule.get('condition'), rule.get('log')
            try:
                if 'call' in rule and not _mpidbg.is_call(number, rule['call'], int(place), inferior):
                    return 0
                if condition is not None and not _mpidbg.holds(condition, rule.get('instead')):
                    return 0
            except Exception as error:
                return int(_mpidbg.failed(number, inferior, str(error)) and log is None)
            counts = _mpidbg.counts.setdefault(number, {})
            count = counts[inferior] = counts.get(inferior, 0) + 1
            hits = rule.get('hits')
            if hits:
                wanted = hits['count']
                stops = {
                    '<': count < wanted, '<=': count <= wanted, '==': count == wanted, '!=': count != wanted,
                    '>=': count >= wanted, '>': count > wanted, '%': wanted > 0 and count % wanted == 0,
                }[hits['operator']]
                if not stops:
                    return 0
            if log is None:
                return 1
            parts = [part if isinstance(part, str) else {'value': _mpidbg.value(**part)} for part in log]
            _mpidbg.tell(number, inferior, {'kind': 'logged', 'parts': parts})
            return 0
    for event in (gdb.events.new_objfile, gdb.events.clear_objfiles):
        event.connect(_mpidbg.forget_symbols)
    _MpidbgRank('_mpidbg_rank')
    _MpidbgSymbol('_mpidbg_symbol')
    _MpidbgRankIn('_mpidbg_rank_in')
    _MpidbgStop('_mpidbg_stop')
`;

/** A rank as conditions know it; `world`: "0.1". */
export interface NumberedInferior {
  readonly inferior: number;
  readonly world: string;
  readonly number: number;
}

/** Brings the functions into this gdb. Rejects with NoPythonError, GdbError. */
export async function prepareStopScript(gdb: MiCommands, ranks: readonly NumberedInferior[]): Promise<void> {
  const entries = ranks.map(
    ({ inferior, world, number }) => `${inferior}: ((${partsOf(world).join(', ')},), ${number})`,
  );
  await runPython(gdb, `${script}\n_mpidbg.ranks = {${entries.join(', ')}}`);
}

/** gdb's functions get numbers: it would place a text in the process. */
function partsOf(world: string): readonly number[] {
  return world.split('.').map(Number);
}

/**
 * An instruction of one inferior. gdb 13 inserts a breakpoint at a bare address into all inferiors. If nothing is
 * mapped there, that fails and the inferior can no longer run, so the others get it at their program's entry.
 */
export function codeOf(inferior: number, address: bigint): string {
  return `$_mpidbg_code(${inferior}, 0x${address.toString(16)})`;
}

/** Uses this number from now on, and counts from zero. */
export async function setStopRule(gdb: MiCommands, number: number, rule: StopRule): Promise<void> {
  const set = `_mpidbg.rules[${number}] = json.loads(${JSON.stringify(JSON.stringify(rule))})`;
  await runPython(
    gdb,
    `${set}\nfor _mpidbg_forgotten in (_mpidbg.counts, _mpidbg.calls, _mpidbg.failures): _mpidbg_forgotten.pop(${number}, None)`,
  );
}

/** A condition in which the rule decides; `place`: of several breakpoints that it has. Of any language that gdb knows. */
export function ruleCondition(number: number, place?: number): string {
  return place === undefined ? `$_mpidbg_stop(${number})` : `$_mpidbg_stop(${number}, ${place})`;
}

/**
 * The address of a library's symbol in a condition or log message. gdb would look for it in all libraries at every hit, and refuse
 * the condition as long as one inferior has not loaded the library.
 */
export function symbolAddress(name: string): string {
  return `$_mpidbg_symbol(${[...Buffer.from(name)].join(', ')})`;
}

/** For a gdb without functions. */
export function withPlainSymbols(expression: string): string {
  const call = /\$_mpidbg_symbol\(([\d, ]*)\)/g;
  return expression.replace(call, (_, codes: string) => `&${Buffer.from(codes.split(',').map(Number)).toString()}`);
}

/** Ranks of one world, both ends included. */
export interface RangesOfWorld {
  readonly world: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** `$rank`, and `$rank in 0-3,0.1:7`, for gdb; `read` reads the set. Text without them comes back as it is. */
export function withRank(condition: string, read: (set: string) => readonly RangesOfWorld[]): string {
  return replaceRank(condition, '$_mpidbg_rank()', (set) => {
    const numbers = read(set).flatMap(({ world, ranges }) => {
      const parts = partsOf(world);
      return ranges.map((ends) => [parts.length, ...parts, ...ends].join());
    });
    return `$_mpidbg_rank_in(${numbers.join()})`;
  });
}

/** Whether it asks for a number that ranks of several worlds may have. */
export function asksForNumber(condition: string): boolean {
  return /\$rank\b/.test(condition.replace(rankInSet, ''));
}

/** The expression in one rank, where `$rank` and sets of ranks are numbers: 1 when `isIn` says that the rank is in the set, else 0. */
export function inOneRank(expression: string, rank: number, isIn: (set: string) => boolean): string {
  return replaceRank(expression, `${rank}`, (set) => (isIn(set) ? '1' : '0'));
}

/** Worlds are named in front of their ranks: 0-3,0.1:0-1. */
const rankInSet = /\$rank\s+in\s+((?:\d+(?:\.\d+)*:)?\d+(?:\s*-\s*\d+|\s*,\s*(?:\d+(?:\.\d+)*:)?\d+)*)/g;

function replaceRank(text: string, rank: string, rankIn: (set: string) => string): string {
  return text.replace(rankInSet, (_, set: string) => rankIn(set)).replace(/\$rank\b/g, () => rank);
}

/** Parses a line of gdb's log; undefined for gdb's own lines. */
export function toldByRule(line: string): ToldByRule | undefined {
  if (!line.startsWith(mark)) return undefined;
  const told = JSON.parse(line.slice(mark.length)) as WrittenByRule;
  if (told.kind === 'failed') return told;
  const { parts, ...others } = told;
  return {
    ...others,
    text: parts.map((part) => (typeof part === 'string' ? part : withVisibleEscapes(part.value))).join(''),
  };
}

/** As one line without quotes: what a console command can carry. Rejects with NoPythonError, GdbError. */
export async function runPython(gdb: MiCommands, source: string): Promise<void> {
  const encoded = Buffer.from(source).toString('base64');
  const command = `python import base64; exec(base64.b64decode('${encoded}').decode())`;
  try {
    await gdb.console(command);
  } catch (error) {
    if (error instanceof GdbError && error.failure.reason === 'noPython') throw new NoPythonError(command);
    throw error;
  }
}

/** By gdb: the scripts that it has. */
const given = new WeakMap<MiCommands, Map<string, Promise<void>>>();

/** Runs a script once per gdb, however often it is asked for. Rejects with NoPythonError, GdbError. */
export function runPythonOnce(gdb: MiCommands, source: string): Promise<void> {
  const ofGdb = given.get(gdb) ?? new Map<string, Promise<void>>();
  given.set(gdb, ofGdb);
  let run = ofGdb.get(source);
  if (run === undefined) {
    run = runPython(gdb, source);
    ofGdb.set(source, run);
    run.catch(() => ofGdb.delete(source));
  }
  return run;
}
