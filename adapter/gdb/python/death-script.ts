/**
 * Breakpoints of our own in the ends of an MPI process, in all ranks of a gdb, decided by Python inside gdb: a rank that
 * passes one runs on without its stop being told, and without any code being run in it.
 *
 * Each is one breakpoint of gdb at an expression, which gdb evaluates in the inferior whose places it sets: its address
 * there, or, as long as that is unknown, the program's entry, which is passed once. There the dynamic linker has loaded
 * what the program is linked with, and the places are set; gdb sets them again after each change of symbols, so an empty
 * file of symbols is added and taken away for that.
 */
import type { SeenDeathKind, SeenDeath } from '../../../plugin-api/deaths/seen-death';
import type { ErrhandlerPlaces } from '../../../plugin-api/mpi/plugin';
import { argumentsInGdb } from '../../../plugin-api/processor/known/processors';
import { select, type GdbThread, type MiCommands } from '../mi/context';
import type { ErrorPlace } from '../../../plugin-api/mpi/facts';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { rankImageScript } from './rank-image-script';
import { runPython } from './run-python';
import { sanitizerWordsScript, undefinedBehaviour } from './sanitizer-words';

/** A function, the method of the script that decides there, and what that needs to know of the library. */
type Place = readonly [name: string, decides: string, facts?: object];

/** Those of any MPI. */
const commonPlaces: readonly Place[] = [
  // For an MPI that is loaded later: called by the dynamic linker before and after it loads. Its name is not looked for.
  ['', 'loaded'],
  ['PMPI_Init', 'begins'],
  ['PMPI_Init_thread', 'begins'],
  ['PMPI_Finalize', 'ends'],
  // (communicator, code)
  ['PMPI_Abort', 'aborts'],
  // (status)
  ['exit', 'leaves'],
  ['quick_exit', 'leaves'],
  ['_exit', 'has_left'],
  // (number, quiet), (text, length, quiet), (place, format, …), (format, …)
  ['_gfortran_stop_numeric', 'fortran_number'],
  ['_gfortran_error_stop_numeric', 'fortran_number'],
  ['_gfortran_stop_string', 'fortran_text'],
  ['_gfortran_error_stop_string', 'fortran_text'],
  ['_gfortran_runtime_error_at', 'fortran_error_at'],
  ['_gfortran_os_error_at', 'fortran_error_at'],
  ['_gfortran_runtime_error', 'fortran_error'],
  // (parameters of the statement, error, text)
  ['_gfortran_generate_error', 'fortran_statement_error'],
  // (text), which has just been written.
  ['__sanitizer_on_print', 'sanitizer_prints'],
];

const methods: Readonly<Record<ErrorPlace, string>> = {
  handled: 'handled_error',
  unhandled: 'unhandled_error',
  comm: 'object_error',
  win: 'object_error',
  abort: 'aborts',
};

function placesOf({ errors, aborts }: Pick<KnownMpis, 'errors' | 'aborts'>): Place[] {
  const ofErrors = errors.flatMap(({ places, ...facts }) =>
    Object.entries(places).map(([name, place]): Place => [name, methods[place], { ...facts, of: place }]),
  );
  return [...commonPlaces, ...ofErrors, ...aborts.map((name): Place => [name, 'launcher_abort'])];
}

const mark = '\u0001mpidbg-death ';

