/**
 * sizeof, and SIZE of Fortran, in 64 bits: gdb (13 to 18) gives them as an int, so that an array of 3 GB has a negative size. A
 * function of gdb's Python takes the size from the type of the value, which is not read.
 */
import type { GdbThread, MiCommands } from '../mi/context';
import { dataEvaluateExpression, sizeOf } from '../mi/data-manipulation';
import { integerIn } from '../mi/value';
import { NoPythonError, runPythonOnce } from './run-python';

const script = (name: string, hex: string): string => `
import gdb, re
class _MpidbgSizeof(gdb.Function):
    def __init__(self):
        super().__init__('${name}')
    # The whole has the type of a part that gdb will not read.
    @staticmethod
    def type_of(source):
        try:
            type = gdb.parse_and_eval(source).type
        except gdb.error:
            part = re.match(r'(.*\\S)\\s*(?:\\[[^\\[\\]]*\\]|(?:\\.|->)\\s*(\\w+))\\s*$', source)
            if part is None:
                raise
            whole = _MpidbgSizeof.type_of(part[1]).strip_typedefs()
            if whole.code == gdb.TYPE_CODE_PTR and part[2] is not None:
                whole = whole.target().strip_typedefs()
            type = whole.target() if part[2] is None else whole[part[2]].type
        if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            type = type.target()
        return type
    def invoke(self):
        operand = bytes.fromhex('${hex}').decode()
        if '_mpidbg_namespaces' in globals():
            operand = _mpidbg_namespaces.written(operand)
        for source in (operand, '*(%s *)0' % operand):
            try:
                type = self.type_of(source)
            except (gdb.error, RuntimeError, KeyError, TypeError):
                continue
            # CHARACTER whose length is in a variable beside it.
            if type.code == gdb.TYPE_CODE_ARRAY and str(type).lower().startswith('character*(*) ('):
                raise gdb.GdbError('gdb does not know its size: ask for that of an element')
            # gdb has its own answer for what it does not know.
            if type.sizeof > 0:
                return type.sizeof
        return gdb.parse_and_eval('sizeof(%s)' % operand)
_MpidbgSizeof()
`;

/**
 * The number of bytes of a value. For a size alone gdb calls no function, and takes what one of mpidbg's own gives for an int. Rejects
 * with GdbError, NoPythonError.
 */
export async function sizeOfValue(thread: GdbThread, frame: number, expression: string): Promise<number> {
  if (!expression.includes('$_mpidbg_')) return sizeOf(thread, frame, expression);
  const size = await wideSizeOf(thread.gdb, expression);
  return Number(integerIn(await dataEvaluateExpression(thread, frame, size)) ?? 0n);
}

/** With an operand in parentheses and nothing selected from that, or with a name and what is selected from it. */
const sizesOf =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<!::)\bsizeof(?:\s*\(((?:[^()"']|\([^()"']*\))+)\)|\s+([*&]*[A-Za-z_]\w*\b(?:(?:\.|->)[A-Za-z_]\w*\b|\[[^[\]()"']*\])*))(?!\s*(?:[.[(]|->))/g;

/** The expression with sizes of any length. */
export async function withWideSizes(gdb: MiCommands, source: string): Promise<string> {
  let written = '';
  let end = 0;
  for (const { 0: whole, 1: inParentheses, 2: alone, index } of source.matchAll(sizesOf)) {
    const operand = inParentheses ?? alone;
    if (operand === undefined || !isPlain(operand)) continue;
    written += source.slice(end, index) + (await wideSizeOf(gdb, operand.trim()));
    end = index + whole.length;
  }
  return written + source.slice(end);
}

/** `*p`, `a.b[1]`, `(struct cell *)q`, `unsigned long`: evaluating it changes nothing and calls nothing. */
function isPlain(operand: string): boolean {
  return /^[\w\s.*&[\]()>:%-]+$/.test(operand) && !/--|\w\s*\(/.test(operand);
}

const count = (name: string, hex: string): string => `
import gdb
class _MpidbgCount(gdb.Function):
    def __init__(self):
        super().__init__('${name}')
    def invoke(self):
        array = bytes.fromhex('${hex}').decode()
        # What gdb alone does not read, as the array of a descriptor.
        if '_mpidbg_fortran' in globals() and gdb.selected_frame().language() == 'fortran':
            array = _mpidbg_fortran.rewritten(array)
            fault = _mpidbg_operands.absent('size(%s)' % array)
            if fault:
                raise gdb.GdbError(fault)
        type = gdb.parse_and_eval(array).type
        if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_PTR):
            type = type.target()
        # An element of an array that the program calls "size".
        if type.code != gdb.TYPE_CODE_ARRAY:
            return gdb.parse_and_eval('size(%s)' % array)
        count = 1
        while type.code == gdb.TYPE_CODE_ARRAY:
            low, high = type.range()
            count *= max(0, high - low + 1)
            type = type.target()
        return count
_MpidbgCount()
`;

/** SIZE of whole arrays, and sizes and bounds of their dimensions. */
const counts =
  /"[^"]*"|'[^']*'|(?<![\w%$])(size|[lu]bound)\s*\(\s*([A-Za-z][\w:%]*)\s*(?:,\s*(\d+)\s*)?\)(?!\s*[(%])/gi;

/** A condition or a part of a log message, for where its code is; with sizes of any length. */
export async function withWideCounts(
  gdb: MiCommands,
  source: string,
  language: 'c' | 'fortran' = 'c',
): Promise<string> {
  let written = '';
  let end = 0;
  for (const { 0: whole, 1: name, 2: array, 3: dimension, index } of source.matchAll(counts)) {
    if (language !== 'fortran' || name === undefined || array === undefined) continue;
    const isWhole = dimension === undefined;
    if (isWhole && !/^size$/i.test(name)) continue;
    const wide = isWhole ? await wideCountOf(gdb, array) : `${name}(${array},${dimension},8)`;
    written += source.slice(end, index) + wide;
    end = index + whole.length;
  }
  return withWideSizes(gdb, written + source.slice(end));
}

function wideCountOf(gdb: MiCommands, array: string): Promise<string> {
  return defined(gdb, { name: '_mpidbg_count_', operand: array, script: count, otherwise: `size(${array})` });
}

/** The size of a variable, or of a type, as gdb reads it. */
function wideSizeOf(gdb: MiCommands, operand: string): Promise<string> {
  return defined(gdb, { name: '_mpidbg_sizeof_', operand, script, otherwise: `sizeof(${operand})` });
}

interface WideFunction {
  /** What the function's name begins with. */
  name: string;
  operand: string;
  script: (name: string, hex: string) => string;
  /** What a gdb without Python has. */
  otherwise: string;
}

async function defined(gdb: MiCommands, { name, operand, script, otherwise }: WideFunction): Promise<string> {
  const hex = Buffer.from(operand).toString('hex');
  try {
    await runPythonOnce(gdb, script(`${name}${hex}`, hex));
  } catch (error) {
    if (error instanceof NoPythonError) return otherwise;
    throw error;
  }
  return `$${name}${hex}()`;
}
