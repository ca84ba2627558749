/**
 * Handles in log messages and conditions. gdb evaluates these while it holds the thread that hit the breakpoint, and does
 * nothing else meanwhile: its Python asks us, over a socket, what a handle is, and we read the rank's memory ourselves. Both
 * prove that they know the token first, as agents do (agent/proof.ts); then one question follows the other, each in a line.
 */
import type { MiCommands } from '../mi/context';
import { runPython } from './run-python';

/** What gdb's Python asks: one line of JSON. */
export interface HandleQuestion {
  /** Which gdb, and gdb's number of the inferior: "i3" is 3. */
  gdb: number;
  inferior: number;
  /** "MPI_Comm" */
  type: string;
  form: 'c' | 'fortran';
  /** A decimal number. Of C, whatever is in the register's upper half. */
  value: string;
  /** Only the facts are wanted. */
  isForFacts?: boolean;
}

/** One line of JSON, too. */
export interface HandleAnswer {
  /** '' for none: gdb's own text is better then. */
  text: string;
  /** How wide handles of this kind are in C. */
  bits?: number;
  facts?: HandleFacts;
  /** Why there are no facts. */
  why?: string;
}

export interface HandleFacts {
  /** In C, a decimal number. */
  handle: string;
  /** "" for none. */
  name: string;
  /** The size of a datatype, in bytes. */
  size?: string;
  /** Its handles and its size stay the same; the name may not. */
  isPredefined: boolean;
  /** While this memory is the same, so are the facts; missing: that is not known. */
  evidence?: HandleEvidence;
}

/** Addresses are decimal numbers, bytes hexadecimal. */
export interface HandleEvidence {
  same: (readonly [address: string, bytes: string])[];
  /** Signed numbers of 4 bytes that only have to stay positive. */
  positive: string[];
}

const script = `
import gdb, hashlib, hmac, json, os, socket
class _mpidbg_handles:
    gdb = 0
    path = ''
    token = b''
    types = {}
    open = None
    @staticmethod
    def find(value):
        kind = value.type.unqualified()
        if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
            kind = value.type.unqualified()
        for _ in range(16):
            name = _mpidbg_handles.types.get((kind.name or '').lower())
            if name is not None and kind.code == gdb.TYPE_CODE_STRUCT:
                return name, 'fortran', int(value[kind.fields()[0]])
            if name is not None:
                return name, 'c', int(value)
            if kind.code != gdb.TYPE_CODE_TYPEDEF:
                return None
            kind = kind.target().unqualified()
    @staticmethod
    def connected():
        def proof(side):
            return hmac.new(_mpidbg_handles.token, f'{side} {ours} {theirs}'.encode(), hashlib.sha256).hexdigest()
        ours = os.urandom(32).hex()
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2)
            client.connect(_mpidbg_handles.path)
            lines = client.makefile('rw', encoding='utf-8', newline='\\n')
        _mpidbg_handles.say(lines, 'mpidbg1 ' + ours)
        theirs, told = lines.readline().split()
        if not hmac.compare_digest(told, proof('hub')):
            raise OSError('a stranger answers')
        _mpidbg_handles.say(lines, proof('agent'))
        return lines
    @staticmethod
    def say(lines, text):
        lines.write(text + '\\n')
        lines.flush()
    @staticmethod
    def ask(name, form, number, isForFacts=False):
        inferior = gdb.selected_inferior().num
        asked = {'gdb': _mpidbg_handles.gdb, 'inferior': inferior, 'type': name, 'form': form, 'value': str(number)}
        asked['isForFacts'] = isForFacts
        if _mpidbg_handles.open is None:
            _mpidbg_handles.open = _mpidbg_handles.connected()
        try:
            _mpidbg_handles.say(_mpidbg_handles.open, json.dumps(asked))
            return json.loads(_mpidbg_handles.open.readline())
        except (OSError, ValueError):
            # An answer that comes late would be taken for that of the next question.
            _mpidbg_handles.open.close()
            _mpidbg_handles.open = None
            raise
    @staticmethod
    def text(value):
        try:
            found = _mpidbg_handles.find(value)
            return _mpidbg_handles.ask(*found)['text'] if found else ''
        except (gdb.error, OSError, ValueError):
            return ''
`;

/**
 * Lets this gdb ask at the socket. `token`: hexadecimal; `types`: of handles. Rejects with NoPythonError,
 * GdbError.
 */
export async function prepareHandleQuestions(
  gdb: MiCommands,
  { path, token, index, types }: { path: string; token: string; index: number; types: readonly string[] },
): Promise<void> {
  const names = Object.fromEntries(types.map((type) => [type.toLowerCase(), type]));
  const settings = [
    `gdb = ${index}`,
    `path = ${JSON.stringify(path)}`,
    `token = bytes.fromhex(${JSON.stringify(token)})`,
    `types = ${JSON.stringify(names)}`,
  ];
  await runPython(gdb, `${script}\n${settings.map((each) => `_mpidbg_handles.${each}`).join('\n')}`);
}
