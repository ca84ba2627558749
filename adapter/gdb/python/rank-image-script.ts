/**
 * What gdb's Python reads of a process by itself: its objects as the dynamic linker lists them, and the functions and
 * variables that they export. It reads the memory of the process, not files: gdb may not have looked at any library yet
 * (see LibraryEvents), and what is mapped is what runs.
 */

/** Python source; defines _MpidbgImage. */
export const rankImageScript = `
import os, struct
try:
    _MpidbgImage
except NameError:
    class _MpidbgImage:
        maxObjects, maxTags, maxChain = 4096, 512, 10000
        def __init__(self, pid):
            self.auxiliary = _MpidbgImage.auxiliary_vector(pid)
            values = dict(struct.iter_unpack('<QQ', self.auxiliary))
            self.headers, self.count, self.entry = values.get(3, 0), values.get(5, 0), values.get(9, 0)
            self.memory = os.open('/proc/%d/mem' % pid, os.O_RDONLY | os.O_CLOEXEC)
            self.seen = set()
        def __del__(self):
            if hasattr(self, 'memory'):
                os.close(self.memory)
        # A program that execs another one has another.
        @staticmethod
        def auxiliary_vector(pid):
            with open('/proc/%d/auxv' % pid, 'rb') as file:
                content = file.read(4096)
            return content[:len(content) // 16 * 16]
        def read(self, address, size):
            content = os.pread(self.memory, size, address)
            if len(content) < size:
                raise OSError('unmapped')
            return content
        def numbers(self, format, address):
            return struct.unpack('<' + format, self.read(address, struct.calcsize('<' + format)))
        def text(self, address, most=256):
            content = os.pread(self.memory, most, address) if address else b''
            return content.split(b'\\0')[0].decode('utf-8', 'replace')
        # The place where the dynamic linker keeps its list of objects. 0: there is none (yet).
        def debug_record(self):
            base, dynamic = 0, None
            for i in range(min(self.count, 64)):
                kind, _, _, address = self.numbers('IIQQ', self.headers + 56 * i)
                if kind == 6:
                    base = self.headers - address
                elif kind == 2:
                    dynamic = address
            return 0 if dynamic is None else self.tags(base + dynamic).get(21, 0)
        def tags(self, address):
            found = {}
            for i in range(self.maxTags):
                tag, value = self.numbers('QQ', address + 16 * i)
                if tag == 0:
                    break
                found.setdefault(tag, value)
            return found
        # The base, the dynamic section and the name of each object that was not listed before.
        def new_objects(self):
            record = self.debug_record()
            at = self.numbers('Q', record + 8)[0] if record else 0
            for _ in range(self.maxObjects):
                if at == 0:
                    break
                base, name, dynamic, following = self.numbers('QQQQ', at)
                if (base, dynamic) not in self.seen:
                    self.seen.add((base, dynamic))
                    yield base, dynamic, self.text(name, 4096)
                at = following
        # The addresses of those of the names that the object defines.
        def defined(self, base, dynamic, names):
            tags = self.tags(dynamic)
            def at(tag):
                value = tags.get(tag, 0)
                return value + base if 0 < value < base else value
            strings, table = at(5), at(6)
            indices = self.by_gnu_hash if at(0x6ffffef5) else self.by_hash
            hashes = at(0x6ffffef5) or at(4)
            found = {}
            for name in names if strings and table and hashes else ():
                for index in indices(hashes, name.encode()):
                    label, _, _, section, value, _ = self.numbers('IBBHQQ', table + 24 * index)
                    if section != 0 and self.text(strings + label, len(name) + 1) == name:
                        found[name] = base + value
                        break
            return found
        def by_gnu_hash(self, at, name):
            value = 5381
            for byte in name:
                value = (value * 33 + byte) & 0xffffffff
            buckets, first, words, shift = self.numbers('IIII', at)
            if buckets == 0 or words == 0:
                return
            word, = self.numbers('Q', at + 16 + value // 64 % words * 8)
            if not (word >> value % 64 & 1 and word >> (value >> shift) % 64 & 1):
                return
            table = at + 16 + 8 * words
            index, = self.numbers('I', table + value % buckets * 4)
            for index in range(index, index + self.maxChain if index >= first else index):
                link, = self.numbers('I', table + 4 * (buckets + index - first))
                if link | 1 == value | 1:
                    yield index
                if link & 1:
                    break
        def by_hash(self, at, name):
            value = 0
            for byte in name:
                value = (value << 4) + byte
                value = (value ^ (value >> 24 & 0xf0)) & 0x0fffffff
            buckets, _ = self.numbers('II', at)
            if buckets == 0:
                return
            index, = self.numbers('I', at + 8 + value % buckets * 4)
            for _ in range(self.maxChain):
                if index == 0:
                    break
                yield index
                index, = self.numbers('I', at + 8 + 4 * (buckets + index))
`;
