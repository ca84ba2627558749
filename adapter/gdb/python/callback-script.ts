/**
 * While a thread steps into a line, gdb passes over functions that are to be skipped with all that they call. This script finds
 * the functions of the program that such a function may call back, by the instructions of the line and of the skipped functions
 * below it: what is called directly, and functions whose addresses are taken. They get breakpoints for the length of the step.
 */
import { instructionPlace } from './stop-script';

/** Skipped functions below one line that are looked through: std::sort has about 60. */
const maxFunctions = 300;
/** Breakpoints for one step. */
const maxCallbacks = 32;

export const callbackScript = `
import gdb, json, re
${instructionPlace}
class _mpidbg_step:
    files = []
    functions = []
    passed = set()
    made = {}
    seen = {}
    @staticmethod
    def skip(sources):
        for command in sources['commands']:
            gdb.execute(command, to_string=True)
        _mpidbg_step.files = [re.compile(source) for source in sources['files']]
        _mpidbg_step.functions = [re.compile(source) for source in sources['functions']]
    @staticmethod
    def function(address):
        # The block of debug information that contains the address.
        block = gdb.block_for_pc(address)
        while block is not None and block.function is None:
            block = block.superblock
        return block
    @staticmethod
    def is_skipped(function):
        # A lambda of a library may be declared nowhere, and count as the program's: its lines tell.
        table = gdb.find_pc_line(function.start).symtab or function.function.symtab
        names = (table.filename, table.fullname(), gdb.solib_name(function.start) or '')
        name = function.function.print_name
        return any(pattern.match(path) for pattern in _mpidbg_step.files for path in names) or any(
            pattern.match(name) for pattern in _mpidbg_step.functions)
    @staticmethod
    def linked(name):
        # The address of a function of another library; 0: unknown. Names of a program are never evaluated unread.
        if not re.fullmatch(r'[\\w.]+', name):
            return 0
        try:
            # In Fortran the quoted name would be a text, for which gdb allocates memory in the rank.
            with gdb.with_parameter('may-write-memory', False), gdb.with_parameter('may-call-functions', False):
                with gdb.with_parameter('language', 'c'):
                    return int(gdb.parse_and_eval("(long)&'%s'" % name))
        except gdb.error:
            return 0
    @staticmethod
    def pointer(place):
        # What lies at this address; 0: nothing.
        try:
            return int.from_bytes(bytes(gdb.selected_inferior().read_memory(place, 8)), 'little')
        except gdb.MemoryError:
            return 0
    @staticmethod
    def pass_over(function):
        # gdb itself skips by sources, and not by libraries.
        table, name = function.function.symtab, function.function.print_name
        is_plain = re.fullmatch(r'[\\w./+-]+', table.filename) and re.fullmatch(r'[\\w:]+', name)
        if is_plain and (table.filename, name) not in _mpidbg_step.passed:
            _mpidbg_step.passed.add((table.filename, name))
            gdb.execute('skip -fi "%s" -fu "%s"' % (table.filename, name), to_string=True)
    @staticmethod
    def lines(table):
        # The lines of this source file, ascending.
        return sorted((entry.pc, entry.line) for entry in table.linetable() or ())
    @staticmethod
    def leads(ranges, inside):
        # What the instructions call, what they may call later, and whether they call what a pointer leads to.
        called, taken, indirect = set(), set(), False
        inferior = gdb.selected_inferior()
        architecture = inferior.architecture()
        for first, end in ranges:
            for instruction in architecture.disassemble(first, end - 1):
                text = instruction['asm']
                direct = re.match(r'(call|jmp)q?\\s+(0x[0-9a-f]+)', text)
                address = re.search(r'# (0x[0-9a-f]+)', text) or re.search(r'\\$(0x[0-9a-f]{5,})', text)
                if direct:
                    linked = re.search('<([^<>+]+)@plt>', text)
                    target = _mpidbg_step.linked(linked.group(1)) if linked else int(direct.group(2), 16)
                    if not inside.start <= target < inside.end:
                        called.add(target)
                elif re.match(r'callq?\\s+\\*', text):
                    if address:
                        called.add(_mpidbg_step.pointer(int(address.group(1), 16)))
                    else:
                        indirect = True
                elif address:
                    place = int(address.group(1), 16)
                    taken.add(place)
                    if text.startswith('mov') and '#' in text:
                        taken.add(_mpidbg_step.pointer(place))
        return called, taken, indirect
    @staticmethod
    def below(start, function):
        # The same in every process of this program, but for its place.
        key = (gdb.current_progspace(), start)
        if key not in _mpidbg_step.seen:
            _mpidbg_step.seen[key] = _mpidbg_step.leads([(function.start, function.end)], function)
        return _mpidbg_step.seen[key]
    @staticmethod
    def callbacks():
        frame = gdb.newest_frame()
        place = frame.find_sal()
        around = _mpidbg_step.function(frame.pc())
        if place.symtab is None or around is None or 'x86-64' not in frame.architecture().name():
            return []
        lines = [line for line in _mpidbg_step.lines(place.symtab) if around.start <= line[0] < around.end]
        ends = [pc for pc, line in lines[1:]] + [around.end]
        ranges = [(pc, end) for (pc, line), end in zip(lines, ends) if line == place.line and end > pc]
        called, taken, indirect = _mpidbg_step.leads(ranges, around)
        found, looked, calls_pointers = {}, set(), False
        def offer(address):
            function = _mpidbg_step.function(address)
            if function is not None and function.start == address and not _mpidbg_step.is_skipped(function):
                found[address] = function
        for address in taken:
            offer(address)
        # What the line itself calls gdb steps into.
        todo = list(called)
        while todo and len(looked) < ${maxFunctions}:
            address = todo.pop()
            function = _mpidbg_step.function(address)
            if address in looked or function is None or function.start != address or not _mpidbg_step.is_skipped(function):
                continue
            looked.add(address)
            if gdb.solib_name(address) is not None:
                _mpidbg_step.pass_over(function)
                continue
            deeper, also, pointers = _mpidbg_step.below(address, function)
            calls_pointers = calls_pointers or pointers
            for each in deeper | also:
                offer(each)
            todo.extend(deeper)
        if calls_pointers:
            # std::function, virtual functions: it may be any of this file.
            for pc, line in _mpidbg_step.lines(place.symtab):
                function = _mpidbg_step.function(pc)
                if function is not None:
                    offer(function.start)
        found.pop(around.start, None)
        return list(found.values())[:${maxCallbacks}]
    @staticmethod
    def body(function):
        # Behind the prologue.
        pcs = [pc for pc, line in _mpidbg_step.lines(function.function.symtab) if function.start < pc < function.end and line]
        return pcs[0] if pcs else function.start
    @staticmethod
    def begin(thread):
        inferior = gdb.selected_inferior().num
        _mpidbg_step.end(inferior)
        made = _mpidbg_step.made[inferior] = []
        try:
            for function in _mpidbg_step.callbacks():
                body = _mpidbg_step.body(function)
                made.append(gdb.Breakpoint('*$_mpidbg_code(%d, 0x%x)' % (inferior, body), internal=True))
                made[-1].thread = thread
        except (gdb.error, RuntimeError):
            # The step goes without.
            _mpidbg_step.end(inferior)
    @staticmethod
    def end(inferior):
        for breakpoint in _mpidbg_step.made.pop(inferior, []):
            if breakpoint.is_valid():
                breakpoint.delete()
`;