const scriptFor = (places: readonly Place[]): string => `${rankImageScript}${sanitizerWordsScript}
import gdb, json, os, re, struct, tempfile
try:
    _mpidbg_deaths
except NameError:
    class _mpidbg_deaths:
        places = json.loads(${JSON.stringify(JSON.stringify(places))})
        names = [place[0] for place in places]
        facts = [(place + [{}])[2] for place in places]
        variables = {each for one in facts if one for each in one['fatal'] + [one['returns']] if isinstance(each, str)}
        libc = {'exit', 'quick_exit', '_exit'}
        registers = ${JSON.stringify(argumentsInGdb)}
        undefined_behaviour = ${JSON.stringify(undefinedBehaviour)}
        stops, processes, inserted = set(), {}, 0
        @staticmethod
        def insert():
            while _mpidbg_deaths.inserted < len(_mpidbg_deaths.names):
                number = _mpidbg_deaths.inserted
                _mpidbg_deaths.inserted += 1
                # gdb reports a user's breakpoint, with all its locations, whenever one of them changes.
                made = gdb.Breakpoint('*$_mpidbg_place(%d)' % number, internal=True)
                made.condition = '$_mpidbg_dies(%d)' % number
        # These are many, and few programs have them: each breakpoint costs time in all ranks.
        @staticmethod
        def add_undefined_behaviour():
            for name in _mpidbg_deaths.undefined_behaviour:
                if name not in _mpidbg_deaths.names:
                    _mpidbg_deaths.places.append([name, 'undefined_behaviour'])
                    _mpidbg_deaths.names.append(name)
                    _mpidbg_deaths.facts.append({})
        @staticmethod
        def of(inferior):
            known = _mpidbg_deaths.processes.get(inferior.num)
            if known and known.image.auxiliary == _MpidbgImage.auxiliary_vector(inferior.pid):
                return known
            made = _mpidbg_deaths.processes[inferior.num] = _MpidbgDying(inferior)
            return made
        # gdb sets the places of the current inferior again.
        @staticmethod
        def place():
            # An object file with one section, of one byte.
            machine = 183 if os.uname().machine == 'aarch64' else 62
            header = struct.pack('<HHIQQQIHHHHHH', 2, machine, 1, 0, 0, 88, 0, 64, 0, 0, 64, 3, 2)
            names = b'\\0.text\\0.shstrtab\\0'.ljust(24, b'\\0')
            text = struct.pack('<IIQQQQIIQQ', 1, 8, 6, 16, 64, 1, 0, 0, 1, 0)
            strings = struct.pack('<IIQQQQIIQQ', 7, 3, 0, 0, 64, 24, 0, 0, 1, 0)
            # Not kept for the next time: a gdb that is killed leaves its files.
            with tempfile.NamedTemporaryFile(prefix='mpidbg-') as empty:
                empty.write(b'\\x7fELF\\x02\\x01\\x01'.ljust(16, b'\\0') + header + names + bytes(64) + text + strings)
                empty.flush()
                gdb.execute('add-symbol-file %s -o 0' % empty.name, to_string=True)
                gdb.execute('remove-symbol-file -a 16', to_string=True)
        @staticmethod
        def decide(number):
            process = _mpidbg_deaths.of(gdb.selected_inferior())
            frame = gdb.selected_frame()
            if frame.pc() == process.image.entry:
                process.arrive()
                return 0
            names = _mpidbg_deaths.registers.get(frame.architecture().name())
            if names is None or frame.pc() != process.hooks.get(number):
                return 0
            arguments = [int(frame.read_register(name)) & 0xffffffffffffffff for name in names]
            process.thread = gdb.selected_thread().global_num
            process.depth = int(frame.read_register('sp')) & 0xffffffffffffffff
            process.behind = process.frame_behind(frame)
            process.place, process.facts = _mpidbg_deaths.names[number], _mpidbg_deaths.facts[number]
            return int(bool(getattr(process, _mpidbg_deaths.places[number][1])(*arguments)))
    def _mpidbg_signed(value):
        return (value & 0xffffffff ^ 0x80000000) - 0x80000000
    class _MpidbgDying:
        def __init__(self, inferior):
            self.number, self.pid = inferior.num, inferior.pid
            self.image = _MpidbgImage(inferior.pid)
            self.forget()
        def forget(self):
            self.hooks, self.addresses = {}, {}
            self.has_arrived = self.has_mpi = self.has_begun = self.has_ended = False
            # By thread: the stack pointer where it began to die, and what it said before.
            self.dying, self.words = {}, {}
            # By thread: the file that has called exit.
            self.leaving = {}
            self.layout, self.undecided = None, {}
            self.sanitizer = _MpidbgSanitizerWords()
            # By thread: the stack pointer in the function that ends the process for undefined behaviour.
            self.undefined = {}
        def address(self, number):
            address = self.hooks.get(number, self.image.entry)
            try:
                self.image.read(address, 1)
                return address
            except OSError:
                # Another program has taken the place of this one, at the same addresses.
                self.image = _MpidbgImage(self.pid)
                self.forget()
                return self.image.entry
        # At the entry, or later, when nothing is known of what was called before.
        def arrive(self):
            if not self.has_arrived:
                self.has_arrived = True
                self.look()
                _mpidbg_deaths.place()
        def look(self):
            undefined = _mpidbg_deaths.undefined_behaviour
            names = [*_mpidbg_deaths.names[1:], *_mpidbg_deaths.variables, undefined[0]]
            for base, dynamic, name in self.image.new_objects():
                is_libc = os.path.basename(name).startswith(('libc.so', 'libc-', 'ld-musl'))
                wanted = [each for each in names if each not in self.addresses and (each in _mpidbg_deaths.libc) == is_libc]
                found = self.image.defined(base, dynamic, wanted)
                if undefined[0] in found:
                    found.update(self.image.defined(base, dynamic, undefined))
                    _mpidbg_deaths.add_undefined_behaviour()
                self.addresses.update(found)
            self.has_mpi = 'PMPI_Init' in self.addresses
            self.hooks = {
                number: self.addresses[name] for number, name in enumerate(_mpidbg_deaths.names)
                if name in self.addresses}
            record = 0 if self.has_mpi else self.image.debug_record()
            if record:
                self.hooks[0], = self.image.numbers('Q', record + 16)
            _mpidbg_deaths.insert()
        # 0: the dynamic linker is between two changes.
        def loaded(self, *_):
            if self.image.numbers('I', self.image.debug_record() + 24)[0] == 0:
                self.look()
                if self.has_mpi:
                    _mpidbg_deaths.place()
        def tell(self, kind, code, **facts):
            errors = {'mpi-error', 'mpi-error-returned'}
            stops = not _mpidbg_deaths.stops.isdisjoint(errors if kind == 'undecided' else {kind})
            seen = {'inferior': self.number, 'thread': self.thread, 'kind': kind, 'stops': stops, 'place': self.place,
                'code': _mpidbg_signed(code), **facts}
            gdb.write('${'\\x01'}mpidbg-death ' + json.dumps(seen) + '\\n', gdb.STDLOG)
            return stops
        # What a dying thread does in the functions that it calls to die was caused before: until it returns from the first,
        # which no library does. A function that the first one jumps to has its place on the stack.
        def is_dying(self):
            return self.dying.get(self.thread, 0) >= self.depth
        def dies(self, kind, code, **facts):
            if self.is_dying():
                return False
            self.dying[self.thread] = self.depth
            return self.tell(kind, code, **facts)
        def begins(self, *_):
            self.has_begun = True
        def ends(self, *_):
            self.has_ended = True
        # Each name of a handler is a value, or that of a variable.
        def is_one_of(self, handler, names):
            return any(handler == (self.addresses.get(name) if isinstance(name, str) else name) for name in names)
        def told_error(self, code, handler, facts):
            if self.is_one_of(handler, self.facts['fatal']):
                return self.dies('mpi-error', code, handler='fatal', **facts)
            if self.is_one_of(handler, [self.facts['returns']]):
                return self.tell('mpi-error-returned', code, handler='returns', **facts)
            return self.tell('mpi-error-returned', code, handler='own', handling=self.behind, **facts)
        def handled_error(self, handler, thing, kind, code, name, *_):
            facts = {'function': self.image.text(name), 'object': hex(thing)}
            kind = self.facts.get('objectTypes', {}).get(str(kind & 0xffffffff))
            if kind and thing:
                facts['objectKind'] = kind
            if handler == 0:
                return self.dies('mpi-error', code, handler='fatal', **facts)
            return self.told_error(code, handler, facts)
        def unhandled_error(self, thing, code, name, *_):
            number = self.image.numbers('I', code)[0] if code else 0
            return self.dies('mpi-error', number, handler='fatal', function=self.image.text(name))
        def object_error(self, thing, name, code, *_):
            facts = {'function': self.image.text(name), 'object': hex(thing)}
            if thing:
                facts['objectKind'] = self.facts['of']
            if code & self.facts.get('fatalBit', 0):
                return self.dies('mpi-error', code, handler='fatal', **facts)
            if self.layout is None:
                self.undecided[self.thread] = (self.depth, self.behind, self.place, self.facts, (thing, name, code))
                return self.tell('undecided', code, handling=self.behind, **facts)
            handler = self.handler_of(thing)
            # None of a window: the function for communicators is called next.
            return handler is not None and self.told_error(code, handler, facts)
        # Where a thread has stopped because that was not known.
        def decide_again(self, thread, layout):
            self.layout, self.thread = layout, thread
            self.depth, self.behind, self.place, self.facts, arguments = self.undecided.pop(thread)
            self.object_error(*arguments)
        # The value of the handle of the object's error handler. Without one MPI_COMM_WORLD's counts, and without that, the
        # first that is fatal.
        def handler_of(self, thing):
            of = self.facts['of']
            at = thing and self.image.numbers('Q', thing + self.layout[of])[0]
            if at == 0 and of == 'win':
                return None
            world = self.layout['world']
            at = at or world and self.image.numbers('Q', world + self.layout['comm'])[0]
            return self.image.numbers('I', at)[0] if at else self.facts['fatal'][0]
        def aborts(self, comm, code, *_):
            return self.dies('mpi-abort', code, object=hex(comm))
        def launcher_abort(self, code, text, *_):
            return self.dies('mpi-error', code, handler='fatal', words=self.image.text(text))
        # The functions that a program has registered for its end may call MPI_Finalize.
        def leaves(self, code, *_):
            if self.has_begun and not self.has_ended and not self.is_dying():
                self.leaving[self.thread] = (self.caller(),)
        def has_left(self, code, *_):
            if not self.has_begun or self.has_ended:
                return False
            asked = self.leaving.get(self.thread)
            caller, = asked or (self.caller(),)
            facts = {'words': self.words.get(self.thread), 'caller': caller, 'isAtOnce': asked is None}
            return self.dies('exit-without-finalize', code & 0xff, **{name: fact for name, fact in facts.items() if fact})
        # Where this function returns to, and the stack pointer there: at its first instruction.
        def frame_behind(self, frame):
            if frame.architecture().name() == 'aarch64':
                address, size = int(frame.read_register('x30')) & 0xffffffffffffffff, 0
            else:
                address, size = self.image.numbers('Q', self.depth)[0], 8
            return {'caller': hex(address), 'stackPointer': hex(self.depth + size)}
        # The file of the code that has called this function.
        def caller(self):
            address = int(self.behind['caller'], 16)
            with open('/proc/%d/maps' % self.pid) as maps:
                for line in maps:
                    start, end = (int(each, 16) for each in line.split(None, 1)[0].split('-'))
                    if start <= address < end:
                        return line[line.index('/'):].rstrip('\\n') if '/' in line else None
        def says(self, words):
            # The first words of an error that is reported by way of STOP.
            if not self.is_dying():
                self.words[self.thread] = words[:300]
        def fortran_number(self, code, *_):
            stop = 'ERROR STOP' if 'error' in self.place else 'STOP'
            self.says('%s %d' % (stop, _mpidbg_signed(code)))
        def fortran_text(self, text, length, *_):
            stop = 'ERROR STOP' if 'error' in self.place else 'STOP'
            words = self.image.read(text, min(length, 256)).decode('utf-8', 'replace') if text else ''
            self.says('%s "%s"' % (stop, words) if words else stop)
        def fortran_error_at(self, where, format, *values):
            self.says('%s: %s' % (self.image.text(where), self.formatted(format, values)))
        def fortran_error(self, format, *values):
            self.says(self.formatted(format, values))
        # One that the statement does not ask for (ERR=, END=, EOR=, IOSTAT=) ends the process.
        def fortran_statement_error(self, statement, error, text, *_):
            flags, _, file, line = self.image.numbers('IiQi', statement)
            error = _mpidbg_signed(error)
            asked = {-2: 0x10, -1: 8}.get(error, 4) | 0x20
            if flags & 3 == 1 or flags & asked:
                return
            bare = {-2: 'End of record', -1: 'End of file'}.get(error, 'error %d of an input or output statement' % error)
            words = self.image.text(text) if text else bare
            self.says('At line %d of file %s: %s' % (line, self.image.text(file), words))
        def undefined_behaviour(self, *_):
            self.undefined[self.thread] = self.depth
        def sanitizer_prints(self, text, *_):
            is_undefined = self.undefined.get(self.thread, 0) > self.depth
            if self.sanitizer.hear(self.image.text(text, 4096), is_undefined):
                return self.dies('sanitizer', 0, words=self.sanitizer.words[:300])
        # As printf, of what is in registers.
        def formatted(self, format, values):
            rest = iter(values)
            def value(match):
                given = next(rest, None)
                if given is None:
                    return match[0]
                if match[1] == 's':
                    return self.image.text(given)
                return str((given ^ 1 << 63) - (1 << 63) if 'l' in match[0] or 'z' in match[0] else _mpidbg_signed(given))
            return re.sub(r'%[lz]*([sdiu])', value, self.image.text(format))
    class _MpidbgPlace(gdb.Function):
        def invoke(self, number):
            inferior = gdb.selected_inferior()
            try:
                return _mpidbg_deaths.of(inferior).address(int(number)) if inferior.pid else 0
            except OSError:
                # It has just ended.
                return 0
    class _MpidbgDies(gdb.Function):
        def invoke(self, number):
            try:
                return _mpidbg_deaths.decide(int(number))
            except (OSError, gdb.error, struct.error):
                return 0
    _MpidbgPlace('_mpidbg_place')
    _MpidbgDies('_mpidbg_dies')
    _mpidbg_deaths.insert()
`;

