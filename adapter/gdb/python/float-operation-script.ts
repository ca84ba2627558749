/**
 * Python in gdb: what a floating point instruction of x86-64 is about to compute that traps. One of several numbers is named
 * only where it is sure to be one that traps.
 */
export const floatOperationScript = `
import gdb, math, re, struct
try:
    _mpidbg_operation
except NameError:
    class _mpidbg_operation:
        """Of the instruction that the frame stands at. text: '0.0/0.0'; None: it is none of those that are known. scalar: it computes one number, vector: several."""
        bits = {'invalid': 0x80, 'zero': 0x200, 'overflow': 0x400}
        # gdb 13 reads what AVX-512 has added from where only some processors have it.
        knows_all = int(re.match(r'\\d+', gdb.VERSION).group()) >= 14
        signs = {'add': ' + ', 'sub': ' - ', 'mul': '*', 'div': '/'}
        targets = {'ss': 'float', 'ps': 'float', 'sd': 'double', 'pd': 'double'}
        def __init__(self, frame):
            self.frame, self.text, self.kind = frame, None, None
            with gdb.with_parameter('disassembly-flavor', 'att'):
                assembly = frame.architecture().disassemble(frame.pc())[0]['asm']
            assembly = re.sub(r'<[^>]*>', '', assembly)
            self.scalar = re.match(r'\\w+s[sd](2\\w+)?\\s', assembly) is not None
            self.vector = re.match(r'\\w+p[sd](2\\w+)?\\s', assembly) is not None
            for pattern, compute in (
                (r'v?(add|sub|mul|div)(ps|pd|ss|sd)\\s+(.*)$', self.arithmetic),
                (r'v?(sqrt)(ps|pd|ss|sd)\\s+(.*)$', self.root),
                (r'v?(u?comi)(ss|sd)\\s+(.*)$', self.comparison),
                (r'v?cvtt?(ps|pd|ss|sd)2(\\w+?)l?q?\\s+(.*)$', self.conversion),
                (r'vf(n?)m(add|sub)(132|213|231)(ps|pd|ss|sd)\\s+(.*)$', self.fused),
            ):
                parsed = re.match(pattern, assembly)
                if parsed:
                    try:
                        compute(*parsed.groups())
                    except (gdb.error, RuntimeError, KeyError, IndexError, ValueError, struct.error):
                        pass
                    return
        def tell(self, candidates):
            """Pairs of text and kind, of each number. Only what is not masked traps; of a single number, it is known that it does."""
            unmasked = ~int(self.frame.read_register('mxcsr'))
            for text, kind in candidates:
                if self.scalar or (kind is not None and unmasked & self.bits[kind]):
                    self.text, self.kind = text, kind or 'invalid'
                    return
        def arithmetic(self, name, format, rest):
            operands = self.operands(format, rest)
            self.tell(
                (self.number(a) + self.signs[name] + self.number(b), self.made(name, a, b, format))
                for a, b in zip(operands[1], operands[0])
            )
        def root(self, name, format, rest):
            self.tell(('sqrt(%s)' % self.number(a), 'invalid' if a < 0 else None) for a in self.operands(format, rest)[0])
        def comparison(self, name, format, rest):
            (right,), (left,) = self.operands(format, rest)[:2]
            self.tell([('comparison of %s with %s' % (self.number(left), self.number(right)), 'invalid')])
        def conversion(self, format, to, rest):
            target = self.targets.get(to[:2])
            def kind(a):
                if target is not None:
                    return 'overflow' if math.isfinite(a) and self.exceeds(a, format[0] + target[0]) else None
                return 'invalid' if not self.fits(a, to) else None
            words = 'conversion of %s to ' + (target or 'an integer')
            if not self.scalar and format[1] == 's' and 'q' in to:
                # It reads half of the register.
                return
            self.tell((words % self.number(a), kind(a)) for a in self.operands(format, rest, 1)[0])
        def fused(self, negated, then, order, format, rest):
            """A product and a sum in one instruction. The digits tell which operands are factors: 1 is the result's."""
            third, second, first = self.operands(format, rest)
            by_digit = {'1': first, '2': second, '3': third}
            sign = '+' if then == 'add' else '-'
            def candidate(a, b, c):
                text = '%s%s*%s %s %s' % ('-' if negated else '', self.number(a), self.number(b), sign, self.number(c))
                if math.isnan(a) or math.isnan(b) or math.isnan(c):
                    return text, 'invalid' if math.isnan(a * b) and not (math.isnan(a) or math.isnan(b)) else None
                total = (-(a * b) if negated else a * b) + (c if then == 'add' else -c)
                is_finite = math.isfinite(a) and math.isfinite(b) and math.isfinite(c)
                if math.isnan(total) and not is_finite:
                    return text, 'invalid'
                return text, 'overflow' if is_finite and self.exceeds(total, format) else None
            self.tell(candidate(*row) for row in zip(*(by_digit[digit] for digit in order)))
        def made(self, name, a, b, format):
            """The kind; None: nothing of these, or a NaN was there before, which traps if it is a signalling one."""
            if math.isnan(a) or math.isnan(b):
                return None
            if name == 'div' and b == 0:
                return 'invalid' if a == 0 else 'zero' if math.isfinite(a) else None
            result = {'add': a + b, 'sub': a - b, 'mul': a * b}[name] if name != 'div' else a / b
            if math.isnan(result):
                return 'invalid'
            return 'overflow' if math.isfinite(a) and math.isfinite(b) and self.exceeds(result, format) else None
        @staticmethod
        def exceeds(value, format):
            """It is not finite in this format: rounded, for single precision. '?f' or '?s' is single, '?d' double."""
            return not abs(value) < (3.4028235677973366e38 if format[1] in 'sf' else math.inf)
        @staticmethod
        def fits(value, to):
            """In an integer of an instruction's name: d, q, ud, uq; that of si is in no vector."""
            if not math.isfinite(value):
                return False
            most = 2.0 ** ((64 if 'q' in to else 32) - (0 if to[0] == 'u' else 1))
            return (-1 if to[0] == 'u' else -most - (0 if 'q' in to else 1)) < value < most
        @staticmethod
        def number(value):
            text = '%.6g' % value
            return text + '.0' if re.match(r'-?\\d+$', text) else text
        def operands(self, format, rest, most=3):
            """The numbers of each, of which there are several in a vector; without those that a mask leaves out."""
            mask = re.search(r'\\{%(k[1-7])\\}(\\{z\\})?$', rest)
            # Neither the commas in parentheses, nor how it rounds.
            written = [part.strip() for part in re.split(r',(?![^(]*\\))', rest[:mask.start()] if mask else rest)]
            written = [part for part in written if not re.match(r'\\{\\w+-sae\\}$', part)][:most]
            if mask and not self.knows_all:
                raise ValueError(rest)
            size = 8 if format[1] == 'd' else 4
            widest = 64 if self.knows_all else 32
            bytes = widest if 'zmm' in rest else 32 if 'ymm' in rest else 16
            count = 1 if self.scalar else bytes // size
            chosen = int(self.frame.read_register(mask.group(1))) if mask else -1
            return [[each for i, each in enumerate(self.numbers(part, size, count)) if chosen >> i & 1] for part in written]
        def numbers(self, operand, size, count):
            """The first ones in a register or in memory."""
            register = re.match(r'%([xyz])mm(\\d+)$', operand)
            if register and (self.knows_all or int(register.group(2)) < 16):
                name = operand[1:] if self.knows_all else operand[1:].replace('z', 'y')
                lanes = {'x': 16, 'y': 32, 'z': 64}[name[0]] // size
                held = self.frame.read_register(name)['v%d_%s' % (lanes, 'double' if size == 8 else 'float')]
                return [float(held[i]) for i in range(count)]
            spread = re.search(r'\\{1to\\d+\\}', operand)
            if spread:
                return self.numbers(operand[:spread.start()] + operand[spread.end():], size, 1) * count
            place = re.match(r'(-?0x[0-9a-f]+|)\\((%\\w+|)(?:,(%\\w+),(\\d))?\\)(?:\\s*#\\s*(0x[0-9a-f]+))?', operand)
            if place is None:
                raise ValueError(operand)
            offset, base, index, scale, known = place.groups()
            if known:
                address = int(known, 16)
            else:
                register = lambda name: int(self.frame.read_register(name[1:])) if name else 0
                address = (int(offset or '0', 16) + register(base) + register(index) * int(scale or 1)) & ((1 << 64) - 1)
            bytes = gdb.selected_inferior().read_memory(address, count * size).tobytes()
            return list(struct.unpack('<%d%s' % (count, 'd' if size == 8 else 'f'), bytes))
`;
