/**
 * Python in gdb that tells how large the memory is that a pointer leads to, where glibc's malloc has given it: by the words
 * before it, if those behind it agree. Aligned and C++'s allocations are malloc's too; a pointer into the middle has no
 * such words.
 */
export const heapBlockScript = `
import gdb
def _mpidbg_heap_block(address):
    """How many bytes at most the program has asked glibc's malloc for here, how many surely can be its own, and whether it is
    a mapping of its own; None: that is unknown."""
    try:
        inferior = gdb.selected_inferior()
        word = lambda at: int.from_bytes(inferior.read_memory(at, 8).tobytes(), 'little')
        size = word(address - 8)
        before, length = word(address - 16), size & ~7
        if address % 16 or length < 32 or length >= 1 << 46:
            return None
        if size & 2:
            # A mapping of its own, whose last page is zero behind the block.
            whole = (address - 16 - before) % 4096 == 0 and (length + before) % 4096 == 0
            # Numbers of the program may look so, before what lies behind them: both ends must be there.
            word(address - 16 - before), word(address - 16 + length - 8)
            return (length - 16, length - 16, True) if whole else None
        # What lies behind it says that it is in use.
        after = word(address - 16 + length + 8)
        if length % 16 or not after & 1 or (after & ~7) % 16 or (after & ~7) >= 1 << 46:
            return None
        return length - 8, length - 8 - 15, False
    except (gdb.MemoryError, OverflowError):
        return None
`;
