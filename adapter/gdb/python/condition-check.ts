/**
 * Finds what is wrong with a condition, or with an expression in a log message, before any rank reaches the breakpoint: unknown
 * names, calls of the program's functions, and operations that its variables' types do not have. gdb parses a condition when it
 * gets it, but evaluates it only at the first hit; here it is evaluated on values that have nothing but the right types.
 */
import { typeNames } from '../../../plugin-api/mpi/describe';
import type { GdbThread, MiCommands } from '../mi/context';
import { fileScopeScript } from './file-scope';
import { copiesScript } from './loaded-copies';
import { prepareOperands } from './fortran-operands';
import { literalScript } from './literal-comparisons';
import { preparePointed } from './pointed-scalars';
import { printedAnswer } from './printed-answer';
import { intrinsics } from './reserved-words';
import { runPythonOnce } from './run-python';
import { partsScript } from './wrong-parts';

export interface ConditionFault {
  /**
   * unknown: nothing has this name; absent: code without debug information knows no such variable; foreign: only a file of another library has it, to itself; call: of this function, or "" of one that has no name in the condition; text: a
   * literal whose address would be taken; type: gdb's words; operands: gdb's words about those of an operator of Fortran.
   */
  kind: 'unknown' | 'absent' | 'foreign' | 'call' | 'text' | 'type' | 'operands';
  what: string;
  /** The operand that needs the call, in a sentence. */
  part?: string | null;
}

