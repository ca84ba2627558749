/**
 * Python functions in gdb for what gdb 13 cannot read in Fortran expressions; their results have an address and can be
 * assigned to. Components with names that gdb takes for intrinsics, such as `buoy%size`; those of a CLASS, of which gdb
 * knows the pointer to the data only, and those of a type's parent, which it takes for a component; variables of a
 * procedure that is inlined where it is called, which have no name that begins with the procedure's. And an intrinsic
 * that a variable of its name hides from gdb 16.
 */
import type { MiCommands } from '../mi/context';
import { runPythonOnce } from './stop-script';

const prefix = '_mpidbg_component_';
const variablePrefix = '_mpidbg_variable_';
/** A recursion without end has more frames. */
const maxCallers = 200;
const objectFunction = '_mpidbg_object';
const intrinsicFunction = '_mpidbg_intrinsic';

/** `object%name` as gdb reads it, after prepareComponents. */
export function componentOf(object: string, name: string): string {
  return `$${prefix}${name.toLowerCase()}(${object})`;
}

/** What a CLASS is at this moment, with the components of its type, as gdb reads it, after prepareComponents. */
export function objectOf(polymorphic: string): string {
  return `$${objectFunction}(${polymorphic})`;
}

/** An element of a CLASS that is an array, with its dynamic type; `element`: of its `_data`. */
export function elementOfClass(element: string, polymorphic: string): string {
  return `$${objectFunction}(${element}, ${polymorphic})`;
}

/** The selected frame's variable as gdb reads it, after prepareComponents. */
export function variableOf(name: string): string {
  return `$${variablePrefix}${name.toLowerCase()}()`;
}

/**
 * The call of an intrinsic that a variable of its name hides from gdb, as gdb reads it, after prepareComponents. gdb takes
 * intrinsics in any case but has variables in lower case: where case counts, no variable hides an intrinsic in capitals.
 */
export function intrinsicOf(name: string, args: string): string {
  const inLowerCase = args.replace(/'[^']*'|\$?\b[A-Za-z_]\w*/g, (word) =>
    /^['$]/.test(word) ? word : word.toLowerCase(),
  );
  // As character codes, so that nothing needs quotes.
  return `$${intrinsicFunction}(${[...Buffer.from(`${name.toUpperCase()}(${inLowerCase})`)].join(',')})`;
}

const script = (components: readonly string[], variables: readonly string[]): string => `
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
def _mpidbg_type(polymorphic):
    # By the table that it points to: the initial value of its type, or the name of an intrinsic one.
    pointer = polymorphic['_vptr']
    match = re.search(r'<(?:__(\\w+?)_MOD_)?(__vtab_[\\w.]+)>', pointer.format_string(symbols=True))
    table = match and _mpidbg_table(pointer, match.group(1), match.group(2))
    if not table:
        return None
    intrinsic = re.match(r'__vtab_(INTEGER|REAL|LOGICAL|COMPLEX)_(\\d+)_(?:$|\\.)', match.group(2))
    if intrinsic:
        type = gdb.lookup_type('%s(kind=%s)' % (intrinsic.group(1).lower(), intrinsic.group(2)))
    else:
        type = table.type['_def_init'].type.target()
    return type if type.sizeof == int(table['_size']) else None
def _mpidbg_object(polymorphic, element=None):
    data = polymorphic['_data'] if element is None else element.address
    if data is None or data.type.code != gdb.TYPE_CODE_PTR:
        raise gdb.GdbError('It is an array of objects: ask for an element.')
    if int(data) == 0:
        raise gdb.MemoryError('Cannot access memory at address 0x0')
    type = _mpidbg_type(polymorphic)
    return (data if type is None else data.cast(type.pointer())).dereference()
def _mpidbg_component(value, name):
    if value.type.code == gdb.TYPE_CODE_PTR:
        value = value.dereference()
    names = _mpidbg_names(value)
    fields = value.type.fields() if names else []
    if name in names:
        return value[name]
    if '_data' in names and '_vptr' in names:
        return _mpidbg_component(_mpidbg_object(value), name)
    # A parent comes first, and has the name of its type.
    if fields and fields[0].name == fields[0].type.name:
        return _mpidbg_component(value[names[0]], name)
    raise gdb.GdbError('There is no member named %s.' % name)
class _MpidbgObject(gdb.Function):
    def __init__(self):
        super().__init__('${objectFunction}')
    def invoke(self, value, polymorphic=None):
        return _mpidbg_object(value) if polymorphic is None else _mpidbg_object(polymorphic, value)
_MpidbgObject()
class _MpidbgComponent(gdb.Function):
    def __init__(self, name):
        super().__init__('${prefix}' + name)
        self.component = name
    def invoke(self, value):
        return _mpidbg_component(value, self.component)
class _MpidbgVariable(gdb.Function):
    def __init__(self, name):
        super().__init__('${variablePrefix}' + name)
        self.variable = name
    def invoke(self):
        return gdb.selected_frame().read_var(self.variable)
class _MpidbgIntrinsic(gdb.Function):
    def __init__(self):
        super().__init__('${intrinsicFunction}')
    def invoke(self, *codes):
        with gdb.with_parameter('case-sensitive', 'on'):
            return gdb.parse_and_eval(bytes(int(code) for code in codes).decode())
_MpidbgIntrinsic()
for _mpidbg_name in ${JSON.stringify(components)}:
    _MpidbgComponent(_mpidbg_name)
for _mpidbg_name in ${JSON.stringify(variables)}:
    _MpidbgVariable(_mpidbg_name)
`;

/** Makes the components and variables that an expression reads so known to this gdb. Rejects with NoPythonError, GdbError. */
export async function prepareComponents(gdb: MiCommands, expression: string): Promise<void> {
  const names = (before: string): string[] => [
    ...new Set([...expression.matchAll(new RegExp(`\\$${before}(\\w+)`, 'g'))].map(([, name]) => name!)),
  ];
  const [components, variables] = [names(prefix), names(variablePrefix)];
  const hasFunction = [objectFunction, intrinsicFunction].some((name) => expression.includes(`$${name}(`));
  if (hasFunction || components.length + variables.length > 0) await runPythonOnce(gdb, script(components, variables));
}
