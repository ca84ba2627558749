/** Python in gdb that finds where the variables of a program lie, for variable-places.ts. */

/** The limit in gdb's processor time: more variables than can be visited by then are left out, and the answer says that it is cut. */
const maxSeconds = 1;

/** `_mpidbg_places` visits what `_mpidbg_floats` visits, and tells of all that has an address, whatever its type is. */
export const variableWalkScript = `
import gdb, re
try:
    _mpidbg_places
except NameError:
    class _mpidbg_places(_mpidbg_floats):
        max_seconds = ${maxSeconds}
        leaves = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_FLT,
            gdb.TYPE_CODE_COMPLEX, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_STRING)
        data = ('BDRbdr', 't?bss|t?data|rodata')
        def empty(self, type, depth=0):
            return False
        def variable(self, symbol, frame, level):
            """Without variables that have no value yet."""
            if frame is None or symbol.name not in self.unset:
                yield from _mpidbg_floats.variable(self, symbol, frame, level)
        def walk(self, value, name, dims, depth, separator='.'):
            if self.late():
                self.cut = True
                return
            # A dummy argument or a COMMON block of Fortran says nothing of how much memory is there.
            if depth == 0 and not self.fortran and 'address' not in self.roots[-1] and value.address is not None and not value.type.dynamic:
                self.roots[-1].update(address=str(int(value.address)), size=value.type.sizeof)
            yield from _mpidbg_floats.walk(self, value, name, dims, depth, separator)
        def look(self, value, name, dims, depth, separator):
            if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                value = value.referenced_value()
            type = value.type.strip_typedefs()
            if type.code in self.leaves:
                return self.number(value, type, name, dims)
            yield from _mpidbg_floats.look(self, value, name, dims, depth, separator)
        def number(self, value, type, name, dims):
            if value.address is None or not type.sizeof:
                return
            address = int(value.address) - sum(dim[2] * (dim[1] - 1) for dim in dims if dim[2] < 0)
            self.places.append([self.root, name, str(address), type.sizeof, 1, dims])
        def array(self, value, type, name, dims, depth):
            low, high = type.range()
            if high < low and self.fortran and value.address is not None and int(value.address):
                return self.leave(name, 'its size is assumed from the caller', int(value.address))
            yield from _mpidbg_floats.array(self, value, type, name, dims, depth)
        def container(self, value, type, plain, name, dims, depth):
            if re.match(r'std::(__cxx11::)?basic_string<', plain):
                first = value['_M_dataplus']['_M_p']
                return (yield from self.elements(first, int(value['_M_string_length']) * first.type.target().sizeof, name, dims, depth))
            # Printers of other containers follow links, which may lead in circles before the constructor has run.
            if re.match(r'std::(array|(__debug::|__cxx1998::)?vector|valarray|unique_ptr|shared_ptr)<', plain):
                return (yield from _mpidbg_floats.container(self, value, type, plain, name, dims, depth))
            self.leave(name, 'what is in a %s is not looked at' % plain.split('<')[0])
        def pointer(self, value, type, name, depth):
            target = type.target().strip_typedefs()
            if int(value) == 0 or target.code == gdb.TYPE_CODE_FUNC:
                return
            if target.code == gdb.TYPE_CODE_VOID:
                return self.leave(name, 'a pointer without a type', int(value))
            if target.code in self.leaves or target.code == gdb.TYPE_CODE_ARRAY:
                return (yield from self.pointed_numbers(value, target, name, depth))
            if target.code == gdb.TYPE_CODE_PTR and target.target().strip_typedefs().code in self.leaves:
                return (yield from self.rows(value, target, name, depth))
            yield from _mpidbg_floats.pointer(self, value, type, name, depth)
        def pointed_numbers(self, value, target, name, depth, may_lie_beyond=False):
            block = _mpidbg_heap_block(int(value))
            if block is None or block[0] < target.sizeof:
                return self.leave(name, 'a pointer, which does not say to how many elements', int(value))
            dims = [[0, block[0] // target.sizeof, target.sizeof, block[1] // target.sizeof]]
            yield from self.walk(value.dereference(), name + [{'subscripts': [0]}], dims, depth + 1)
        def of_stack(self, levels, inner):
            """And where the stack of the innermost frame that is not a library's ends."""
            yield from self.of_frames(levels)
            frame, level = gdb.newest_frame(), 0
            while frame is not None and level < inner:
                frame, level = frame.older(), level + 1
            if frame is not None:
                self.roots.append({'name': '', 'type': '', 'language': 'c', 'stack': str(int(frame.read_register('sp')))})
`;
