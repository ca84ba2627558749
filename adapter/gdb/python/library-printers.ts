/** Pretty printers for classes of C++'s library for which libstdc++ 12 has none; newer ones have their own, which come before these. */

export const libraryPrintersScript = `
import gdb, datetime, re
class _MpidbgValarray:
    def __init__(self, value):
        self.value = value
        self.length = int(value['_M_size'])
    def to_string(self):
        return 'std::valarray of length %d' % self.length
    def children(self):
        data = self.value['_M_data']
        return (('[%d]' % i, (data + i).dereference()) for i in range(self.length))
    def display_hint(self):
        return 'array'
class _MpidbgDuration:
    # Seconds of a unit, as a fraction.
    units = {(1, 10 ** 9): 'ns', (1, 10 ** 6): 'us', (1, 1000): 'ms', (1, 1): 's', (60, 1): 'min', (3600, 1): 'h', (86400, 1): 'days'}
    def __init__(self, value):
        self.value = value
    @staticmethod
    def period(type):
        period = type.strip_typedefs().template_argument(1).strip_typedefs()
        return int(period.template_argument(0)), int(period.template_argument(1))
    def to_string(self):
        count, period = self.value['__r'].format_string(), self.period(self.value.type)
        unit = self.units.get(period)
        return '%s %s' % (count, unit) if unit else '%s x %d/%d s' % ((count,) + period)
class _MpidbgTimePoint:
    def __init__(self, value):
        self.value = value
    def to_string(self):
        since = self.value['__d']
        type = self.value.type.strip_typedefs()
        if not re.search(r'::system_clock$', str(type.template_argument(0).strip_typedefs())):
            return '%s of its clock' % _MpidbgDuration(since).to_string()
        try:
            count, (numerator, denominator) = int(since['__r']), _MpidbgDuration.period(since.type)
            whole, rest = divmod(count * numerator, denominator)
            text = (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=whole)).isoformat(' ')
        except (OverflowError, ValueError):
            return '%s since 1970' % _MpidbgDuration(since).to_string()
        digits = len(str(denominator)) - 1
        fraction = '.' + str(rest * 10 ** digits // denominator).rjust(digits, '0') if rest else ''
        return text + fraction + ' UTC'
_mpidbg_library_printers = {'valarray': _MpidbgValarray, 'chrono::duration': _MpidbgDuration, 'chrono::time_point': _MpidbgTimePoint}
def _mpidbg_library_printer(value):
    type = value.type.strip_typedefs().unqualified()
    if type.code != gdb.TYPE_CODE_STRUCT:
        return None
    name = re.match(r'std::(?:__\\w+::)?(valarray|chrono::(?:\\w+::)??(?:duration|time_point))<', type.name or '')
    try:
        return name and _mpidbg_library_printers[re.sub(r'::_\\w+::', '::', name.group(1))](value)
    except (gdb.error, RuntimeError):
        return None
gdb.pretty_printers.append(_mpidbg_library_printer)
`;
