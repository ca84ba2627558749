/** Python in gdb that follows pointers, for float-walk-script.ts. */

/** Elements of an array or container that are visited one by one, because what is in each differs. */
export const maxElements = 1000;

/** `_mpidbg_pointers` knows which pointers lead to something that is looked at, and to how much of it. */
export const pointerWalkScript = `
import gdb, re
try:
    _mpidbg_pointers
except NameError:
    class _mpidbg_pointers:
        def follows(self, type):
            """Whether it is a pointer that leads to numbers, or to more that is looked at."""
            target = type.strip_typedefs()
            if target.code != gdb.TYPE_CODE_PTR:
                return False
            for _ in range(4):
                target = target.target().strip_typedefs()
                if target.code in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_COMPLEX):
                    return True
                if target.code == gdb.TYPE_CODE_ARRAY:
                    return not self.empty(target)
                if target.code == gdb.TYPE_CODE_STRUCT:
                    return self.is_of_program(target)
                if target.code != gdb.TYPE_CODE_PTR:
                    return False
            return False
        def is_of_program(self, type):
            """Not handles of MPI, whose structs are the library's, nor what is not complete."""
            return bool(type.fields()) and not type.dynamic and \\
                not re.match(r'(ompi|opal|mca|MPI|MPID)_|_IO_FILE|std::(__cxx11::)?(basic_|ios_base|locale|allocator|mutex|thread|function)', self.title(type))
        def leads(self, type, depth=0):
            """Elements of this type, all of one layout, have pointers that are followed."""
            type = type.strip_typedefs()
            if type.code == gdb.TYPE_CODE_ARRAY:
                return self.leads(type.target(), depth)
            if type.code == gdb.TYPE_CODE_STRUCT and depth < 8:
                return any(hasattr(f, 'bitpos') and not f.artificial and self.leads(f.type, depth + 1) for f in type.fields())
            return self.follows(type)
        def follow_later(self, first, count, name, depth):
            """Where the pointers in elements lead to, once all else has been looked at."""
            if not self.fortran and self.leads(first.type):
                self.later.append((self.root, first, count, name, depth))
        def follow(self):
            while self.later:
                root, first, count, name, depth = self.later.pop(0)
                self.root, pointer, before = root, first.address, len(self.left)
                for index in range(min(count, ${maxElements})):
                    self.follows_only = True
                    try:
                        yield from self.walk((pointer + index).dereference(), name + ['[%d]' % index], [], depth + 1)
                    finally:
                        self.follows_only = False
                if count > ${maxElements}:
                    self.cut = True
                self.gather(before, self.written(name))
        def gather(self, since, name):
            """What many elements have left is told once."""
            left = self.left[since:]
            if len(left) > 4:
                all = {(re.sub('^' + re.escape(name) + r'\\[\\d+\\]', name + '[*]', each['expression']), each['root'], each['why']): None for each in left}
                self.left[since:] = [{'root': root, 'expression': expression, 'why': why} for expression, root, why in all]
        def pointer(self, value, type, name, depth):
            target = type.target().strip_typedefs()
            if int(value) == 0:
                return
            if target.code in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_COMPLEX) or \\
                    (target.code == gdb.TYPE_CODE_ARRAY and not self.empty(target) and self.same(target)):
                return (yield from self.pointed_numbers(value, target, name, depth))
            if target.code == gdb.TYPE_CODE_PTR and self.follows(target):
                return (yield from self.rows(value, target, name, depth))
            if target.code == gdb.TYPE_CODE_STRUCT and self.is_of_program(target):
                yield from self.pointed_struct(value, target, name, depth)
        def pointed_struct(self, value, target, name, depth):
            """To one, or to several in a block of the heap."""
            block = _mpidbg_heap_block(int(value))
            known = ('block', int(value), self.spelled(target))
            if known in self.seen:
                return
            if block is not None and block[0] >= 2 * target.sizeof and not self.fortran and self.same(target):
                self.seen.add(known)
                if not self.empty(target):
                    yield from self.pointed_numbers(value, target, name, depth)
                self.follow_later(value.dereference(), block[1] // target.sizeof, name, depth)
            else:
                yield from self.pointed(value.dereference(), name, depth)
        def pointed_numbers(self, value, target, name, depth, may_lie_beyond=False):
            block = _mpidbg_heap_block(int(value))
            if block is None:
                return self.leave(name, 'a pointer, which does not say to how many elements', int(value))
            most, least = block[0] // target.sizeof, -(-block[1] // target.sizeof)
            if most < 1:
                return
            dims = [[0, most, target.sizeof]]
            if block[2] or least < most or may_lie_beyond:
                dims[0].append(0 if may_lie_beyond else least)
            yield from self.walk(value.dereference(), name + [{'subscripts': [0]}], dims, depth + 1)
        def rows(self, value, target, name, depth):
            """Pointers to rows, which lie one by one, or at equal distances in one block."""
            block = _mpidbg_heap_block(int(value))
            if block is None:
                return self.leave(name, 'a pointer, which does not say to how many elements', int(value))
            # Behind its end may be what once was a pointer.
            sure = -(-block[1] // 8)
            pointers = [int(value[i]) for i in range(min(sure, ${maxElements}))]
            yield from self.perhaps_row(value, range(sure, min(block[0] // 8, ${maxElements})), target.target().strip_typedefs(), name, depth)
            while pointers and pointers[-1] == 0:
                pointers.pop()
            number, steps = target.target().strip_typedefs(), {b - a for a, b in zip(pointers, pointers[1:])}
            if number.code not in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_COMPLEX):
                return (yield from self.follow_each(value, pointers, name, depth))
            whole = _mpidbg_heap_block(pointers[0]) if pointers and pointers[0] else None
            step = steps.pop() if len(steps) == 1 else 0
            if whole is not None and step > 0 and step % number.sizeof == 0 and whole[0] >= step * len(pointers):
                dims = [[0, len(pointers), step], [0, step // number.sizeof, number.sizeof]]
                return (yield from self.walk(value[0].dereference(), name + [{'subscripts': [0]}, {'subscripts': [1]}], dims, depth + 1))
            for index, address in enumerate(pointers):
                if address:
                    yield from self.pointed_numbers(value[index], number, name + ['[%d]' % index], depth + 1)
        def perhaps_row(self, value, indices, target, name, depth):
            """malloc has room for one pointer more than the program has surely asked for."""
            for index in indices:
                if _mpidbg_heap_block(int(value[index])) is None:
                    continue
                name = name + ['[%d]' % index]
                if target.code in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_COMPLEX):
                    yield from self.pointed_numbers(value[index], target, name, depth + 1, True)
                else:
                    self.leave(name, 'it may lie beyond the end of what was allocated')
        def follow_each(self, value, pointers, name, depth):
            for index, address in enumerate(pointers):
                if address:
                    yield from self.walk(value[index], name + ['[%d]' % index], [], depth + 1)
        def pointed(self, value, name, depth):
            key = (int(value.address), self.spelled(value.type))
            if key not in self.seen:
                self.seen.add(key)
                if re.match(r'std::(?!complex<)', self.title(value.type)):
                    name = ['(*', *name, ')']
                yield from self.walk(value, name, [], depth + 1, '->')
`;
