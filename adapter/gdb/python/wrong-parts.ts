/** Which part of an expression gdb cannot evaluate, and why, where gdb tells only what kind of part that is. */

/** `_mpidbg_parts.told(error, expression, named)`: a sentence or None; `named`: writes a part as its user did. */
export const partsScript = `
import gdb, re
class _mpidbg_parts:
    word = r'(?:[$]_mpidbg_sample\\(\\d+\\)|(?:::)?[A-Za-z_]\\w*(?:::\\w+)*)'
    chain = word + r'(?:\\s*(?:\\.|->|%)\\s*\\w+(?!\\w*\\s*\\()|\\s*\\[[^\\[\\]]*\\])*'
    structures = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
    @staticmethod
    def told(error, expression, named):
        for wrong, explain in _mpidbg_parts.kinds:
            if re.search(wrong, error):
                return explain(expression, named, error)
        return None
    @staticmethod
    def type(text):
        try:
            type = gdb.parse_and_eval(text).type
            return type.target() if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF) else type
        except (gdb.error, RuntimeError):
            return None
    @staticmethod
    def member(expression, named, error):
        for match in re.finditer(r'(?=(?<![\\w$])(' + _mpidbg_parts.chain + r')\\s*(\\.|->)\\s*(\\w+))', expression):
            type = _mpidbg_parts.type(match.group(1))
            plain = type and type.strip_typedefs()
            if plain is not None and plain.code == gdb.TYPE_CODE_PTR:
                plain = plain.target().strip_typedefs()
            if plain is not None and plain.code not in _mpidbg_parts.structures:
                return '%s is of type %s, which has no member %s' % (named(match.group(1)), type, match.group(3))
        return None
    @staticmethod
    def missing(expression, named, error):
        name = re.search(r'named (\\w+)', error).group(1)
        match = re.search(r'(' + _mpidbg_parts.chain + r')\\s*(?:\\.|->)\\s*' + name + r'\\b', expression)
        type = match and _mpidbg_parts.type(match.group(1))
        return '%s is of type %s, which has no member %s' % (named(match.group(1)), type, name) if type else None
    @staticmethod
    def pointed(expression, named, error):
        for match in re.finditer(r'[*]\\s*(' + _mpidbg_parts.chain + ')', expression):
            type = _mpidbg_parts.type(match.group(1))
            plain = type and type.strip_typedefs()
            if plain is not None and plain.code == gdb.TYPE_CODE_PTR and plain.target().strip_typedefs().code == gdb.TYPE_CODE_VOID:
                name = named(match.group(1))
                return '%s is a %s: say what it points to, as in *(int *)%s' % (name, type, name)
            if plain is not None and plain.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
                return '%s is of type %s, which points to nothing' % (named(match.group(1)), type)
        return None
    @staticmethod
    def wide(expression, named, error):
        for match in re.finditer(_mpidbg_parts.chain, expression):
            type = _mpidbg_parts.type(match.group(0))
            if type is not None and type.strip_typedefs().code == gdb.TYPE_CODE_INT and type.sizeof > 8:
                name = named(match.group(0))
                return '%s is of type %s, which gdb can show and not compute with: ask for its halves, as in ((unsigned long *)&%s)[0]' % (name, type, name)
        return None
    @staticmethod
    def method(expression, named, error):
        found = re.search(r"Couldn't find method (.*)::(~?\\w+)$", error)
        return found and '%s has no method %s' % (re.sub(r'<.*>', '', found.group(1)), found.group(2))
    @staticmethod
    def constant(expression, named, error):
        found = re.search(r'no constant named "(.*)" in enum "(.*)"', error)
        return found and 'the enumeration %s has no constant %s' % (found.group(2), found.group(1))
    @staticmethod
    def operands(expression, named, error):
        # Without parentheses: an operator has a whole object beside it.
        for match in re.finditer(r'(?<![\\w$.>&])(' + _mpidbg_parts.chain + r')(?!\\s*[.(\\[\\w]|\\s*->)', expression):
            type = _mpidbg_parts.type(match.group(1))
            plain = type and type.strip_typedefs()
            if plain is None:
                continue
            if plain.code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
                return '%s is a function: write %s() for what it returns, or compare variables' % ((named(match.group(1)),) * 2)
            if plain.code == gdb.TYPE_CODE_COMPLEX:
                return '%s is a complex number: compare its parts, $_creal(%s) and $_cimag(%s)' % ((named(match.group(1)),) * 3)
            if plain.code in _mpidbg_parts.structures and not plain.fields() == []:
                fields = [field.name for field in plain.fields() if field.name and not field.is_base_class and not field.artificial]
                example = fields and ', as in %s.%s' % (named(match.group(1)), fields[0]) or ''
                return '%s is of type %s: compare one of its members%s' % (named(match.group(1)), type, example)
        return None
    @staticmethod
    def divided(expression, named, error):
        match = re.search(r'[/%]\\s*0+(?![\\w.])', expression) or re.search(r',\\s*0+\\s*\\)', expression)
        return 'Division by zero' if match else None
    @staticmethod
    def pattern(expression):
        # The text that it is for is not there yet, and would be read first.
        for match in re.finditer(r'[$]_regex\\s*\\([^"]*,\\s*"((?:[^"\\\\]|\\\\.)*)"\\s*\\)', expression):
            try:
                re.compile(match.group(1))
            except re.error as error:
                return '"%s" is no regular expression: %s' % (match.group(1), error)
        return None
_mpidbg_parts.kinds = [
    ('Division by zero|calling MOD', _mpidbg_parts.divided),
    ('Attempt to extract a component of a value that is not a structure', _mpidbg_parts.member),
    ('There is no member (?:or method )?named ', _mpidbg_parts.missing),
    ('Attempt to dereference a generic pointer|Attempt to take contents of a non-pointer', _mpidbg_parts.pointed),
    ('not available on integers of more than', _mpidbg_parts.wide),
    ("Couldn't find method ", _mpidbg_parts.method),
    ('no constant named ', _mpidbg_parts.constant),
    ('Invalid type combination in ', _mpidbg_parts.operands),
]
`;
