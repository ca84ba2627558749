/**
 * Python in gdb for traps of floating point operations on x86-64: sets and clears them in the MXCSR register of the threads,
 * and tells what the trapped instruction was about to compute.
 */
export const floatTrapScript = `
import ctypes, gdb, json, linecache, os, re
try:
    _mpidbg_traps
except NameError:
    class _mpidbg_traps:
        # By the number of the inferior.
        ours = {}
        @staticmethod
        def change(clear, set, only):
            """Clears and sets bits in each thread, or the selected one; answers the bits that were clear somewhere before."""
            chosen, found = gdb.selected_thread(), 0
            if not only:
                _mpidbg_traps.ours[gdb.selected_inferior().num] = clear
            for thread in [chosen] if only else gdb.selected_inferior().threads():
                if not thread.is_valid() or not thread.is_stopped():
                    continue
                thread.switch()
                before = int(gdb.newest_frame().read_register('mxcsr'))
                found |= ~before & 0x1f80
                control = int(gdb.newest_frame().read_register('fctrl'))
                def changed(mxcsr, its_control=None):
                    return mxcsr & ~clear | set & ~_mpidbg_traps.opened(control if its_control is None else its_control)
                if changed(before) != before:
                    _mpidbg_traps.write(thread, changed(before))
                if not only:
                    found |= _mpidbg_saved_floats.change(changed)
            chosen.switch()
            print(found)
        @staticmethod
        def own():
            """Masks that the program has opened: libc opens those of x87 along with those of MXCSR."""
            return _mpidbg_traps.opened(int(gdb.newest_frame().read_register('fctrl')))
        @staticmethod
        def opened(control):
            return (~control & 0x3f) << 7
        @staticmethod
        def write(thread, mxcsr):
            gdb.newest_frame().select()
            try:
                return gdb.execute('set var $mxcsr = %d' % mxcsr)
            except gdb.error:
                pass
            # gdb 13 has no room for all registers of processors with tiles (AMX), and the kernel refuses what it writes.
            _mpidbg_traps.rewrite(thread.ptid[1] or thread.ptid[0], lambda *_: mxcsr)
            gdb.execute('maintenance flush register-cache', to_string=True)
        @staticmethod
        def rewrite(tid, changed):
            """Past gdb, in a thread that it traces: 'changed' answers MXCSR, for MXCSR and the control word of x87."""
            ptrace, state = _mpidbg_traps.ptrace(), ctypes.create_string_buffer(512)
            if ptrace(14, tid, None, state) != 0: # PTRACE_GETFPREGS: as FXSAVE stores it, with MXCSR at 24
                raise gdb.error('the registers of floating point cannot be read')
            mxcsr = changed(int.from_bytes(state[24:28], 'little'), int.from_bytes(state[0:2], 'little'))
            state[24:28] = mxcsr.to_bytes(4, 'little')
            if ptrace(15, tid, None, state) != 0: # PTRACE_SETFPREGS
                raise gdb.error('the registers of floating point cannot be written')
        @staticmethod
        def ptrace():
            ptrace = ctypes.CDLL(None, use_errno=True).ptrace
            ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
            ptrace.restype = ctypes.c_long
            return ptrace
        @staticmethod
        def spare_child():
            """The selected thread has forked, and gdb has not let go of the child yet: it shall compute as without gdb."""
            bits, child = _mpidbg_traps.ours.get(gdb.selected_inferior().num, 0), ctypes.c_ulong()
            if bits == 0 or _mpidbg_traps.ptrace()(0x4201, gdb.selected_thread().ptid[1], None, ctypes.byref(child)) != 0: # PTRACE_GETEVENTMSG
                return
            _mpidbg_traps.rewrite(child.value, lambda mxcsr, control: mxcsr | bits & ~_mpidbg_traps.opened(control))
        @staticmethod
        def is_library(path, rules):
            """The last rule that fits counts: '+' and a regular expression for a library, or '-'."""
            return next((rule[0] == '+' for rule in reversed(rules) if re.match(rule[1:], path or '')), False)
        @staticmethod
        def place(rules):
            """The innermost frame with a line that is not in a library, or else in one that is no library of the system."""
            system = r'/(ld-linux[\\w-]*|lib(c|m|mvec|pthread|dl|rt|stdc\\+\\+|gcc_s|gfortran|quadmath|gomp|i?omp5?))(-[\\d.]+)?\\.so'
            frame, first = gdb.newest_frame(), None
            for _ in range(200):
                if frame is None:
                    break
                found = frame.find_sal()
                if found.symtab is not None and found.line:
                    objfile = found.symtab.objfile.owner or found.symtab.objfile
                    if not re.search(system, objfile.filename or ''):
                        first = first or frame
                        if not any(_mpidbg_traps.is_library(path, rules) for path in (found.symtab.fullname(), objfile.filename)):
                            return frame
                frame = frame.older()
            return first
        @staticmethod
        def inlined(frame):
            """Where the instruction stands in a function that begins with it and is inlined: gdb shows the call instead, and no frame of it."""
            found, shown = gdb.find_pc_line(frame.pc()), frame.find_sal()
            if frame.level() > 0 or found.symtab is None or found.line == 0:
                return None
            isShown = (found.symtab.fullname(), found.line) == (shown.symtab.fullname(), shown.line)
            return None if isShown else found
        @staticmethod
        def line(found):
            """The statement of a line, without comments."""
            path = found.symtab.fullname()
            try:
                if os.path.getsize(path) > 1 << 24:
                    return ''
            except OSError:
                return ''
            linecache.checkcache(path)
            text = linecache.getline(path, found.line).strip()
            fortran = re.search(r'\\.(f|for|ftn|fpp|f\\d\\d)$', path, re.I)
            text = re.sub(r'\\s*!.*' if fortran else r'\\s*(//.*|/\\*.*?\\*/)', '', text)
            return text.rstrip('; ')[:120]
        @staticmethod
        def is_only_set(name, text):
            """Or it is declared here, and may have no value yet: 'double v[2] = {a, b}, mean = v[0] / n; return mean'."""
            places = list(re.finditer(r'(?<![\\w.>%%])%s(?![\\w\\[(.%%]|->)' % re.escape(name), text))
            sets = [re.match(r'\\s*=(?!=)', text[place.end():]) is not None for place in places]
            variable = re.match(r'\\w+', name).group()
            declared = re.search(r'([A-Za-z_]\\w*)[\\s*&]+%s\\s*(\\[[^\\[\\]]*\\]\\s*)*=(?!=)' % variable, text)
            is_declared = declared is not None and declared.group(1) not in ('do', 'else', 'return')
            return len(places) > 0 and all(sets) or is_declared
        @staticmethod
        def is_beyond(name):
            """No element, as in the declaration of an array."""
            array = re.match(r'(.*)\\[([^\\[\\]]*)\\]$', name)
            type = gdb.parse_and_eval(array.group(1)).type.strip_typedefs() if array else None
            if type is None or type.code != gdb.TYPE_CODE_ARRAY:
                return False
            first, last = type.range()
            return last >= first and not first <= int(gdb.parse_and_eval(array.group(2))) <= last
        @staticmethod
        def values(frame, text, is_vector):
            """Of the variables that the statement reads: 'r = 0, norm = 0'. is_vector: it computes several elements at once."""
            assigned = re.search(r'[^-=<>!+*/%&|^]=(?!=)', text)
            read = text[assigned.end():] if assigned else text
            chain = r'[A-Za-z_]\\w*(?:(?:\\.|->|%)[A-Za-z_]\\w*|\\[[^\\[\\]]*\\]|\\([^()]*\\))*'
            names, indices = [], []
            def collect(part, is_index):
                for found in re.findall(chain, part):
                    names.append(found)
                    if is_index:
                        indices.append(found)
                    inner = re.search(r'[\\[(](.*)[\\])]', found)
                    if inner:
                        collect(inner.group(1), True)
            collect(read, False)
            frame.select()
            told = {}
            for name in names[:32]:
                if is_vector and (name in indices or '[' in name or '(' in name):
                    continue
                if name in told or re.search(r'[^=<>!]=[^=]|\\+\\+|--', name) or _mpidbg_traps.is_only_set(name, text):
                    continue
                try:
                    if _mpidbg_traps.is_beyond(name):
                        continue
                    value = gdb.parse_and_eval(name)
                    if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                        value = value.referenced_value()
                    code = value.type.strip_typedefs().code
                    if code == gdb.TYPE_CODE_FLT:
                        told[name] = '%.6g' % float(value)
                    elif code == gdb.TYPE_CODE_INT:
                        told[name] = str(int(value))
                    elif code == gdb.TYPE_CODE_COMPLEX:
                        told[name] = value.format_string()
                except (gdb.error, RuntimeError, ValueError, TypeError, OverflowError):
                    pass
                if len(told) >= 8:
                    break
            return ', '.join('%s = %s' % each for each in told.items())
        @staticmethod
        def tell(rules):
            frame = gdb.newest_frame()
            answer, told = {'own': _mpidbg_traps.own()}, None
            with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False):
                try:
                    told = _mpidbg_operation(frame)
                    answer['scalar'] = told.text is not None and told.scalar
                    if told.text is not None:
                        answer.update(operation=told.text, kind=told.kind)
                except (gdb.error, RuntimeError):
                    pass
                own = _mpidbg_traps.place(rules)
                if own is None or own != frame:
                    answer['library'] = os.path.basename(gdb.solib_name(frame.pc()) or '')
                    answer['function'] = frame.name()
                if own is not None:
                    inlined = _mpidbg_traps.inlined(own)
                    found = inlined or own.find_sal()
                    answer.update(file=os.path.basename(found.symtab.filename), line=found.line)
                    try:
                        answer['text'] = _mpidbg_traps.line(found)
                        # Names mean other variables in the function that has called it.
                        if inlined is None:
                            answer['values'] = _mpidbg_traps.values(own, answer['text'], told is not None and told.vector and own.pc() == frame.pc())
                    except (gdb.error, RuntimeError, OSError, UnicodeError):
                        pass
                frame.select()
            print(json.dumps(answer))
    class _MpidbgForked(gdb.Function):
        def invoke(self):
            try:
                _mpidbg_traps.spare_child()
            except (gdb.error, AttributeError):
                pass
            return 0
    _MpidbgForked('_mpidbg_forked')
    with gdb.with_parameter('language', 'c'):
        gdb.execute('catch fork', to_string=True)
        # gdb 13 ignores a condition that is given with the catchpoint.
        gdb.execute('condition $bpnum $_mpidbg_forked()', to_string=True)
`;
