/**
 * Python in gdb for traps of floating point operations on x86-64: sets and clears them in the MXCSR register of the threads,
 * and tells what the trapped instruction was about to compute.
 */
export const floatTrapScript = `
import gdb, json, linecache, math, os, re, struct
try:
    _mpidbg_traps
except NameError:
    class _mpidbg_traps:
        @staticmethod
        def change(clear, set, only):
            """Clears and sets bits in each thread, or the selected one; answers the bits that were clear somewhere before."""
            chosen, found = gdb.selected_thread(), 0
            for thread in [chosen] if only else gdb.selected_inferior().threads():
                if not thread.is_valid() or not thread.is_stopped():
                    continue
                thread.switch()
                before = int(gdb.newest_frame().read_register('mxcsr'))
                found |= ~before & 0x1f80
                after = before & ~clear | set & ~_mpidbg_traps.own()
                if after != before:
                    _mpidbg_traps.write(thread, after)
            chosen.switch()
            print(found)
        @staticmethod
        def own():
            """Masks that the program has opened: libc opens those of x87 along with those of MXCSR."""
            return (~int(gdb.newest_frame().read_register('fctrl')) & 0x3f) << 7
        @staticmethod
        def write(thread, mxcsr):
            gdb.newest_frame().select()
            try:
                return gdb.execute('set var $mxcsr = %d' % mxcsr)
            except gdb.error:
                pass
            # gdb 13 has no room for all registers of processors with tiles (AMX), and the kernel refuses what it writes.
            import ctypes
            libc = ctypes.CDLL(None, use_errno=True)
            libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
            libc.ptrace.restype = ctypes.c_long
            state, tid = ctypes.create_string_buffer(512), thread.ptid[1] or thread.ptid[0]
            if libc.ptrace(14, tid, None, state) != 0: # PTRACE_GETFPREGS: as FXSAVE stores it, with MXCSR at 24
                raise gdb.error('the registers of floating point cannot be read')
            state[24:28] = mxcsr.to_bytes(4, 'little')
            if libc.ptrace(15, tid, None, state) != 0: # PTRACE_SETFPREGS
                raise gdb.error('the registers of floating point cannot be written')
            gdb.execute('maintenance flush register-cache', to_string=True)
        @staticmethod
        def number(value):
            text = '%.6g' % value
            return text + '.0' if re.match(r'-?\\d+$', text) else text
        @staticmethod
        def lanes(frame, operand, format, wide):
            """The numbers in a register or in memory, the first one only of a scalar instruction."""
            size, packed = (8, 4)[format[1] == 's'], format[0] == 'p'
            count = (32 if wide else 16) // size if packed else 1
            register = re.match(r'%([xy])mm(\\d+)$', operand)
            if register:
                member = {('x', 8): 'v2_double', ('x', 4): 'v4_float', ('y', 8): 'v4_double', ('y', 4): 'v8_float'}[(register.group(1), size)]
                held = frame.read_register(operand[1:])[member]
                return [float(held[i]) for i in range(count)]
            place = re.match(r'(-?0x[0-9a-f]+|)\\((%\\w+|)(?:,(%\\w+),(\\d))?\\)(?:\\s*#\\s*(0x[0-9a-f]+))?', operand)
            if place is None:
                return None
            offset, base, index, scale, known = place.groups()
            if known:
                address = int(known, 16)
            else:
                register = lambda name: int(frame.read_register(name[1:])) if name else 0
                address = (int(offset or '0', 16) + register(base) + register(index) * int(scale or 1)) & ((1 << 64) - 1)
            bytes = gdb.selected_inferior().read_memory(address, count * size).tobytes()
            return list(struct.unpack('<%d%s' % (count, 'd' if size == 8 else 'f'), bytes))
        @staticmethod
        def fused(frame, negated, then, order, format, rest):
            """'inf*0.0 + 5.0': a product and a sum in one instruction. The digits tell which operands are factors: 1 is the result's."""
            operands = [part.strip() for part in re.split(r',(?![^(]*\\))', rest)]
            parts = [_mpidbg_traps.lanes(frame, operand, format, 'ymm' in rest) for operand in operands]
            if None in parts or len(parts) != 3:
                return None
            third, second, first = parts
            number, scalar = _mpidbg_traps.number, format[0] == 's'
            by_digit = {'1': first, '2': second, '3': third}
            rows = list(zip(*(by_digit[digit] for digit in order)))
            for a, b, c in rows:
                product = -(a * b) if negated else a * b
                term = c if then == 'add' else -c
                bad = math.isnan(product) if not (math.isnan(a) or math.isnan(b)) else False
                cancels = math.isinf(product) and math.isinf(term) and math.copysign(1, product) != math.copysign(1, term)
                total = product + term
                exceeds = math.isinf(total) and math.isfinite(a) and math.isfinite(b) and math.isfinite(c)
                if bad or (cancels and (math.isinf(a) or math.isinf(b))) or exceeds:
                    written = '%s%s*%s %s %s' % ('-' if negated else '', number(a), number(b), '+' if then == 'add' else '-', number(c))
                    return written, 'overflow' if exceeds else 'invalid', scalar
            return None
        @staticmethod
        def operation(frame):
            """'0.0/0.0', its kind, and whether it is of one number; None where the instruction is none of those that are known."""
            with gdb.with_parameter('disassembly-flavor', 'att'):
                assembly = frame.architecture().disassemble(frame.pc())[0]['asm']
            parsed = re.match(r'(v?)(add|sub|mul|div|sqrt|u?comi)(ps|pd|ss|sd)\\s+(.*)$', re.sub(r'<[^>]*>', '', assembly))
            converted = re.match(r'v?cvt(t?)(ps|pd|ss|sd)2(\\w+?)l?q?\\s+(.*)$', re.sub(r'<[^>]*>', '', assembly))
            fused = re.match(r'vf(n?)m(add|sub)(132|213|231)(ps|pd|ss|sd)\\s+(.*)$', re.sub(r'<[^>]*>', '', assembly))
            if fused:
                return _mpidbg_traps.fused(frame, *fused.groups())
            if parsed is None and converted is None:
                return None
            name, format, rest = parsed.group(2, 3, 4) if parsed else ('cvt', *converted.group(2, 4))
            operands = [part.strip() for part in re.split(r',(?![^(]*\\))', rest)]
            wide = 'ymm' in rest
            right = _mpidbg_traps.lanes(frame, operands[0], format, wide)
            number = _mpidbg_traps.number
            if right is None:
                return None
            if name == 'cvt':
                what = 'an integer' if converted.group(3).startswith('si') or 'dq' in converted.group(3) else 'another format'
                kind = 'overflow' if what == 'another format' and math.isfinite(right[0]) else 'invalid'
                return 'conversion of %s to %s' % (number(right[0]), what), kind, format[0] == 's'
            if name == 'sqrt':
                bad = [x for x in right if x < 0] or right
                return 'sqrt(%s)' % number(bad[0]), 'invalid', format[0] == 's'
            left = _mpidbg_traps.lanes(frame, operands[1], format, wide)
            if left is None:
                return None
            if 'comi' in name:
                return 'comparison of %s with %s' % (number(left[0]), number(right[0])), 'invalid', format[0] == 's'
            most = 3.4028235677973366e38 if format[1] == 's' else math.inf
            def exceeds(a, b):
                if math.isnan(a) or math.isnan(b):
                    return False
                try:
                    result = {'add': a + b, 'sub': a - b, 'mul': a * b}[name] if name != 'div' else a / b
                except (ZeroDivisionError, OverflowError):
                    return True
                except KeyError:
                    return False
                return not abs(result) < most and not (math.isinf(a) and math.isinf(result)) and not (math.isinf(b) and math.isinf(result))
            a, b = next(((a, b) for a, b in zip(left, right) if exceeds(a, b)), (left[0], right[0]))
            written = number(a) + {'add': ' + ', 'sub': ' - ', 'mul': '*', 'div': '/'}[name] + number(b)
            zeros = name == 'div' and b == 0
            invalid = not (math.isfinite(a) and math.isfinite(b)) or (zeros and a == 0)
            return written, 'invalid' if invalid else 'zero' if zeros else 'overflow', format[0] == 's'
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
        def line(frame):
            """The statement of the frame's line, without comments."""
            found = frame.find_sal()
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
        def values(frame, text):
            """Of the variables that the statement reads: 'r = 0, norm = 0'."""
            assigned = re.search(r'[^-=<>!+*/%&|^]=(?!=)', text)
            read = text[assigned.end():] if assigned else text
            chain = r'[A-Za-z_]\\w*(?:(?:\\.|->|%)[A-Za-z_]\\w*|\\[[^\\[\\]]*\\]|\\([^()]*\\))*'
            names = []
            def collect(part):
                for found in re.findall(chain, part):
                    names.append(found)
                    inner = re.search(r'[\\[(](.*)[\\])]', found)
                    if inner:
                        collect(inner.group(1))
            collect(read)
            frame.select()
            told = {}
            for name in names[:32]:
                if name in told or re.search(r'[^=<>!]=[^=]|\\+\\+|--', name):
                    continue
                try:
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
            answer = {'own': _mpidbg_traps.own()}
            with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False):
                try:
                    told = _mpidbg_traps.operation(frame)
                    if told is not None:
                        answer['operation'], answer['kind'] = told[:2]
                        answer['scalar'] = told[2]
                except (gdb.error, RuntimeError, KeyError, ValueError, struct.error):
                    pass
                own = _mpidbg_traps.place(rules)
                if own is None or own != frame:
                    answer['library'] = os.path.basename(gdb.solib_name(frame.pc()) or '')
                    answer['function'] = frame.name()
                if own is not None:
                    found = own.find_sal()
                    answer.update(file=os.path.basename(found.symtab.filename), line=found.line)
                    try:
                        answer['text'] = _mpidbg_traps.line(own)
                        answer['values'] = _mpidbg_traps.values(own, answer['text'])
                    except (gdb.error, RuntimeError, OSError, UnicodeError):
                        pass
                frame.select()
            print(json.dumps(answer))
`;
