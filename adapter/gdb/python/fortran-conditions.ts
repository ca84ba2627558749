/**
 * Conditions and log messages in Fortran with what gdb does not know: elements and sections of arrays that only their descriptors tell
 * of, and CHARACTER components of deferred length. And arrays
 * whose names gdb takes for intrinsics. Which names are such, gdb tells at the place alone: there they are written anew, once for each
 * place.
 */
import type { GdbThread, MiCommands } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { deferredFunction, deferredText } from './deferred-text';
import {
  componentOf,
  componentPrefix,
  prepareComponents,
  prepareDescriptors,
  variableOf,
  variablePrefix,
} from './fortran-components';
import { arrayPrefix, textPrefix } from './fortran-descriptors';
import { prepareLogic } from './fortran-logic';
import { preparePointed } from './pointed-scalars';
import { printedAnswer } from './printed-answer';
import { NoPythonError, runPythonOnce } from './run-python';
import { reservedWords } from './reserved-words';

const elementPrefix = '_mpidbg_element_';

const script = `
import gdb, re
class _MpidbgChain(gdb.Function):
    def __init__(self, name, source):
        super().__init__(name)
        self.source = source
    # gdb takes what a function answers for a number, which has no bounds.
    bounds = re.compile('^((?:shape|[lu]bound|size)\\\\()([$]_mpidbg_\\\\w+\\\\(\\\\))', re.I)
    def invoke(self):
        try:
            match = self.bounds.match(self.source)
            if match is None:
                return gdb.parse_and_eval(self.source)
            gdb.set_convenience_variable('_mpidbg_asked', gdb.parse_and_eval(match.group(2)))
            return gdb.parse_and_eval(match.group(1) + '$_mpidbg_asked' + self.source[match.end():])
        except gdb.MemoryError:
            raise
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
class _MpidbgElement(gdb.Function):
    # Where its array lies is known at each hit anew.
    def __init__(self, name, array, subscripts):
        super().__init__(name)
        self.array, self.subscripts = array, subscripts
    def invoke(self):
        try:
            return gdb.parse_and_eval(_mpidbg_fortran.forwards(self.array, self.subscripts))
        except gdb.MemoryError:
            raise
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
class _mpidbg_fortran:
    written_at = {}
    reserved = set(${JSON.stringify(reservedWords)})
    token = re.compile(r'"[^"]*"|\\'[^\\']*\\'|\\.[A-Za-z]+\\.|[$.]\\w+|\\d\\w*|[A-Za-z]\\w*(?:::\\w+)*')
    member = re.compile(r'\\s*%\\s*([A-Za-z]\\w*)')
    @staticmethod
    def written(expression):
        frame = gdb.selected_frame()
        if frame.language() != 'fortran':
            return expression
        key = (expression, gdb.selected_inferior().num, frame.pc())
        if key not in _mpidbg_fortran.written_at:
            fault = _mpidbg_operands.fault(expression, frame.block())
            written = None if fault else _mpidbg_pointed.written(_mpidbg_fortran.rewritten(expression))
            _mpidbg_fortran.written_at[key] = fault, written
        fault, written = _mpidbg_fortran.written_at[key]
        if fault:
            raise gdb.error(fault)
        return written
    @staticmethod
    def rewritten(text):
        found, at = '', 0
        while True:
            match = _mpidbg_fortran.token.search(text, at)
            if match is None:
                return found + text[at:]
            found, at = found + text[at:match.start()] + match.group(0), match.end()
            if match.group(0)[0].isalpha():
                found = found[:len(found) - len(match.group(0))]
                chain, at = _mpidbg_fortran.chain(match.group(0), text, at)
                found += _mpidbg_fortran.whole(chain)
    @staticmethod
    def chain(name, text, at):
        isCalled = text[at:].lstrip().startswith('(')
        block = gdb.selected_frame().block()
        if _mpidbg_fortran.is_hidden(name, block):
            name = _mpidbg_fortran.shown(name)
        source = _mpidbg_fortran.known(_mpidbg_fortran.variable(name) if isCalled else name)
        while True:
            member = _mpidbg_fortran.member.match(text, at)
            if member:
                source, at = _mpidbg_fortran.known('%s%%%s' % (source, member.group(1))), member.end()
            elif text[at:at + 1] == '(':
                end = _mpidbg_pointed.closing(text, at)
                if end < 0:
                    return source, at
                # An array that only has elements, as those whose size the caller alone knows.
                array = source[:-2] if source.startswith('$${arrayPrefix}') and source.endswith('()') else source
                inner = text[at + 1:end]
                # These ask about the pointer itself.
                isKept = source.lower() in ('allocated', 'associated') and re.fullmatch(r'[\\w%\\s]+', inner)
                subscripts = inner if isKept else _mpidbg_fortran.rewritten(inner)
                section = _mpidbg_fortran.section(array, subscripts) if ':' in subscripts else None
                if section:
                    source, at = section, end + 1
                elif array == source and ':' not in subscripts and _mpidbg_fortran.may_run_backwards(source):
                    source, at = _mpidbg_fortran.element(source, subscripts), end + 1
                else:
                    source, at = '%s(%s)' % (source if ':' in subscripts else array, subscripts), end + 1
            else:
                return source, at
    @staticmethod
    def section(array, subscripts):
        try:
            return _mpidbg_operands.section(array, _mpidbg_fortran.separate(subscripts))
        except (gdb.error, RuntimeError):
            return None
    @staticmethod
    def unhidden(text, block):
        isComponent = re.compile(r'%\\s*$')
        return _mpidbg_fortran.token.sub(
            lambda match: _mpidbg_fortran.own(match.group(0))
            if not isComponent.search(text[:match.start()]) and _mpidbg_fortran.is_hidden(match.group(0), block)
            else match.group(0), text)
    @staticmethod
    def at_place(text, block):
        names = {match.group(0).lower() for match in _mpidbg_fortran.token.finditer(text)}
        return {'written': _mpidbg_fortran.unhidden(text, block), 'variables': [name for name in names if _mpidbg_fortran.is_variable(name, block)]}
    @staticmethod
    def is_variable(name, block):
        if not re.fullmatch(r'[A-Za-z]\\w*', name):
            return False
        found = gdb.lookup_symbol(name.lower(), block, gdb.SYMBOL_VAR_DOMAIN)[0]
        return found is not None and found.type is not None and (found.is_variable or found.is_argument)
    @staticmethod
    def is_hidden(name, block):
        # gdb finds types first, and those of all libraries: \`list\` is a struct of the C library.
        return _mpidbg_fortran.is_variable(name, block) and gdb.lookup_symbol(name.lower(), block, gdb.SYMBOL_STRUCT_DOMAIN)[0] is not None
    @staticmethod
    def shown(name):
        # Qualified by its procedure, unless it belongs to a module or to an enclosing procedure.
        function = gdb.selected_frame().function()
        try:
            whole = '%s::%s' % (function.name, name.lower())
            gdb.parse_and_eval(whole)
            return whole
        except (gdb.error, RuntimeError, AttributeError):
            return _mpidbg_fortran.own(name)
    @staticmethod
    def own(name):
        _MpidbgVariable(name.lower())
        return '$${variablePrefix}%s()' % name.lower()
    @staticmethod
    def may_run_backwards(array):
        # A pointer to a section, or a dummy that was given one.
        try:
            if gdb.parse_and_eval(array).type.code != gdb.TYPE_CODE_ARRAY:
                return False
            symbol = gdb.lookup_symbol(array.lower())[0] if re.match(r'\\w+$', array) else None
        except (gdb.error, RuntimeError):
            return False
        return symbol is None or getattr(symbol.type, 'dynamic', True)
    @staticmethod
    def element(array, subscripts):
        name = '${elementPrefix}' + ('%s(%s)' % (array, subscripts)).encode().hex()
        _MpidbgElement(name, array, _mpidbg_fortran.separate(subscripts))
        return '$%s()' % name
    @staticmethod
    def separate(subscripts):
        found, depth, start = [], 0, 0
        for match in re.finditer(r'"[^"]*"|\\'[^\\']*\\'|[(),]', subscripts):
            depth += (match.group(0) == '(') - (match.group(0) == ')')
            if match.group(0) == ',' and depth == 0:
                found.append(subscripts[start:match.start()])
                start = match.end()
        return found + [subscripts[start:]]
    @staticmethod
    def forwards(array, subscripts):
        # As fortran-arrays.ts writes it.
        type, bounds = gdb.parse_and_eval(array).type, []
        while type.code == gdb.TYPE_CODE_ARRAY:
            bounds.insert(0, type.range())
            type = type.target()
        plain = '%s(%s)' % (array, ','.join(subscripts))
        if len(bounds) != len(subscripts) or any(high < low for low, high in bounds):
            return plain
        first = [low for low, high in bounds]
        def place(dimension, index):
            indexes = first[:dimension] + [index] + first[dimension + 1:]
            return int(gdb.parse_and_eval('&(%s(%s))' % (array, ','.join(map(str, indexes)))))
        origin = place(0, first[0])
        steps = [place(i, low + 1) - origin if high > low else 0 for i, (low, high) in enumerate(bounds)]
        backwards = [step < 0 or step > 1 << 56 for step in steps]
        if not any(backwards):
            return plain
        ranges = ['%d:%d:-1' % (high, low) if back else '%d:%d' % (low, high) for (low, high), back in zip(bounds, backwards)]
        places = ['%d-(%s)' % (high + 1, each) if back else '(%s)-(%d)' % (each, low - 1) for (low, high), back, each in zip(bounds, backwards, subscripts)]
        return '%s(%s)(%s)' % (array, ','.join(ranges), ','.join(places))
    @staticmethod
    def whole(chain):
        # gdb takes functions for integers, which have no parts, in operands that another one makes irrelevant.
        if not any(prefix in chain for prefix in ('$_mpidbg_chain_', '$${variablePrefix}', '$${arrayPrefix}', '$${textPrefix}', '$${componentPrefix}', '$${elementPrefix}', '$${deferredFunction}')):
            return chain
        name = '_mpidbg_chain_' + chain.encode().hex()
        _MpidbgChain(name, chain)
        return '$%s()' % name
    @staticmethod
    def variable(name):
        # An array or a CHARACTER of the place hides the intrinsic of its name.
        function = gdb.selected_frame().function()
        if name.lower() not in _mpidbg_fortran.reserved or function is None:
            return name
        variable = '%s::%s' % (function.name, name.lower())
        try:
            type = gdb.parse_and_eval(variable).type
        except (gdb.error, RuntimeError):
            return name
        type = type.target() if type.code == gdb.TYPE_CODE_PTR else type
        hasParts = type.code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING, gdb.TYPE_CODE_STRUCT)
        return variable if hasParts else name
    @staticmethod
    def known(source):
        try:
            type = gdb.parse_and_eval(source).type
        except (gdb.error, RuntimeError) as error:
            # Only the type that a CLASS has at this moment may have the component.
            member = re.match(r'(.*)%(\\w+)$', source, re.S)
            if not member or not str(error).startswith('There is no member'):
                return source
            object, name = member.group(1), member.group(2).lower()
            _MpidbgComponent(name)
            return '$${componentPrefix}%s(%s)' % (name, object)
        quoted = source.encode().hex()
        if type.code == gdb.TYPE_CODE_ARRAY and re.match(r'character\\*\\(\\*\\) \\(', str(type), re.I):
            _MpidbgArray('${arrayPrefix}' + quoted, source)
            return '$${arrayPrefix}%s()' % quoted
        isStruct = type.code == gdb.TYPE_CODE_STRUCT
        if isStruct and not type.name and not type.fields() or isStruct and re.match(r'__class__STAR_\\d', type.name or ''):
            _MpidbgArray('${arrayPrefix}' + quoted, source)
            return '$${arrayPrefix}%s()' % quoted
        component = re.match(r'(.*)%(\\w+)$', source, re.S)
        isDeferred = type.code == gdb.TYPE_CODE_PTR and type.target().code == gdb.TYPE_CODE_STRING and type.target().sizeof == 0
        if component and isDeferred:
            _MpidbgDeferred('${textPrefix}' + quoted, source, '%s%%_%s_length' % component.groups())
            return '$${textPrefix}%s()' % quoted
        if type.code == gdb.TYPE_CODE_PTR and type.target().code == gdb.TYPE_CODE_STRING and re.fullmatch(r'\\w+', source):
            return '$${deferredFunction}(%s)' % source
        return source
`;

