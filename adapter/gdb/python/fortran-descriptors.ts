/**
 * Arrays that gdb does not know, but their descriptors do (as libgfortran.h has them): those of CHARACTER whose length is known at
 * run time only, such as `character(len=:), allocatable :: names(:)` and `character(*) names(:)`, of which gfortran (9 and newer)
 * writes no type into the debug information, and those of CLASS(*), whose elements gdb takes for void: it ends when it prints them.
 * And those of CHARACTER whose length is in a variable beside them: gdb knows their length, not that elements have it.
 * A function of gdb's Python gives them their type. What lies without gaps has an address, can be watched and assigned to; all else
 * is a copy, but for its elements.
 */
export const arrayPrefix = '_mpidbg_array_';
export const textPrefix = '_mpidbg_text_of_';

/** The array, or with `indexes` its element, as gdb reads it after prepareComponents. `source`: as gdb reads that. */
export function arrayByDescriptor(source: string, indexes: readonly string[] = []): string {
  return `$${arrayPrefix}${Buffer.from(source).toString('hex')}(${indexes.join(',')})`;
}

/**
 * The CHARACTER of deferred length that this component is, as gdb reads it after prepareComponents: gdb does not know that its
 * length is in a component beside it. undefined: it is no component.
 */
export function textByLength(component: string): string | undefined {
  return lengthOf(component) && `$${textPrefix}${Buffer.from(component).toString('hex')}()`;
}

/** The source in `arrayByDescriptor(source)`. */
export function describedSource(array: string): string | undefined {
  const [, hex] = new RegExp(`^\\$${arrayPrefix}([\\da-f]+)\\(\\)$`).exec(array) ?? [];
  return hex && Buffer.from(hex, 'hex').toString();
}

/** The sources of all such arrays and texts in an expression. */
export function describedIn(expression: string): string[] {
  const found = expression.matchAll(new RegExp(`\\$(?:${arrayPrefix}|${textPrefix})([\\da-f]+)\\(`, 'g'));
  return [...new Set([...found].map(([, hex]) => Buffer.from(hex!, 'hex').toString()))];
}

/** A copy has no more bytes. */
const maxCopy = 1 << 20;
/** No process has as many bytes. */
const maxDistance = 2 ** 47;

