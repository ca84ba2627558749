/**
 * Comparing text by a function of gdb's own Python. In plain gdb `name == "ocean"` compares addresses, and calls malloc in
 * the program to have one for the literal: a rank of a running job may die of that, or deadlock. This one reads memory only.
 */
import type { MiCommands } from '../mi/context';
import { callNameComparison } from './mpi-calls';
import { prepareContainers } from './container-functions';
import { deferredTextScript } from './deferred-text';
import { runPythonOnce } from './run-python';

export const textFunction = '_mpidbg_text';

const operators = ['==', '!=', '<', '<=', '>', '>='] as const;
export type TextOperator = (typeof operators)[number];

/**
 * `operand operator "text"` as gdb reads it, after prepareTexts; the text as bytes, so that nothing needs quotes. To a
 * function gdb passes an array of C as a pointer, which has its size but another alignment.
 */
export function textComparison(
  operand: string,
  operator: TextOperator,
  text: Uint8Array,
  language: 'c' | 'fortran',
): string {
  const source = operand.trim();
  const ofCall = callNameComparison(source, operators.indexOf(operator), text);
  if (ofCall !== undefined) return ofCall;
  const shape = language === 'c' ? [`sizeof(${source})`, `_Alignof(__typeof__(${source}))`] : [0, 0];
  return `$${textFunction}(${[operators.indexOf(operator), source, ...shape, ...text].join(', ')})`;
}

/** The arguments of such a comparison whose operand was written anew: it is no array of C, whose size would count. */
export function withoutShape(compared: string): string {
  // Its size may have been written for more than 32 bits.
  const [, operator, operand, measured, codes] =
    /^(\d+), (.*), (?:sizeof\(.*\)|\$\w+\(\)), _Alignof\(__typeof__\((.*)\)\)((?:, \d+)*)$/s.exec(compared) ?? [];
  return operand === measured ? compared : `${operator}, ${operand}, 0, 0${codes}`;
}

/** Whether a call is such a comparison. */
export function isTextComparison(called: string): boolean {
  return called === `$${textFunction}`;
}

/**
 * What has text: arrays of characters (up to a zero byte), pointers to them, CHARACTER (without trailing blanks, as
 * Fortran compares), std::string and std::string_view, and what a pretty printer shows as a string. A pointer is read no
 * further than the comparison needs, and not beyond a page whose neighbour may be missing.
 */
