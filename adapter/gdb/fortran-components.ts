/**
 * Components of Fortran's derived types with names that gdb 13 takes for intrinsics: `buoy%size` is a syntax error in any
 * expression. A function of gdb's own Python reads them; what it gives has an address and can be assigned to.
 */
import type { MiCommands } from './context';
import { runPython } from './stop-script';

const prefix = '_mpidbg_component_';

/** `object%name` as gdb reads it, after prepareComponents. */
export function componentOf(object: string, name: string): string {
  return `$${prefix}${name.toLowerCase()}(${object})`;
}

const script = (names: readonly string[]): string => `
import gdb
class _MpidbgComponent(gdb.Function):
    def __init__(self, name):
        super().__init__('${prefix}' + name)
        self.component = name
    def invoke(self, value):
        return value[self.component]
for _mpidbg_name in ${JSON.stringify(names)}:
    _MpidbgComponent(_mpidbg_name)
`;

/** Makes the components that an expression reads so known to this gdb. Rejects with NoPythonError, GdbError. */
export async function prepareComponents(gdb: MiCommands, expression: string): Promise<void> {
  const names = [...expression.matchAll(new RegExp(`\\$${prefix}(\\w+)`, 'g'))].map(([, name]) => name!);
  if (names.length > 0) await runPython(gdb, script([...new Set(names)]));
}
