/**
 * The CHARACTER that a variable of deferred length leads to. Its length is in a variable beside it, of the procedure that
 * declares it: for a variable of the host gdb looks in the frame of the contained procedure, and finds any number there.
 */
export const deferredFunction = '_mpidbg_deferred';

/** Contained procedures are not nested deeper than this, but may call each other. */
const maxCallers = 200;

/** The text of this variable as gdb reads it, after prepareComponents. */
export function deferredText(variable: string): string {
  return `$${deferredFunction}(${variable})`;
}

/** `_mpidbg_deferred_text(pointer)`: what it leads to, with its length. */
export const deferredTextScript = `
import gdb
def _mpidbg_declared(frame, address):
    # The variable of the frame's procedure that lies there: also a dummy, which is another one by its type.
    block = frame.block()
    while block is not None:
        for symbol in block:
            if symbol.type.code == gdb.TYPE_CODE_PTR and (symbol.is_variable or symbol.is_argument) and symbol.needs_frame:
                try:
                    variable = frame.read_var(symbol)
                    if variable.address == address:
                        return variable
                except (gdb.error, ValueError):
                    pass
        if block.function is not None:
            return None
        block = block.superblock
    return None
def _mpidbg_deferred_text(pointer):
    if pointer.address is None:
        return pointer.dereference()
    check = globals().get('_mpidbg_check')
    if int(pointer) == 0 and not (check is not None and check.isActive):
        raise gdb.MemoryError('Cannot access memory at address 0x0')
    selected = frame = gdb.selected_frame()
    try:
        for _ in range(${maxCallers}):
            if frame is None or frame.language() != 'fortran':
                break
            variable = _mpidbg_declared(frame, pointer.address)
            if variable is not None:
                frame.select()
                text = variable.dereference()
                # A value that is read later would have the length of another frame.
                text.fetch_lazy()
                return text
            frame = frame.older()
    except RuntimeError:
        # A frame without debug information.
        pass
    finally:
        selected.select()
    # What is static has its length beside it for every frame; what is on the stack belongs to a frame that was not found.
    if int(pointer.address) >= int(selected.read_register('sp')):
        raise gdb.GdbError('the length of this CHARACTER is not known in this frame')
    return pointer.dereference()
class _MpidbgDeferredText(gdb.Function):
    def invoke(self, pointer):
        return _mpidbg_deferred_text(pointer)
_MpidbgDeferredText('${deferredFunction}')
`;
