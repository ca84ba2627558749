/**
 * Refuses what gdb would answer wrongly in Fortran, or refuse in its own words: operators on whole arrays and sections (gdb compares them as
 * one value), intrinsics that it lacks, and questions about an array of assumed size that only the caller can answer. Declared types
 * suffice, so that a condition is refused before any rank reaches it. Watches and log messages get the same sentences.
 */
import type { GdbThread, MiCommands } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { printedAnswer } from './printed-answer';
import { runPythonOnce } from './run-python';
import { textFunction } from './text-function';
import { knownIntrinsics, unknownIntrinsics } from './unknown-intrinsics';

/** In the words of users. */
export const absent = 'absent: OPTIONAL and not passed, not allocated, or a POINTER to nothing';
/** Where gdb does not know either whether the compiler has kept what tells it. */
export const absentOrLost =
  'absent: OPTIONAL and not passed, not allocated, a POINTER to nothing, or not kept by optimized code';

/** `_mpidbg_operands.fault(text, block, isCondition, isWhole)`: a sentence or None; `.absent(text)`: the same for the values of the selected
 * frame; `.section(array, subscripts)`: see sectionOfAssumed. */
const script = `
import gdb, re
class _mpidbg_operands:
    token = re.compile(r'"[^"]*"|\\'[^\\']*\\'|\\.[a-z]+\\.|(?:\\d+(?:\\.(?![a-z]+\\.)\\d*)?|\\.\\d+)(?:[deq][-+]?\\d+)?(?:_\\w+)?|[*][*]|[=/<>]=|[$]?[a-z_]\\w*(?:::\\w+)*|\\S', re.I)
    numbers = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_COMPLEX)
    operator = re.compile(r'\\.(?!true|false)[a-z]+\\.|[*][*]|[=/<>]=|[-+*/<>]', re.I)
    unknown = set(${JSON.stringify([...unknownIntrinsics])})
    inquiries = ('size', 'shape', 'lbound', 'ubound')
    elemental = ('abs', 'mod', 'modulo', 'floor', 'ceiling', 'cmplx')
    class Fault(Exception):
        pass
    @staticmethod
    def fault(text, block, isCondition=False, isWhole=False):
        try:
            items = _mpidbg_operands(text, block).items()
            if isCondition and len(items) == 1 and items[0].array:
                return '%s is an array: a condition needs one LOGICAL or number, such as an element of it' % items[0].text
            whole = items[0].type if isCondition and len(items) == 1 else None
            if whole is not None and whole.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_COMPLEX):
                return '%s is neither true nor false: compare one of its parts' % items[0].text
            if _mpidbg_operands.is_text(whole):
                return "%s is a text: compare it with another one, as in name == 'ocean'" % items[0].text
        except _mpidbg_operands.Fault as fault:
            return str(fault)
        except (IndexError, RecursionError):
            # Parentheses that do not match, or too many of them: gdb says so, or copes with it.
            return None
        # Another operand may make that irrelevant.
        return _mpidbg_operands.absent(text) if isWhole else None
    @staticmethod
    def absent(text):
        # SIZE and the bounds of an argument that was not passed: gdb tells some of them nevertheless.
        for match in re.finditer(r'(?<![\\w%$:])(?:size|shape|[lu]bound)\\s*\\(\\s*([a-z]\\w*(?:::\\w+)*(?:\\s*%\\s*\\w+|\\([\\w, ]*\\))*)\\s*[,)]', text, re.I):
            array = match.group(1)
            try:
                # gdb finds types first: \`list\` is a struct of the C library.
                symbol = gdb.lookup_symbol(array.lower(), gdb.selected_frame().block(), gdb.SYMBOL_VAR_DOMAIN)[0] if array.isidentifier() else None
                isOwn = symbol is not None and (symbol.is_variable or symbol.is_argument)
                value = gdb.selected_frame().read_var(symbol) if isOwn else gdb.parse_and_eval(array)
                if value.type.code != gdb.TYPE_CODE_ARRAY or value.address is None or int(value.address) != 0:
                    continue
                told = _mpidbg_operands.told(value)
                return 'the array is %s' % told.group(1) if told else ${JSON.stringify(absent)}
            except (gdb.error, RuntimeError, ValueError) as error:
                if str(error).startswith('Location address is not set'):
                    return ${JSON.stringify(absent)}
        return None
    @staticmethod
    def told(value):
        try:
            return re.match('<(not (?:allocated|associated))>', value.format_string(max_elements=1))
        except gdb.error:
            # The bounds of a dummy that was not passed may be anything.
            return None
    class Item:
        def __init__(self, text, type=None, array=False, isRange=False, hasEnd=True):
            self.text, self.type, self.array, self.isRange, self.hasEnd = text, type, array, isRange, hasEnd
    def __init__(self, text, block):
        self.text, self.block = text, block
        self.tokens, self.at = list(self.token.finditer(text)), 0
    def next(self):
        return self.tokens[self.at].group(0) if self.at < len(self.tokens) else ''
    def items(self):
        # What commas separate, up to the closing parenthesis.
        found = []
        while True:
            found.append(self.item())
            if self.next() != ',':
                return found
            self.at += 1
    def item(self):
        start, operands, operators, colons = self.at, [], 0, 0
        while self.next() not in ('', ',', ')', ']'):
            each = self.next()
            if each == ':':
                self.check(operands, operators)
                operands, operators, colons = [], 0, colons + 1
                self.at += 1
            elif each in '&@':
                # The address of something, or so many elements behind it.
                self.at += 1
                if each == '@' and operands:
                    operands[-1] = self.Item('')
                if each == '&' and self.next() not in ('', ')'):
                    isFirst = re.search(r'\\(\\s*integer\\s*\\*\\s*\\)\\s*&$', self.text[:self.tokens[self.at - 1].end()])
                    pointed = self.operand()
                    # What is compared with a handle of MPI; see expression.ts.
                    if isFirst and pointed.array:
                        self.refuse_array(pointed)
                    operands.append(self.Item(''))
            elif self.operator.fullmatch(each):
                operators, self.at = operators + 1, self.at + 1
            else:
                operands.append(self.operand())
        self.check(operands, operators)
        text = self.between(start)
        if colons or operators or len(operands) != 1:
            return self.Item(text, isRange=colons > 0, hasEnd=colons == 0 or bool(operands))
        return operands[0]
    def between(self, start, without=0):
        last = self.at - 1 - without
        return self.text[self.tokens[start].start():self.tokens[last].end()] if last >= start else ''
    def check(self, operands, operators):
        for each in operands if operators else ():
            if each.array:
                self.refuse_array(each)
            if each.type is not None and each.type.code == gdb.TYPE_CODE_STRUCT and [field.name for field in each.type.fields()] == ['mpi_val']:
                raise self.Fault('%s is a handle of a derived type: compare its component, as in %s%%mpi_val, or with a name such as MPI_COMM_WORLD' % (each.text, each.text))
            if each.type is not None and each.type.code == gdb.TYPE_CODE_STRUCT:
                raise self.Fault('%s is of a derived type: mpidbg compares and computes with its components only' % each.text)
            if each.type is not None and each.type.code == gdb.TYPE_CODE_COMPLEX:
                self.refuse_complex(each.text)
    def refuse_complex(self, text):
        raise self.Fault('%s is COMPLEX: ask for its parts, $_creal(%s) and $_cimag(%s)' % (text, text, text))
    def refuse_array(self, item):
        raise self.Fault('%s is an array: mpidbg compares and computes with single elements only' % item.text)
    def operand(self):
        each, start = self.next(), self.at
        self.at += 1
        if each == '(' or each == '[':
            inner = self.items()
            self.at += 1
            found = inner[0] if each == '(' and len(inner) == 1 and not inner[0].isRange else self.Item('')
            return found if self.next() not in ('%', '(') else self.rest(self.Item(''), start)
        if each[0] == '$':
            if each.startswith('$${textFunction}') and self.next() == '(':
                self.at += 1
                for compared in self.items():
                    if compared.array:
                        self.refuse_array(compared)
                self.at += 1
            return self.rest(self.Item(''), start)
        return self.chain(each, start) if each[0].isalpha() or each[0] == '_' else self.Item(each)
    def rest(self, item, start):
        while self.next() in ('%', '('):
            if self.next() == '%':
                self.at += 2
            else:
                self.at += 1
                self.refuse_empty(start)
                self.items()
                self.at += 1
        return item
    def refuse_empty(self, start):
        # gdb 13 ends with SIGSEGV. Functions of ours have none.
        if self.next() == ')' and self.tokens[start].group(0)[0] != '$':
            raise self.Fault('%s has no subscripts: an element of an array needs them' % self.between(start, 1))
    def chain(self, name, start):
        symbol = gdb.lookup_symbol(name.lower(), self.block, gdb.SYMBOL_VAR_DOMAIN)[0] if '::' not in name else None
        isVariable = symbol is not None and (symbol.is_variable or symbol.is_argument)
        if not isVariable:
            return self.called(name, symbol, start) if self.next() == '(' else self.rest(self.Item(''), start)
        type, isArray = self.plain(symbol.type), False
        while self.next() in ('%', '('):
            if self.next() == '%':
                self.at += 1
                isArray = isArray or self.dimensions(type) > 0
                if type is not None and type.code == gdb.TYPE_CODE_COMPLEX:
                    self.refuse_complex(self.between(start, 1))
                type = self.known_component(type, self.next(), self.between(start, 1))
                self.at += 1
            else:
                array = self.between(start)
                self.at += 1
                self.refuse_empty(start)
                subscripts = self.items()
                self.at += 1
                isArray, type = self.part(array, type, isArray, subscripts)
        # What gdb knows no type of is an array of CHARACTER, or a section of it.
        isUnknown = type is not None and type.code == gdb.TYPE_CODE_STRUCT and not type.name and not type.fields()
        return self.Item(self.between(start), type, isArray or isUnknown or self.dimensions(type) > 0)
    def part(self, array, type, isArray, subscripts):
        count = self.dimensions(type)
        if count == 0:
            return isArray, type if self.is_text(type) else None
        if count != len(subscripts):
            # For an array of any rank (..) it is the caller's.
            if str(type).endswith('..)') or any(not each.text for each in subscripts):
                return isArray, None
            needed = 'a subscript' if count == 1 else '%d subscripts' % count
            raise self.Fault('%s needs %s, as in %s(%s), and has %d' % (array, needed, array, ','.join(['1'] * count), len(subscripts)))
        for each in subscripts:
            if each.array and not each.isRange:
                raise self.Fault('%s is an array: a subscript here is one number or a range' % each.text)
        if not subscripts[-1].hasEnd and self.is_assumed(type):
            raise self.Fault('only the caller knows how many elements %s has (*): a section of it needs its last one, as in %s(%s)' % (array, array, ','.join([':'] * (count - 1) + ['1:2'])))
        isSection = any(each.isRange for each in subscripts)
        for _ in range(count):
            type = self.plain(type.target())
        return isArray or isSection, type
    def called(self, name, symbol, start):
        lower = name.lower()
        if lower in self.unknown and not self.is_own(symbol):
            raise self.Fault('mpidbg does not know the intrinsic %s: it knows ${knownIntrinsics}' % lower)
        self.at += 1
        found = symbol or gdb.lookup_symbol(lower, self.block)[0]
        if found is not None and not found.is_function:
            self.refuse_empty(start)
        args = self.items()
        self.at += 1
        if lower in self.inquiries and not self.is_own(symbol):
            isWhole = len(args) == 1 or args[1].text == str(self.dimensions(args[0].type))
            if args[0].array and lower != 'lbound' and (isWhole or lower == 'shape') and self.is_assumed(args[0].type):
                raise self.Fault('only the caller knows how many elements %s has (*)' % args[0].text)
            return self.Item(self.between(start), array=lower == 'shape' or lower != 'size' and len(args) == 1)
        if lower in self.elemental and not self.is_own(symbol):
            for each in args:
                if each.array:
                    self.refuse_array(each)
        return self.rest(self.Item(self.between(start)), start)
    @staticmethod
    def is_own(symbol):
        # A function of the program; one of the C library may have such a name, too.
        return symbol is not None and symbol.is_function and symbol.symtab is not None and re.search(r'\\.f\\w*$', symbol.symtab.filename, re.I) is not None
    @staticmethod
    def plain(type):
        type = type.strip_typedefs()
        while type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF, gdb.TYPE_CODE_PTR):
            type = type.target().strip_typedefs()
        return type
    @staticmethod
    def is_text(type):
        return type is not None and (type.code == gdb.TYPE_CODE_STRING or type.code == gdb.TYPE_CODE_ARRAY and type.target().name == 'character')
    @staticmethod
    def dimensions(type):
        count = 0
        while type is not None and type.code == gdb.TYPE_CODE_ARRAY and not _mpidbg_operands.is_text(type):
            count, type = count + 1, type.target().strip_typedefs()
        return count
    @staticmethod
    def is_assumed(type):
        element = type
        while element.code == gdb.TYPE_CODE_ARRAY:
            element = element.target().strip_typedefs()
        # gdb 13 ends when it writes the name of a CHARACTER that has no length.
        isNamed = element.code in _mpidbg_operands.numbers or element.code == gdb.TYPE_CODE_STRUCT and element.name
        isNamed = isNamed or element.code == gdb.TYPE_CODE_STRING and element.sizeof > 0 and not element.dynamic
        return bool(isNamed) and str(type).endswith('*)')
    @staticmethod
    def section(array, subscripts):
        # The section, of the array written with as many elements as the section needs. None: its size is not assumed.
        type = _mpidbg_operands.plain(gdb.parse_and_eval(array).type)
        count = _mpidbg_operands.dimensions(type)
        if count == 0 or count != len(subscripts) or ':' not in subscripts[-1] or not _mpidbg_operands.is_assumed(type):
            return None
        lows = []
        for _ in range(count):
            lows.insert(0, type.range()[0])
            type = type.target().strip_typedefs()
        parts = [_mpidbg_operands.parts(each) for each in subscripts]
        first, last, *stride = parts[-1]
        end = first if stride and stride[0].startswith('-') else last
        base = '%s(%s)' % (array, ','.join([':'] * (count - 1) + [str(lows[-1])]))
        counted = [':'.join([each and '(%s)-(%d)' % (each, low - 1) for each in part[:2]] + part[2:]) for part, low in zip(parts, lows)]
        if counted[-1].startswith(':'):
            counted[-1] = '1' + counted[-1]
        return '(%s@((%s)-(%d)))(%s)' % (base, end, lows[-1] - 1, ','.join(counted))
    @staticmethod
    def parts(subscript):
        found, depth, start = [], 0, 0
        for match in re.finditer(r'"[^"]*"|\\'[^\\']*\\'|::|[():]', subscript):
            depth += (match.group(0) == '(') - (match.group(0) == ')')
            if depth == 0 and (match.group(0) == ':' or match.group(0) == '::' and not re.match(r'[a-z_]', subscript[match.end():], re.I)):
                found.append(subscript[start:match.start()].strip())
                start = match.end()
                if match.group(0) == '::':
                    found.append('')
        return found + [subscript[start:].strip()]
    def known_component(self, type, name, whole):
        found = self.component(type, name)
        # A procedure that is bound to the type is none.
        isCalled = self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].group(0) == '('
        if found is None and type is not None and not isCalled and not self.may_have(type, name):
            raise self.Fault('%s has no component %s' % (whole, name))
        return found
    @staticmethod
    def may_have(type, name):
        while type.code == gdb.TYPE_CODE_ARRAY and not _mpidbg_operands.is_text(type):
            type = type.target().strip_typedefs()
        if type.code in _mpidbg_operands.numbers or _mpidbg_operands.is_text(type):
            return name.lower() in ('kind', 'len', 're', 'im')
        fields = type.fields() if type.code == gdb.TYPE_CODE_STRUCT and type.name else []
        # Only the rank knows of what is allocated as another type.
        if not fields or any(field.name in ('_data', '_vptr') for field in fields):
            return True
        # Those of the type that it extends, which is its first component, are its own.
        parent = _mpidbg_operands.plain(fields[0].type)
        isExtended = parent.code == gdb.TYPE_CODE_STRUCT and (parent.name or '').lower() == (fields[0].name or '').lower()
        return isExtended and (_mpidbg_operands.component(parent, name) is not None or _mpidbg_operands.may_have(parent, name))
    @staticmethod
    def component(type, name):
        while type is not None and type.code == gdb.TYPE_CODE_ARRAY:
            type = type.target().strip_typedefs()
        if type is None or type.code != gdb.TYPE_CODE_STRUCT:
            return None
        for field in type.fields():
            if (field.name or '').lower() == name.lower():
                return _mpidbg_operands.plain(field.type)
        for field in type.fields():
            if field.name == '_data':
                return _mpidbg_operands.component(_mpidbg_operands.plain(field.type), name)
        return None
`;

