/**
 * Which libraries gdb reads the symbols of when a process loads them. gdb can do that for all or for none, and places every
 * breakpoint anew after each: a dozen breakpoints and the 66 libraries that come with MPI_Init of Open MPI 4.1.4 took one
 * process 7 s, two processes of one gdb 13 s. Asked for each library in the condition of a catchpoint, it takes 0.3 s.
 */
import type { GdbThread, MiCommands } from './context';
import { runPython } from './stop-script';

// A condition is asked after gdb knows the library, and before any code of it runs. It never stops the process.
const script = `
import gdb, mmap, os, re
try:
    _mpidbg_libraries
except NameError:
    class _mpidbg_libraries:
        found = {}
        @staticmethod
        def has(path, text):
            key = (path, text)
            if key not in _mpidbg_libraries.found:
                try:
                    with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                        _mpidbg_libraries.found[key] = content.find(text.encode()) >= 0
                except (OSError, ValueError):
                    _mpidbg_libraries.found[key] = True
            return _mpidbg_libraries.found[key]
        @staticmethod
        def functions():
            places = [each.location or '' for each in gdb.breakpoints()]
            words = [re.findall(r'[A-Za-z_]\\w*', re.sub(r'\\(.*', '', place)) for place in places if '-source' not in place]
            return [each[-1] for each in words if each]
        @staticmethod
        def matter(path, functions):
            # C++ throws and catches in its own library.
            return 'c++' in os.path.basename(path) or any(
                _mpidbg_libraries.has(path, text) for text in ['debug_info', *functions])
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
