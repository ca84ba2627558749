/** The position of a bit field of C: gdb tells only the address of the word that contains it. */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { printedAnswer } from './printed-answer';
import { runPythonOnce } from './run-python';

/** `count` bits from bit `first` on, in an unsigned number of `bytes` bytes. */
export interface BitField {
  address: bigint;
  bytes: number;
  first: number;
  count: number;
  isSigned: boolean;
}

const script = `
import gdb, json, re
class _mpidbg_bits:
    structures = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
    @staticmethod
    def field(type, name):
        # Also finds fields of base classes and of anonymous members. None: there is no such field, or it is in a virtual base, whose offset is not known.
        type = type.strip_typedefs()
        for field in type.fields() if type.code in _mpidbg_bits.structures else []:
            if field.name == name:
                return field, field.bitpos
            if (field.is_base_class or not field.name) and isinstance(getattr(field, 'bitpos', None), int):
                found = _mpidbg_bits.field(field.type, name)
                if found is not None:
                    return found[0], found[1] + field.bitpos
        return None
    @staticmethod
    def of(expression):
        match = re.fullmatch(r'(?P<object>.+?)\\s*(?:->|\\.)\\s*(?P<name>\\w+)', expression, re.S)
        if match is None:
            return None
        value = gdb.parse_and_eval(match.group('object'))
        if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            value = value.dereference()
        found = _mpidbg_bits.field(value.type, match.group('name'))
        if found is None or not found[0].bitsize or value.address is None:
            return None
        (field, first), count = found, found[0].bitsize
        # The smallest word that begins on a multiple of its size.
        size = next((size for size in (1, 2, 4, 8) if first // (8 * size) == (first + count - 1) // (8 * size)), None)
        if size is None:
            return None
        start = first // (8 * size) * size
        isSigned = field.type.strip_typedefs().code != gdb.TYPE_CODE_ENUM and int(gdb.Value(-1).cast(field.type)) < 0
        return {'address': int(value.address) + start, 'bytes': size, 'first': first - 8 * start, 'count': count, 'isSigned': isSigned}
    @staticmethod
    def tell(expression):
        try:
            found = _mpidbg_bits.of(expression)
        except (gdb.error, RuntimeError):
            found = None
        print(json.dumps(found))
`;

/** undefined: it is not a bit field, or its position is not known. */
export async function bitFieldOf(thread: GdbThread, frame: number, expression: string): Promise<BitField | undefined> {
  const encoded = Buffer.from(expression).toString('base64');
  try {
    await runPythonOnce(thread.gdb, script);
    const call = `python import base64; _mpidbg_bits.tell(base64.b64decode('${encoded}').decode())`;
    const found = printedAnswer(await thread.gdb.console(call, thread, frame)) as
      (Omit<BitField, 'address'> & { address: number }) | null;
    return found === null ? undefined : { ...found, address: BigInt(found.address) };
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
