/**
 * Python functions in gdb for what gdb 13 cannot read in Fortran expressions; their results have an address and can be
 * assigned to. Components with names that gdb takes for intrinsics, such as `buoy%size`; those of a CLASS, of which gdb
 * knows the pointer to the data only, and those of a type's parent, which it takes for a component; variables of a
 * procedure that is inlined where it is called, which have no name that begins with the procedure's. And an intrinsic
 * that a variable of its name hides from gdb 16.
 */
import type { MiCommands } from '../mi/context';
import { declaredBoundsScript } from './declared-bounds';
import { deferredFunction, deferredTextScript } from './deferred-text';
import { describedScript, descriptorScript, describedIn } from './fortran-descriptors';
import { fortranTypesScript } from './fortran-types';
import { runPythonOnce } from './run-python';

export const componentPrefix = '_mpidbg_component_';
export const variablePrefix = '_mpidbg_variable_';
const objectFunction = '_mpidbg_object';
const intrinsicFunction = '_mpidbg_intrinsic';

/** `object%name` as gdb reads it, after prepareComponents. */
export function componentOf(object: string, name: string): string {
  return `$${componentPrefix}${name.toLowerCase()}(${object})`;
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
def _mpidbg_object(polymorphic, element=None):
    data = polymorphic['_data'] if element is None else element.address
    if data is None or data.type.code != gdb.TYPE_CODE_PTR:
        raise gdb.GdbError('It is an array of objects: ask for an element.')
    if int(data) == 0:
        raise gdb.MemoryError('Cannot access memory at address 0x0')
    type = _mpidbg_type(polymorphic)
    if type is None and data.type.target().code == gdb.TYPE_CODE_VOID:
        raise gdb.GdbError('gdb does not know the type that it has at this moment.')
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
        super().__init__('${componentPrefix}' + name)
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

/**
 * Makes the components, variables and arrays that an expression reads so known to this gdb. Rejects with NoPythonError,
 * GdbError.
 */
export async function prepareComponents(gdb: MiCommands, expression: string): Promise<void> {
  const described = describedIn(expression);
  const all = [expression, ...described].join(' ');
  const names = (before: string): string[] => [
    ...new Set([...all.matchAll(new RegExp(`\\$${before}(\\w+)`, 'g'))].map(([, name]) => name!)),
  ];
  const [components, variables] = [names(componentPrefix), names(variablePrefix)];
  const hasFunction = [objectFunction, intrinsicFunction].some((name) => all.includes(`$${name}(`));
  if (hasFunction || components.length + variables.length > 0) {
    await runPythonOnce(gdb, fortranTypesScript);
    await runPythonOnce(gdb, script(components, variables));
  }
  if (all.includes(`$${deferredFunction}(`)) await runPythonOnce(gdb, deferredTextScript);
  if (described.length > 0) await prepareDescriptors(gdb);
  for (const source of described) await runPythonOnce(gdb, describedScript(source));
}

/** Before any value of Fortran is printed: gdb ends when it prints an array of CLASS(*). Rejects with NoPythonError, GdbError. */
export async function prepareDescriptors(gdb: MiCommands): Promise<void> {
  await runPythonOnce(gdb, fortranTypesScript);
  await runPythonOnce(gdb, declaredBoundsScript);
  await runPythonOnce(gdb, descriptorScript);
}
