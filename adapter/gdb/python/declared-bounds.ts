/**
 * The first indexes of a dummy of assumed shape, `character(*) names(0:)`, of which gfortran writes no type into the debug
 * information: they are the dummy's own, its descriptor has those of what was passed. Only the source has them.
 */

/** No procedure has as many lines of declarations. */
const maxLines = 5000;

/** `_mpidbg_declared_lows(source, type)`: a list, or None for what is no dummy of assumed shape; GdbError: they are not known. */
export const declaredBoundsScript = `
import gdb, re
def _mpidbg_statements(file, line):
    # Without comments, with the lines that continue them, in lower case.
    isFixed = re.search(r'\\.(f|for|ftn|f77|fpp)$', file, re.I) is not None
    with open(file, errors='replace') as lines:
        text = lines.read(1 << 24).lower().split('\\n')[line - 1:line - 1 + ${maxLines}]
    statement = ''
    for line in text:
        if isFixed:
            isContinued = re.match(r' {5}[^ 0]', line) is not None
            line = '' if re.match('[c*!d]', line) else line[6:72] if isContinued else line[:72]
        line = re.sub(r"('[^']*'|\\x22[^\\x22]*\\x22)|!.*", lambda found: found.group(1) or '', line).strip()
        if not line or line.startswith('#'):
            continue
        if isFixed and isContinued or statement.endswith('&'):
            statement = statement.rstrip('&') + line.lstrip('&')
            continue
        yield from statement.split(';')
        statement = line
    yield from statement.split(';')
def _mpidbg_dimensions(file, line, name):
    found = []
    statements = (each.strip() for each in _mpidbg_statements(file, line))
    heading = next((each for each in statements if each), '')
    if re.search(r'\\b(subroutine|function)\\b', heading) is None:
        return None
    for statement in statements:
        # What other procedures declare, or their interfaces, comes behind.
        if re.match(r'(contains|(abstract )?interface|end ?(subroutine|function|procedure|block)?)\\b', statement):
            break
        attributes, colons, entities = statement.partition('::')
        # Its descriptor is its own.
        if re.search(r'\\b(allocatable|pointer)\\b', attributes) and re.search(r'\\b' + re.escape(name) + r'\\b', entities or attributes):
            return []
        if not colons:
            declared = re.match(r'(character(\\s*\\*\\s*\\(\\s*\\*\\s*\\)|\\s*\\([^()]*\\))?|dimension)\\s+(.*)', statement)
            if declared is None:
                continue
            attributes, entities = declared.group(1), declared.group(3)
        entity = re.search(r'(?<![\\w%])' + re.escape(name) + r'\\b\\s*(\\(([^()]*)\\))?', entities)
        if entity is not None:
            own = entity.group(2) or next(iter(re.findall(r'\\bdimension\\s*\\(([^()]*)\\)', attributes)), None)
            found += [own.split(',')] if own is not None else []
    return found[0] if len(found) == 1 else None
def _mpidbg_declared_lows(source, type):
    name = source.split('::')[-1]
    try:
        symbol = gdb.lookup_symbol(name)[0]
    except (gdb.error, RuntimeError):
        return None
    if symbol is None or not symbol.is_argument:
        return None
    # A CLASS that has a descriptor of its own.
    if re.match(r'__class_\\w*[ap]$', type.name or '') is not None:
        return None
    function = gdb.selected_frame().function()
    file = function.symtab.fullname()
    try:
        dimensions = _mpidbg_dimensions(file, function.line, name.lower())
    except OSError:
        dimensions = None
    if dimensions == []:
        return None
    lows = [re.match(r'\\s*([+-]?\\d+)?\\s*:\\s*$', each) for each in dimensions or ['']]
    if None in lows:
        raise gdb.GdbError('its first index is neither in the debug information nor a number in its declaration in %s' % file)
    return [int(low.group(1) or 1) for low in lows]
`;
