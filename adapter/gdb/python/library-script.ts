/**
 * Which libraries gdb reads the symbols of when a process loads them. gdb can only do that for all or for none, and
 * sets every breakpoint again after each: a dozen breakpoints and the 66 libraries that come with MPI_Init of Open MPI
 * 4.1.4 took one process 7 s, two processes of one gdb 13 s. Asked for each library in the condition of a catchpoint,
 * it takes 0.3 s.
 */
import type { GdbThread, MiCommands } from '../mi/context';
import { runPython } from './stop-script';

// A condition is asked after gdb knows the library, and before any code of it runs. It never stops the process.
const script = `
import gdb, os, re, struct
try:
    _mpidbg_libraries
except NameError:
    class _mpidbg_libraries:
        known = {}
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
        def matter(path, functions):
            # C++ throws and catches in its own library.
            if 'c++' in os.path.basename(path):
                return True
            for function in (None, *functions):
                key = (path, function)
                if key not in _mpidbg_libraries.known:
                    try:
                        _mpidbg_libraries.known[key] = _mpidbg_libraries.defines(path, function)
                    except (OSError, ValueError, IndexError, struct.error):
                        _mpidbg_libraries.known[key] = True
                if _mpidbg_libraries.known[key]:
                    return True
            return False
        @staticmethod
        def functions():
            places = [each.location or '' for each in gdb.breakpoints()]
            words = [re.findall(r'[A-Za-z_]\\w*', re.sub(r'\\(.*', '', place)) for place in places if '-source' not in place]
            return [each[-1] for each in words if each]
    class _MpidbgLibraries(gdb.Function):
        def invoke(self):
            try:
                shown = gdb.execute('info sharedlibrary', to_string=True)
                unread = re.findall(r'^(?:0x\\w+ +0x\\w+ +)?No +(/.*)$', shown, re.M)
                functions = _mpidbg_libraries.functions() if unread else []
                for path in unread:
                    if _mpidbg_libraries.matter(path, functions):
                        exactly = re.sub(r'[^\\w/-]', lambda c: '\\\\^' if c[0] == '^' else '[%s]' % c[0], path)
                        gdb.execute('sharedlibrary ^%s$' % exactly, to_string=True)
            except gdb.error:
                # The symbols are read at the next stop.
                pass
            return 0
    _MpidbgLibraries('_mpidbg_libraries')
`;

/** Makes readSymbolsThatMatter possible in this gdb. Rejects with NoPythonError, GdbError. */
export async function prepareLibraryScript(gdb: MiCommands): Promise<void> {
  await runPython(gdb, script);
}

/**
 * From now on the symbols of libraries that the thread's process loads are read at once when a breakpoint can be in them:
 * those that have debug information, or a function that has one. For others see sharedLibrary.
 */
export async function readSymbolsThatMatter(thread: GdbThread): Promise<void> {
  const printed = await thread.gdb.console('catch load', thread);
  const number = /Catchpoint (\d+)/.exec(printed)?.[1];
  await thread.gdb.console(`condition ${number} $_mpidbg_libraries()`, thread);
}
