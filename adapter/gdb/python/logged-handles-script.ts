/**
 * Handles in log messages. gdb writes a message while it holds the thread that hit the log point, and does nothing else
 * meanwhile: its Python asks us, over a socket, what a handle is, and we read the rank's memory ourselves. Both prove
 * that they know the token first, as agents do (agent/proof.ts).
 */
import type { MiCommands } from '../mi/context';
import { runPython } from './stop-script';

/** What gdb's Python asks: one line of JSON. The answer is the text, up to the end of the stream; '' for none. */
export interface LoggedHandle {
  /** Which gdb, and gdb's number of the inferior: "i3" is 3. */
  gdb: number;
  inferior: number;
  /** "MPI_Comm" */
  type: string;
  form: 'c' | 'fortran';
  /** A decimal number. */
  value: string;
}

const script = `
import gdb, hashlib, hmac, json, os, socket
class _mpidbg_handles:
    gdb = 0
    path = ''
    token = b''
    types = {}
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
    def ask(lines, asked):
        def say(text):
            lines.write(text + '\\n')
            lines.flush()
        def proof(side):
            return hmac.new(_mpidbg_handles.token, f'{side} {ours} {theirs}'.encode(), hashlib.sha256).hexdigest()
        ours = os.urandom(32).hex()
        say('mpidbg1 ' + ours)
        theirs, told = lines.readline().split()
        if not hmac.compare_digest(told, proof('hub')):
            return ''
        say(proof('agent'))
        say(json.dumps(asked))
        return lines.read()
    @staticmethod
    def text(value):
        try:
            found = _mpidbg_handles.find(value)
            if found is None:
                return ''
            name, form, number = found
            inferior = gdb.selected_inferior().num
            asked = {'gdb': _mpidbg_handles.gdb, 'inferior': inferior, 'type': name, 'form': form, 'value': str(number)}
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(2)
                client.connect(_mpidbg_handles.path)
                with client.makefile('rw', encoding='utf-8', newline='\\n') as lines:
                    return _mpidbg_handles.ask(lines, asked)
        except (gdb.error, OSError, ValueError):
            return ''
`;

/**
 * Lets log messages of this gdb ask at the socket. `token`: hexadecimal; `types`: of handles. Rejects with NoPythonError,
 * GdbError.
 */
export async function prepareLoggedHandles(
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
