/**
 * Where the bytes of a value lie, for values that are too long to be printed. gdb knows the types: which bytes belong to
 * the value, and which are holes between members that two equal values may have different.
 */
import type { GdbThread } from '../mi/context';
import { isAssignment } from '../mi/read-only';
import { runPythonOnce } from './run-python';
import { printedAnswer } from './printed-answer';

/** `stride` bytes after each other until `size`, of which those in `holes` do not tell the value. */
export interface Region {
  address: bigint;
  size: number;
  stride: number;
  holes: readonly (readonly [from: number, to: number])[];
}

export interface ValueBytes {
  regions: readonly Region[];
  /** A text of C, up to its terminating zero. */
  text?: bigint;
  /** Equal bytes prove nothing: a part is in memory that is not told here, or is a handle of its own process. */
  isPartial: boolean;
}

const script = `
import gdb, json, re
try:
    _mpidbg_bytes
except NameError:
    class _mpidbg_bytes:
        @staticmethod
        def holes(type):
            """The bytes that do not tell the value, and whether equal bytes are equal values."""
            name = type.name or ''
            type = type.strip_typedefs().unqualified()
            code = type.code
            untold = [(0, type.sizeof)], False
            if re.match(r'MPI_(?!Aint|Offset|Count|Fint)', name):
                return untold
            if code == gdb.TYPE_CODE_ARRAY:
                element = type.target()
                if type.dynamic or element.sizeof == 0:
                    return untold
                inner, whole = _mpidbg_bytes.holes(element)
                count = type.sizeof // element.sizeof
                if inner and count * len(inner) > 4096:
                    return untold
                return [(i * element.sizeof + a, i * element.sizeof + b) for i in range(count if inner else 0) for a, b in inner], whole
            if code == gdb.TYPE_CODE_STRUCT:
                if type.dynamic or re.match(r'std::', type.name or ''):
                    return untold
                found, end, whole = [], 0, True
                for field in sorted((f for f in type.fields() if hasattr(f, 'bitpos')), key=lambda f: f.bitpos):
                    start = field.bitpos // 8
                    if field.bitsize or start < end:
                        return untold
                    inner, exact = _mpidbg_bytes.holes(field.type)
                    whole = whole and exact
                    found += ([(end, start)] if start > end else []) + [(start + a, start + b) for a, b in inner]
                    end = start + field.type.sizeof
                return found + ([(end, type.sizeof)] if end < type.sizeof else []), whole
            if code == gdb.TYPE_CODE_PTR:
                return untold if _mpidbg_bytes.leads_to_text(type) else ([], True)
            if code == gdb.TYPE_CODE_COMPLEX:
                inner, whole = _mpidbg_bytes.holes(type.target())
                half = type.sizeof // 2
                return [(start + a, start + b) for start in (0, half) for a, b in inner], whole
            if code == gdb.TYPE_CODE_FLT:
                # Only 10 of the 16 bytes of this format, as x86 has it, are used.
                extended = type.sizeof == 16 and re.search(r'long double|kind=10', str(type)) and \\
                    'i386' in gdb.selected_inferior().architecture().name()
                return ([(10, 16)] if extended else []), True
            plain = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_STRING)
            return ([], True) if code in plain else untold
        @staticmethod
        def leads_to_text(type):
            """gdb writes the text with such a pointer."""
            target = type.target().strip_typedefs()
            return target.sizeof == 1 and target.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR)
        @staticmethod
        def stored(value):
            """An array that has no gaps between its elements, or anything else in memory."""
            if value.is_optimized_out or value.address is None:
                return False
            type = value.type.strip_typedefs()
            if type.code != gdb.TYPE_CODE_ARRAY:
                return True
            low, high = type.range()
            if high < low:
                return True
            first = value[low]
            if int(first.address) != int(value.address) or not _mpidbg_bytes.stored(first):
                return False
            size = first.type.sizeof
            return type.sizeof == size * (high - low + 1) and \\
                (high == low or int(value[low + 1].address) - int(first.address) == size)
        @staticmethod
        def region(address, size, element):
            while element.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
                element = element.strip_typedefs().target()
            holes, whole = _mpidbg_bytes.holes(element)
            return [str(address), size, element.sizeof, holes], whole
        @staticmethod
        def walk(value, regions):
            """Adds where the value lies; says whether equal bytes are equal values."""
            type = value.type.strip_typedefs()
            printer = gdb.default_visualizer(value)
            if printer is not None:
                return _mpidbg_bytes.container(value, type, printer, regions)
            if not _mpidbg_bytes.stored(value):
                return False
            if type.code != gdb.TYPE_CODE_STRUCT:
                region, whole = _mpidbg_bytes.region(int(value.address), type.sizeof, value.type)
                regions.append(region)
                return whole
            whole = True
            for field in type.fields():
                if hasattr(field, 'bitpos'):
                    part = value[field]
                    if field.bitsize:
                        whole = False
                    else:
                        whole = _mpidbg_bytes.walk(part, regions) and whole
            return whole
        @staticmethod
        def container(value, type, printer, regions):
            shown = printer.to_string()
            if hasattr(shown, 'address') and hasattr(shown, 'length'):
                if shown.length < 0:
                    return False
                character = shown.type.strip_typedefs().target().sizeof
                regions.append([str(int(shown.address)), shown.length * character, 1, []])
                return True
            count = re.match(r'std::(?:__debug::)?vector of length (\\d+)', str(shown))
            if count is None or not hasattr(printer, 'children'):
                return False
            for _, first in printer.children():
                if first.address is None:
                    return False
                region, whole = _mpidbg_bytes.region(int(first.address), int(count.group(1)) * first.type.sizeof, first.type)
                regions.append(region)
                return whole and gdb.default_visualizer(first) is None
            return True
        @staticmethod
        def tell(expression):
            # As in read-only.ts.
            with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False):
                try:
                    value = gdb.parse_and_eval(expression)
                    if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                        value = value.referenced_value()
                    type, regions, text = value.type.strip_typedefs(), [], None
                    if type.code == gdb.TYPE_CODE_PTR and _mpidbg_bytes.leads_to_text(type):
                        text, whole = str(int(value)), True
                    else:
                        whole = _mpidbg_bytes.walk(value, regions)
                except (gdb.error, RuntimeError, ValueError, TypeError) as error:
                    regions, text, whole = [], None, False
            print(json.dumps({'regions': regions, 'text': text, 'whole': whole}))
`;

interface Told {
  regions: readonly [address: string, size: number, stride: number, holes: readonly (readonly [number, number])[]][];
  text: string | null;
  whole: boolean;
}

/** `frame`: 0 is the innermost. Without regions and text nothing is known. Rejects with NoPythonError, GdbError. */
export async function valueBytes(thread: GdbThread, frame: number, expression: string): Promise<ValueBytes> {
  if (thread.whyNoValues !== undefined || isAssignment(expression, thread.readOnlySyntax ?? 'unknown'))
    return { regions: [], isPartial: true };
  await runPythonOnce(thread.gdb, script);
  const encoded = Buffer.from(expression).toString('base64');
  const call = `_mpidbg_bytes.tell(base64.b64decode('${encoded}').decode())`;
  const printed = await thread.gdb.console(`python import base64; ${call}`, thread, frame);
  const told = printedAnswer(printed) as Told;
  return {
    regions: told.regions.map(([address, size, stride, holes]) => ({ address: BigInt(address), size, stride, holes })),
    ...(told.text === null ? {} : { text: BigInt(told.text) }),
    isPartial: !told.whole,
  };
}