/** Makes the breakpoints in this gdb; see placeDeaths. Rejects with NoPythonError, GdbError. */
export async function insertDeaths(gdb: MiCommands, mpis: Pick<KnownMpis, 'errors' | 'aborts'>): Promise<void> {
  await runPython(gdb, scriptFor(placesOf(mpis)));
}

/** Which kinds stop a rank from now on. */
export async function setStoppingDeaths(gdb: MiCommands, kinds: readonly SeenDeathKind[]): Promise<void> {
  await runPython(gdb, `_mpidbg_deaths.stops = set(json.loads('${JSON.stringify(kinds)}'))`);
}

/** What is known of a process that runs already. */
export interface UnderWay {
  /** MPI_Init has been called, MPI_Finalize. undefined: not known. */
  hasBegun: boolean;
  hasEnded: boolean;
}

/** Sets the places in the process of this thread, which is held. `underWay`: it is past its entry. */
export async function placeDeaths(thread: GdbThread, underWay?: UnderWay): Promise<void> {
  const flag = (value: boolean): string => (value ? 'True' : 'False');
  const begun =
    underWay === undefined
      ? '_mpidbg_deaths.place()'
      : [
          '_mpidbg_process = _mpidbg_deaths.of(gdb.selected_inferior())',
          `_mpidbg_process.has_begun, _mpidbg_process.has_ended = ${flag(underWay.hasBegun)}, ${flag(underWay.hasEnded)}`,
          '_mpidbg_process.arrive()',
        ].join('; ');
  await thread.gdb.command(`-interpreter-exec ${select(thread)} console "python ${begun}"`);
}

/**
 * From now on it is known in this process whether an error of an object is fatal. What this thread has stopped for as 'undecided'
 * is told again, decided.
 */
export async function decideDeath(thread: GdbThread, { inferior, thread: number }: SeenDeath, at: ErrhandlerPlaces) {
  const layout = `{'comm': ${at.comm}, 'win': ${at.win}, 'world': ${at.world}}`;
  await runPython(thread.gdb, `_mpidbg_deaths.processes[${inferior}].decide_again(${number}, ${layout})`);
}

/** Parses a line of gdb's log; undefined for other lines. */
export function seenDeath(line: string): SeenDeath | undefined {
  return line.startsWith(mark) ? (JSON.parse(line.slice(mark.length)) as SeenDeath) : undefined;
}
