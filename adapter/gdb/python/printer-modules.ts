/**
 * Where the pretty printers of libstdc++ are. Their script, which gdb loads with the library, looks for its module from
 * the library's folder on: below the root that a core file's libraries are linked in, it is not found, and containers
 * would be shown as their members.
 */
import type { MiCommands } from '../mi/context';
import { containerBoundsScript } from './container-bounds';
import { libraryPrintersScript } from './library-printers';
import { NoPythonError, runPythonOnce } from './run-python';

const script = `
${containerBoundsScript}
${libraryPrintersScript}
import gdb, glob, os, re, sys
for _mpidbg_path in glob.glob(os.path.join(gdb.parameter('data-directory'), 'auto-load', '**', 'libstdc++*-gdb.py'), recursive=True):
    with open(_mpidbg_path) as _mpidbg_file:
        _mpidbg_folder = re.search(r"^pythondir = '(.*)'", _mpidbg_file.read(), re.M)
    if _mpidbg_folder and _mpidbg_folder.group(1) not in sys.path:
        sys.path.append(_mpidbg_folder.group(1))
# A rank that has not stopped yet has no symbols of its libraries, and so no printers. Those of a library come before these.
try:
    from libstdcxx.v6.printers import register_libstdcxx_printers
    from libstdcxx.v6 import xmethods as _mpidbg_xmethods
    register_libstdcxx_printers(None)
    _mpidbg_xmethods.register_libstdcxx_xmethods(None)
    _mpidbg_container_bounds.guard(_mpidbg_xmethods)
except (ImportError, RuntimeError):
    pass
`;

/** Before the symbols of libraries are read. A gdb without Python has no pretty printers. Rejects with GdbError. */
export async function preparePrinters(gdb: MiCommands): Promise<void> {
  try {
    await runPythonOnce(gdb, script);
  } catch (error) {
    if (!(error instanceof NoPythonError)) throw error;
  }
}
