/**
 * Numbers and LOGICALs of Fortran that are POINTER or ALLOCATABLE. To gdb they are pointers: `p == 3` would compare an address.
 * In an expression they stand for the value they point to, except where the pointer itself is asked about, as in `associated(p)`.
 */
import type { GdbThread, MiCommands } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { printedAnswer } from './printed-answer';
import { NoPythonError, runPythonOnce } from './run-python';

/**
 * `_mpidbg_pointed.written(text, whole, target)`: for the selected frame, with what `target` makes of each;
 * `_mpidbg_pointed.scalar(type)`: what a pointer leads to, or None.
 */
const pointedScript = `
import gdb, re
class _mpidbg_pointed:
    numbers = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_COMPLEX)
    token = re.compile(r'"[^"]*"|\\'[^\\']*\\'|\\.(?:[A-Za-z]+)\\.|\\d[\\w.]*|[$]?[A-Za-z_]\\w*(?:::\\w+)*')
    member = re.compile(r'\\s*%\\s*\\w+')
    # These ask about the pointer itself.
    about = ('associated', 'allocated', 'loc', 'c_loc', 'present')
    # A name behind an & or a * that has nothing before it to multiply.
    asAddress = re.compile(r'(?:&|(?:^|[-+*/(,=<>.])\\s*\\*)[\\s(]*$')
    @staticmethod
    def scalar(type):
        type = type.strip_typedefs()
        if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            type = type.target().strip_typedefs()
        if type.code != gdb.TYPE_CODE_PTR:
            return None
        target = type.target().strip_typedefs()
        return target if target.code in _mpidbg_pointed.numbers else None
    @staticmethod
    def written(text, whole=True, target=lambda pointer: '(*(%s))' % pointer):
        # Within parentheses: gdb reads *a%b as (*a)%b.
        found, at = '', 0
        while True:
            match = _mpidbg_pointed.token.search(text, at)
            if match is None:
                return found + text[at:]
            found, at = found + text[at:match.start()], match.end()
            head = match.group(0)
            if not (head[0].isalpha() or head[0] in '_$'):
                found += head
                continue
            chain, at = _mpidbg_pointed.chain(head, text, at, target)
            isLone = not whole and found.strip() == '' and text[at:].strip() == ''
            if isLone or _mpidbg_pointed.asAddress.search(found) or not _mpidbg_pointed.is_pointer(chain):
                found += chain
            else:
                found += target(chain)
    @staticmethod
    def chain(head, text, at, target):
        # With its subscripts and components, whose own names are written anew.
        chain = head
        while True:
            member = _mpidbg_pointed.member.match(text, at)
            if member:
                chain, at = chain + member.group(0), member.end()
            elif text[at:at + 1] == '(':
                end = _mpidbg_pointed.closing(text, at)
                if end < 0:
                    return chain, at
                inner = text[at + 1:end]
                isKept = head[0] == '$' or chain.lower() in _mpidbg_pointed.about
                if chain.lower() == 'allocated' and _mpidbg_pointed.is_pointer(inner, True):
                    # gdb knows ALLOCATED of arrays alone.
                    chain = 'associated'
                chain, at = '%s(%s)' % (chain, inner if isKept else _mpidbg_pointed.written(inner, True, target)), end + 1
            else:
                return chain, at
    @staticmethod
    def closing(text, at):
        depth = 0
        for match in re.finditer(r'"[^"]*"|\\'[^\\']*\\'|[()]', text[at:]):
            depth += (match.group(0) == '(') - (match.group(0) == ')')
            if depth == 0:
                return at + match.start()
        return -1
    @staticmethod
    def is_pointer(chain, toAny=False):
        if re.match(r'[$](?!_mpidbg_(?:(?:chain|component|element|variable)_|sample\\())', chain):
            return False
        try:
            type = gdb.parse_and_eval(chain).type
            return type.code == gdb.TYPE_CODE_PTR if toAny else _mpidbg_pointed.scalar(type) is not None
        except (gdb.error, RuntimeError):
            return False
`;

/** Before a condition in Fortran is evaluated. Rejects with NoPythonError, GdbError. */
export function preparePointed(gdb: MiCommands): Promise<void> {
  return runPythonOnce(gdb, pointedScript);
}

/**
 * The expression as gdb is to read it in this frame. A variable on its own remains a pointer, which a view can open.
 * Without Python, or where gdb cannot tell, the expression stays as it is.
 */
export async function withPointed(thread: GdbThread, frame: number, expression: string): Promise<string> {
  if (/^[\w:%\s]*$/.test(expression)) return expression;
  const encoded = Buffer.from(expression).toString('base64');
  try {
    await preparePointed(thread.gdb);
    const printed = await thread.gdb.console(
      `python import base64, json; print(json.dumps(_mpidbg_pointed.written(base64.b64decode('${encoded}').decode(), False)))`,
      thread,
      frame,
    );
    return printedAnswer(printed) as string;
  } catch (error) {
    if (error instanceof GdbError || error instanceof NoPythonError || error instanceof SyntaxError) return expression;
    throw error;
  }
}
