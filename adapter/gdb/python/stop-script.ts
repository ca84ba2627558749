/**
 * Python functions for gdb's breakpoint conditions: the rank of a process, hit counts per rank, and log messages
 * instead of stops. gdb calls them while it decides whether a breakpoint stops a thread, so that a step continues as if
 * there were no breakpoint, and passing ranks do not wait for the adapter.
 */
import type { MiCommands } from '../mi/context';
import { maxEvaluation, maxEvaluationAgain } from '../mi/evaluation-limit';
import { tookTooLong } from '../mi/failure';
import { boundedTextScript } from './bounded-text';
import { foreignSymbol } from './library-symbols';
import { partsOfWorld } from './rank-words';
import { runPython, runPythonOnce } from './run-python';
import type { StopRule } from './stop-rule';

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
import contextlib, gdb, json, re, signal, time
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
        # When it began to decide.
        began = 0
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
            _mpidbg_bounded.late = late
            def end(number, frame):
                late.append(number)
                raise gdb.error('late')
            before = signal.signal(signal.SIGPROF, end)
            # All expressions of a log message have this time together.
            limit = _mpidbg.most_again if again else _mpidbg.most
            used = time.process_time() - _mpidbg.began
            signal.setitimer(signal.ITIMER_PROF, max(0.05, limit - used), 0.05)
            try:
                with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False):
                    yield
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.signal(signal.SIGPROF, before)
                if late and used > limit / 2:
                    raise gdb.error('no time was left for this: what is evaluated before it took %d s' % used)
                if late:
                    _mpidbg.slow.add(expression)
                    raise gdb.error('${tookTooLong(maxEvaluationAgain)}' if again else '${tookTooLong(maxEvaluation)}')
        calling = re.compile('operator|Cannot (?:evaluate|resolve|call) |evaluation of this expression requires|xmethod|Error while executing Python code|Invalid cast|No symbol "(?:[^"]*<|nullopt")|do that binary op on that type|Attempt to take address of value not')
        @staticmethod
        def evaluated(expression, instead):
            expression = _mpidbg.written(expression)
            fault = '_mpidbg_class_casts' in globals() and gdb.selected_frame().language() != 'fortran' and _mpidbg_class_casts.fault(expression)
            if fault:
                raise gdb.error(fault)
            try:
                isFortran = '_mpidbg_logic' in globals() and gdb.selected_frame().language() == 'fortran'
                return _mpidbg_logic.evaluated(expression) if isFortran else gdb.parse_and_eval(expression)
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
                    handle = '_mpidbg_calls' in globals() and _mpidbg_calls.told(expression)
                    if handle:
                        return handle
                    value = _mpidbg.plain(_mpidbg.evaluated(expression, instead))
                    handles = globals().get('_mpidbg_handles')
                    with gdb.with_parameter('print null-stop', True):
                        return handles and handles.text(value) or _mpidbg_bounded.text(value)
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
            number, _mpidbg.began = int(number), time.process_time()
            rule = _mpidbg.rules.get(number, {})
            # Those of MPI's functions are in C, and gdb may still have the language of an earlier frame.
            with gdb.with_parameter('language', 'c') if 'call' in rule else contextlib.nullcontext():
                return self.stops(number, int(place), rule)
        def stops(self, number, place, rule):
            inferior = gdb.selected_inferior().num
            if rule.get('inferior', inferior) != inferior:
                return 0
            condition, log = rule.get('condition'), rule.get('log')
            try:
                if 'call' in rule and not _mpidbg.is_call(number, rule['call'], place, inferior):
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
                isWanted = {
                    '<': count < wanted, '<=': count <= wanted, '==': count == wanted, '!=': count != wanted,
                    '>=': count >= wanted, '>': count > wanted, '%': wanted > 0 and count % wanted == 0,
                }[hits['operator']]
                if not isWanted:
                    return 0
            if log is None:
                return 1
            _mpidbg_bounded.begin()
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
    ({ inferior, world, number }) => `${inferior}: ((${partsOfWorld(world).join(', ')},), ${number})`,
  );
  await runPythonOnce(gdb, boundedTextScript);
  await runPython(gdb, `${script}\n_mpidbg.ranks = {${entries.join(', ')}}`);
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