const script = `
import gdb
class _mpidbg_texts:
    page = 4096
    references = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
    characters = ('char', 'signed char', 'unsigned char', 'char8_t', 'char16_t', 'char32_t', 'wchar_t')
    encodings = {1: 'utf-8', 2: 'utf-16-le', 4: 'utf-32-le'}
    # No CHARACTER is read whole beyond this.
    longest = 1 << 20
    @staticmethod
    def is_character(type):
        if type.unqualified().name in _mpidbg_texts.characters:
            return True
        type = type.strip_typedefs()
        return type.code == gdb.TYPE_CODE_CHAR or type.unqualified().name in _mpidbg_texts.characters
    @staticmethod
    def read(address, count, width):
        memory, found = gdb.selected_inferior(), b''
        while len(found) < count * width:
            at = address + len(found)
            piece = min(count * width - len(found), _mpidbg_texts.page - at % _mpidbg_texts.page)
            found += bytes(memory.read_memory(at, piece))
            for end in range(0, len(found) - width + 1, width):
                if not any(found[end:end + width]):
                    return found[:end]
        return found
    @staticmethod
    def counted(pointer, length, enough):
        width = pointer.type.strip_typedefs().target().strip_typedefs().sizeof
        size = min(int(length), enough) * width
        return (bytes(gdb.selected_inferior().read_memory(int(pointer), size)) if size > 0 else b''), width
    @staticmethod
    def array(value, enough):
        element = value.type.strip_typedefs().target()
        width = element.strip_typedefs().sizeof
        count = value.type.strip_typedefs().sizeof // width
        if value.address is not None:
            return _mpidbg_texts.read(int(value.address), min(count, enough), width), width
        low = value.type.strip_typedefs().range()[0]
        codes = [int(value[low + i]) for i in range(min(count, enough))]
        codes = codes[:codes.index(0)] if 0 in codes else codes
        return b''.join((code % (1 << 8 * width)).to_bytes(width, 'little') for code in codes), width
    @staticmethod
    def character(value):
        type = value.type.strip_typedefs()
        if type.sizeof > _mpidbg_texts.longest:
            raise gdb.GdbError('this CHARACTER is too long to be compared')
        if value.address is None:
            codes = value.cast(type.target().array(1, type.sizeof))
            return bytes(int(codes[i]) % 256 for i in range(1, type.sizeof + 1)), 1
        return bytes(gdb.selected_inferior().read_memory(int(value.address), type.sizeof)), 1
    @staticmethod
    def in_optional(value):
        try:
            return value['_M_payload']['_M_payload']['_M_value'] if (value.type.strip_typedefs().name or '').startswith('std::optional<') else None
        except gdb.error:
            return None
    @staticmethod
    def of_object(value, enough):
        for data, length in (('_M_dataplus', '_M_string_length'), ('_M_str', '_M_len')):
            try:
                pointer, count = value[data], value[length]
            except gdb.error:
                continue
            return _mpidbg_texts.counted(pointer['_M_p'] if data == '_M_dataplus' else pointer, count, enough)
        printer = gdb.default_visualizer(value)
        if getattr(printer, 'display_hint', lambda: None)() != 'string':
            return None, 0
        shown = printer.to_string()
        if hasattr(shown, 'length'):
            return shown.value().string(length=shown.length).encode(), 1
        return (shown.string() if hasattr(shown, 'string') else str(shown)).encode(), 1
    @staticmethod
    def of(value, size, alignment, enough):
        # The bytes, the width of a character, and whether trailing blanks count. No bytes: a null pointer.
        if value.type.code in _mpidbg_texts.references:
            value = value.referenced_value()
        type = value.type.strip_typedefs()
        if type.code == gdb.TYPE_CODE_PTR:
            if _mpidbg_texts.is_character(type.target()):
                width = type.target().strip_typedefs().sizeof
                if alignment == width:
                    enough = min(enough, size // width)
                return None if int(value) == 0 else _mpidbg_texts.read(int(value), enough, width), width, True
            if type.target().strip_typedefs().code != gdb.TYPE_CODE_FUNC:
                if int(value) == 0:
                    return None, 1, True
                value = _mpidbg_deferred_text(value) if type.target().code == gdb.TYPE_CODE_STRING else value.dereference()
                type = value.type.strip_typedefs()
        isFortran = gdb.selected_frame().language() == 'fortran' if gdb.selected_thread() else False
        if type.code == gdb.TYPE_CODE_STRING or isFortran and type.code == gdb.TYPE_CODE_ARRAY and _mpidbg_texts.is_character(type.target()):
            return *_mpidbg_texts.character(value), False
        if type.code == gdb.TYPE_CODE_ARRAY and _mpidbg_texts.is_character(type.target()):
            return *_mpidbg_texts.array(value, enough), True
        if _mpidbg_texts.is_character(value.type):
            return bytes([int(value) % 256]), 1, not isFortran
        if type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            held = _mpidbg_texts.in_optional(value)
            if held is not None:
                return _mpidbg_texts.of(held, 0, 0, enough) if value['_M_payload']['_M_engaged'] else (None, 1, True)
            text, width = _mpidbg_texts.of_object(value, enough)
            if text is not None:
                return text, width, True
        # gdb ends when it writes a type without a name in Fortran.
        spelled = 'unknown to gdb' if type.code == gdb.TYPE_CODE_STRUCT and not type.name and isFortran else value.type
        raise gdb.GdbError('a value of type %s is no text and cannot be compared with one' % spelled)
    @staticmethod
    def holds(operator, value, size, alignment, wanted):
        text, width, blanksCount = _mpidbg_texts.of(value, size, alignment, len(wanted) + 1)
        if text is None:
            if operator > 1:
                raise gdb.GdbError('a null pointer has no text')
            return operator == 1
        if width > 1:
            encoding = _mpidbg_texts.encodings[width]
            text, wanted = text.decode(encoding, 'replace'), wanted.decode('utf-8', 'replace')
        if not blanksCount:
            text, wanted = text.rstrip(b' '), wanted.rstrip(b' ')
        return [text == wanted, text != wanted, text < wanted, text <= wanted, text > wanted, text >= wanted][operator]
class _MpidbgText(gdb.Function):
    def invoke(self, operator, value, size, alignment, *codes):
        try:
            wanted = bytes(int(code) for code in codes)
            return _mpidbg_texts.holds(int(operator), value, int(size), int(alignment), wanted)
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
_MpidbgText('${textFunction}')
`;

/** Makes the function, and those that its operands use, known to this gdb. Rejects with NoPythonError, GdbError. */
export async function prepareTexts(gdb: MiCommands, expression: string): Promise<void> {
  if (!expression.includes(`$${textFunction}(`)) return;
  await runPythonOnce(gdb, deferredTextScript);
  await runPythonOnce(gdb, script);
  await prepareContainers(gdb, expression);
}
