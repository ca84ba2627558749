/**
 * Comparisons that no value of their type makes true, such as `i == 1.5` of an int, or `bits < 0` of an unsigned one: a breakpoint with such a
 * condition would be taken, and never hit.
 */

/** `_mpidbg_literals.fault(comparison, named)`: a sentence or None; `named`: writes an operand as its user did. */
export const literalScript = `
import gdb, re
class _mpidbg_literals:
    literal = r'[-+]?\\s*(?:0x[0-9a-f]+|(?:\\d+\\.?\\d*|\\.\\d+)(?:[edq][-+]?\\d+)?)'
    ending = r'(?P<ending>[ulf]*|_\\w+)'
    operators = r'==|<=|>=|<|>|\\.(?:eq|le|ge|lt|gt)\\.'
    isRight = re.compile(r'\\s*(?P<operand>[^=<>!]+?)\\s*(?P<operator>' + operators + r')\\s*(?P<literal>' + literal + ')' + ending + r'\\s*', re.I)
    isLeft = re.compile(r'\\s*(?P<literal>' + literal + ')' + ending + r'\\s*(?P<operator>' + operators + r')\\s*(?P<operand>[^=<>!]+?)\\s*', re.I)
    spelled = {'.eq.': '==', '.le.': '<=', '.ge.': '>=', '.lt.': '<', '.gt.': '>'}
    flipped = {'==': '==', '<': '>', '>': '<', '<=': '>=', '>=': '<='}
    whole = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL)
    # Arithmetic may leave the range of the operands.
    single = re.compile(r'[$\\w.>%()\\[\\]:-]+')
    @staticmethod
    def fault(comparison, named):
        return _mpidbg_literals.of_handles(comparison, named) or _mpidbg_literals.of_numbers(comparison, named)
    # As mpidbg writes one of MPI's own handles.
    handles = re.compile(r'\\s*(?P<operand>[^=<>!]+?)\\s*[=!]=\\s*\\(\\((?P<type>MPI_[A-Z]\\w+)\\)[^()]*(?:\\([^()]*\\))?\\)\\s*')
    @staticmethod
    def of_handles(comparison, named):
        match = _mpidbg_literals.handles.fullmatch(comparison)
        if match is None or not _mpidbg_literals.single.fullmatch(match.group('operand')):
            return None
        type = gdb.parse_and_eval(match.group('operand')).type
        type = type.target() if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF) else type
        known = re.fullmatch(r'MPI_(?:Comm|Datatype|Errhandler|File|Group|Info|Message|Op|Request|Session|Win)', type.unqualified().name or '')
        isOther = known is not None and type.unqualified().name != match.group('type')
        return '%s is an %s and never an %s' % (named(match.group('operand')), type.unqualified().name, match.group('type')) if isOther else None
    @staticmethod
    def of_numbers(comparison, named):
        match = _mpidbg_literals.isRight.fullmatch(comparison)
        other = _mpidbg_literals.isLeft.fullmatch(comparison) if match is None else None
        match = match or other
        if match is None or not _mpidbg_literals.single.fullmatch(match.group('operand')):
            return None
        operand = match.group('operand')
        operator = _mpidbg_literals.spelled.get(match.group('operator').lower(), match.group('operator'))
        operator = operator if other is None else _mpidbg_literals.flipped[operator]
        type = gdb.parse_and_eval(operand).type
        if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            type = type.target()
        plain = type.strip_typedefs()
        isOfC = gdb.parameter('language') != 'fortran'
        if isOfC and plain.code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_FUNC) and match.group('literal') != '0':
            what = 'an array: compare one of its elements' if plain.code == gdb.TYPE_CODE_ARRAY else 'a function: compare variables'
            return '%s is %s' % (named(operand), what)
        if plain.code not in _mpidbg_literals.whole or plain.sizeof > 8:
            return None
        told = match.group('literal').replace(' ', '')
        number = _mpidbg_literals.number(told)
        if number is None:
            return None
        if number % 1 != 0:
            return '%s is a whole number (%s) and never %s' % (named(operand), type, told) if operator == '==' else None
        if plain.code == gdb.TYPE_CODE_BOOL or isOfC and _mpidbg_literals.is_unsigned(told, match.group('ending'), number):
            return None
        bits = _mpidbg_literals.bits(operand)
        low, high = _mpidbg_literals.range(plain, bits)
        isPromoted = plain.sizeof < 4 or number >= 0 or bits is not None and bits < 32
        never = {'==': isPromoted and not low <= number <= high, '<': low == 0 and number == 0 or low < 0 and number <= low, '<=': low < 0 and number < low, '>': number >= high, '>=': number > high}[operator]
        size = '' if bits is None else ' of %d bit%s' % (bits, '' if bits == 1 else 's')
        return '%s is of type %s%s, from %d to %d: this is never true' % (named(operand), type, size, low, high) if never else None
    @staticmethod
    def number(text):
        try:
            return int(text, 16) if 'x' in text.lower() else float(re.sub('[dq]', 'e', text, flags=re.I)) if re.search('[.edq]', text, re.I) else int(text)
        except (ValueError, OverflowError):
            return None
    @staticmethod
    def is_unsigned(told, ending, number):
        # What is compared with such a literal of C loses its sign: an int may be 0x84000000.
        return 'u' in ending.lower() or number > 0x7fffffff and re.match(r'0[x\\d]', told, re.I) is not None
    @staticmethod
    def bits(operand):
        # Of a bit field; gdb's value of one has no size of its own.
        match = re.fullmatch(r'(?P<object>.+?)(?P<arrow>->|\\.)(?P<name>\\w+)', operand)
        if match is None:
            return None
        try:
            type = gdb.parse_and_eval(match.group('object')).type
        except (gdb.error, RuntimeError):
            return None
        type = type.strip_typedefs()
        while type.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            type = type.target().strip_typedefs()
        return _mpidbg_literals.bits_in(type, match.group('name'))
    @staticmethod
    def bits_in(type, name):
        if type.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return None
        for field in type.fields():
            if field.name == name:
                return field.bitsize or None
            bits = _mpidbg_literals.bits_in(field.type.strip_typedefs(), name) if field.is_base_class or not field.name else None
            if bits is not None:
                return bits
        return None
    @staticmethod
    def range(type, size=None):
        bits = size or 8 * type.sizeof
        # -1 is above 0 in what has no sign.
        isSigned = int(gdb.Value(-1).cast(type)) < 0
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if isSigned else (0, (1 << bits) - 1)
`;
