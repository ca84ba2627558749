/**
 * Intrinsics of Fortran that gdb lacks: LEN, LEN_TRIM and PRESENT, as functions of its Python. The others that it lacks
 * are named, so that a condition with one of them is refused with what can be asked instead.
 */
import type { MiCommands } from '../mi/context';
import { deferredTextScript } from './deferred-text';
import { runPythonOnce } from './run-python';
import { unknownIntrinsics } from './unknown-intrinsics';

const [lengthFunction, trimmedFunction, presentFunction] = ['_mpidbg_len', '_mpidbg_len_trim', '_mpidbg_present'];

/** A text of the program, or one of these with its parenthesis; no component and no element of a variable of another name. */
const calls = /"[^"]*"|'[^']*'|(?<![\w%$:]|%\s)(?:present\s*\(\s*(\w+)\s*\)|(len|len_trim)\s*\()/gi;

/** Replaces these intrinsics by the functions that prepareTextIntrinsics defines; `wanted`: only those whose name matches. */
export function withTextIntrinsics(expression: string, wanted = /./): string {
  return expression.replace(calls, (whole, dummy: string | undefined, name: string | undefined) => {
    // By its name: an array that is absent cannot be passed on.
    if (dummy !== undefined) return `$${presentFunction}(${[...Buffer.from(dummy.toLowerCase())].join(',')})`;
    if (name === undefined || !wanted.test(name)) return whole;
    return `$${/^len$/i.test(name) ? lengthFunction : trimmedFunction}(`;
  });
}

const script = `
import gdb
class _mpidbg_lengths:
    longest = 1 << 20
    @staticmethod
    def is_checked():
        # Before any rank comes to a condition, values only have the right types.
        check = globals().get('_mpidbg_check')
        return check is not None and check.isActive
    @staticmethod
    def text(value):
        type = value.type.strip_typedefs()
        if type.code == gdb.TYPE_CODE_PTR and type.target().code == gdb.TYPE_CODE_STRING:
            if int(value) == 0:
                raise gdb.MemoryError('Cannot access memory at address 0x0')
            return _mpidbg_deferred_text(value) if type.target().sizeof == 0 or type.target().dynamic else value.dereference()
        return value
    @staticmethod
    def is_text(type):
        # Once gdb knows the length of a CHARACTER, it is an array to it, of a type that gdb itself names.
        return type.code == gdb.TYPE_CODE_ARRAY and type.target().name == 'character'
    @staticmethod
    def width(type, function):
        # Also for the CHARACTERs in an array.
        while type.code == gdb.TYPE_CODE_ARRAY and not _mpidbg_lengths.is_text(type):
            type = type.target().strip_typedefs()
        if _mpidbg_lengths.is_text(type):
            return type.sizeof // type.target().sizeof
        if type.code == gdb.TYPE_CODE_STRING:
            return type.sizeof // type.target().sizeof
        if type.code == gdb.TYPE_CODE_CHAR:
            return 1
        raise gdb.GdbError('a value of type %s is no text and %s does not apply to it' % (type.name or 'without a name', function))
    @staticmethod
    def known(value):
        codes = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_COMPLEX)
        return not _mpidbg_lengths.is_checked() or value.type.strip_typedefs().code in codes
    @staticmethod
    def trimmed(value):
        length = _mpidbg_lengths.width(value.type.strip_typedefs(), 'LEN_TRIM')
        type = value.type.strip_typedefs()
        if type.code == gdb.TYPE_CODE_ARRAY and not _mpidbg_lengths.is_text(type):
            raise gdb.GdbError('LEN_TRIM of an array is an array: ask for an element')
        if value.type.strip_typedefs().sizeof != length or length > _mpidbg_lengths.longest or value.address is None:
            raise gdb.GdbError('LEN_TRIM is not known of this CHARACTER')
        return len(bytes(gdb.selected_inferior().read_memory(int(value.address), length)).rstrip(b' ')) if length else 0
    @staticmethod
    def present(name):
        frame = gdb.selected_frame()
        symbol = gdb.lookup_symbol(name)[0]
        if symbol is None or not symbol.is_argument:
            raise gdb.GdbError('%s is not a dummy argument' % name)
        try:
            value = frame.read_var(symbol)
            if value.is_optimized_out or value.address is None:
                raise gdb.GdbError('whether %s was passed is optimized out' % name)
            address = int(value.address)
        except gdb.MemoryError as error:
            address = 0 if str(error).endswith(' 0x0') else None
        except gdb.error as error:
            address = 0 if str(error).startswith('Location address is not set') else None
        if address is None or int(frame.read_register('sp')) <= address < _mpidbg_lengths.end(frame):
            raise gdb.GdbError('whether %s was passed is not known' % name)
        return address != 0
    @staticmethod
    def end(frame):
        # What was passed by reference lies in no variable of the procedure itself, and one that has VALUE does.
        older = frame.older()
        return int(older.read_register('sp')) if older is not None else 0
class _MpidbgLen(gdb.Function):
    def invoke(self, value):
        if not _mpidbg_lengths.known(value):
            return 1
        text = _mpidbg_lengths.text(value)
        length = _mpidbg_lengths.width(text.type.strip_typedefs(), 'LEN')
        # The length of a text that was deallocated is still in its variable.
        if text.address is not None and int(text.address) == 0:
            raise gdb.MemoryError('Cannot access memory at address 0x0')
        return length
class _MpidbgLenTrim(gdb.Function):
    def invoke(self, value):
        return _mpidbg_lengths.trimmed(_mpidbg_lengths.text(value)) if _mpidbg_lengths.known(value) else 1
class _MpidbgPresent(gdb.Function):
    def invoke(self, *codes):
        return _mpidbg_lengths.is_checked() or _mpidbg_lengths.present(bytes(int(code) for code in codes).decode())
_MpidbgLen('${lengthFunction}')
_MpidbgLenTrim('${trimmedFunction}')
_MpidbgPresent('${presentFunction}')
`;

/** `len(text)` for gdb, after prepareTextIntrinsics. */
export function lengthOfText(text: string): string {
  return `$${lengthFunction}(${text})`;
}

/** Makes the functions known to this gdb, where the expression has one. Rejects with NoPythonError, GdbError. */
export async function prepareTextIntrinsics(gdb: MiCommands, expression: string): Promise<void> {
  if (!/\$_mpidbg_(?:len|len_trim|present)\(/.test(expression)) return;
  await runPythonOnce(gdb, deferredTextScript);
  await runPythonOnce(gdb, script);
}

/** An intrinsic of Fortran that the expression calls and neither gdb nor mpidbg knows. `variables`: of such names, in lower case. */
export function unknownIntrinsicIn(expression: string, variables: readonly string[]): string | undefined {
  for (const [, name = ''] of expression.matchAll(/"[^"]*"|'[^']*'|(?<![\w%$:]|%\s)([a-z]\w*)\s*\(/gi)) {
    const lower = name.toLowerCase();
    if (unknownIntrinsics.has(lower) && !variables.includes(lower)) return lower;
  }
  return undefined;
}
