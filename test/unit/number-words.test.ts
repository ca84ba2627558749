/** What an expression may make of the words that stand for numbers and handles. */
import assert from 'node:assert/strict';
import { numberWordFault } from '../../adapter/expressions/number-words';
import type { MpiConstant } from '../../plugin-api/mpi/plugin';

const asHandle = /^\$comm is a handle, which can only be compared/;
const asNumber = /^\$(tag|rank) is a number: /;

describe('words for numbers', () => {
  it('have the uses that a number has', () => {
    for (const condition of [
      '$tag == 3',
      '($tag) + 1 == 2 * $tag',
      '3 * $tag & 1',
      '(unsigned long)($tag) % 2',
      'a[$tag] == f($tag, $peer)',
      '!($tag == 3) && -$tag < 3',
      '$tag ? 1 : $peer',
      '"$tag->x" == name && $rank in 0-3',
    ])
      assert.equal(numberWordFault(condition, 'c', 'condition'), undefined, condition);
    for (const condition of ['$rank.eq.2 .and. mod($rank, 2) == 0', '.not. ($rank == 1)', "name == '$tag'"])
      assert.equal(numberWordFault(condition, 'fortran'), undefined, condition);
    assert.equal(numberWordFault('$rank % x', 'c'), undefined);
  });

  it('are whole numbers', () => {
    for (const condition of ['$tag == 1.5', '0.5 != $tag', 'a && $tag == 2.5f'])
      assert.match(
        numberWordFault(condition, 'c', 'condition') ?? '',
        /^\$tag is a whole number and never /,
        condition,
      );
    assert.match(numberWordFault('$rank .eq. 1.5d0', 'fortran') ?? '', /^\$rank is a whole number and never 1\.5d0/);
    for (const condition of ['$tag == 2.0', '$tag > 1.5', '$tag * 0.5 == 1.5', '1.5 == $tag * 0.5', '$tag == 1e3'])
      assert.equal(numberWordFault(condition, 'c', 'condition'), undefined, condition);
  });

  it('have no others', () => {
    for (const condition of [
      '$tag->x',
      '1 && (($tag).x)',
      '(Some)$tag',
      '(char *)($tag) == 0',
      '*$tag',
      '3 == *($tag)',
      '1 && &$tag',
      '$tag[0]',
      '$tag(1)',
      '$tag::x',
      'a::$tag',
      'a.$tag',
      '$$tag',
    ])
      assert.match(numberWordFault(condition, 'c', 'condition') ?? '', asNumber, condition);
    for (const condition of ['$rank%x', '$rank(1)', '$rank % x == 2'])
      assert.match(numberWordFault(condition, 'fortran') ?? '', asNumber, condition);
    assert.match(numberWordFault('$tag 3', 'c', 'condition') ?? '', /^an operator is missing behind \$tag$/);
  });

  it('are compared, where they stand for handles', () => {
    for (const condition of [
      '$comm == MPI_COMM_WORLD',
      '"ocean" == ($comm) && $nth == 2',
      'MPI_COMM_SELF != $comm || $comm < "ocean"',
      '!($comm == 3)',
      '1 .and. $comm .ne. 3 .or. 0',
      '($comm == MPI_COMM_SELF ? 1 : 0) == 1',
    ])
      assert.equal(numberWordFault(condition, 'c', 'condition'), undefined, condition);
    for (const condition of [
      '$comm',
      '!$comm',
      '$comm + 1',
      '$comm + 1 == 3',
      '3 == 1 + $comm',
      '$comm < 3',
      '$comm && 1',
      'f($comm) == 1',
      'sizeof($comm) == 4',
      '-$comm == 3',
      '*$comm == 3',
      '.not. $comm',
    ])
      assert.match(numberWordFault(condition, 'c', 'condition') ?? '', asHandle, condition);
    assert.equal(numberWordFault('$comm', 'c', 'shown'), undefined);
    assert.match(numberWordFault('$comm + 1', 'c', 'shown') ?? '', asHandle);
  });

  it('are compared with what is of their own kind', () => {
    const handle = { kind: 'handle', handle: 1n, fortran: undefined } as const;
    const constants: Record<string, MpiConstant> = {
      MPI_COMM_WORLD: { ...handle, handleKind: 'comm' },
      MPI_INT: { ...handle, handleKind: 'datatype' },
      MPI_ANY_TAG: { kind: 'integer', value: -1 },
      MPI_IN_PLACE: { kind: 'pointer', address: 0n },
    };
    const fault = (condition: string): string | undefined =>
      numberWordFault(condition, 'c', 'condition', (name) => constants[name]);
    for (const condition of [
      '$comm == MPI_COMM_WORLD && $datatype != (MPI_INT)',
      '$comm == ("ocean") || 68 == $comm',
      '$comm == $comm && $comm == mine[1].comm',
      '$tag == MPI_ANY_TAG || $tag == x + 1 || 2 * ($tag + 1) < n',
      '$tag == 7 && name == "x"',
      '($tag == 7 ? "a" : "b") == name',
      'a[$tag] == "x" && f($tag, "x")',
      '$tag == 1.0',
    ])
      assert.equal(fault(condition), undefined, condition);
    const asComm = 'as in $comm == MPI_COMM_WORLD or $comm == "ocean"';
    for (const [condition, other] of Object.entries({
      '$comm == MPI_INT': 'MPI_INT',
      '1 && MPI_INT != ($comm)': 'MPI_INT',
      '$comm == 1.5': '1.5',
      '$comm == .5': '. 5',
      '1e5 == $comm': '1e5',
      '$comm == "a" + "b"': '"a" + "b"',
      '$comm == (x ? MPI_INT : MPI_COMM_WORLD)': '( x ? MPI_INT : MPI_COMM_WORLD )',
      '$comm == $datatype': '$datatype',
      '$comm == $tag': '$tag',
      '$comm == MPI_ANY_TAG': 'MPI_ANY_TAG',
    }))
      assert.equal(fault(condition), `$comm is an MPI_Comm, and ${other} is none: compare it ${asComm}`, condition);
    for (const [condition, other] of Object.entries({
      '$tag == "x"': '"x"',
      '"x" < ($tag)': '"x"',
      '2 * $tag + 1 == "x"': '"x"',
      "$tag == 'x'": "'x'",
      '$tag == MPI_COMM_WORLD': 'MPI_COMM_WORLD',
      '$tag >= MPI_IN_PLACE': 'MPI_IN_PLACE',
    }))
      assert.equal(
        fault(condition),
        `$tag is a number, and ${other} is none: compare it with numbers, as in $tag == 7`,
      );
    assert.match(
      fault('$datatype == MPI_COMM_WORLD') ?? '',
      /^\$datatype is an MPI_Datatype, and MPI_COMM_WORLD is none: /,
    );
    assert.match(numberWordFault("$rank == 'x'", 'fortran') ?? '', /^\$rank is a number, and 'x' is none: /);
  });

  it('mean nothing where no function of MPI is called', () => {
    for (const word of ['$comm', '$tag', '$nth'])
      assert.match(numberWordFault(`${word} == 3`, 'c') ?? '', new RegExp(`^nothing is called \\${word}: `));
  });
});
