/** Python in gdb that finds what is in containers, smart pointers and texts of C++, for container-functions.ts. */
export const containerScript = `
import gdb, itertools, re
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
                raise gdb.GdbError('a value of type %s is no container whose elements are known, and its operators are functions of the program, which are not called for this' % value.type)
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
        def kind(value):
            # "map" of std::map and of std::__cxx11::map; "" of what is not the standard library's.
            name = value.type.strip_typedefs().unqualified().name or ''
            found = re.match(r'std::(?:__(?:cxx|debug|\\d)\\w*::)?(\\w+)<', name)
            return found.group(1) if found else ''
        @staticmethod
        def is_sample():
            # A condition is checked on values that have only the right types: of these no memory is followed.
            check = globals().get('_mpidbg_check')
            return check is not None and check.isActive
        @staticmethod
        def sample(value):
            if not _mpidbg_containers.is_sample():
                return None
            check = _mpidbg_check
            type = value.type.strip_typedefs()
            if type.code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR):
                element = type.target()
            elif type.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
                raise gdb.GdbError('Attempt to take contents of a non-pointer value: it is of type %s' % value.type)
            else:
                kind = _mpidbg_containers.kind(value)
                if _mpidbg_iterators.kind(value) is not None:
                    return check.sample(_mpidbg_iterators.element(type), int(value.address or 0))
                if not kind and gdb.default_visualizer(value) is None:
                    raise gdb.GdbError('a value of type %s is no container' % value.type)
                try:
                    element = type.template_argument(1 if kind in ('map', 'unordered_map') else 0)
                except (gdb.error, RuntimeError):
                    raise gdb.GdbError('not known before it is evaluated')
            return check.sample(element, int(value.address or 0))
        @staticmethod
        def is_text(value):
            return _mpidbg_containers.kind(value) in ('basic_string', 'basic_string_view')
        @staticmethod
        def text_place(value):
            if _mpidbg_containers.kind(value) == 'basic_string':
                return value['_M_dataplus']['_M_p'], int(value['_M_string_length'])
            return value['_M_str'], int(value['_M_len'])
        @staticmethod
        def of_library(value, source):
            # By the functions that gdb's Python has for methods: none of the program is called.
            if not _mpidbg_containers.kind(value):
                raise gdb.GdbError('Cannot call functions in the program')
            if value.address is None:
                raise gdb.GdbError('it lies in no memory')
            gdb.set_convenience_variable('_mpidbg_object', value.address)
            try:
                with gdb.with_parameter('may-call-functions', False):
                    return gdb.parse_and_eval('(*$_mpidbg_object)' + source)
            except RuntimeError as error:
                raise gdb.GdbError(str(error))
        @staticmethod
        def element(value, index):
            if _mpidbg_containers.is_text(value):
                start, length = _mpidbg_containers.text_place(value)
                if not 0 <= index <= length:
                    raise gdb.GdbError('it has no element %d' % index)
                return start[index]
            if _mpidbg_containers.kind(value) == 'bitset':
                # Its printer has the bits that are set.
                count, words = int(value.type.strip_typedefs().template_argument(0)), value['_M_w']
                if not 0 <= index < count:
                    raise gdb.GdbError('it has no element %d: its size is %d' % (index, count))
                bits = 8 * words.type.sizeof if words.type.code != gdb.TYPE_CODE_ARRAY else 8 * words.type.target().sizeof
                word = words if words.type.code != gdb.TYPE_CODE_ARRAY else words[index // bits]
                return gdb.Value(bool(int(word) >> index % bits & 1)).cast(gdb.lookup_type('bool'))
            if _mpidbg_containers.kind(value) in ('vector', 'deque', 'array'):
                count = int(_mpidbg_containers.of_library(value, '.size()'))
                if not 0 <= index < count:
                    raise gdb.GdbError('it has no element %d: its size is %d' % (index, count) if count else 'it has no elements')
                return _mpidbg_containers.of_library(value, '[%d]' % index)
            return None
        @staticmethod
        def method(value, name, given):
            kind, truth = _mpidbg_containers.kind(value), gdb.lookup_type('bool')
            number = gdb.lookup_type('unsigned long')
            if _mpidbg_containers.is_text(value):
                start, length = _mpidbg_containers.text_place(value)
                if name in ('size', 'length') and not given:
                    return gdb.Value(length).cast(number)
                if name == 'empty' and not given:
                    return gdb.Value(length == 0).cast(truth)
                if name in ('c_str', 'data') and not given:
                    return start
                if name in ('front', 'back') and not given and length > 0:
                    return start[0 if name == 'front' else length - 1]
            if name == 'has_value' and kind == 'optional':
                return value['_M_payload']['_M_engaged'].cast(truth)
            if name == 'load' and kind == 'atomic' and not given and _mpidbg_containers.in_atomic(value) is not None:
                return _mpidbg_containers.in_atomic(value)
            if name == 'use_count' and kind == 'shared_ptr':
                counted = value['_M_refcount']['_M_pi']
                return gdb.Value(0) if int(counted) == 0 else counted['_M_use_count']
            if name in ('count', 'contains') and kind in ('map', 'unordered_map', 'set', 'unordered_set') and len(given) == 1:
                keys = itertools.islice(_mpidbg_containers.children(value), 0, None, 2 if kind.endswith('map') else 1)
                isThere = any(_mpidbg_containers.equals(key, given[0]) for _, key in keys)
                return gdb.Value(isThere).cast(truth if name == 'contains' else number)
            if name in ('size', 'empty', 'front', 'back', 'get') and not given:
                if name in ('front', 'back') and not _mpidbg_containers.is_sample() and bool(_mpidbg_containers.of_library(value, '.empty()')):
                    raise gdb.GdbError('it has no elements')
                return _mpidbg_containers.of_library(value, '.%s()' % name)
            if name == 'data' and kind in ('vector', 'array') and not given:
                return _mpidbg_containers.of_library(value, '[0]').address
            raise gdb.GdbError('Cannot call functions in the program')
        @staticmethod
        def got(value, which):
            # std::get: by number or by type.
            kind = _mpidbg_containers.kind(value)
            if kind in ('variant', 'tuple', 'array', 'pair') and _mpidbg_containers.is_sample():
                type = value.type.strip_typedefs()
                number = int(which) if which.isdigit() and kind != 'array' else 0
                return _mpidbg_check.sample(type.template_argument(number) if which.isdigit() else gdb.lookup_type(which), int(value.address or 0))
            if kind == 'variant':
                at = int(value['_M_index'])
                types = [value.type.strip_typedefs().template_argument(at)]
                found, first = [next(child for _, child in _mpidbg_containers.children(value))], at
            elif kind in ('tuple', 'array', 'pair'):
                found, first = [child for _, child in _mpidbg_containers.elements(value, kind)], 0
                types = [child.type for child in found]
            else:
                raise gdb.GdbError('Cannot call functions in the program')
            if which.isdigit():
                if not first <= int(which) < first + len(found):
                    other = 'it holds its alternative %d' % first if kind == 'variant' else 'it has no element %s' % which
                    raise gdb.GdbError(other)
                return found[int(which) - first]
            wanted = gdb.lookup_type(which).strip_typedefs()
            places = [i for i, type in enumerate(types) if type.strip_typedefs() == wanted]
            if len(places) != 1:
                raise gdb.GdbError('it has %s element of type %s' % ('no' if not places else 'more than one', which))
            return found[places[0]]
        @staticmethod
        def elements(value, kind):
            if kind == 'pair':
                return [(name, value[name]) for name in ('first', 'second')]
            if kind == 'array':
                elements = value['_M_elems']
                low, high = elements.type.strip_typedefs().range()
                return [(str(i), elements[i]) for i in range(low, high + 1)]
            return _mpidbg_containers.children(value)
        @staticmethod
        def engaged(value):
            return bool(value['_M_payload']['_M_engaged'])
        @staticmethod
        def scalar(value):
            # A smart pointer's own pointer; None for what has operators of its own.
            type = value.type.strip_typedefs()
            kind = _mpidbg_containers.kind(value)
            if kind == 'unique_ptr':
                return next(child for _, child in _mpidbg_containers.children(value))
            if kind == 'shared_ptr':
                return value['_M_ptr']
            if kind == 'atomic':
                return _mpidbg_containers.in_atomic(value)
            return None if type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) else value
        @staticmethod
        def in_atomic(value):
            while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
                names = [field.name for field in value.type.strip_typedefs().fields()]
                held = next((name for name in ('_M_base', '_M_b', '_M_i', '_M_p') if name in names), None)
                bases = [field for field in value.type.strip_typedefs().fields() if field.is_base_class]
                if held is None and not bases:
                    return None
                value = value[held] if held else value[bases[0]]
            return value
        @staticmethod
        def truth(value):
            if _mpidbg_containers.kind(value) == 'optional':
                return not _mpidbg_containers.is_sample() and _mpidbg_containers.engaged(value)
            scalar = _mpidbg_containers.scalar(value)
            if scalar is None:
                raise gdb.GdbError('Cannot call functions in the program')
            return not _mpidbg_containers.is_sample() and bool(scalar)
        @staticmethod
        def same(left, right):
            optionals = [_mpidbg_containers.kind(each) == 'optional' for each in (left, right)]
            if any(optionals):
                if _mpidbg_containers.is_sample():
                    return False
                values = []
                for each, isOptional in zip((left, right), optionals):
                    type = each.type.strip_typedefs()
                    isNothing = type.code == gdb.TYPE_CODE_PTR and type.target().code == gdb.TYPE_CODE_VOID and int(each) == 0
                    isThere = _mpidbg_containers.engaged(each) if isOptional else not isNothing
                    values.append(None if not isThere else _mpidbg_target.invoke(each) if isOptional else each)
                if any(each is None for each in values):
                    return values[0] is None and values[1] is None
                return _mpidbg_containers.same(*values)
            if _mpidbg_containers.is_text(right) and not _mpidbg_containers.is_text(left):
                left, right = right, left
            if _mpidbg_containers.is_text(left):
                return _mpidbg_containers.same_text(left, right)
            scalars = [_mpidbg_containers.scalar(each) for each in (left, right)]
            if any(each is None for each in scalars):
                raise gdb.GdbError('Cannot call functions in the program')
            return not _mpidbg_containers.is_sample() and _mpidbg_containers.same_scalars(*scalars)
        @staticmethod
        def same_scalars(left, right):
            # As in C an int is compared with an unsigned number as one: Python's == of gdb compares their values.
            whole = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR)
            areWhole = all(each.type.strip_typedefs().code in whole for each in (left, right))
            return bool(left - right == 0) if areWhole else bool(left == right)
        @staticmethod
        def same_text(text, other):
            # The other one may also be an array of characters, which gdb has made a pointer, or a pointer to them.
            type = other.type.strip_typedefs()
            at, length = (None, 0) if _mpidbg_containers.is_sample() else _mpidbg_containers.text_place(text)
            if _mpidbg_containers.is_text(other):
                isSized = True
            elif type.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY) and type.target().strip_typedefs().code == gdb.TYPE_CODE_INT:
                isSized = False
                other = other if type.code == gdb.TYPE_CODE_PTR else other.address
            else:
                raise gdb.GdbError('Cannot call functions in the program')
            if at is None:
                return False
            memory, width = gdb.selected_inferior(), at.type.strip_typedefs().target().sizeof
            begin = bytes(memory.read_memory(int(at), length * width)) if length > 0 else b''
            if isSized:
                there, size = _mpidbg_containers.text_place(other)
                return length == size and (length == 0 or bytes(memory.read_memory(int(there), length * width)) == begin)
            if int(other) == 0:
                raise gdb.GdbError('a null pointer has no text')
            # No further than where they differ.
            for i in range(length + 1):
                found = bytes(memory.read_memory(int(other) + i * width, width))
                if found != (begin[i * width:(i + 1) * width] if i < length else bytes(width)):
                    return False
                if not any(found) and i < length:
                    return False
            return True
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
            sample = _mpidbg_containers.sample(value)
            if sample is not None:
                return sample
            kind = value.type.strip_typedefs().code
            if kind in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR):
                return value[int(index)]
            if _mpidbg_iterators.kind(value) == '__normal_iterator':
                return value['_M_current'][int(index)]
            if getattr(gdb.default_visualizer(value), 'display_hint', lambda: None)() == 'map':
                children = iter(_mpidbg_containers.children(value))
                for (_, key), (_, found) in zip(children, children):
                    if _mpidbg_containers.equals(key, index):
                        return found
                raise gdb.GdbError('it has no such key')
            direct = _mpidbg_containers.element(value, int(index))
            if direct is not None:
                return direct
            for name, child in _mpidbg_containers.children(value):
                if name == '[%s]' % int(index):
                    return child
                if name in ('get()', '.get()', 'get') and child.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                    return child[int(index)]
            raise gdb.GdbError('it has no element %s' % index)
    class _MpidbgTarget(gdb.Function):
        def invoke(self, pointer):
            value = _mpidbg_containers.plain(pointer)
            sample = _mpidbg_containers.sample(value)
            if sample is not None:
                return sample
            if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                return value.dereference()
            if _mpidbg_iterators.kind(value) is not None:
                return _mpidbg_iterators.target(value)
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
    class _MpidbgMember(gdb.Function):
        def invoke(self, value, *codes):
            return _mpidbg_containers.plain(value)[bytes(int(code) for code in codes).decode()]
    class _MpidbgMethod(gdb.Function):
        def invoke(self, object, length, *rest):
            value, name = _mpidbg_containers.plain(object), bytes(int(code) for code in rest[:int(length)]).decode()
            given = rest[int(length):]
            if name.startswith('get<'):
                return _mpidbg_containers.got(value, name[4:-1])
            if name == 'at' and len(given) == 1:
                return _mpidbg_at.invoke(value, given[0])
            if name == 'value' and not given and _mpidbg_containers.kind(value) == 'optional':
                return _mpidbg_target.invoke(value)
            try:
                return _mpidbg_containers.method(value, name, given)
            except (gdb.error, RuntimeError) as error:
                raise gdb.GdbError(str(error))
    def _mpidbg_answered(ask, *objects):
        try:
            # gdb makes it of the language's own type: C may have none that is called bool.
            return gdb.Value(bool(ask(*map(_mpidbg_containers.plain, objects))))
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
    class _MpidbgTruth(gdb.Function):
        def invoke(self, object):
            return _mpidbg_answered(_mpidbg_containers.truth, object)
    class _MpidbgEqual(gdb.Function):
        def invoke(self, isEqual, left, right):
            return _mpidbg_answered(lambda *sides: _mpidbg_containers.same(*sides) == bool(isEqual), left, right)
    _MpidbgTruth('_mpidbg_truth')
    _MpidbgEqual('_mpidbg_equal')
    _mpidbg_at = _MpidbgAt('_mpidbg_at')
    _mpidbg_target = _MpidbgTarget('_mpidbg_target')
    _MpidbgMember('_mpidbg_member')
    _MpidbgMethod('_mpidbg_method')
    _MpidbgChild('_mpidbg_child')
`;
