/**
 * Which namespaces of C++ are inline: gdb 13 to 18 does not read that, and knows lib::v1::count only where a program writes
 * lib::count. The debug information says it of each namespace.
 */

/** Seconds of processor time that all files together may take; namespaces that were not reached are not known. */
const mostSeconds = 2;

/**
 * `_mpidbg_inline.names(block)`: their full names, `lib::v1`: first those of the program and of the block's library, then those of all files
 * of the selected inferior. Nothing that is read from a file is believed as a length. Those of the C++ library are few and left out.
 */
export const inlineNamespaceScript = `
import gdb, mmap, os, struct, time, zlib
class _mpidbg_inline:
    most = ${mostSeconds}
    used = 0
    # Bytes of a section that is compressed.
    longest = 1 << 28
    files = {}
    NAMESPACE, NAME, SIBLING, EXPORTS = 0x39, 0x03, 0x01, 0x89
    library = ('std', '__gnu_cxx', '__gnu_debug', '__cxxabiv1')
    # By form: bytes, or how the value's length is written.
    sizes = {
        0x01: 'address', 0x03: 'block2', 0x04: 'block4', 0x05: 2, 0x06: 4, 0x07: 8, 0x08: 'text', 0x09: 'block', 0x0a: 'block1', 0x0b: 1,
        0x0c: 1, 0x0d: 'leb', 0x0e: 'offset', 0x0f: 'leb', 0x10: 'reference', 0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8, 0x15: 'leb', 0x17: 'offset',
        0x18: 'block', 0x19: 0, 0x1a: 'leb', 0x1b: 'leb', 0x1c: 4, 0x1d: 'offset', 0x1e: 16, 0x1f: 'offset', 0x20: 8, 0x21: 0, 0x22: 'leb',
        0x23: 'leb', 0x24: 8, 0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4, 0x29: 1, 0x2a: 2, 0x2b: 3, 0x2c: 4, 0x1f20: 'offset', 0x1f21: 'offset',
    }
    class Late(Exception):
        pass
    @staticmethod
    def names(block):
        place = gdb.find_pc_line(block.start).symtab
        near = {gdb.current_progspace().filename, place and place.objfile.filename}
        objfiles = [each for each in gdb.objfiles() if each.filename]
        found = set()
        for isNear in (True, False):
            before = len(found)
            for objfile in objfiles:
                owner = (objfile.owner or objfile).filename
                if (owner in near or objfile.filename in near) == isNear:
                    found |= _mpidbg_inline.of_file(objfile.filename)
            if len(found) > before:
                yield found
    @staticmethod
    def of_file(name):
        path = name[len('target:'):] if name.startswith('target:') else name
        try:
            status = os.stat(path)
        except OSError:
            return set()
        key = path, status.st_ino, status.st_mtime_ns, status.st_size
        if key not in _mpidbg_inline.files and _mpidbg_inline.used < _mpidbg_inline.most:
            found = _mpidbg_inline.files[key] = set()
            started = time.process_time()
            try:
                with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    _mpidbg_inline.read(data, found, started)
            except (OSError, ValueError, IndexError, KeyError, TypeError, struct.error, zlib.error, _mpidbg_inline.Late):
                pass
            _mpidbg_inline.used += time.process_time() - started
        return _mpidbg_inline.files.get(key, set())
    @staticmethod
    def section(data, wanted):
        at, = struct.unpack_from('<Q', data, 0x28)
        size, count, names = struct.unpack_from('<HHH', data, 0x3a)
        table, = struct.unpack_from('<Q', data, at + names * size + 0x18)
        for i in range(count):
            header = struct.unpack_from('<IIQQQQIIQQ', data, at + i * size)
            begin = table + header[0]
            if header[1] == 8 or data[begin:begin + len(wanted) + 1] != wanted + b'\\0':
                continue
            content = data[header[4]:header[4] + header[5]]
            if not header[2] & 0x800:
                return content
            kind, _, length = struct.unpack_from('<IIQ', content)
            return zlib.decompressobj().decompress(content[24:], min(length, _mpidbg_inline.longest)) if kind == 1 else b''
        return b''
    @staticmethod
    def leb(data, at):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
            shift += 7
            if shift > 63:
                raise ValueError
    @staticmethod
    def shapes(abbreviations):
        found, at = {}, 0
        while True:
            code, at = _mpidbg_inline.leb(abbreviations, at)
            if code == 0:
                return found
            tag, at = _mpidbg_inline.leb(abbreviations, at)
            hasChildren, at = abbreviations[at] == 1, at + 1
            attributes = []
            while True:
                attribute, at = _mpidbg_inline.leb(abbreviations, at)
                form, at = _mpidbg_inline.leb(abbreviations, at)
                if form == 0x21:
                    at = _mpidbg_inline.leb(abbreviations, at)[1]
                if attribute == form == 0:
                    break
                attributes.append((attribute, form))
            found[code] = tag, hasChildren, attributes
    @staticmethod
    def units(info):
        at = 0
        while at + 12 <= len(info):
            begin, wide = at, 4
            length, = struct.unpack_from('<I', info, at)
            at += 4
            if length == 0xffffffff:
                length, = struct.unpack_from('<Q', info, at)
                at, wide = at + 8, 8
            end = at + length
            version, = struct.unpack_from('<H', info, at)
            offset = '<Q' if wide == 8 else '<I'
            if version >= 5:
                kind, address = info[at + 2], info[at + 3]
                abbreviations, = struct.unpack_from(offset, info, at + 4)
                at += 4 + wide + (8 if kind in (4, 5) else 8 + wide if kind in (2, 6) else 0)
            else:
                abbreviations, = struct.unpack_from(offset, info, at + 2)
                address = info[at + 2 + wide]
                at += 3 + wide
            if 2 <= version <= 5:
                yield begin, at, min(end, len(info)), abbreviations, wide, address, version
            at = end
    @staticmethod
    def read(data, found, started):
        if data[:6] != b'\\x7fELF\\x02\\x01':
            return
        abbreviations = _mpidbg_inline.section(data, b'.debug_abbrev')
        if not _mpidbg_inline.tell_inline(abbreviations):
            return
        info = _mpidbg_inline.section(data, b'.debug_info')
        texts = {form: _mpidbg_inline.section(data, name) for form, name in ((0x0e, b'.debug_str'), (0x1f, b'.debug_line_str'))}
        units = list(_mpidbg_inline.units(info))
        offsets = sorted({unit[3] for unit in units}) + [len(abbreviations)]
        ends = dict(zip(offsets, offsets[1:]))
        known = {}
        for begin, at, end, offset, wide, address, version in units:
            table = abbreviations[offset:ends[offset]]
            if not _mpidbg_inline.tell_inline(table):
                continue
            if offset not in known:
                known[offset] = _mpidbg_inline.shapes(table)
            words = {'address': address, 'offset': wide, 'reference': address if version == 2 else wide}
            _mpidbg_inline.unit(info, (begin, at, end), known[offset], words, texts, found, started)
    @staticmethod
    def tell_inline(abbreviations):
        # Units of other languages, and those of C++ without such a namespace, are passed over.
        return b'\\x89\\x01\\x19' in abbreviations or b'\\x89\\x01\\x0c' in abbreviations
    @staticmethod
    def unit(info, extent, shapes, words, texts, found, started):
        # The entries of the unit and of its namespaces; all others are passed over with what is below them.
        begin, at, end = extent
        scopes, count = [], 0
        while at < end:
            count += 1
            if count % 1000 == 0 and time.process_time() - started + _mpidbg_inline.used > _mpidbg_inline.most:
                raise _mpidbg_inline.Late
            code, at = _mpidbg_inline.leb(info, at)
            if code == 0:
                if not scopes:
                    return
                scopes.pop()
                continue
            tag, hasChildren, attributes = shapes[code]
            sibling, name, isInline = None, '', False
            for attribute, form in attributes:
                if attribute == _mpidbg_inline.SIBLING:
                    sibling = begin + struct.unpack_from('<I', info, at)[0] if form == 0x13 else None
                elif attribute == _mpidbg_inline.NAME and tag == _mpidbg_inline.NAMESPACE:
                    name = _mpidbg_inline.text(info, at, form, words['offset'], texts)
                elif attribute == _mpidbg_inline.EXPORTS:
                    isInline = True
                at = _mpidbg_inline.behind(info, at, form, words)
            isSpace = tag == _mpidbg_inline.NAMESPACE
            inSpaces = all(scope is not None for scope in scopes)
            if isSpace and inSpaces and isInline and name:
                found.add('::'.join([scope for scope in scopes if scope] + [name]))
            if not hasChildren:
                continue
            isOpened = isSpace and inSpaces and name != '' and not (len(scopes) == 1 and name in _mpidbg_inline.library)
            if not scopes:
                scopes.append('')
            elif isOpened:
                scopes.append(name)
            elif sibling is not None and at < sibling <= end:
                at = sibling
            else:
                scopes.append(None)
    @staticmethod
    def text(info, at, form, wide, texts):
        source, begin = info, at
        if form in (0x0e, 0x1f):
            source = texts[form]
            begin, = struct.unpack_from('<Q' if wide == 8 else '<I', info, at)
        elif form != 0x08:
            return ''
        return source[begin:source.find(b'\\0', begin, begin + 1000)].decode('utf-8', 'replace')
    @staticmethod
    def behind(info, at, form, words):
        size = _mpidbg_inline.sizes.get(form)
        if isinstance(size, int):
            return at + size
        if size in words:
            return at + words[size]
        if size == 'leb':
            return _mpidbg_inline.leb(info, at)[1]
        if size == 'text':
            return info.index(b'\\0', at) + 1
        if size == 'block':
            length, at = _mpidbg_inline.leb(info, at)
            return at + length
        if size in ('block1', 'block2', 'block4'):
            width = int(size[-1])
            return at + width + int.from_bytes(info[at:at + width], 'little')
        if form == 0x16:
            form, at = _mpidbg_inline.leb(info, at)
            return _mpidbg_inline.behind(info, at, form, words)
        raise ValueError
`;