/** Needs fortranTypesScript and declaredBoundsScript. */
export const descriptorScript = `
import gdb, itertools, re, struct
class _mpidbg_descriptor:
    # base_addr, offset, dtype { elem_len, version, rank, type, attribute }, span; per dimension stride, lower bound, upper bound.
    header = struct.Struct('<qqqibbhq')
    dimension = struct.Struct('<qqq')
    # The compiler's number of CHARACTER.
    character = 6
    def __init__(self, where, lows=None):
        memory = gdb.selected_inferior()
        if int(where) == 0:
            raise gdb.MemoryError('Cannot access memory at address 0x0')
        head = bytes(memory.read_memory(int(where), self.header.size))
        self.first, _, length, version, rank, kind, _, span = self.header.unpack(head)
        polymorphic = where.dereference()
        isClass = '_vptr' in _mpidbg_names(polymorphic)
        if self.first == 0 or not 1 <= rank <= 15 or not isClass and (version != 0 or kind != self.character):
            raise gdb.GdbError('gdb does not know its type')
        self.type = _mpidbg_type(polymorphic) if isClass else _mpidbg_characters(length)
        if self.type is None:
            raise gdb.GdbError('gdb does not know its type')
        # It is not set for what is contiguous, and may be that of one character in a CLASS(*).
        if span == 0 or isClass and span == int(polymorphic['_vptr']['_size']):
            span = self.type.sizeof
        if isClass and span != self.type.sizeof:
            raise gdb.GdbError('gdb does not know its type')
        # gfortran 12 leaves the length out of a pointer in a derived type.
        if self.type.sizeof == 0 and span != 0:
            raise gdb.GdbError('gdb does not know its type')
        size = rank * self.dimension.size
        told = bytes(memory.read_memory(int(where) + self.header.size, size))
        self.bounds, self.steps = [], []
        for number, (stride, low, high) in enumerate(self.dimension.iter_unpack(told)):
            extent = max(0, high - low + 1)
            # A dummy of assumed shape has bounds of its own: its descriptor has those of what was passed.
            low = low if lows is None else lows[number] if number < len(lows) else 1
            self.bounds.append((low, low + extent - 1))
            self.steps.append(stride * span)
        self.count = 1
        for (low, high), step in zip(self.bounds, self.steps):
            self.count *= high - low + 1
            if abs(step * (high - low + 1)) > ${maxDistance} or self.count > ${maxDistance}:
                raise gdb.GdbError('gdb does not know its type')
    def at(self, indexes):
        return self.first + sum((index - low) * step for index, (low, _), step in zip(indexes, self.bounds, self.steps))
    def element(self, indexes):
        if len(indexes) != len(self.bounds):
            raise gdb.GdbError('Wrong number of subscripts')
        if any(not low <= index <= high for index, (low, high) in zip(indexes, self.bounds)):
            raise gdb.GdbError('no such vector element')
        return self.value(self.type, self.at(indexes))
    @staticmethod
    def value(type, address):
        return gdb.Value(address).cast(type.pointer()).dereference()
    def whole(self):
        type, size, isContiguous = self.type, self.type.sizeof, True
        for (low, high), step in zip(self.bounds, self.steps):
            isContiguous = isContiguous and (step == size or high == low)
            size *= high - low + 1
            type = type.array(low, high)
        if isContiguous or self.count == 0:
            return self.value(type, self.first)
        if size > ${maxCopy}:
            raise gdb.GdbError('value requires %d bytes, which is more than max-value-size' % size)
        memory, pieces = gdb.selected_inferior(), []
        # The first subscript runs fastest.
        for indexes in itertools.product(*(range(low, high + 1) for low, high in reversed(self.bounds))):
            pieces.append(bytes(memory.read_memory(self.at(indexes[::-1]), self.type.sizeof)))
        return gdb.Value(b''.join(pieces), type)
class _mpidbg_unsized_texts(_mpidbg_descriptor):
    # CHARACTER whose length is in a variable beside it: for gdb 13 an element has no size, so that all are the first one.
    def __init__(self, source, type, where):
        self.isOpen = str(type).endswith('*)')
        self.first, self.bounds, self.steps = int(where), [], []
        while type.code == gdb.TYPE_CODE_ARRAY:
            self.bounds.insert(0, type.range())
            type = type.target()
        if self.isOpen:
            self.bounds[-1] = (self.bounds[-1][0], ${maxDistance})
        element = '%s(%s)' % (source, ','.join(str(low) for low, _ in self.bounds))
        length = re.search(r'[(*](\\d+)\\)?$', str(gdb.parse_and_eval(element).type))
        if length is None:
            raise gdb.GdbError('the length of its elements is optimized out')
        self.type = _mpidbg_characters(int(length.group(1)))
        self.count, step = 1, self.type.sizeof
        for low, high in self.bounds:
            self.steps.append(step)
            step *= max(0, high - low + 1)
            self.count *= max(0, high - low + 1)
    def whole(self):
        if self.isOpen:
            raise gdb.GdbError('failed to get range bounds')
        return super().whole()
class _MpidbgArray(gdb.Function):
    def __init__(self, name, source):
        super().__init__(name)
        self.source = source
    def invoke(self, *indexes):
        try:
            where = gdb.parse_and_eval('&(%s)' % self.source)
            type = where.type.target()
            if type.code == gdb.TYPE_CODE_ARRAY:
                array = _mpidbg_unsized_texts(self.source, type, where)
            else:
                array = _mpidbg_descriptor(where, _mpidbg_declared_lows(self.source, type))
            return array.element([int(index) for index in indexes]) if indexes else array.whole()
        except gdb.MemoryError:
            raise
        except (gdb.error, RuntimeError, OverflowError) as error:
            raise gdb.GdbError(str(error))
class _MpidbgDeferred(gdb.Function):
    def __init__(self, name, component, length):
        super().__init__(name)
        self.component, self.length = component, length
    def invoke(self):
        pointer = gdb.parse_and_eval(self.component)
        return _mpidbg_descriptor.value(_mpidbg_characters(int(gdb.parse_and_eval(self.length))), int(pointer))
class _MpidbgPolymorphic:
    # gdb ends when it prints an array of void.
    def __init__(self, value):
        self.value = value
    def to_string(self):
        return '<CLASS(*)>'
def _mpidbg_polymorphic(value):
    type = value.type
    if type.code != gdb.TYPE_CODE_STRUCT or not (type.name or '').startswith('__class__STAR_'):
        return None
    target = type.fields()[0].type
    target = target.target() if target.code == gdb.TYPE_CODE_PTR else target
    return _MpidbgPolymorphic(value) if target.code == gdb.TYPE_CODE_ARRAY else None
gdb.pretty_printers.append(_mpidbg_polymorphic)
`;

/** Makes what arrayByDescriptor and textByLength read of a source known to gdb. Needs descriptorScript. */
export const describedScript = (source: string): string => {
  const quoted = (text: string): string => `bytes.fromhex('${Buffer.from(text).toString('hex')}').decode()`;
  const hex = Buffer.from(source).toString('hex');
  const array = `_MpidbgArray('${arrayPrefix}${hex}', ${quoted(source)})`;
  const length = lengthOf(source);
  return length === undefined
    ? array
    : `${array}; _MpidbgDeferred('${textPrefix}${hex}', ${quoted(source)}, ${quoted(length)})`;
};

/** The component beside a CHARACTER of deferred length that keeps its length. */
function lengthOf(component: string): string | undefined {
  const [, object, name] = /^(.*)%(\w+)$/s.exec(component) ?? [];
  return object && `${object}%_${name}_length`;
}
