/**
 * Components of Fortran's derived types with names that gdb 13 takes for intrinsics: `buoy%size` is a syntax error in any
 * expression. A function of gdb's own Python reads them; what it gives has an address and can be assigned to. So are
 * components read of a CLASS, of which gdb knows the pointer to the data only, and those of a type's parent, which it takes
 * for a component; and variables of a procedure that is inlined where it is called, which have no name that begins with the
 * procedure's.
 */
import type { MiCommands } from './context';
import { runPython } from './stop-script';

const prefix = '_mpidbg_component_';
const variablePrefix = '_mpidbg_variable_';

/** `object%name` as gdb reads it, after prepareComponents. */
export function componentOf(object: string, name: string): string {
  return `$${prefix}${name.toLowerCase()}(${object})`;
}

/** The selected frame's variable as gdb reads it, after prepareComponents. */
export function variableOf(name: string): string {
  return `$${variablePrefix}${name.toLowerCase()}()`;
}

const script = (components: readonly string[], variables: readonly string[]): string => `
import gdb
def _mpidbg_component(value, name):
    if value.type.code == gdb.TYPE_CODE_PTR:
        value = value.dereference()
    fields = value.type.fields() if value.type.code == gdb.TYPE_CODE_STRUCT else []
    names = [field.name for field in fields]
    if name in names:
        return value[name]
    if '_data' in names and '_vptr' in names:
        return _mpidbg_component(value['_data'], name)
    # A parent comes first, and has the name of its type.
    if fields and fields[0].name == fields[0].type.name:
        return _mpidbg_component(value[names[0]], name)
    raise gdb.GdbError('There is no member named %s.' % name)
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
  if (components.length + variables.length > 0) await runPython(gdb, script(components, variables));
}
