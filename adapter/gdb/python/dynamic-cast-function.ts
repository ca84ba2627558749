/**
 * `dynamic_cast` of C++ by a function of gdb's own Python: gdb 13 answers a cast to the object's own class with the address
 * of the class's table of virtual functions, and shows what lies there as the object.
 */
import type { GdbThread, MiCommands } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { printedAnswer } from './printed-answer';
import { NoPythonError, runPythonOnce } from './run-python';

const dynamicCast = '$_mpidbg_dynamic_cast';

/** A cast to `type`, a pointer, as gdb reads it after prepareDynamicCasts; gdb knows the members of the result. */
export function castToPointer(type: string, operand: string): string {
  return `((${type})${dynamicCast}((${type})0, (${operand})))`;
}

/** A cast to a reference to `type`, which fails where one to a pointer is null. */
export function castToReference(type: string, operand: string): string {
  return `(*(${type} *)${dynamicCast}((${type} *)0, &(${operand}), 1))`;
}

/** In the layout of the Itanium ABI an object with virtual functions begins with a pointer to its class's table, which says where the whole object begins. */
const script = `
import gdb, json, re
class _mpidbg_casts:
    table = re.compile(r'vtable for (.+?)(?: \\+ \\d+)? in section ')
    hidden = re.compile(r'\\b(?:private|protected) ')
    @staticmethod
    def number(address, size, isSigned):
        return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, size)), 'little', signed=isSigned)
    @staticmethod
    def whole(pointer):
        # The whole object, as a pointer to its own class.
        address, size = int(pointer), pointer.type.sizeof
        table = _mpidbg_casts.number(address, size, False)
        found = _mpidbg_casts.table.match(gdb.execute('info symbol %d' % table, to_string=True))
        if found is None:
            raise gdb.GdbError('the class of this object cannot be determined: is it initialized?')
        name = found.group(1)
        type = pointer.dynamic_type.strip_typedefs().target().unqualified()
        if type.name != name:
            try:
                type = gdb.lookup_type(name)
            except gdb.error:
                raise gdb.GdbError('this object is a %s, whose debug information is missing' % name)
        start = address + _mpidbg_casts.number(table - 2 * size, size, True)
        return gdb.Value(start).cast(type.pointer())
    @staticmethod
    def bases(type, wanted):
        # How many of its bases are of this class.
        if _mpidbg_casts.hidden.search(str(type.strip_typedefs()).split('{', 1)[0]):
            raise gdb.GdbError('%s has bases that are not public: write a cast such as (T *)p' % type)
        bases = [field.type.strip_typedefs() for field in type.strip_typedefs().fields() if field.is_base_class]
        return sum(1 if base.name == wanted else _mpidbg_casts.bases(base, wanted) for base in bases)
    @staticmethod
    def cast(wanted, pointer):
        if wanted.code != gdb.TYPE_CODE_PTR or pointer.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
            raise gdb.GdbError('dynamic_cast takes pointers or references to objects')
        null = gdb.Value(0).cast(wanted)
        if int(pointer) == 0:
            return null
        whole = _mpidbg_casts.whole(pointer)
        target = wanted.target().strip_typedefs().unqualified()
        own = whole.type.target().strip_typedefs()
        if target.code == gdb.TYPE_CODE_VOID or target.name == own.name:
            return whole.cast(wanted)
        count = _mpidbg_casts.bases(own, target.name)
        if count > 1:
            raise gdb.GdbError('%s has more than one %s: write a cast such as (T *)p' % (own, target))
        return whole.cast(wanted) if count == 1 else null
    @staticmethod
    def hasTable(type):
        return any((field.name or '').startswith('_vptr') or field.is_base_class and _mpidbg_casts.hasTable(field.type.strip_typedefs()) for field in type.fields())
    @staticmethod
    def holds(type, part):
        return any(base.name == part or _mpidbg_casts.holds(base, part) for base in
            (field.type.strip_typedefs() for field in type.fields() if field.is_base_class))
    @staticmethod
    def real(value):
        # The class of the whole object, where that is another one than the declared, and the object's table agrees with it.
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            value = value.address
        if value is None or value.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
            return None
        declared = value.type.strip_typedefs().target().strip_typedefs().unqualified()
        if declared.code != gdb.TYPE_CODE_STRUCT or declared.name is None or not _mpidbg_casts.hasTable(declared):
            return None
        whole = _mpidbg_casts.whole(value)
        own, within = whole.type.target().strip_typedefs(), int(value) - int(whole)
        isPart = 0 <= within <= own.sizeof - declared.sizeof and _mpidbg_casts.holds(own, declared.name)
        return own.name if isPart else None
    @staticmethod
    def tell(source):
        try:
            with gdb.with_parameter('may-call-functions', False):
                print(json.dumps(_mpidbg_casts.real(gdb.parse_and_eval(source))))
        except (gdb.error, RuntimeError):
            print('null')
class _MpidbgDynamicCast(gdb.Function):
    def invoke(self, sample, pointer, isReference=0):
        check = globals().get('_mpidbg_check')
        if check is not None and check.isActive:
            return sample
        try:
            found = _mpidbg_casts.cast(sample.type.strip_typedefs(), pointer)
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
        if isReference and int(found) == 0:
            raise gdb.GdbError('this object is no %s' % found.type.target())
        return found
_MpidbgDynamicCast('${dynamicCast.slice(1)}')
`;

/** Makes the function known to this gdb, where an expression uses it. Rejects with NoPythonError, GdbError. */
export async function prepareDynamicCasts(gdb: MiCommands, expression: string): Promise<void> {
  if (expression.includes(`${dynamicCast}(`)) await runPythonOnce(gdb, script);
}

/**
 * The class of an object, of which `source` is a base class, a reference or a pointer to one, where it is derived from the
 * declared one; undefined: it is not, or cannot be known. `source`: as gdb reads it.
 */
export async function realClass(thread: GdbThread, frame: number, source: string): Promise<string | undefined> {
  // As character codes, so that nothing needs quotes.
  const text = `bytes([${[...Buffer.from(source)].join(',')}]).decode()`;
  try {
    await runPythonOnce(thread.gdb, script);
    const told = printedAnswer(await thread.gdb.console(`python _mpidbg_casts.tell(${text})`, thread, frame));
    return typeof told === 'string' ? told : undefined;
  } catch (error) {
    if (error instanceof GdbError || error instanceof NoPythonError) return undefined;
    throw error;
  }
}
