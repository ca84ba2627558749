/** Python functions in gdb for types of Fortran that gdb does not know: what a CLASS is at this moment, and CHARACTER of any length. */

/** A recursion without end has more frames. */
const maxCallers = 200;

/** `_mpidbg_type(polymorphic)`: the dynamic type, or None; `_mpidbg_characters(length)`: CHARACTER of this length. */
export const fortranTypesScript = `
import gdb
import re
def _mpidbg_names(value):
    type = value.type.strip_typedefs()
    return [field.name for field in type.fields()] if type.code == gdb.TYPE_CODE_STRUCT else []
def _mpidbg_symbols(module, name):
    if module is not None:
        yield gdb.lookup_global_symbol(module + '::' + name)
        yield from gdb.lookup_static_symbols(name) if hasattr(gdb, 'lookup_static_symbols') else []
    # The table of a type of a procedure is in it, which has called what knows the object.
    frame = gdb.selected_frame()
    for _ in range(${maxCallers}):
        if frame is None:
            return
        try:
            yield gdb.lookup_symbol(name, frame.block())[0]
        except RuntimeError:
            pass
        frame = frame.older()
def _mpidbg_table(pointer, module, name):
    # The compiler writes a number behind the name of what belongs to a procedure.
    for symbol in _mpidbg_symbols(module, name.split('.')[0]):
        if symbol is not None:
            table = symbol.value()
            if int(table.address) == int(pointer):
                return table
    return None
def _mpidbg_characters(length):
    # gdb's Python makes no type of CHARACTER, but a literal has one. No text is longer.
    if not 0 <= length <= 1 << 20:
        raise gdb.GdbError('no CHARACTER has a length of %d' % length)
    with gdb.with_parameter('language', 'fortran'):
        type = gdb.parse_and_eval("'" + 'x' * max(1, length) + "'").type
    # gdb 13 reads no literal without a character.
    return type if length > 0 else type.target().array(1, 0)
def _mpidbg_type(polymorphic):
    # By the table that it points to: the initial value of its type, or the name of an intrinsic one.
    pointer = polymorphic['_vptr']
    match = re.search(r'<(?:__(\\w+?)_MOD_)?(__vtab_[\\w.]+)>', pointer.format_string(symbols=True))
    name = match and match.group(2)
    if name and re.match(r'__vtab_CHARACTER_1_(?:$|\\.)', name):
        return _mpidbg_characters(int(polymorphic['_len']))
    intrinsic = name and re.match(r'__vtab_(INTEGER|REAL|LOGICAL|COMPLEX)_(\\d+)_(?:$|\\.)', name)
    table = name and _mpidbg_table(pointer, match.group(1), name)
    if not table:
        return None
    if intrinsic:
        type = gdb.lookup_type('%s(kind=%s)' % (intrinsic.group(1).lower(), intrinsic.group(2)))
    else:
        type = table.type['_def_init'].type.target()
    return type if type.sizeof == int(table['_size']) else None
`;
