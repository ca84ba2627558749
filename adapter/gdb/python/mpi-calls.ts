/**
 * What a thread has called MPI with, at a breakpoint at the beginning of one of MPI's functions: `$tag`, `$comm`, … in a
 * condition. Arguments are where the C calling convention puts them, or where debug information says; Fortran passes
 * addresses. What a handle is is asked for (handle-questions.ts).
 */
import type { CallWord } from '../../../plugin-api/fortran/call-words';
import { argumentsInGdb, usualProcessor } from '../../../plugin-api/processor/known/processors';
import type { MiCommands } from '../mi/context';
import { runPythonOnce } from './run-python';

/** A word as gdb knows it, after prepareCallWords. */
export function callWord(word: CallWord): string {
  return `$_mpidbg_call_${word}()`;
}

/** Comparison of a handle's name; `operator`: its index in the table of text-function.ts. */
export function callNameComparison(operand: string, operator: number, text: Uint8Array): string | undefined {
  const word = /^[\s(]*\$_mpidbg_call_(comm|datatype)\(\)[\s)]*$/.exec(operand)?.[1];
  return word && `$_mpidbg_call_name_of_${word}(${[operator, ...text].join(', ')})`;
}

const script = `
import gdb, re
class _mpidbg_calls:
    registers = ${JSON.stringify(argumentsInGdb[usualProcessor.architectureInGdb])}
    # Instructions that may be in front of the place of a breakpoint: a mark for calls, saving the caller's frame, setting the own one.
    beginning = re.compile(rb'(?:\\xf3\\x0f\\x1e\\xfa)?(?:\\x55(?:\\x48\\x89\\xe5|\\x48\\x8b\\xec)?)?', re.S)
    symbol = re.compile(r'^.+?(?: \\+ (\\d+))? in section ')
    # Frames that a binding and the tools between it and the library may have.
    deepest = 16
    # A condition is tried before any call.
    isChecking = False
    rule = None
    number = 0
    place = 0
    starts = {}
    places = {}
    passed = {}
    # By process, word, form and number.
    facts = {}
    most_facts = 1000
    @staticmethod
    def forget_places(event):
        _mpidbg_calls.places.clear()
    @staticmethod
    def forget_symbols(event):
        _mpidbg_calls.starts.clear()
        _mpidbg_calls.places.clear()
        _mpidbg_calls.facts.clear()
    @staticmethod
    def start(address):
        # The function that has this code, by its symbol.
        key = gdb.selected_inferior().num, address
        if key not in _mpidbg_calls.starts:
            match = _mpidbg_calls.symbol.match(gdb.execute('info symbol %d' % address, to_string=True))
            _mpidbg_calls.starts[key] = match and address - int(match.group(1) or 0)
        return _mpidbg_calls.starts[key]
    @staticmethod
    def of_place(number):
        # By the beginning of a function, the last of the rule's places that is there: one function may have several names.
        inferior = gdb.selected_inferior().num
        if (inferior, number) not in _mpidbg_calls.places:
            found = {}
            for each in gdb.breakpoints():
                match = re.match(r'\\$_mpidbg_stop\\(%d, (\\d+)\\)$' % number, each.condition or '')
                if match:
                    for line in gdb.execute('info breakpoints %d' % each.number, to_string=True).splitlines():
                        at = re.match(r'\\d\\S*\\s.*?\\b(0x[0-9a-f]+)\\b(?:.* inf ([\\d, ]+))?$', line)
                        if at and (at.group(2) is None or str(inferior) in at.group(2).split(', ')):
                            start = _mpidbg_calls.start(int(at.group(1), 16))
                            found.setdefault(start, set()).add(int(match.group(1)))
            _mpidbg_calls.places[inferior, number] = found
        return _mpidbg_calls.places[inferior, number]
    @staticmethod
    def enter(number, rule, place):
        # Whether this place is the one that decides, of several breakpoints at one address.
        start = _mpidbg_calls.start(gdb.newest_frame().pc())
        here = _mpidbg_calls.of_place(number).get(start, {place})
        _mpidbg_calls.rule, _mpidbg_calls.number, _mpidbg_calls.place = rule, number, max(here)
        return place == min(here)
    @staticmethod
    def is_inner(number):
        # A call that another binding of the same call makes. One that a callback of MPI makes comes from the library itself.
        frame = gdb.newest_frame()
        own = _mpidbg_calls.start(frame.pc())
        known = _mpidbg_calls.of_place(number)
        outer = frame.older()
        if outer is None:
            return False
        thread = gdb.selected_thread().ptid
        now = own, max(known.get(own, {_mpidbg_calls.place})), int(outer.read_register('sp')), outer.pc()
        before = _mpidbg_calls.passed.get((number, thread))
        _mpidbg_calls.passed[number, thread] = now
        # One that jumps to the next leaves no frame.
        if before and before[0] != own and before[1] <= now[1] and before[2:] == now[2:]:
            return True
        for _ in range(_mpidbg_calls.deepest):
            if outer is None:
                return False
            start = _mpidbg_calls.start(outer.pc() - 1)
            if start in known:
                return start != own and max(known[start]) <= now[1]
            outer = outer.older()
        return False
    @staticmethod
    def argument(index, isAddress, size):
        # As an unsigned number of at most 8 bytes; size: of what an address leads to.
        isFortran = _mpidbg_calls.rule['symbols'][_mpidbg_calls.place].endswith('_')
        frame = gdb.newest_frame()
        value = _mpidbg_calls.declared(frame, index)
        if value is not None and value.type.strip_typedefs().code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
            if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
                value = value[value.type.strip_typedefs().fields()[0]]
            return int(value) % (1 << 64)
        raw = int(value if value is not None else _mpidbg_calls.raw(frame, index)) % (1 << 64)
        if isFortran or isAddress:
            return int.from_bytes(bytes(gdb.selected_inferior().read_memory(raw, size)), 'little')
        return raw
    @staticmethod
    def declared(frame, index):
        # By debug information, which knows where arguments are behind a prologue.
        function = frame.function()
        if function is None:
            return None
        block = frame.block()
        while block and block.function is None:
            block = block.superblock
        arguments = [symbol for symbol in block or () if symbol.is_argument]
        if index >= len(arguments):
            raise gdb.GdbError('%s has no such argument' % function.name)
        return arguments[index].value(frame)
    @staticmethod
    def raw(frame, index):
        if frame.architecture().name() != '${usualProcessor.architectureInGdb}':
            raise gdb.GdbError('where this processor passes arguments is not known')
        start = _mpidbg_calls.start(frame.pc())
        behind = 0 if start is None else frame.pc() - start
        if behind > 16 or behind and not _mpidbg_calls.beginning.fullmatch(bytes(gdb.selected_inferior().read_memory(start, behind))):
            raise gdb.GdbError('the arguments may no longer be where they were passed')
        if index < len(_mpidbg_calls.registers):
            return frame.read_register(_mpidbg_calls.registers[index])
        slot = int(frame.older().read_register('sp')) + 8 * (index - len(_mpidbg_calls.registers))
        return int.from_bytes(bytes(gdb.selected_inferior().read_memory(slot, 8)), 'little')
    @staticmethod
    def integer(word):
        isLarge = word == 'count' and _mpidbg_calls.rule['hasLargeCounts']
        bits = 64 if isLarge else 32
        passed = _mpidbg_calls.rule['arguments'][word]
        found = _mpidbg_calls.argument(passed['index'], passed['isAddress'], bits // 8) % (1 << bits)
        return found - (1 << bits) if found >> (bits - 1) else found
    @staticmethod
    def handle(word):
        # What is known of it, by the number that was passed.
        passed = _mpidbg_calls.rule['arguments'][word]
        form = 'fortran' if _mpidbg_calls.rule['symbols'][_mpidbg_calls.place].endswith('_') else 'c'
        size = 4 if form == 'fortran' else _mpidbg_calls.bits(word) // 8 if passed['isAddress'] else 8
        return form, _mpidbg_calls.argument(passed['index'], passed['isAddress'], size) % (1 << 8 * size)
    @staticmethod
    def bits(word):
        # How wide handles of this kind are in C.
        if (gdb.selected_inferior().pid, word) not in _mpidbg_calls.facts:
            try:
                _mpidbg_calls.ask(word, 'c', 0)
            except gdb.GdbError:
                pass
        return _mpidbg_calls.facts.get((gdb.selected_inferior().pid, word), 64)
    @staticmethod
    def ask(word, form, number, isName=False):
        process = gdb.selected_inferior().pid
        known = _mpidbg_calls.facts.get((process, word, form, number))
        if known is not None and _mpidbg_calls.is_still(known, isName):
            return known
        try:
            answer = _mpidbg_handles.ask('MPI_' + word.capitalize(), form, number, True)
        except (NameError, OSError, ValueError):
            raise gdb.GdbError('the debug adapter does not say what the handle is')
        if answer.get('bits'):
            _mpidbg_calls.facts[process, word] = answer['bits']
        facts = answer.get('facts')
        if facts is None:
            raise gdb.GdbError('$%s: %s' % (word, answer.get('why') or 'this handle is not known'))
        evidence = facts.get('evidence')
        if evidence is not None:
            facts['same'] = [(int(address), bytes.fromhex(found)) for address, found in evidence['same']]
            facts['positive'] = [int(address) for address in evidence['positive']]
        if facts['isPredefined'] or evidence is not None:
            if len(_mpidbg_calls.facts) >= _mpidbg_calls.most_facts:
                _mpidbg_calls.facts.clear()
            _mpidbg_calls.facts[process, word, form, number] = facts
        return facts
    @staticmethod
    def is_still(facts, isName):
        # Any call since may have freed the object, made another one in its place, or renamed it.
        if 'same' not in facts:
            return not isName
        memory = gdb.selected_inferior()
        try:
            for address, found in facts['same']:
                if bytes(memory.read_memory(address, len(found))) != found:
                    return False
            return all(int.from_bytes(bytes(memory.read_memory(address, 4)), 'little', signed=True) > 0 for address in facts['positive'])
        except gdb.MemoryError:
            return False
    @staticmethod
    def c_handle(word):
        form, number = _mpidbg_calls.handle(word)
        bits = _mpidbg_calls.facts.get((gdb.selected_inferior().pid, word))
        if form == 'c' and bits is not None:
            return number % (1 << bits)
        # With handles of 32 bits both languages have the same.
        return number if bits == 32 else int(_mpidbg_calls.ask(word, form, number)['handle'])
    alone = re.compile(r'[\\s(]*\\$_mpidbg_call_(comm|datatype)\\(\\)[\\s)]*')
    @staticmethod
    def told(expression):
        # What a handle alone is, in a log message; None for anything else.
        match = _mpidbg_calls.alone.fullmatch(expression)
        if match is None:
            return None
        form, number = _mpidbg_calls.handle(match.group(1))
        return _mpidbg_handles.ask('MPI_' + match.group(1).capitalize(), form, number)['text'] or None
    @staticmethod
    def name(word):
        return _mpidbg_calls.ask(word, *_mpidbg_calls.handle(word), isName=True)['name'].encode()
    @staticmethod
    def value(word):
        if _mpidbg_calls.isChecking:
            return 0
        if word == 'nth':
            return _mpidbg.calls.get(_mpidbg_calls.number, {}).get(gdb.selected_inferior().num, 0)
        if word in ('comm', 'datatype'):
            return _mpidbg_calls.c_handle(word)
        if word == 'bytes':
            size = _mpidbg_calls.ask('datatype', *_mpidbg_calls.handle('datatype')).get('size')
            if size is None:
                raise gdb.GdbError('$bytes: the size of the datatype is not known')
            return _mpidbg_calls.integer('count') * int(size)
        return _mpidbg_calls.integer(word)
    @staticmethod
    def compare(word, operator, wanted):
        if _mpidbg_calls.isChecking:
            return False
        text = _mpidbg_calls.name(word)
        return [text == wanted, text != wanted, text < wanted, text <= wanted, text > wanted, text >= wanted][operator]
class _MpidbgCallWord(gdb.Function):
    def __init__(self, word):
        super().__init__('_mpidbg_call_' + word)
        self.word = word
    def invoke(self):
        # A handle is compared with numbers, but with no fraction, as a pointer is.
        isPointer = _mpidbg_calls.isChecking and self.word in ('comm', 'datatype')
        type = gdb.lookup_type('void').pointer() if isPointer else gdb.lookup_type('long')
        try:
            return gdb.Value(_mpidbg_calls.value(self.word)).cast(type)
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
class _MpidbgCallName(gdb.Function):
    def __init__(self, word):
        super().__init__('_mpidbg_call_name_of_' + word)
        self.word = word
    def invoke(self, operator, *codes):
        try:
            return _mpidbg_calls.compare(self.word, int(operator), bytes(int(code) for code in codes))
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
for _mpidbg_word in ('comm', 'datatype', 'tag', 'peer', 'root', 'count', 'bytes', 'nth'):
    _MpidbgCallWord(_mpidbg_word)
for _mpidbg_word in ('comm', 'datatype'):
    _MpidbgCallName(_mpidbg_word)
for _mpidbg_event in (gdb.events.new_objfile, gdb.events.clear_objfiles):
    _mpidbg_event.connect(_mpidbg_calls.forget_symbols)
for _mpidbg_event in (gdb.events.breakpoint_modified, gdb.events.breakpoint_created, gdb.events.breakpoint_deleted):
    _mpidbg_event.connect(_mpidbg_calls.forget_places)
`;

/** Lets rules of this gdb look at calls. After prepareStopScript. Rejects with NoPythonError, GdbError. */
export function prepareCallWords(gdb: MiCommands): Promise<void> {
  return runPythonOnce(gdb, script);
}
