/**
 * Names of C++ that lead through an inline namespace, written as gdb knows them: `lib::count` is `lib::v1::count` where v1 is
 * inline, and so is `count` in code that uses lib. Names that gdb knows stay as they are, and so do those that nothing has.
 */
/** `_mpidbg_namespaces.written(expression)` for the selected frame, `written_for(expression, block)` for code; needs inlineNamespaceScript. */
export const namespaceScript = `
import gdb, re
class _mpidbg_namespaces:
    token = re.compile(
        r'"(?:[^"\\\\]|\\\\.)*"|\\'(?:[^\\'\\\\]|\\\\.)*\\'|\\$\\w+|\\d[\\w.]*|(?:\\.|->)\\s*[A-Za-z_]\\w*'
        r'|(?P<path>(?:(?<![\\w:>])::\\s*)?[A-Za-z_]\\w*(?:\\s*::\\s*[A-Za-z_]\\w*)*)')
    words = set('alignof and auto bool bitand bitor char char8_t char16_t char32_t const const_cast double dynamic_cast enum false float int long not nullptr or reinterpret_cast short signed sizeof static_cast struct this true typeid union unsigned void volatile wchar_t xor __typeof__ _Alignof decltype'.split())
    # No more are tried for one name: where gdb knows none it looks through all files.
    most = 20
    written_at = {}
    @staticmethod
    def written(expression):
        # In the selected frame.
        try:
            frame = gdb.selected_frame()
            if frame.language() not in ('c++', 'c++98', 'c'):
                return expression
            return _mpidbg_namespaces.written_for(expression, frame.block())
        except (gdb.error, RuntimeError):
            return expression
    @staticmethod
    def written_for(expression, block):
        key = expression, gdb.selected_inferior().num, block.start, block.end
        if key not in _mpidbg_namespaces.written_at:
            _mpidbg_namespaces.written_at[key] = _mpidbg_namespaces.token.sub(lambda match: _mpidbg_namespaces.known(match, block), expression)
        return _mpidbg_namespaces.written_at[key]
    @staticmethod
    def forget(event):
        _mpidbg_namespaces.written_at.clear()
    @staticmethod
    def known(match, block):
        path = match.group('path')
        if path is None or path in _mpidbg_namespaces.words:
            return match.group(0)
        parts = [part.strip() for part in path.split('::')]
        isGlobal = parts[0] == ''
        parts = parts[1:] if isGlobal else parts
        if len(parts) == 1 and _mpidbg_namespaces.is_plain(parts[0], block):
            return path
        if _mpidbg_namespaces.symbol('::'.join(parts), block) is not None:
            return path
        for names in _mpidbg_inline.names(block):
            found = _mpidbg_namespaces.search(parts, block, names)
            if found is not None:
                return found
        return path
    @staticmethod
    def is_plain(name, block):
        # Also members of the object.
        for domain in (gdb.SYMBOL_VAR_DOMAIN, gdb.SYMBOL_STRUCT_DOMAIN):
            try:
                symbol, isOfThis = gdb.lookup_symbol(name, block, domain)
            except (gdb.error, RuntimeError):
                continue
            if symbol is not None or isOfThis:
                return True
        return False
    @staticmethod
    def symbol(name, block):
        try:
            return gdb.lookup_symbol(name, block)[0]
        except (gdb.error, RuntimeError):
            return None
    @staticmethod
    def search(parts, block, names):
        waiting, tried = [parts], set()
        while waiting and len(tried) < _mpidbg_namespaces.most:
            tried_now = waiting.pop(0)
            if tuple(tried_now) in tried:
                continue
            tried.add(tuple(tried_now))
            count, last = _mpidbg_namespaces.beginning(tried_now, block)
            if count == len(tried_now) or last is not None and last.type.code != gdb.TYPE_CODE_NAMESPACE:
                # The members of a class are left to gdb.
                return _mpidbg_namespaces.spelled(tried_now, count, last)
            before = _mpidbg_namespaces.full(last) or tried_now[:count]
            for child in _mpidbg_namespaces.inside(last, block, names):
                waiting.append(before + [child] + tried_now[count:])
        return None
    @staticmethod
    def beginning(parts, block):
        for count in range(len(parts), 0, -1):
            symbol = _mpidbg_namespaces.symbol('::'.join(parts[:count]), block)
            if symbol is not None and symbol.type is not None:
                return count, symbol
        return 0, None
    @staticmethod
    def inside(symbol, block, names):
        # A namespace is named by its type, also behind an alias. What this code sees of an inline one, it sees of what is in it.
        space = symbol and (symbol.type.name or symbol.name)
        for name in sorted(names):
            parent, _, child = name.rpartition('::')
            if symbol is not None:
                if parent == space:
                    yield child
            else:
                seen = _mpidbg_namespaces.symbol(child, block)
                if seen is not None and seen.name == name and seen.type is not None and seen.type.code == gdb.TYPE_CODE_NAMESPACE:
                    yield child
    @staticmethod
    def full(symbol):
        # Behind an alias gdb finds only what is directly in the namespace. The name of one that has none is in parentheses.
        name = symbol and (symbol.type.name if symbol.type.code == gdb.TYPE_CODE_NAMESPACE else symbol.name)
        return name.split('::') if name and re.fullmatch(r'\\w+(?:::\\w+)*', name) else None
    @staticmethod
    def spelled(parts, count, symbol):
        return '::'.join((_mpidbg_namespaces.full(symbol) or parts[:count]) + parts[count:])
for _mpidbg_event in (gdb.events.new_objfile, gdb.events.clear_objfiles):
    _mpidbg_event.connect(_mpidbg_namespaces.forget)
`;
