/**
 * Elements that a container of C++'s library does not have: the functions that gdb's Python has for `v[i]`, `front()` and `back()`
 * read what lies in memory there, which may be an element that was removed.
 */
export const containerBoundsScript = `
import gdb
try:
    _mpidbg_container_bounds
except NameError:
    class _mpidbg_container_bounds:
        @staticmethod
        def has(worker, container, module, name, index):
            check = globals().get('_mpidbg_check')
            if check is not None and check.isActive:
                # A condition is checked on values that have only the right types.
                return True
            if hasattr(worker, 'size'):
                return 0 <= index < int(worker.size(container))
            if hasattr(worker, '_size'):
                return 0 <= index < int(worker._size)
            return not getattr(module, name + 'EmptyWorker').__call__(worker, container)
        @staticmethod
        def guarded(module, name, call):
            def of_container(worker, container, *given):
                if not _mpidbg_container_bounds.has(worker, container, module, name, int(given[0]) if given else 0):
                    # gdb shows no words of such a function: container-script.ts has them.
                    raise gdb.GdbError('no such element')
                return call(worker, container, *given)
            return of_container
        @staticmethod
        def guard(module):
            for name in ('Array', 'Deque', 'Vector', 'List', 'ForwardList'):
                for method in ('Front', 'Back', 'At', 'Subscript'):
                    worker = getattr(module, name + method + 'Worker', None)
                    if worker is not None:
                        worker.__call__ = _mpidbg_container_bounds.guarded(module, name, worker.__call__)
`;
