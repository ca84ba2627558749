/**
 * Which libraries gdb reads the symbols of when a process loads them. gdb can only do that for all or for none, and
 * sets every breakpoint again after each: a dozen breakpoints and the 66 libraries that come with MPI_Init of Open MPI
 * 4.1.4 took one process 7 s, two processes of one gdb 13 s. Asked for each library in the condition of a catchpoint,
 * it takes 0.3 s.
 */
import type { GdbThread, MiCommands } from '../mi/context';
import { runPython } from './run-python';

const mark = '\u0001mpidbg-file ';

// A condition is asked after gdb knows the library, and before any code of it runs. It never stops the process.
const script = `
import gdb, json, os, re, stat, struct
try:
    _mpidbg_libraries
except NameError:
    class _mpidbg_libraries:
        known = {}
        added = {}
        @staticmethod
        def symbols(content):
            start, = struct.unpack_from('<Q', content, 40)
            size, count = struct.unpack_from('<HH', content, 58)
            sections = [struct.unpack_from('<IIQQQQIIQQ', content, start + i * size) for i in range(count)]
            for _, kind, _, _, offset, length, link, *_ in sections:
                if kind in (2, 11):
                    for name, _, _, section, _, _ in struct.iter_unpack('<IBBHQQ', content[offset:offset + length]):
                        if section != 0:
                            first = sections[link][4] + name
                            yield content[first:content.index(b'\\0', first)].decode()
        @staticmethod
        def defines(path, function):
            with open(path, 'rb') as file:
                content = file.read()
            if function is None:
                return b'debug_info' in content
            # In C++ the name is in one that begins with its length.
            mangled = '%d%s' % (len(function), function)
            return function.encode() in content and any(
                symbol in (function, function + '_') or mangled in symbol for symbol in _mpidbg_libraries.symbols(content))
        @staticmethod
        def matter(path, name, status, functions):
            # C++ throws and catches in its own library.
            if 'c++' in os.path.basename(name):
                return True
            for function in (None, *functions):
                key = (status.st_dev, status.st_ino, status.st_ctime_ns, function)
                if key not in _mpidbg_libraries.known:
                    try:
                        _mpidbg_libraries.known[key] = _mpidbg_libraries.defines(path, function)
                    except (OSError, ValueError, IndexError, struct.error):
                        _mpidbg_libraries.known[key] = True
                if _mpidbg_libraries.known[key]:
                    return True
            return False
        # What a process has mapped of files: of each the first and last address and the file, and for what begins a file, by inode,
        # the address, the kernel's name of the file, or what the process has in its place where it has no name, and the file.
        @staticmethod
        def mapped(pid):
            ranges, files = [], {}
            with open('/proc/%d/status' % pid, 'rb') as status:
                inside = re.search(rb'^NSpid:.*\\s(\\d+)$', status.read(), re.M)
            folder = '/proc/%d/map_files/' % (int(inside[1]) if inside else pid)
            with open('/proc/%d/maps' % pid, 'rb') as maps:
                for line in maps:
                    fields = line.rstrip(b'\\n').split(None, 5)
                    if len(fields) == 6 and fields[5].startswith(b'/'):
                        start, end = (int(each, 16) for each in fields[0].split(b'-'))
                        name, file = os.fsdecode(fields[5]), '%s:%s' % (fields[3].decode(), fields[4].decode())
                        ranges.append((start, end, file))
                        if int(fields[2], 16) == 0:
                            place = '%s%x-%x' % (folder, start, end) if name.endswith(' (deleted)') else name
                            files.setdefault(int(fields[4]), (start, place, file))
            return ranges, files
        # Forgets what this process has mapped no more: a breakpoint in it would be written into what is there now.
        @staticmethod
        def forget(inferior, ranges):
            for (number, at), file in list(_mpidbg_libraries.added.items()):
                if number == inferior and not any(start <= at < end and file == other for start, end, other in ranges):
                    del _mpidbg_libraries.added[number, at]
                    try:
                        gdb.execute('remove-symbol-file -a 0x%x' % at, to_string=True)
                    except gdb.error:
                        # gdb has done so itself.
                        pass
                    _mpidbg_libraries.tell({'kind': 'forgotten', 'inferior': inferior, 'at': '0x%x' % at})
        @staticmethod
        def tell(file):
            gdb.write('\\x01mpidbg-file ' + json.dumps(file) + '\\n', gdb.STDLOG)
        # The mapping of the file, by its inode, or else by its first page: overlay file systems show another inode there.
        @staticmethod
        def mapping(pid, path, files):
            found = files.get(os.stat(path).st_ino)
            if found is None:
                with open(path, 'rb') as library, open('/proc/%d/mem' % pid, 'rb') as memory:
                    first = library.read(4096)
                    for start, name, file in files.values():
                        if found is None and os.path.basename(name) == os.path.basename(path):
                            memory.seek(start)
                            found = (start, name, file) if memory.read(len(first)) == first else None
            return found
        # A file that gdb does not find by its name, which is relative to the folder of the process.
        @staticmethod
        def add(path, start, name, file):
            with open(path, 'rb') as library:
                content = library.read()
            table, = struct.unpack_from('<Q', content, 32)
            size, count = struct.unpack_from('<HH', content, 54)
            segments = [struct.unpack_from('<IIQQQQQQ', content, table + i * size) for i in range(count)]
            loaded = next(each for each in segments if each[0] == 1)
            dynamic = next(each for each in segments if each[0] == 2)
            bias = start + loaded[2] - loaded[3]
            inferior, at = gdb.selected_inferior().num, bias + dynamic[3]
            if (inferior, at) in _mpidbg_libraries.added:
                return
            quoted = '"%s"' % re.sub(r'["\\\\]', lambda c: '\\\\' + c[0], 'target:' + name)
            gdb.execute('add-symbol-file %s -o 0x%x' % (quoted, bias), to_string=True)
            _mpidbg_libraries.added[inferior, at] = file
            _mpidbg_libraries.tell({'kind': 'added', 'inferior': inferior, 'path': name, 'file': file, 'at': '0x%x' % at})
        @staticmethod
        def functions():
            places = [each.location or '' for each in gdb.breakpoints()]
            words = [re.findall(r'[A-Za-z_]\\w*', re.sub(r'\\(.*', '', place)) for place in places if '-source' not in place]
            return [each[-1] for each in words if each]
        @staticmethod
        def read(shown, pid, functions, files):
            name = shown[7:] if shown.startswith('target:') else shown
            own = re.match('/(?:proc/(?:self|thread-self)|dev)/(fd/\\d+)$', name)
            path = '/proc/%d/%s' % (pid, own[1] if own else 'root' + name if name.startswith('/') else 'cwd/' + name)
            try:
                # Another file would not end, or have gdb wait.
                status = os.stat(path)
                if not stat.S_ISREG(status.st_mode):
                    return
                found = _mpidbg_libraries.matter(path, name, status, functions) and _mpidbg_libraries.mapping(pid, path, files)
                if found and name.startswith('/') and not own:
                    exactly = re.sub(r'[^\\w/-]', lambda c: '\\\\^' if c[0] == '^' else '[%s]' % c[0], shown)
                    gdb.execute('sharedlibrary ^%s$' % exactly, to_string=True)
                elif found:
                    _mpidbg_libraries.add(path, *found)
            except (OSError, ValueError, StopIteration, struct.error):
                # It is not where its name says: the next stop finds it.
                pass
    class _MpidbgLibraries(gdb.Function):
        def invoke(self):
            try:
                shown = gdb.execute('info sharedlibrary', to_string=True)
                inferior = gdb.selected_inferior()
                unread = re.findall(r'^(?:0x\\w+ +0x\\w+| *) +No +(.+)$', shown, re.M)
                if unread:
                    functions = _mpidbg_libraries.functions()
                    ranges, files = _mpidbg_libraries.mapped(inferior.pid)
                    _mpidbg_libraries.forget(inferior.num, ranges)
                    for path in unread:
                        _mpidbg_libraries.read(path, inferior.pid, functions, files)
            except (OSError, gdb.error):
                # The symbols are read at the next stop.
                pass
            return 0
    _MpidbgLibraries('_mpidbg_libraries')
    class _MpidbgUnloaded(gdb.Function):
        def invoke(self):
            inferior = gdb.selected_inferior()
            if any(number == inferior.num for number, _ in _mpidbg_libraries.added):
                try:
                    _mpidbg_libraries.forget(inferior.num, _mpidbg_libraries.mapped(inferior.pid)[0])
                except OSError:
                    # The process has ended.
                    pass
            return 0
    _MpidbgUnloaded('_mpidbg_unloaded')
`;