/** Whether operands may make others irrelevant; see fortran-logic.ts. */
export const hasLogic = (expression: string): boolean =>
  /\.(?:and|or)\./i.test(expression.replace(/"[^"]*"|'[^']*'/g, ''));

/** Before a condition or a log message in Fortran is checked or evaluated. Rejects with NoPythonError, GdbError. */
export function prepareOperands(gdb: MiCommands): Promise<void> {
  return runPythonOnce(gdb, script);
}

/** A section of an array of assumed size as gdb reads it; undefined: it is none. Rejects with GdbError, NoPythonError. */
export async function sectionOfAssumed(
  thread: GdbThread,
  frame: number,
  array: string,
  subscripts: readonly string[],
): Promise<string | undefined> {
  await prepareOperands(thread.gdb);
  const asked = `_mpidbg_operands.section(*json.loads(${decoded(JSON.stringify([array, subscripts]))}))`;
  return ((await answered(thread, frame, asked)) as string | null) ?? undefined;
}

/** Rejects with GdbError where the expression cannot be evaluated in this frame, and with NoPythonError. */
export async function refuseOperands(thread: GdbThread, frame: number, expression: string): Promise<void> {
  if (/^[\w%\s]*$/.test(expression)) return;
  await prepareOperands(thread.gdb);
  const text = decoded(expression);
  const asked = `_mpidbg_operands.fault(${text}, gdb.selected_frame().block(), False, ${hasLogic(expression) ? 'False' : 'True'})`;
  const fault = (await answered(thread, frame, asked)) as string | null;
  if (fault !== null) throw new GdbError(fault, expression);
}

function decoded(text: string): string {
  return `base64.b64decode('${Buffer.from(text).toString('base64')}').decode()`;
}

async function answered(thread: GdbThread, frame: number, asked: string): Promise<unknown> {
  return printedAnswer(
    await thread.gdb.console(`python import base64, json; print(json.dumps(${asked}))`, thread, frame),
  );
}
