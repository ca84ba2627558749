/** Python in gdb that finds the floating point numbers in values, for float-places.ts. */
import { maxElements } from './pointer-walk-script';

/** Values that are visited in one thread or file, and how deep. */
const maxVisited = 20_000;
const maxDepth = 12;
/** Global variables of one file. */
const maxNames = 20_000;
/** Limits in gdb's processor time: of one container, whose links may lead in circles before its constructor has run, and of one thread or file. */
const maxContainerSeconds = 1;
const maxWalkSeconds = 20;
/** In gdb's processor time, until it may answer others. */
const sliceSeconds = 0.1;

/**
 * `_mpidbg_floats` visits the variables of frames, files or one expression, and tells where their numbers lie: arrays of
 * one layout as one place with subscripts, everything else element by element. Its methods are generators, which stop where a slice of
 * the walk is over.
 */
export const floatWalkScript = `
import gdb, json, re, sys, time
try:
    _mpidbg_floats
except NameError:
    class _mpidbg_late(Exception):
        pass
    class _mpidbg_floats(_mpidbg_pointers):
        max_seconds = ${maxWalkSeconds}
        # By number: those that have stopped between two slices.
        going, count = {}, 0
        def __init__(self):
            self.roots, self.places, self.kept, self.left = [], [], [], []
            self.seen, self.visited, self.cut, self.folds = set(), 0, False, {}
            self.seconds, self.ends, self.pause, self.frame, self.unset = self.max_seconds, 0, 0, None, set()
            self.root, self.later, self.follows_only = -1, [], False
        def start(self, name, type, language, frame=None, symbol=None):
            root = {'name': name, 'type': self.spelled(type), 'language': language}
            if frame is not None:
                root['frame'] = frame
            if symbol is not None and symbol.symtab is not None and symbol.line:
                root['source'] = {'file': symbol.symtab.fullname(), 'line': symbol.line}
            self.roots.append(root)
            self.root = len(self.roots) - 1
            self.fortran = language == 'fortran'
        def leave(self, name, why, address=None):
            told = {'root': self.root, 'expression': self.written(name), 'why': why}
            self.left.append(told if address is None else {**told, 'address': str(address)})
        def written(self, name):
            return ''.join(part if isinstance(part, str) else '(:)' if self.fortran else '[]' for part in name)
        @staticmethod
        def spelled(type):
            inner = type
            while inner.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
                inner = inner.target()
            # gdb ends when it writes a type without a name in Fortran.
            return '' if inner.code == gdb.TYPE_CODE_STRUCT and not inner.name else str(type)
        @staticmethod
        def title(type):
            return type.unqualified().name or ''
        @staticmethod
        def format(type):
            name, size = str(type.unqualified()), type.sizeof
            if size == 2:
                return 'bf2' if 'bf' in name else 'f2' if 'Float16' in name or name == 'real(kind=2)' else None
            if size in (12, 16):
                intel = 'i386' in gdb.selected_inferior().architecture().name()
                return 'x87' if intel and re.search(r'long double|kind=10', name) else 'f16' if size == 16 else None
            return {4: 'f4', 8: 'f8'}.get(size)
        def same(self, type):
            """All elements of this type have the same layout, with no pointers or containers to follow."""
            key = str(type) if type.name else None
            if key in self.folds and key is not None:
                return self.folds[key]
            type = type.strip_typedefs()
            code = type.code
            if code == gdb.TYPE_CODE_STRUCT:
                same = not type.dynamic and not re.match(r'std::(?!complex<|array<)', self.title(type)) and \\
                    all(not hasattr(f, 'bitpos') or self.same(f.type) for f in type.fields())
            elif code == gdb.TYPE_CODE_ARRAY:
                same = not type.dynamic and self.same(type.target())
            else:
                same = True
            if key is not None:
                self.folds[key] = same
            return same
        def walk(self, value, name, dims, depth, separator='.'):
            self.visited += 1
            if self.visited > ${maxVisited} or depth > ${maxDepth} or self.late():
                self.cut = True
                return
            if self.pauses():
                yield
            try:
                yield from self.look(value, name, dims, depth, separator)
            except (gdb.error, RuntimeError, ValueError, TypeError, OverflowError, AttributeError, _mpidbg_late) as error:
                self.leave(name, str(error))
        def look(self, value, name, dims, depth, separator):
            if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                value = value.referenced_value()
            type = value.type.strip_typedefs()
            code = type.code
            if code in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_COMPLEX):
                return self.number(value, type, name, dims)
            if code == gdb.TYPE_CODE_ARRAY:
                return (yield from self.array(value, type, name, dims, depth))
            if code == gdb.TYPE_CODE_STRUCT:
                return (yield from self.struct(value, type, name, dims, depth, separator))
            if code == gdb.TYPE_CODE_PTR and not dims:
                before, self.follows_only = self.follows_only, False
                try:
                    return (yield from self.pointer(value, type, name, depth))
                finally:
                    self.follows_only = before
            if code == gdb.TYPE_CODE_UNION and not self.empty(type):
                known = ('union', None if value.address is None else int(value.address))
                if known not in self.seen:
                    self.seen.add(known)
                    self.leave(name, 'a union: which of its members is in use is unknown')
        def empty(self, type, depth=0):
            """No floating point number is in it."""
            type = type.strip_typedefs()
            if type.code in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_COMPLEX):
                return False
            if type.code == gdb.TYPE_CODE_ARRAY:
                return self.empty(type.target(), depth)
            if type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and depth < 8:
                return all(not hasattr(f, 'bitpos') or self.empty(f.type, depth + 1) for f in type.fields())
            return True
        def number(self, value, type, name, dims):
            if self.follows_only:
                return
            parts = 2 if type.code == gdb.TYPE_CODE_COMPLEX else 1
            format = self.format(type.target() if parts == 2 else type)
            if value.address is None:
                text = value.format_string()
                if re.search(r'nan|inf', text, re.I):
                    self.kept.append({'root': self.root, 'expression': self.written(name), 'text': text})
                return
            if format is None:
                return self.leave(name, 'numbers of the type %s are unknown' % type)
            # gdb takes the end of an array that lies backwards for its first element: see expressions/fortran-arrays.ts.
            address = int(value.address) - sum(dim[2] * (dim[1] - 1) for dim in dims if dim[2] < 0)
            self.places.append([self.root, name, str(address), format, parts, dims])
        @staticmethod
        def stride(value, low, high):
            if high <= low:
                return 0
            stride = int(value[low + 1].address) - int(value[low].address)
            # gdb divides the negative number of bits as an unsigned one.
            return stride - (1 << 61) if stride > 1 << 56 else stride
        def array(self, value, type, name, dims, depth):
            target = type.target()
            if self.empty(target) and self.same(target) and (self.fortran or not self.leads(target)):
                return
            if self.follows_only and not self.leads(target):
                return
            # Optimized out, or not allocated.
            if value.address is None or int(value.address) == 0:
                return
            low, high = type.range()
            if high < low:
                if type.dynamic and self.fortran:
                    self.leave(name, 'its size is unknown here: it is assumed from the caller')
                return
            first = value[low]
            if not self.same(first.type):
                return (yield from self.each(value, low, high, name, dims, depth))
            if not dims:
                if self.follows_only:
                    return (yield from self.each(value, low, high, name, dims, depth))
                self.follow_later(first, high - low + 1, name, depth)
            stride = self.stride(value, low, high)
            number = len(dims)
            if self.fortran and name and not isinstance(name[-1], str) and value.type.code == gdb.TYPE_CODE_ARRAY and self.inner:
                name = name[:-1] + [{'subscripts': [number] + name[-1]['subscripts']}]
            else:
                name = name + [{'subscripts': [number]}]
            self.inner = first.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY
            yield from self.walk(first, name, dims + [[low, high - low + 1, stride]], depth)
            self.inner = False
        inner = False
        def each(self, value, low, high, name, dims, depth, subscripts=()):
            """Elements that differ in what is in them."""
            if self.stride(value, low, high) < 0:
                return self.leave(name, 'its elements lie backwards in memory')
            for index in range(low, min(high, low + ${maxElements} - 1) + 1):
                element = value[index]
                type = element.type.strip_typedefs()
                if self.fortran and type.code == gdb.TYPE_CODE_ARRAY:
                    yield from self.each(element, *type.range(), name, dims, depth, (str(index),) + subscripts)
                else:
                    written = '(%s)' % ','.join((str(index),) + subscripts) if self.fortran else '[%d]' % index
                    yield from self.walk(element, name + [written], dims, depth + 1)
            if high - low >= ${maxElements}:
                self.cut = True
        def struct(self, value, type, name, dims, depth, separator):
            names = [field.name for field in type.fields()]
            if self.fortran and '_data' in names and '_vptr' in names:
                if value['_data'].type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
                    return (yield from self.walk(_mpidbg_descriptor(value.address).whole(), name, [], depth + 1))
                if int(value['_data']) == 0:
                    return
                return (yield from self.pointed(_mpidbg_object(value), name, depth))
            plain = self.title(type)
            if re.match(r'std::', plain) and not re.match(r'std::complex<', plain):
                return (yield from self.container(value, type, plain, name, dims, depth))
            for field in type.fields():
                if not hasattr(field, 'bitpos') or field.artificial or (field.name or '').startswith('_vptr'):
                    continue
                if self.follows_only and not self.leads(field.type):
                    continue
                if field.is_base_class:
                    yield from self.walk(value[field], name, dims, depth + 1, separator)
                elif plain.startswith('std::complex<'):
                    yield from self.walk(value[field], name, dims, depth + 1)
                elif not field.name:
                    yield from self.walk(value[field], name, dims, depth + 1, separator)
                else:
                    yield from self.walk(value[field], name + [('%' if self.fortran else separator) + field.name], dims, depth + 1)
        def container(self, value, type, plain, name, dims, depth):
            if plain.startswith('std::array<'):
                names = [field.name for field in type.fields()]
                if '_M_elems' in names:
                    yield from self.walk(value['_M_elems'], name, dims, depth + 1)
                return
            if re.match(r'std::(__cxx11::)?(basic_string|basic_.*stream|ios_base|allocator|mutex|thread|function)\\b', plain):
                return
            vector = re.match(r'std::(__debug::|__cxx1998::)?vector<', plain)
            if vector and not plain.startswith('std::vector<bool'):
                first, last, end = (value['_M_impl'][part] for part in ('_M_start', '_M_finish', '_M_end_of_storage'))
                if not int(first) <= int(last) <= int(end) or (int(last) - int(first)) % first.type.strip_typedefs().target().sizeof:
                    return self.leave(name, 'it is not constructed yet, or overwritten')
                return (yield from self.elements(first, int(last) - int(first), name, dims, depth))
            if plain.startswith('std::valarray<'):
                first = value['_M_data']
                return (yield from self.elements(first, int(value['_M_size']) * first.type.target().sizeof, name, dims, depth))
            if re.match(r'std::(unique_ptr|shared_ptr|weak_ptr)<', plain):
                return (yield from self.smart(value, plain, name, depth))
            printer = gdb.default_visualizer(value)
            if printer is None or not hasattr(printer, 'children'):
                return self.leave(name, 'gdb does not know what is in a %s' % plain.split('<')[0])
            map = getattr(printer, 'display_hint', lambda: '')() == 'map'
            key, fields = None, {field.name for field in type.fields()}
            for number, (label, child) in enumerate(self.children(printer)):
                if map and number % 2 == 0:
                    key = child.format_string() if isinstance(child, gdb.Value) else str(child)
                elif isinstance(child, gdb.Value):
                    label = '[%s]' % key if map else str(label)
                    member = '.' + label if label in fields else ''
                    yield from self.walk(child, name + [label if label.startswith('[') else member], dims, depth + 1)
        def children(self, printer):
            """At most so many, and as long as that is quick: a printer may follow links for ever."""
            told, ends, before = [], min(time.thread_time() + ${maxContainerSeconds}, self.ends), sys.gettrace()
            def watch(frame, event, argument):
                if time.thread_time() > ends:
                    raise _mpidbg_late('its links have no end: it may not be constructed yet')
                return watch
            sys.settrace(watch)
            try:
                for child in printer.children():
                    if len(told) >= ${maxElements}:
                        self.cut = True
                        break
                    told.append(child)
            except _mpidbg_late:
                raise
            except gdb.error as error:
                raise _mpidbg_late('gdb cannot read what is in it, which may not be constructed yet: %s' % error)
            except Exception:
                raise _mpidbg_late('the pretty printer of gdb cannot list what is in it')
            finally:
                sys.settrace(before)
            return told
        def smart(self, value, plain, name, depth):
            printer = gdb.default_visualizer(value)
            if printer is None:
                return self.leave(name, 'how many elements it owns is unknown')
            for _, child in self.children(printer):
                if isinstance(child, gdb.Value) and child.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                    yield from self.pointer(child, child.type.strip_typedefs(), name, depth)
        def elements(self, first, size, name, dims, depth):
            target = first.type.strip_typedefs().target()
            count = size // target.sizeof
            if count <= 0 or (self.empty(target) and self.same(target) and not self.leads(target)):
                return
            if self.same(target):
                if not dims:
                    self.follow_later(first.dereference(), count, name, depth)
                dims = dims + [[0, count, target.sizeof]]
                return (yield from self.walk(first.dereference(), name + [{'subscripts': [len(dims) - 1]}], dims, depth + 1))
            for index in range(min(count, ${maxElements})):
                yield from self.walk((first + index).dereference(), name + ['[%d]' % index], dims, depth + 1)
            if count > ${maxElements}:
                self.cut = True
        def of_frames(self, levels):
            frame, level = gdb.newest_frame(), 0
            wanted = set(levels)
            while frame is not None and level <= max(levels):
                if level in wanted and frame.is_valid():
                    yield from self.of_frame(frame, level)
                frame, level = frame.older(), level + 1
        def of_frame(self, frame, level):
            try:
                # The bounds of arrays are those of the selected frame.
                frame.select()
                block, self.frame = frame.block(), frame
            except (gdb.error, RuntimeError):
                return
            try:
                self.unset = {name for name, line in _mpidbg_unset.names()}
            except Exception:
                self.unset = set()
            names = set()
            while block is not None and not block.is_static and not block.is_global:
                for symbol in block:
                    if not (symbol.is_variable or symbol.is_argument) or symbol.name in names or re.search(r'^$|^\\.|^_gfortran|\\.\\d+$|^__for_(range|begin|end)\\d*$', symbol.name):
                        continue
                    names.add(symbol.name)
                    yield from self.variable(symbol, frame, level)
                if block.function is not None:
                    break
                block = block.superblock
        def variable(self, symbol, frame, level):
            language = 'fortran' if symbol.symtab is not None and re.search(r'\\.(f|for|ftn|f\\d\\d|fpp)$', symbol.symtab.filename, re.I) else 'c'
            name = symbol.name if frame is not None else symbol.name.split('::')[-1] if language == 'fortran' else symbol.name
            try:
                if symbol.type is None:
                    return
                value = symbol.value(frame) if symbol.needs_frame else symbol.value()
            except (gdb.error, RuntimeError, ValueError, TypeError):
                return
            if symbol.type.code == gdb.TYPE_CODE_STRUCT and not symbol.type.fields() and not symbol.type.name:
                # CHARACTER, in Fortran.
                return
            self.start(name, symbol.type, language, level, symbol)
            if frame is not None and symbol.name in self.unset:
                return self.unset_variable(symbol, name)
            yield from self.walk(value, [name], [], 0)
        def unset_variable(self, symbol, name):
            if not self.empty(symbol.type) or not self.same(symbol.type):
                self.leave([name], 'it has no value yet')
        def late(self):
            """No more is to be visited."""
            return time.thread_time() > self.ends
        def pauses(self):
            """This slice is over."""
            return time.thread_time() > self.pause
        def of_globals(self, files):
            """Listing the variables that gdb knows would have it read the debug information of all libraries."""
            known = set()
            for objfile in gdb.selected_inferior().progspace.objfiles():
                if objfile.owner is not None or not (objfile.filename or '').endswith(tuple(files)):
                    continue
                for name in self.names(objfile):
                    if self.late():
                        self.cut = True
                        return
                    if self.pauses():
                        yield
                    for symbol in [gdb.lookup_global_symbol(name)] + list(gdb.lookup_static_symbols(name)):
                        if symbol is None or not symbol.is_variable or symbol.symtab is None:
                            continue
                        owner = symbol.symtab.objfile.owner or symbol.symtab.objfile
                        key = (name, symbol.symtab.fullname(), symbol.line)
                        if owner == objfile and key not in known:
                            known.add(key)
                            yield from self.variable(symbol, None, None)
        data = ('BDbd', 't?bss|t?data')
        def names(self, objfile):
            """Of the data that the file's symbol table has, as gdb writes names."""
            printed = gdb.execute('maintenance print msymbols -objfile ' + objfile.filename.replace(' ', '\\\\ '), to_string=True)
            names = {}
            # The name, the section, for C++ the name as the user writes it, and the source file.
            symbol = r'^ *\\[ *\\d+\\] [%s] 0x[0-9a-f]+ (\\S+) section \\.(?:%s)\\b\\S*(.*)$' % self.data
            for linkage, rest in re.findall(symbol, printed, re.M):
                module = re.match(r'__(\\w+?)_MOD_(\\w+)$', linkage)
                demangled = rest.strip().rsplit('  ', 1)[0] if linkage.startswith('_Z') else linkage
                name = '::'.join(module.groups()) if module else demangled
                if not re.match(r'_[A-Z_]|vtable for |typeinfo |guard variable ', name) and not re.search(r'\\.\\d+$', name):
                    names[name] = True
                if len(names) >= ${maxNames}:
                    self.cut = True
                    break
            return names
        def of_expression(self, source, text, language, level):
            value = gdb.parse_and_eval(source)
            self.start(text, value.type, language, level)
            type = value.type.strip_typedefs()
            target = type.target().strip_typedefs() if type.code == gdb.TYPE_CODE_PTR else None
            if target is not None and target.code == gdb.TYPE_CODE_STRUCT:
                yield from self.pointed_struct(value, target, [text], 0)
            else:
                section = re.match(r'\\*\\s*(\\w+)\\s*@', text)
                yield from self.walk(value, [section.group(1) if section else text], [], 0)
        def all_of(self, question):
            yield from question(self)
            yield from self.follow()
        @classmethod
        def tell(walk, question):
            self = walk()
            self.steps = self.all_of(question)
            self.go_on()
        def go_on(self):
            """Prints the answer, or the number with which it goes on."""
            error, begin, isOver = None, time.thread_time(), True
            self.ends, self.pause = begin + self.seconds, begin + ${sliceSeconds}
            # As in read-only.ts.
            with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False), \\
                    gdb.with_parameter('print elements', 8):
                try:
                    if self.frame is not None:
                        if not self.frame.is_valid():
                            raise gdb.error('the rank has run meanwhile')
                        self.frame.select()
                    isOver = next(self.steps, True) is True
                except (gdb.error, RuntimeError) as thrown:
                    error = str(thrown)
            if not isOver:
                self.seconds = self.ends - time.thread_time()
                _mpidbg_floats.count += 1
                _mpidbg_floats.going[_mpidbg_floats.count] = self
                return print(json.dumps({'more': _mpidbg_floats.count}))
            print(json.dumps({'roots': self.roots, 'places': self.places, 'kept': self.kept, 'left': self.left, 'cut': self.cut, 'error': error}))
`;
