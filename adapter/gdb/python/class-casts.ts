/**
 * Casts to a class, and of an object to anything else. C++ calls a constructor or a conversion operator for them; gdb takes the bytes of
 * the operand for those of the other type, and reads memory that is behind it.
 */

/** `_mpidbg_class_casts.fault(expression)` in the selected frame: why such a cast in it has no value; None: there is none. */
export const classCastScript = `
import gdb, re
class _mpidbg_class_casts:
    passed = re.compile(r'"(?:[^"\\\\]|\\\\.)*"|\\'(?:[^\\'\\\\]|\\\\.)*\\'|(?P<cast>(?:(?<![\\w$)\\]>])\\(|\\bstatic_cast\\s*<)\\s*(?P<type>(?:const\\s+|struct\\s+|union\\s+|class\\s+)*[A-Za-z_][\\w:]*(?:\\s*<[\\w:<>, *&]*>)?(?:\\s+[A-Za-z_]\\w*)*)\\s*[)>]\\s*(?=[\\w$(*&]))')
    classes = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
    @staticmethod
    def fault(expression):
        for match in _mpidbg_class_casts.passed.finditer(expression):
            if match.group('cast') is None:
                continue
            named = match.group('type').strip()
            # What follows the brackets of a static_cast is selected from its result.
            ends = _mpidbg_class_casts.closing if match.group('cast').startswith('static_cast') else _mpidbg_class_casts.operandEnd
            operand = expression[match.end():ends(expression, match.end())]
            wanted, given = _mpidbg_class_casts.named(named), _mpidbg_class_casts.given(operand)
            # Whether an optional or a smart pointer holds something is known.
            if named == 'bool' or wanted is None or given is None or _mpidbg_class_casts.is_possible(wanted, given):
                continue
            return 'a cast from %s to %s would run code of the program, which mpidbg does not: ask for a member, or for bytes as in *(%s *)&value' % (_mpidbg_class_casts.spelled(given), named, named)
        return None
    @staticmethod
    def spelled(type):
        # One without a name would be written with all its members.
        plain = _mpidbg_class_casts.plain(type)
        return type.name or ('a type without a name' if plain.code in _mpidbg_class_casts.classes else str(type))
    @staticmethod
    def plain(type):
        if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            type = type.target()
        return type.strip_typedefs().unqualified()
    @staticmethod
    def is_possible(wanted, given):
        wanted, given = _mpidbg_class_casts.plain(wanted), _mpidbg_class_casts.plain(given)
        areClasses = [each.code in _mpidbg_class_casts.classes for each in (wanted, given)]
        return not any(areClasses) or all(areClasses) and (str(wanted) == str(given) or _mpidbg_class_casts.has_base(given, wanted))
    @staticmethod
    def has_base(type, base):
        return any(
            str(_mpidbg_class_casts.plain(field.type)) == str(base) or _mpidbg_class_casts.has_base(_mpidbg_class_casts.plain(field.type), base)
            for field in type.fields() if field.is_base_class)
    @staticmethod
    def named(name):
        try:
            return gdb.lookup_type(re.sub(r'^(?:const\\s+|struct\\s+|union\\s+|class\\s+)+', '', name))
        except (gdb.error, RuntimeError):
            return None
    @staticmethod
    def given(operand):
        try:
            return gdb.parse_and_eval(operand).type
        except (gdb.error, RuntimeError):
            return None
    @staticmethod
    def operandEnd(expression, start):
        # With what is selected from it.
        at = re.compile(r'[*&\\s]*').match(expression, start).end()
        at = re.compile(r'[\\w$:]*').match(expression, at).end()
        while at < len(expression):
            selected = re.compile(r'\\s*(?:\\.|->)\\s*\\w+').match(expression, at)
            if selected:
                at = selected.end()
            elif expression[at] in '([':
                at = _mpidbg_class_casts.closing(expression, at)
            else:
                break
        return at
    @staticmethod
    def closing(expression, at):
        depth = 0
        while at < len(expression):
            depth += (expression[at] in '([') - (expression[at] in ')]')
            at += 1
            if depth == 0:
                break
        return at
`;
