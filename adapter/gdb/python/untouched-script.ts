/** In gdb: which variables of a frame no instruction has touched that can have run. */
import { frameCode } from '../../../plugin-api/processor/x86-64/frame-code';

/**
 * Without optimization a variable has a place of its own on the stack, which the code names as an offset in the frame; whoever sets
 * it by its address has that address from there, too.
 */
export const untouchedScript = `
import gdb, re
class _mpidbg_untouched:
    max_bytes, kept = 20000, {}
    operand = re.compile(r'${frameCode.place}')
    enters = re.compile(r'${frameCode.enters}')
    jump = re.compile(r'^(?:bnd |notrack )*(?:j[a-z]+|loop[a-z]*)\\s+(\\*|0x([0-9a-f]+))')
    others = re.compile('${frameCode.reachesFromInner}|setjmp|getcontext')
    @classmethod
    def code(cls, architecture, start, end):
        """Of each instruction: offset, where it jumps to (-1: unknown), what place of the frame it names, whether it uses the frame otherwise, text."""
        contents = bytes(gdb.selected_inferior().read_memory(start, end - start))
        if contents not in cls.kept:
            if len(cls.kept) > 100:
                cls.kept.clear()
            code = []
            for each in architecture.disassemble(start, end - 1):
                text = each['asm']
                named, jump = cls.operand.search(text), cls.jump.match(text)
                to = None if jump is None else -1 if jump.group(2) is None else int(jump.group(2), 16) - start
                at = None if named is None else int(named.group(2), 16) * (-1 if named.group(1) else 1)
                code.append((each['addr'] - start, to, at, '%${frameCode.base}' in cls.operand.sub('', text) and not cls.enters.match(text), text))
            cls.kept[contents] = code
        return cls.kept[contents]
    @classmethod
    def has_elements(cls, type):
        if type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return any(hasattr(each, 'bitpos') and cls.has_elements(each.type.strip_typedefs()) for each in type.fields())
        return type.code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING)
    @classmethod
    def names(cls, frame, function, symbols):
        """Of these symbols, which have places on the stack, the names of those of which it is certain."""
        outer = function
        while outer.superblock is not None and not outer.superblock.is_static:
            outer = outer.superblock
        architecture = frame.architecture()
        if not architecture.name().startswith('i386:x86-64') or gdb.parameter('disassembly-flavor') != 'att' or outer.end - outer.start > cls.max_bytes:
            return set()
        code, here = cls.code(architecture, outer.start, outer.end), frame.pc() - outer.start
        if not 0 <= here < outer.end - outer.start:
            return set()
        # What lies behind has run only where a jump from there leads back.
        reached, last = here, -1
        while last != reached:
            last = reached
            for offset, to, at, indexed, text in code:
                if to is not None and offset >= reached and to < reached:
                    reached = offset + 1
        has_run = [each for each in code if each[0] < reached]
        # A function within this one may have set them; setjmp returns again.
        if not any(re.match(r'${frameCode.isSet}', each[4]) for each in code if each[0] < here) or any(cls.others.search(each[4]) for each in has_run):
            return set()
        base = int(frame.read_register('${frameCode.base}')) & 0xffffffffffffffff
        places = []
        for symbol in symbols:
            try:
                value = symbol.value(frame)
                if value.address is not None and not value.is_optimized_out and value.type.sizeof > 0:
                    places.append((symbol.name, int(value.address) - base, value.type.strip_typedefs()))
            except gdb.error:
                pass
        touched = [at for offset, to, at, indexed, text in has_run if at is not None]
        any_list = any(indexed for offset, to, at, indexed, text in has_run)
        # What shares a place with another one is set with it.
        spans = [(place, place + type.sizeof) for name, place, type in places]
        names = set()
        for name, place, type in places:
            # The code may name an array by a place outside it, plus an index; and what is made at run time lies elsewhere.
            if not -0x1000000 < place < 0 or type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF) or type.dynamic:
                continue
            end = place + type.sizeof
            shared = [each for each in spans if each[0] < end and place < each[1]]
            if not (any_list and cls.has_elements(type)) and not any(first <= at < behind for at in touched for first, behind in shared):
                names.add(name)
        return names
`;