const script = `
import contextlib, gdb, json, re
class _mpidbg_check:
    samples, names = [], []
    isActive = False
    token = re.compile(r'"(?:[^"\\\\]|\\\\.)*"|\\'(?:[^\\'\\\\]|\\\\.)*\\'|\\b\\d\\w*|(?P<before>\\.|->|::|%|\\$)?\\s*(?P<name>[A-Za-z_]\\w*\\b)(?!\\s*::)(?P<call>\\s*\\()?')
    calls = re.compile('(?:Error occurred in Python: )?a value of type .* is no container|cannot subscript |The -> operator must not be applied |Can.t do that binary op on that type|Cannot call functions in the program|evaluation of this expression requires|No symbol "operator|Could not find operator|Cannot (?:resolve|evaluate) |No symbol "(?:[^"]*<|nullopt")')
    types = re.compile('Invalid type combination|Attempt to use a type |Attempt to extract a component of a value that is not a structure|Argument to (arithmetic|comparison|logical) operation|Attempt to take contents of a non-pointer|There is no member|Cannot convert|Invalid cast|There is no field named |No symbol .* in namespace|No type .* within class or namespace')
    # What gdb's own functions say of their arguments.
    arguments = re.compile(r'(?:Error occurred in Python: )?(Trying to read string with inappropriate type .*|expected a complex number|You must provide .*|First argument of .*|(?:missing|unterminated|nothing to repeat|unbalanced|bad) .*)')
    invoked = re.compile(r'Error occurred in Python: \\w+\\.invoke\\(\\) (?:missing|takes) ')
    history = re.compile(r'(?<![\\w$])\\$\\$?\\d*(?![\\w$])')
    number = r'\\$_mpidbg_(?P<word>rank|call_(?!comm|datatype)\\w+)\\(\\)'
    compared = [re.compile(form) for form in (r'\\s*' + number + r'\\s*(?:[=!<>]=|[<>])(?P<other>.+)', r'(?P<other>.+?)(?:[=!<>]=|[<>])\\s*' + number + r'\\s*')]
    fortran_types = re.compile('Invalid type combination|Argument to (arithmetic|comparison|logical) operation|Invalid operation on booleans')
    sizes = re.compile(r'\\b(?:sizeof|_Alignof)(?:\\s*(?=\\()|\\s+[*&]*\\$?\\w+(?:\\(\\d+\\))?)', re.I)
    intrinsics = set(${JSON.stringify([...intrinsics, 'sizeof'])})
    handles = set(${JSON.stringify(Object.values(typeNames))})
    keywords = set('sizeof _Alignof __typeof__ alignof struct union enum class const volatile signed unsigned short long int char float double bool void wchar_t char16_t char32_t true false and or not'.split())
    noText = re.compile('.* is no text and')
    @staticmethod
    def symbol(name, block):
        try:
            return gdb.lookup_symbol(name, block)[0]
        except gdb.error:
            return None
    @staticmethod
    def is_function(name, found):
        if found is not None:
            return found.is_function
        # Without debug information a library's function is a minimal symbol, which Python cannot look up.
        try:
            return gdb.parse_and_eval(name).type.code == gdb.TYPE_CODE_FUNC
        except (gdb.error, RuntimeError):
            return False
    @staticmethod
    def is_offered(name, address):
        # To code without debug information: gdb would also look in the frame that is selected now, and in all files.
        try:
            gdb.parse_and_eval('sizeof(::%s)' % name)
        except (gdb.error, RuntimeError):
            return False
        if gdb.lookup_global_symbol(name) is not None:
            return True
        symbol = gdb.lookup_static_symbol(name)
        if symbol is None or symbol.symtab is None:
            return True
        objfile = symbol.symtab.objfile
        return (objfile.owner or objfile).filename in (gdb.current_progspace().filename, gdb.solib_name(address))
    @staticmethod
    def type(name, block):
        found = _mpidbg_check.symbol(name, block)
        if found is not None:
            return found.type if found.is_variable or found.is_argument else None
        this = _mpidbg_check.symbol('this', block)
        fields = this.type.target().strip_typedefs().fields() if this else []
        return next((field.type for field in fields if field.name == name), None)
    @staticmethod
    def is_foreign(name, block, isFortran):
        # As in show and watch: of what one file has to itself, that of the program and of the code's own library.
        table = _mpidbg_scope.table(name, block, not isFortran)
        if table is None:
            return False
        def file(table):
            objfile = table.objfile
            return (objfile.owner or objfile).filename
        here = gdb.find_pc_line(block.start).symtab
        return file(table) not in (gdb.current_progspace().filename, here and file(here))
    @staticmethod
    def foreign_in(expression):
        # In the selected frame.
        frame = gdb.selected_frame()
        isFortran = frame.language() == 'fortran'
        block = frame.block()
        for match in _mpidbg_check.token.finditer(expression):
            name, before = match.group('name'), match.group('before')
            if name is None or before is not None and not (isFortran and before == '.'):
                continue
            name = name.lower() if isFortran else name
            if not (match.group('call') and isFortran) and _mpidbg_check.is_foreign(name, block, isFortran):
                return match.group('name')
        return None
    @staticmethod
    def sample(type, address):
        if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            type = type.target()
        if gdb.parameter('language') == 'fortran':
            type = _mpidbg_pointed.scalar(type) or type
        at, type = gdb.Value(address), _mpidbg_check.of_fixed_size(type)
        if type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            return at.cast(type)
        return at.cast(type.pointer()).dereference()
    @staticmethod
    def pointed(pointer, address):
        # A component: what it leads to is not known before the breakpoint is hit, only its type.
        type = _mpidbg_pointed.scalar(gdb.parse_and_eval(pointer).type)
        _mpidbg_check.samples.append(_mpidbg_check.sample(type, address))
        _mpidbg_check.names.append(pointer)
        return '$_mpidbg_sample(%d)' % (len(_mpidbg_check.samples) - 1)
    @staticmethod
    def of_fixed_size(type):
        # Only a frame knows how many elements some arrays of C have, and some CHARACTERs.
        plain = type.strip_typedefs()
        if plain.dynamic and plain.code == gdb.TYPE_CODE_STRING:
            return plain.target().array(1, 1)
        if plain.code == gdb.TYPE_CODE_PTR:
            return _mpidbg_check.of_fixed_size(plain.target()).pointer() if plain.target().code == gdb.TYPE_CODE_ARRAY else type
        return _mpidbg_check.of_fixed_size(plain.target()).array(0) if plain.dynamic and plain.code == gdb.TYPE_CODE_ARRAY else type
    @staticmethod
    def words(values='.*'):
        return set(re.findall(r'^\\$(\\w+) = (?:%s)$' % values, gdb.execute('show convenience', to_string=True), re.M))
    @staticmethod
    def is_register(word):
        # Those of the processor that a frame knows are more than those of the architecture. What nothing is called is void, without an error.
        try:
            return gdb.parse_and_eval('$' + word).type.code != gdb.TYPE_CODE_VOID
        except (gdb.error, RuntimeError):
            return True
    @staticmethod
    def unknown(expression):
        bare = re.sub(r'"(?:[^"\\\\]|\\\\.)*"', '""', expression)
        words = set(re.findall(r'\\$([A-Za-z_]\\w*)', bare))
        if words:
            # Whatever gdb has parsed once is listed as void.
            known = _mpidbg_check.own | _mpidbg_check.words('(?!void$).*')
            known |= {register.name for register in gdb.selected_inferior().architecture().registers()}
            known |= {'pc', 'sp', 'fp', 'ps'}
            for word in sorted(words - known):
                if not _mpidbg_check.is_register(word):
                    return {'kind': 'unknown', 'what': '$' + word}
        for match in _mpidbg_check.history.finditer(re.sub(r"'(?:[^'\\\\]|\\\\.)*'", "''", bare)):
            try:
                gdb.parse_and_eval(match.group(0))
            except (gdb.error, RuntimeError):
                return {'kind': 'unknown', 'what': match.group(0)}
        return None
    @staticmethod
    def fault(expression, address, isFortran, isCondition):
        block = gdb.block_for_pc(address)
        if block is None:
            # There, too, the functions of others can be called.
            for match in _mpidbg_check.token.finditer(expression):
                name = match.group('name')
                if name is None or match.group('before') is not None:
                    continue
                if match.group('call') and _mpidbg_check.is_function(name, None):
                    return {'kind': 'call', 'what': name}
                if name not in _mpidbg_check.keywords and not _mpidbg_check.is_offered(name, address):
                    return {'kind': 'absent', 'what': name}
        if block is None and '$_' not in expression:
            return None
        samples, _mpidbg_check.names = [], []
        _mpidbg_check.samples = samples
        if block and not isFortran and '_mpidbg_namespaces' in globals():
            expression = _mpidbg_namespaces.written_for(expression, block)
        called, foreign, several = [], [], []
        def sampled(match):
            name = match.group('name')
            if name is None or match.group('before') is not None and not (isFortran and match.group('before') == '.'):
                return match.group(0)
            found = _mpidbg_check.symbol(name.lower() if isFortran else name, block)
            # Some library may have a name such as "allocated", too.
            isIntrinsic = isFortran and match.group('call') and name.lower() in _mpidbg_check.intrinsics
            if isIntrinsic and _mpidbg_check.type(name.lower(), block) is None:
                return match.group(0)
            if match.group('call') and _mpidbg_check.is_function(name, found):
                called.append(name)
            elif _mpidbg_check.is_foreign(name.lower() if isFortran else name, block, isFortran):
                foreign.append(name)
            elif not match.group('call'):
                several.append(_mpidbg_copies.undecided(name.lower() if isFortran else name, block))
            type = _mpidbg_check.type(name.lower() if isFortran else name, block)
            if type is None:
                return match.group(0)
            samples.append(_mpidbg_check.sample(type, address))
            _mpidbg_check.names.append(name)
            # What stands before it may be the end of an operator, as in ".or. name".
            before = match.group(0)[:match.start('name') - match.start()]
            return '%s$_mpidbg_sample(%d)%s' % (before, len(samples) - 1, match.group('call') or '')
        # Libraries without debug information have no names of their own.
        written = _mpidbg_check.token.sub(sampled, expression) if block else expression
        refused = _mpidbg_operands.fault(expression, block, isCondition) if block and isFortran else None
        if refused is not None:
            return {'kind': 'type', 'what': refused}
        if called:
            return {'kind': 'call', 'what': called[0]}
        if foreign:
            return {'kind': 'foreign', 'what': foreign[0]}
        for undecided in filter(None, several):
            return {'kind': 'type', 'what': undecided}
        # For a size gdb calls no function, not even the one for samples, whose type it takes for int.
        written = _mpidbg_check.without_sizes(written)
        if isFortran:
            written = _mpidbg_pointed.written(written, True, lambda pointer: _mpidbg_check.pointed(pointer, address))
        cast = None if isFortran or '_mpidbg_class_casts' not in globals() else _mpidbg_class_casts.fault(written)
        if cast is not None:
            return {'kind': 'type', 'what': cast}
        pattern = _mpidbg_parts.pattern(expression)
        if pattern is not None:
            return {'kind': 'type', 'what': pattern}
        for piece in _mpidbg_check.pieces(written, isFortran):
            negated = re.match(r'\\s*\\.not\\.\\s*\\(\\$_mpidbg_sample\\(\\d+\\)\\)\\s*$', piece, re.I) if isFortran else None
            if negated and gdb.parse_and_eval(piece.replace('.not.', '')).type.strip_typedefs().code != gdb.TYPE_CODE_BOOL:
                return {'kind': 'operands', 'what': piece}
            try:
                code = gdb.parse_and_eval(piece).type.strip_typedefs().code
                # Without a function of the program an object is neither true nor false.
                if isCondition and not isFortran and code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
                    return {'kind': 'call', 'what': '', 'part': _mpidbg_parts.operands(piece, _mpidbg_check.named, '')}
                compared = None if isFortran else _mpidbg_check.compared_number(piece)
                compared = compared or (_mpidbg_literals.fault(piece, _mpidbg_check.named) if isCondition else None)
                if compared is not None:
                    return {'kind': 'type', 'what': compared}
            except (gdb.error, RuntimeError) as error:
                told = _mpidbg_parts.told(str(error), piece, _mpidbg_check.named) or _mpidbg_check.told(str(error), piece)
                if told is not None:
                    return {'kind': 'type', 'what': told}
                if _mpidbg_check.calls.match(str(error)):
                    if '"' in piece or isFortran and "'" in piece:
                        return {'kind': 'text', 'what': ''}
                    return {'kind': 'call', 'what': '', 'part': _mpidbg_parts.operands(piece, _mpidbg_check.named, '')}
                # Only a frame knows the bounds of Fortran's arrays, and so their type.
                types = _mpidbg_check.fortran_types if isFortran else _mpidbg_check.types
                if _mpidbg_check.noText.match(str(error)) or types.match(str(error)):
                    return {'kind': 'operands' if isFortran and types.match(str(error)) else 'type', 'what': str(error)}
        return None
    @staticmethod
    def named(text):
        # As its user wrote it.
        return re.sub(r'[$]_mpidbg_sample\\((\\d+)\\)', lambda match: _mpidbg_check.names[int(match.group(1))], text).strip()
    @staticmethod
    def told(error, piece):
        found = _mpidbg_check.arguments.fullmatch(error)
        if found:
            return found.group(1)
        if _mpidbg_check.invoked.match(error):
            return 'a function of gdb needs more or fewer arguments'
        return error if error == 'Division by zero' and '$' not in piece else None
    @staticmethod
    def compared_number(piece):
        # C compares a number with an address, and with a handle that is one.
        for form in _mpidbg_check.compared:
            match = form.fullmatch(piece)
            if match is None:
                continue
            try:
                type = gdb.parse_and_eval(match.group('other')).type
            except (gdb.error, RuntimeError):
                continue
            isHandle = type.name in _mpidbg_check.handles
            if isHandle or type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                word = match.group('word').replace('call_', '')
                return '$%s is a number, and %s is none: compare it with numbers, as in $%s == 7' % (word, 'an ' + type.name if isHandle else 'a pointer', word)
        return None
    @staticmethod
    def without_sizes(expression):
        match = _mpidbg_check.sizes.search(expression)
        if match is None:
            return expression
        end, depth = match.end(), 0
        while end < len(expression) and (depth > 0 or expression[end] == '('):
            depth += (expression[end] == '(') - (expression[end] == ')')
            end += 1
        return expression[:match.start()] + '1' + _mpidbg_check.without_sizes(expression[end:])
    @staticmethod
    def pieces(expression, isFortran):
        # Each operand of its own: the first one may decide, and is made of anything.
        separator = r'\\.(?:and|or|eqv|neqv)\\.' if isFortran else r'&&|\\|\\||\\?|(?<!:):(?!:)'
        found, depth, start = [], 0, 0
        for match in re.finditer(r'"(?:[^"\\\\]|\\\\.)*"|\\'(?:[^\\'\\\\]|\\\\.)*\\'|[(\\[]|[)\\]]|' + separator, expression, re.I):
            text = match.group(0)
            depth += (text in '([') - (text in ')]')
            if depth == 0 and text[0] not in '"\\'()[]':
                found.append(expression[start:match.start()])
                start = match.end()
        found.append(expression[start:])
        return [piece for piece in found if piece.strip()]
    @staticmethod
    @contextlib.contextmanager
    def before_calls():
        calls = globals().get('_mpidbg_calls')
        _mpidbg_check.isActive = True
        if calls:
            calls.isChecking = True
        try:
            yield
        finally:
            _mpidbg_check.isActive = False
            if calls:
                calls.isChecking = False
    @staticmethod
    def tell(expression, address, language, isCondition):
        fault = _mpidbg_check.unknown(expression)
        if fault is None and address is not None:
            with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False):
                with gdb.with_parameter('language', language), _mpidbg_check.before_calls():
                    fault = _mpidbg_check.fault(expression, address, language == 'fortran', isCondition)
        print(json.dumps(fault))
_mpidbg_check.own = {word for word in _mpidbg_check.words() if word.startswith('_')}
class _MpidbgSample(gdb.Function):
    def invoke(self, number):
        return _mpidbg_check.samples[int(number)]
_MpidbgSample('_mpidbg_sample')
`;

