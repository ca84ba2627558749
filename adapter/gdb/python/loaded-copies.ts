/** Variables that a process has several times under one name: in several files or libraries, or in one library that is loaded twice. */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { printedAnswer } from './printed-answer';
import { runPythonOnce } from './run-python';

/** One of them. */
export interface LoadedCopy {
  /** The file that gdb has read it from. */
  library: string;
  /** Where the code of its source file begins. */
  code: number;
  /** Of the source. */
  file: string;
  /** In gdb's eyes: of those that files offer to all, the first library's for each, and one for a library that is loaded twice. */
  address: number;
  /** An expression that means this one; null: there is none. */
  written: string | null;
}

export interface LoadedCopies {
  /** Of the one that gdb takes. */
  address: number;
  /** The linker's name of a variable that files offer to all; null: each file has it to itself. */
  linkage: string | null;
  /** Where the expression names a file that is loaded once: its code. */
  from: number | null;
  isOfFile: boolean;
  copies: LoadedCopy[];
}

/** `_mpidbg_copies.undecided(name, block)`: a sentence or None. */
export const copiesScript = `
import gdb, json, os, re
class _mpidbg_copies:
    @staticmethod
    def objfile(symbol):
        objfile = symbol.symtab.objfile
        return objfile.owner or objfile
    @staticmethod
    def address(symbol):
        try:
            return int((symbol.value(gdb.selected_frame()) if symbol.needs_frame else symbol.value()).address)
        except (gdb.error, RuntimeError, TypeError, ValueError):
            return None
    @staticmethod
    def variables(symbols):
        found = {}
        for symbol in symbols:
            isThere = symbol is not None and symbol.is_variable and symbol.symtab is not None and symbol.addr_class != gdb.SYMBOL_LOC_UNRESOLVED
            address = _mpidbg_copies.address(symbol) if isThere else None
            if address is not None:
                found.setdefault((symbol.symtab.static_block().start, symbol.symtab.fullname(), address), symbol)
        return found
    @staticmethod
    def is_same(a, b):
        return b is not None and (a.symtab.fullname(), a.line, a.name) == (b.symtab.fullname(), b.line, b.name)
    @staticmethod
    def is_of_file(symbol, block):
        def place(block):
            return block and (block.start, block.end)
        return symbol.symtab is not None and place(symbol.symtab.static_block()) == place(block.static_block)
    @staticmethod
    def written(symbol, name, address):
        for file in (os.path.basename(symbol.symtab.filename), symbol.symtab.fullname()):
            text = "'%s'::%s" % (file, name)
            try:
                if int(gdb.parse_and_eval('&' + text)) == address:
                    return text
            except (gdb.error, RuntimeError):
                pass
        return None
    @staticmethod
    def places(symbols, name):
        return [{
            'library': _mpidbg_copies.objfile(symbol).filename,
            'file': os.path.basename(symbol.symtab.filename),
            'code': code,
            'address': at,
            'written': _mpidbg_copies.written(symbol, name, at),
        } for (code, _, at), symbol in symbols.items()]
    @staticmethod
    def of(asked, block):
        file, name = re.fullmatch("(?:'([^']*)'::)?(.*)", asked).groups()
        if file is None:
            symbol, isField = gdb.lookup_symbol(name, block, gdb.SYMBOL_VAR_DOMAIN)
            if isField or symbol is None or not symbol.is_variable or symbol.symtab is None:
                return None
            name = symbol.name
            if _mpidbg_copies.is_of_file(symbol, block) and not any(_mpidbg_copies.is_same(symbol, each.lookup_global_symbol(name)) for each in gdb.objfiles()):
                return None
        shared = _mpidbg_copies.variables(each.lookup_global_symbol(name) for each in gdb.objfiles())
        def is_of(symbol):
            return file is None or symbol.symtab.filename == file or symbol.symtab.fullname().endswith('/' + file)
        ofFile = [symbol for symbol in shared.values() if is_of(symbol)]
        isShared = len(ofFile) > 0
        every = shared if isShared else _mpidbg_copies.variables(gdb.lookup_static_symbols(name))
        meant = ofFile if isShared else [symbol for symbol in every.values() if is_of(symbol)]
        if not meant or len(meant) < 2 and not isShared:
            return None
        address = int(gdb.parse_and_eval('&' + asked))
        return {
            'address': address,
            'linkage': meant[0].linkage_name if isShared else None,
            'from': meant[0].symtab.static_block().start if file is not None and len({each.symtab.static_block().start for each in meant}) == 1 else None,
            'isOfFile': file is not None,
            'copies': _mpidbg_copies.places(every, name),
        }
    @staticmethod
    def statics(name):
        return _mpidbg_copies.places(_mpidbg_copies.variables(gdb.lookup_static_symbols(name)), name)
    @staticmethod
    def undecided(name, block):
        # In a condition: the dynamic linker's choice is known for the program and for what the code's own library has.
        try:
            found = _mpidbg_copies.of(name, block)
        except (gdb.error, RuntimeError):
            return None
        if found is None or len(found['copies']) < 2:
            return None
        holder, here = gdb.solib_name(found['address']), gdb.solib_name(block.start)
        if found['linkage'] is not None and holder in (None, here):
            return None
        written = [each['written'] for each in found['copies'] if each['written'] is not None]
        several = ' and '.join('%s (%s)' % (os.path.basename(each['library']), each['file']) for each in found['copies'][:4])
        how = ': write ' + ' or '.join(written[:4]) if found['linkage'] is None and len(written) > 1 else ''
        return 'several variables are called %s, in %s, and the place does not decide which is meant%s' % (name, several, how)
    @staticmethod
    def tell(names):
        def told(name):
            try:
                return _mpidbg_copies.of(name, gdb.selected_frame().block())
            except (gdb.error, RuntimeError):
                return None
        print(json.dumps([told(name) for name in names]))
`;

interface Place {
  thread: GdbThread;
  frame: number;
}

/**
 * For each name of an expression, also `'file.c'::name` and `space::name`: what it may mean in the frame, if that may be more than
 * one variable. undefined: it is one, or none; or this gdb has no Python.
 */
export async function loadedCopies(names: readonly string[], place: Place): Promise<(LoadedCopies | undefined)[]> {
  const encoded = Buffer.from(JSON.stringify(names)).toString('base64');
  const call = `import base64; _mpidbg_copies.tell(json.loads(base64.b64decode('${encoded}').decode()))`;
  const found = await answered<(LoadedCopies | null)[]>(call, place);
  return names.map((_, i) => found?.[i] ?? undefined);
}

/** The variables that files have to themselves under this name. */
export async function staticsCalled(name: string, place: Place): Promise<LoadedCopy[]> {
  if (!/^\w+$/.test(name)) return [];
  return (await answered<LoadedCopy[]>(`print(json.dumps(_mpidbg_copies.statics('${name}')))`, place)) ?? [];
}

async function answered<Answer>(call: string, { thread, frame }: Place): Promise<Answer | undefined> {
  try {
    await runPythonOnce(thread.gdb, copiesScript);
    return printedAnswer(await thread.gdb.console(`python import json; ${call}`, thread, frame)) as Answer;
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
