/**
 * `.and.` and `.or.` of Fortran as everybody means `present(x) .and. x == 2`. gdb (13 to 18) reads the memory and the bounds of an operand
 * that another one makes irrelevant, and fails at what was not passed or is not allocated. Here one operand that decides is enough,
 * on either side: Fortran does not say which one comes first.
 */
import type { MiCommands } from '../mi/context';
import { hasLogic, prepareOperands } from './fortran-operands';
import { runPythonOnce } from './run-python';

const prefix = '_mpidbg_logic_';

/** `_mpidbg_logic.evaluated(text, isChecked)`: for the selected frame; `isChecked`: all its names are known. */
const script = `
import gdb, re
class _mpidbg_logic:
    # What is not there, and no fault of the expression.
    missing = re.compile('Cannot access memory|Location address is not set|vector not |the array is not |absent: |allocated or associated|allocated/associated|Lower bound may not|subscript out of bounds|optimized out')
    token = re.compile(r'"[^"]*"|\\'[^\\']*\\'|[(\\[]|[)\\]]|\\.(?:and|or|not|eqv|neqv)\\.', re.I)
    @staticmethod
    def evaluated(text, isChecked=True):
        sides, operators = _mpidbg_logic.split(text, ('.eqv.', '.neqv.'))
        if operators and all(side.strip() for side in sides):
            truths = [bool(_mpidbg_logic.evaluated(side, isChecked)) for side in sides]
            truth = truths[0]
            for operator, other in zip(operators, truths[1:]):
                truth = (truth == other) == (operator == '.eqv.')
            return _mpidbg_logic.value(truth)
        for operator, deciding in (('.or.', True), ('.and.', False)):
            pieces, _ = _mpidbg_logic.split(text, (operator,))
            # Where an operand is missing, gdb says that of the whole.
            if len(pieces) > 1 and all(piece.strip() for piece in pieces):
                return _mpidbg_logic.decided(pieces, deciding, isChecked)
        inner = _mpidbg_logic.inner(text)
        if inner is not None:
            return _mpidbg_logic.evaluated(inner, isChecked)
        negated = re.match(r'\\s*\\.not\\.(.*)', text, re.I | re.S)
        inner = negated and _mpidbg_logic.inner(negated.group(1))
        if inner:
            return _mpidbg_logic.value(not _mpidbg_logic.evaluated(inner, isChecked))
        fault = _mpidbg_operands.absent(text)
        if fault:
            raise gdb.error(fault)
        return gdb.parse_and_eval(text)
    @staticmethod
    def value(truth):
        return gdb.parse_and_eval('.true.' if truth else '.false.')
    @staticmethod
    def decided(pieces, deciding, isChecked):
        failure, isDecided = None, False
        for piece in pieces:
            try:
                isDecided = bool(_mpidbg_logic.evaluated(piece, isChecked)) == deciding or isDecided
            except (gdb.error, RuntimeError) as error:
                if not isChecked and not _mpidbg_logic.missing.search(str(error)):
                    raise
                failure = failure or error
            if isDecided and isChecked:
                break
        if failure and not isDecided:
            raise failure
        return _mpidbg_logic.value(deciding if isDecided else not deciding)
    @staticmethod
    def split(text, wanted):
        found, operators, depth, start = [], [], 0, 0
        for match in _mpidbg_logic.token.finditer(text):
            each = match.group(0).lower()
            depth += (each in '([') - (each in ')]')
            if depth == 0 and each in wanted:
                found.append(text[start:match.start()])
                operators.append(each)
                start = match.end()
        return found + [text[start:]], operators
    @staticmethod
    def inner(text):
        # What is in the parentheses around all of it, where an operator is in there.
        text = text.strip()
        if not text.startswith('('):
            return None
        depth, operators = 0, 0
        for match in _mpidbg_logic.token.finditer(text):
            each = match.group(0).lower()
            depth += (each in '([') - (each in ')]')
            operators += each in ('.and.', '.or.')
            if depth == 0 and match.end() < len(text):
                return None
        return text[1:-1] if operators else None
class _MpidbgLogic(gdb.Function):
    def __init__(self, name, text):
        super().__init__(name)
        self.text = text
    def invoke(self):
        try:
            return _mpidbg_logic.evaluated(self.text, False)
        except gdb.MemoryError:
            raise
        except (gdb.error, RuntimeError) as error:
            raise gdb.GdbError(str(error))
`;

/** Before a condition or a log message in Fortran is evaluated. Rejects with NoPythonError, GdbError. */
export async function prepareLogic(gdb: MiCommands): Promise<void> {
  await prepareOperands(gdb);
  await runPythonOnce(gdb, script);
}

/** What gdb is to evaluate for an expression that is ready for it otherwise. Rejects with NoPythonError, GdbError. */
export async function withLogic(gdb: MiCommands, expression: string): Promise<string> {
  if (!hasLogic(expression)) return expression;
  await prepareLogic(gdb);
  const hex = Buffer.from(expression).toString('hex');
  await runPythonOnce(gdb, `_MpidbgLogic('${prefix}${hex}', bytes.fromhex('${hex}').decode())`);
  return `$${prefix}${hex}()`;
}