/** Before log messages, whose names are looked at again where they are evaluated. Rejects with NoPythonError, GdbError. */
export async function prepareConditionCheck(gdb: MiCommands): Promise<void> {
  await runPythonOnce(gdb, fileScopeScript);
  await runPythonOnce(gdb, copiesScript);
  await preparePointed(gdb);
  await prepareOperands(gdb);
  await runPythonOnce(gdb, literalScript);
  await runPythonOnce(gdb, partsScript);
  await runPythonOnce(gdb, script);
}

/** Why an expression with this name has no value: a sentence. */
export function unknownName(name: string): string {
  return `nothing is called ${name}: an expression knows the program's variables, $rank, and gdb's own words such as $rsp or $_thread`;
}

/**
 * `expression`: written for gdb, for the code at `address` in the thread's process; without it only words are checked. `use`: what is
 * only shown may have any type.
 * Rejects with NoPythonError, GdbError.
 */
export async function conditionFault(
  thread: GdbThread,
  expression: string,
  { address, language }: { address: bigint | undefined; language: 'c++' | 'fortran' },
  use: 'condition' | 'shown' = 'condition',
): Promise<ConditionFault | undefined> {
  await prepareConditionCheck(thread.gdb);
  const encoded = Buffer.from(expression).toString('base64');
  const call = `_mpidbg_check.tell(base64.b64decode('${encoded}').decode(), ${address ?? 'None'}, '${language}', ${use === 'condition' ? 'True' : 'False'})`;
  const printed = await thread.gdb.console(`python import base64; ${call}`, thread);
  return (printedAnswer(printed) as ConditionFault | null) ?? undefined;
}
