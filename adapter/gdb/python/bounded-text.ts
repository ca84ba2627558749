/**
 * The text of a value, of so many elements in all. gdb bounds each array and each container alone: of containers in containers in
 * containers it would write a million elements, and what ends its printers between them ends one of the inner ones only.
 */

/** Elements that the values of one log message have in all. */
const mostElements = 10_000;
/** Elements of a single array or container. */
const mostOfOne = 100;

/**
 * Defines `_mpidbg_bounded` in gdb: `text(value)`, as long as what `begin()` has left, and "..." where it ends. `late`: a list that is not empty any
 * more when the time for it is up.
 */
export const boundedTextScript = `
import contextlib, gdb
class _mpidbg_bounded:
    left, late, weights, saved = 0, [], {}, []
    @staticmethod
    def begin():
        _mpidbg_bounded.left = ${mostElements}
        _mpidbg_bounded.weights.clear()
    @staticmethod
    def is_spent(value=None):
        # And counts it.
        if _mpidbg_bounded.late:
            return True
        _mpidbg_bounded.left -= 1 if not isinstance(value, gdb.Value) else _mpidbg_bounded.weight_of(value.type)
        return _mpidbg_bounded.left < 0
    @staticmethod
    def weight_of(type):
        key = type.name, type.sizeof
        if type.name is None:
            return _mpidbg_bounded.weight(type, ${mostOfOne})
        if key not in _mpidbg_bounded.weights:
            _mpidbg_bounded.weights[key] = _mpidbg_bounded.weight(type, ${mostOfOne})
        return _mpidbg_bounded.weights[key]
    @staticmethod
    def weight(type, most):
        # Elements that gdb writes of it without a printer, where it writes so many of each array.
        type = type.strip_typedefs()
        if type.code == gdb.TYPE_CODE_ARRAY:
            try:
                low, high = type.range()
            except (gdb.error, RuntimeError):
                low, high = 1, most
            return max(1, min(high - low + 1, most)) * _mpidbg_bounded.weight(type.target(), most)
        if type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return max(1, sum(_mpidbg_bounded.weight(field.type, most) for field in type.fields() if hasattr(field, 'bitpos')))
        return 1
    @staticmethod
    def printer(value):
        for printers in _mpidbg_bounded.saved:
            for each in printers:
                found = each(value) if getattr(each, 'enabled', True) else None
                if found is not None:
                    return (_MpidbgBoundedContainer if hasattr(found, 'children') else _MpidbgBoundedPrinter)(found)
        return None
    @staticmethod
    @contextlib.contextmanager
    def printers():
        places = [*gdb.objfiles(), gdb.current_progspace(), gdb]
        saved = [place.pretty_printers for place in places]
        _mpidbg_bounded.saved = [list(printers) for printers in saved]
        try:
            for place in places:
                place.pretty_printers = [_mpidbg_bounded.printer] if place is gdb else []
            yield
        finally:
            for place, printers in zip(places, saved):
                place.pretty_printers = printers
    @staticmethod
    def text(value):
        # What comes behind a long one is not left out.
        _mpidbg_bounded.left = max(_mpidbg_bounded.left, ${mostOfOne})
        most = next((each for each in (${mostOfOne}, 30, 10, 5, 2) if _mpidbg_bounded.weight(value.type, each) <= _mpidbg_bounded.left), 1)
        with _mpidbg_bounded.printers():
            found = value.format_string(max_elements=most)
        if gdb.default_visualizer(value) is None:
            _mpidbg_bounded.left -= _mpidbg_bounded.weight(value.type, most)
        return found
class _MpidbgBoundedPrinter:
    def __init__(self, printer):
        self.printer = printer
    def to_string(self):
        return self.printer.to_string() if hasattr(self.printer, 'to_string') else None
    def display_hint(self):
        return self.printer.display_hint() if hasattr(self.printer, 'display_hint') else None
class _MpidbgBoundedContainer(_MpidbgBoundedPrinter):
    def children(self):
        isMap = self.display_hint() == 'map'
        for number, (name, child) in enumerate(self.printer.children()):
            # A key is not without its value.
            if _mpidbg_bounded.is_spent(child) and not (isMap and number % 2):
                yield name, '...'
                return
            yield name, child
`;
