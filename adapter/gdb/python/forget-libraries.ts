/**
 * Has gdb forget what it has read of the libraries of a process: it can do so only for all of them. It then takes the breakpoints in
 * them for gone with their code and leaves their instructions there, which run on with the process. So they are taken out first.
 */
import type { GdbThread } from '../mi/context';
import { runPythonOnce } from './run-python';

const script = `
import gdb
class _mpidbg_places:
    out = {}
    # gdb 12 does not say which inferior a place is in: there all places of a breakpoint are meant.
    @staticmethod
    def of(inferior):
        for each in gdb.breakpoints():
            if each.type in (gdb.BP_BREAKPOINT, getattr(gdb, 'BP_HARDWARE_BREAKPOINT', None)):
                for place in each.locations if hasattr(each, 'locations') else (each,):
                    if place is each or inferior in (place.thread_groups or ()):
                        yield each.number, place
    @staticmethod
    def take_out():
        inferior = gdb.selected_inferior().num
        places = [(number, place) for number, place in _mpidbg_places.of(inferior) if place.enabled]
        _mpidbg_places.out[inferior] = set(number for number, place in places)
        for number, place in places:
            place.enabled = False
    @staticmethod
    def put_back():
        inferior = gdb.selected_inferior().num
        numbers = _mpidbg_places.out.pop(inferior, ())
        for number, place in list(_mpidbg_places.of(inferior)):
            if number in numbers:
                place.enabled = True
`;

/** `readAgain`: what gdb shall read of them now. The process is held. Rejects with NoPythonError, GdbError, or as `readAgain` does. */
export async function forgetLibraries(thread: GdbThread, readAgain: () => Promise<void>): Promise<void> {
  await runPythonOnce(thread.gdb, script);
  await thread.gdb.console('python _mpidbg_places.take_out()', thread);
  try {
    await thread.gdb.console('nosharedlibrary', thread);
    await readAgain();
  } finally {
    await thread.gdb.console('python _mpidbg_places.put_back()', thread);
  }
}