/** Before a condition in Fortran is evaluated. Rejects with NoPythonError, GdbError. */
export async function prepareFortranConditions(gdb: MiCommands): Promise<void> {
  await prepareDescriptors(gdb);
  await prepareComponents(gdb, `${componentOf('', 'size')} ${variableOf('size')} ${deferredText('')}`);
  await preparePointed(gdb);
  await prepareLogic(gdb);
  await runPythonOnce(gdb, script);
}

/**
 * For code that no thread may be in: the condition with its variables whose names gdb takes for those of types, and which of its names,
 * in lower case, are variables. Where gdb cannot tell, it is as it was.
 */
export async function fortranConditionAt(
  thread: GdbThread,
  address: bigint,
  condition: string,
): Promise<{ written: string; variables: readonly string[] }> {
  const encoded = Buffer.from(condition).toString('base64');
  const asked = `base64.b64decode('${encoded}').decode(), gdb.block_for_pc(${address})`;
  try {
    await prepareFortranConditions(thread.gdb);
    const script = `import base64, json; print(json.dumps(_mpidbg_fortran.at_place(${asked})))`;
    return printedAnswer(await thread.gdb.console(`python ${script}`, thread)) as {
      written: string;
      variables: string[];
    };
  } catch (error) {
    if (error instanceof GdbError || error instanceof NoPythonError || error instanceof SyntaxError)
      return { written: condition, variables: [] };
    throw error;
  }
}
