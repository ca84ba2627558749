/**
 * What is in a container or smart pointer of C++, by functions of gdb's own Python: in plain gdb, `depths["east"]`
 * would call a function of the program, which may not even exist. gdb's pretty printers find the elements in memory;
 * the results of these functions have their own address and type.
 */
import { GdbError } from '../mi/mi-connection';
import { WouldChangeError } from '../mi/read-only';
import type { MiCommands } from '../mi/context';
import type { GdbValue } from '../mi/value';
import { runPythonOnce } from './stop-script';

const functions = { at: '$_mpidbg_at', target: '$_mpidbg_target', child: '$_mpidbg_child' } as const;

/** `container[index]` as gdb reads it, after prepareContainers: the value of a map's key, an element by its position. */
export function elementInContainer(container: string, index: string): string {
  return `${functions.at}(${container}, ${index})`;
}

/** `*pointer`, where it may be a smart pointer or an optional. */
export function targetOfPointer(pointer: string): string {
  return `${functions.target}(${pointer})`;
}

/** How an element of a pretty printer is accessed: by index, as a member, or as the target of a pointer or optional. */
export type Contained = { kind: 'index'; index: string } | { kind: 'member' } | { kind: 'pointer' } | { kind: 'value' };

/** By the name that the printer gives it; undefined: there is no expression for it. */
export function containedAs(name: string): Contained | undefined {
  const index = /^\[(\d+)\]$/.exec(name)?.[1];
  if (index !== undefined) return { kind: 'index', index };
  if (['get()', '.get()', 'get'].includes(name)) return { kind: 'pointer' };
  if (name === '[contained value]') return { kind: 'value' };
  return /^[A-Za-z_]\w*$/.test(name) ? { kind: 'member' } : undefined;
}

/** A key of a map as one writes it: `"east"`, `4`, `true`, `color::red`; of `97 'a'` the number. */
export function keyOfMap({ text }: GdbValue): string | undefined {
  return /^(?:"(?:[^"\\]|\\.)*"|-?\d+|[A-Za-z_][\w:]*)(?= '|$)/.exec(text)?.[0];
}

/** What the pretty printer shows at this position, from 0: of a map keys and values in turn. */
export function childOfContainer(container: string, position: number): string {
  return `${functions.child}(${container}, ${position})`;
}

const script = `
import gdb, itertools
try:
    _mpidbg_containers
except NameError:
    class _mpidbg_containers:
        @staticmethod
        def plain(value):
            if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                return value.referenced_value()
            return value
        @staticmethod
        def children(value):
            printer = gdb.default_visualizer(value)
            if printer is None or not hasattr(printer, 'children'):
                raise gdb.GdbError('gdb has no pretty printer for %s' % value.type)
            try:
                yield from printer.children()
            except gdb.error:
                raise
            except Exception:
                # A printer trusts what is in the container.
                raise gdb.GdbError('its elements cannot be found: is it initialized?')
        @staticmethod
        def text(value):
            printer = gdb.default_visualizer(value)
            shown = value if printer is None else printer.to_string()
            if hasattr(shown, 'length'):
                return shown.value().string(length=shown.length)
            return shown.string() if hasattr(shown, 'string') else shown
        @staticmethod
        def equals(key, wanted):
            if wanted.type.strip_typedefs().code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR):
                try:
                    return _mpidbg_containers.text(key) == wanted.string().rstrip('\\0')
                except gdb.error:
                    return False
            return bool(key == wanted)
    class _MpidbgAt(gdb.Function):
        def invoke(self, container, index):
            value = _mpidbg_containers.plain(container)
            kind = value.type.strip_typedefs().code
            if kind in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR):
                return value[int(index)]
            if getattr(gdb.default_visualizer(value), 'display_hint', lambda: None)() == 'map':
                children = iter(_mpidbg_containers.children(value))
                for (_, key), (_, found) in zip(children, children):
                    if _mpidbg_containers.equals(key, index):
                        return found
                raise gdb.GdbError('it has no such key')
            for name, child in _mpidbg_containers.children(value):
                if name == '[%s]' % int(index):
                    return child
                if name in ('get()', '.get()', 'get') and child.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                    return child[int(index)]
            raise gdb.GdbError('it has no element %s' % index)
    class _MpidbgTarget(gdb.Function):
        def invoke(self, pointer):
            value = _mpidbg_containers.plain(pointer)
            if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                return value.dereference()
            for _, child in _mpidbg_containers.children(value):
                if child.type.strip_typedefs().code == gdb.TYPE_CODE_PTR and value.type.strip_typedefs().name.find('optional') < 0:
                    if int(child) == 0:
                        raise gdb.GdbError('it is a null pointer')
                    return child.dereference()
                return child
            raise gdb.GdbError('it has no value')
    class _MpidbgChild(gdb.Function):
        def invoke(self, container, position):
            value = _mpidbg_containers.plain(container)
            for _, child in itertools.islice(_mpidbg_containers.children(value), int(position), None):
                return child
            raise gdb.GdbError('it has no element %s' % position)
    _MpidbgAt('_mpidbg_at')
    _MpidbgTarget('_mpidbg_target')
    _MpidbgChild('_mpidbg_child')
`;

/** Makes the functions known to this gdb, where an expression uses them. Rejects with NoPythonError, GdbError. */
export async function prepareContainers(gdb: MiCommands, expression: string): Promise<void> {
  if (Object.values(functions).some((name) => expression.includes(name))) await runPythonOnce(gdb, script);
}

/** gdb's message when it would have to call a function of the program. */
export function isMissingOperator(error: unknown): boolean {
  if (error instanceof WouldChangeError) return error.isCall;
  return (
    error instanceof GdbError &&
    /operator|Cannot (evaluate|resolve|call) |Attempt to take address of value not located in memory/.test(
      error.message,
    )
  );
}
