/**
 * The simple members of a frame's objects, as the source would name them: of structs, of what pointers lead to (`this` first), and
 * of small arrays in them. Containers that gdb has printers for are left out, and so are addresses.
 */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { valueOf, type GdbValue } from '../mi/value';
import { NoPythonError, runPythonOnce } from './run-python';

/** The limit for one frame. */
const maxMembers = 100;
/** Pointers that are followed from a variable on, and structs within each other. */
const maxPointers = 2;
const maxStructs = 4;
/** Elements of an array that are compared one by one. */
const maxElements = 8;

const script = `
import gdb, itertools, json, re
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
        elif kind.code in _mpidbg_members.structs:
            printer = gdb.default_visualizer(value)
            if printer is None:
                _mpidbg_members.add_fields(found, value, kind, path, pointers, structs)
            elif re.match(r'std::(optional|unique_ptr|shared_ptr)<', kind.name or ''):
                _mpidbg_members.add_held(found, printer, path, pointers, structs)
    @staticmethod
    def add_held(found, printer, path, pointers, structs):
        held = [part for _, part in itertools.islice(printer.children(), 2)]
        if len(held) == 0:
            found.append([path, 'no value', ''])
        elif len(held) == 1:
            _mpidbg_members.add(found, held[0], path, pointers, structs + 1)
    @staticmethod
    def add_fields(found, value, kind, path, pointers, structs):
        fields = [field for field in kind.fields() if hasattr(field, 'bitpos') and not field.artificial]
        is_lambda = kind.name is None and all((field.name or '').startswith('__') for field in fields)
        is_library = (kind.name or '').startswith(('std::', '__gnu_cxx::'))
        for field in fields:
            name = field.name or ''
            if field.is_base_class:
                _mpidbg_members.add(found, value[field], path, pointers, structs + 1)
                continue
            # What one member of the library's holds, as in std::array, stands for its object.
            is_kept = is_library and len(fields) == 1
            is_hidden = name == '' or name.startswith('_vptr')
            if is_lambda:
                # What is captured by reference is a variable of its own.
                is_hidden = is_hidden or name == '__this' or value[field].type.code == gdb.TYPE_CODE_REF
            elif is_library and not is_kept:
                is_hidden = is_hidden or re.match('_[A-Z_]', name) is not None
            elif not is_library:
                is_hidden = is_hidden or name.startswith('__')
            if is_hidden:
                continue
            joint = '' if path.endswith('->') else '.'
            try:
                _mpidbg_members.add(found, value[field], path if is_kept else path + joint + name, pointers, structs + 1)
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
            except Exception:
                # A printer trusts what is in the object.
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
