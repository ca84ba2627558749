/**
 * The simple members of a frame's objects, as the source would name them: of structs, of what pointers lead to (`this` first), and
 * of small arrays in them. Containers that gdb has printers for are left out, and so are addresses.
 */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { valueOf, type GdbValue } from '../mi/value';
import { NoPythonError, runPythonOnce } from './stop-script';

/** The limit for one frame. */
const maxMembers = 100;
/** Pointers that are followed from a variable on, and structs within each other. */
const maxPointers = 2;
const maxStructs = 4;
/** Elements of an array that are compared one by one. */
const maxElements = 8;

const script = `
import gdb, json
class _mpidbg_members:
    simple = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR)
    structs = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
    @staticmethod
    def add(found, value, path, pointers, structs):
        if len(found) >= ${maxMembers} or structs > ${maxStructs}:
            return
        if (value.type.name or '').startswith('MPI_') or value.is_optimized_out:
            return
        kind = value.type.strip_typedefs()
        if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return _mpidbg_members.add(found, value.referenced_value(), path, pointers, structs)
        if kind.code in _mpidbg_members.simple:
            found.append([path, value.format_string(), str(kind)])
        elif kind.code == gdb.TYPE_CODE_PTR:
            target = kind.target().strip_typedefs()
            if target.code in _mpidbg_members.structs and pointers < ${maxPointers} and int(value) != 0:
                _mpidbg_members.add(found, value.dereference(), path + '->', pointers + 1, structs)
        elif kind.code == gdb.TYPE_CODE_ARRAY:
            first, last = kind.range()
            if last - first < ${maxElements} and kind.target().strip_typedefs().code in _mpidbg_members.simple:
                for index in range(first, last + 1):
                    _mpidbg_members.add(found, value[index], '%s[%d]' % (path, index), pointers, structs)
        elif kind.code in _mpidbg_members.structs and gdb.default_visualizer(value) is None:
            for field in kind.fields():
                if not hasattr(field, 'bitpos') or field.artificial:
                    continue
                if field.is_base_class:
                    _mpidbg_members.add(found, value[field], path, pointers, structs + 1)
                elif field.name is not None and not field.name.startswith(('_vptr', '__')):
                    part = value[field]
                    joint = '' if path.endswith('->') else '.'
                    # std::array has no printer: its one member is not the program's.
                    name = path if field.name == '_M_elems' else path + joint + field.name
                    try:
                        _mpidbg_members.add(found, part, name, pointers, structs + 1)
                    except (gdb.error, RuntimeError):
                        # What cannot be read: a wild pointer.
                        pass
    @staticmethod
    def of_frame():
        frame, found, seen = gdb.selected_frame(), [], set()
        block = frame.block()
        line = frame.find_sal().line
        objects = []
        while block is not None:
            for symbol in block:
                is_mine = (symbol.is_variable or symbol.is_argument) and symbol.needs_frame and symbol.name not in seen
                if is_mine and (symbol.is_argument or symbol.line <= line):
                    seen.add(symbol.name)
                    if symbol.type.strip_typedefs().code not in _mpidbg_members.simple:
                        objects.append(symbol)
            if block.function is not None:
                break
            block = block.superblock
        for symbol in sorted(objects, key=lambda each: each.name != 'this'):
            try:
                _mpidbg_members.add(found, symbol.value(frame), symbol.name, 0, 0)
            except (gdb.error, RuntimeError, TypeError):
                pass
        return found
    @staticmethod
    def tell():
        try:
            print(json.dumps(_mpidbg_members.of_frame()))
        except (gdb.error, RuntimeError, AttributeError):
            print('[]')
`;

export interface MemberValue {
  /** "this->me_", "own.phase". */
  name: string;
  value: GdbValue;
}

/** The members in a frame of C or C++. Empty where gdb cannot tell. */
export async function memberValues(thread: GdbThread, frame: number): Promise<MemberValue[]> {
  try {
    await runPythonOnce(thread.gdb, script);
    const printed = await thread.gdb.console('python _mpidbg_members.tell()', thread, frame);
    const members = JSON.parse(printed) as [name: string, text: string, type: string][];
    return members.map(([name, text, type]) => ({ name, value: valueOf(text, type) }));
  } catch (error) {
    if (error instanceof NoPythonError || error instanceof GdbError) return [];
    throw error;
  }
}
