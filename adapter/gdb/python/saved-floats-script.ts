/**
 * Python in gdb for what a thread of x86-64 takes back later into its registers of floating point: the kernel stores them
 * before a handler of a signal runs, and the loader before it looks up a function that is called for the first time. What
 * is written only into MXCSR meanwhile is lost when that returns.
 */
export const savedFloatsScript = `
import gdb, os, re
try:
    _mpidbg_saved_floats
except NameError:
    class _mpidbg_saved_floats:
        # XSAVEC, XSAVE or FXSAVE to 8 bits from the stack pointer, and XRSTOR or FXRSTOR from there.
        saving = re.compile(rb'\\x0f(?:(\\xc7\\x64)|\\xae[\\x64\\x44])\\x24(.)', re.S)
        restoring = re.compile(rb'\\x0f\\xae[\\x6c\\x4c]\\x24')
        @staticmethod
        def change(changed):
            """In the selected thread; 'changed' answers MXCSR, for MXCSR and the control word of x87 or None. Answers the bits that were clear somewhere before."""
            process, found = gdb.selected_inferior(), 0
            for place, is_compact, has_control in list(_mpidbg_saved_floats.places(process)):
                state = process.read_memory(place, 520).tobytes()
                # XSAVEC leaves out SSE where it has its initial values.
                is_initial = is_compact and not state[512] & 2
                before = 0x1f80 if is_initial else int.from_bytes(state[24:28], 'little')
                if before > 0xffff:
                    continue
                found |= ~before & 0x1f80
                after = changed(before, int.from_bytes(state[0:2], 'little') if has_control else None)
                if after == before:
                    continue
                process.write_memory(place + 24, after.to_bytes(4, 'little'))
                if is_initial:
                    process.write_memory(place + 160, bytes(256))
                    process.write_memory(place + 512, bytes([state[512] | 2]))
            return found
        @staticmethod
        def places(process):
            """Addresses of what was stored; whether XSAVEC did, and whether x87 is among it."""
            frame = gdb.newest_frame()
            for _ in range(200):
                if frame is None:
                    return
                stack = int(frame.read_register('rsp')) & 0xffffffffffffffff
                if frame.type() == gdb.SIGTRAMP_FRAME:
                    # To the address in the sigcontext, behind the head of the ucontext.
                    place = int.from_bytes(process.read_memory(stack + 40 + 184, 8).tobytes(), 'little')
                    if place != 0:
                        yield place, False, True
                elif os.path.basename(gdb.solib_name(frame.pc()) or '').startswith('ld'):
                    code = process.read_memory(frame.pc() - 128, 128).tobytes()
                    stored = list(_mpidbg_saved_floats.saving.finditer(code))
                    if stored and _mpidbg_saved_floats.restoring.search(code, stored[-1].end()) is None:
                        yield stack + stored[-1].group(2)[0], stored[-1].group(1) is not None, False
                frame = frame.older()
`;