/** Symbols that gdb has read beside those that it finds by itself, or forgotten. */
export type FileNews = { inferior: number } & (AddedFile | { kind: 'forgotten'; at: string });

export interface AddedFile {
  kind: 'added';
  path: string;
  /** Device and inode, as in the maps of its process. */
  file: string;
  /** The address of its dynamic section: "0x7f…". */
  at: string;
}

/** Parses a line of gdb's log; undefined for other lines. */
export function fileNewsIn(line: string): FileNews | undefined {
  return line.startsWith(mark) ? (JSON.parse(line.slice(mark.length)) as FileNews) : undefined;
}

/** Makes readSymbolsThatMatter possible in this gdb. Rejects with NoPythonError, GdbError. */
export async function prepareLibraryScript(gdb: MiCommands): Promise<void> {
  await runPython(gdb, script);
}

/**
 * From now on the symbols of libraries that the thread's process loads are read at once when a breakpoint can be in them:
 * those that have debug information, or a function that has one. For others see sharedLibrary.
 */
export async function readSymbolsThatMatter(thread: GdbThread): Promise<void> {
  for (const [event, condition] of [
    ['load', '$_mpidbg_libraries()'],
    ['unload', '$_mpidbg_unloaded()'],
  ] as const) {
    const printed = await thread.gdb.console(`catch ${event}`, thread);
    const number = /Catchpoint (\d+)/.exec(printed)?.[1];
    await thread.gdb.console(`condition ${number} ${condition}`, thread);
  }
}

/** readSymbolsThatMatter takes care of a file that was added by others. Rejects with NoPythonError, GdbError. */
export async function rememberAddedFile(
  gdb: MiCommands,
  inferior: number,
  { file, at }: Pick<AddedFile, 'file' | 'at'>,
): Promise<void> {
  const remembers = `_mpidbg_libraries.added[${inferior}, ${at}] = ${JSON.stringify(file)}`;
  await runPython(gdb, `if '_mpidbg_libraries' in globals(): ${remembers}`);
}
