import assert from 'node:assert/strict';
import { describeReferences } from '../../adapter/query/described-references';
import { showText } from '../../plugin-api/answers/text/show-text';
import type { Answer, Document, HandleKind, Implementation, RankAnswer } from '../../plugin-api/mpi/records';

const implementation: Implementation = {
  ...{ name: 'openmpi', version: '4.1.4', layout: 'by hand', capabilities: {}, state: 'initialized' },
};

function documentOf(ranks: readonly Answer[][]): Document {
  return {
    ...{ schema: 'mpidbg/1', target: 'live' },
    ranks: ranks.map((answers, rank): RankAnswer => ({ rank, implementation, answers })),
  };
}

function linesOf(ranks: readonly Answer[][], full = false): string[] {
  return showText(documentOf(ranks), full).split('\n').slice(0, -1);
}

function found(expression: string, kind: HandleKind, handle: string, fields: object): Answer {
  const info: unknown = { handle, fortranHandle: 1, name: '', flags: [], ...fields };
  return { expression, kind, code: 'MPIDBG_SUCCESS', info } as Answer;
}

const comm = (expression: string, rank: number, handle = '0xc0'): Answer =>
  found(expression, 'comm', handle, { name: 'ocean', rank, size: 4 });
const receive = (expression: string, peer: number | string, handle: string, fields: object = {}): Answer =>
  found(expression, 'request', handle, {
    ...{ operation: 'receive', peer, tag: 7, active: true, complete: false, ...fields },
    comm: { kind: 'comm', handle: '0xc0', name: 'ocean' },
  });
const none = (expression: string): Answer =>
  found(expression, 'request', '0x0', { name: 'MPI_REQUEST_NULL', flags: ['predefined', 'requestNull'] });
const failed = (expression: string, reason: string): Answer => ({ expression, code: 'MPIDBG_ERR_UNAVAILABLE', reason });

describe('the text of show', () => {
  it('is one line for ranks that differ only in what differs by nature', () => {
    const ranks = [0, 1, 2].map((rank) => [comm('c', rank, `0xa${rank}`), receive('r', (rank + 2) % 3, `0xb${rank}`)]);
    assert.deepEqual(linesOf(ranks), [
      'c  0-2  MPI_Comm "ocean" · rank 0-2 of 4',
      'r  0-2  MPI_Request · receive from (2,0,1) · tag 7 · on "ocean" · pending',
    ]);
  });

  it('has a line for each group of ranks that say something else', () => {
    const tags = [7, 7, 9].map((tag, rank) => [receive('r', 'MPI_ANY_SOURCE', `0xb${rank}`, { tag })]);
    assert.deepEqual(linesOf(tags), [
      'r  0-1  MPI_Request · receive from MPI_ANY_SOURCE · tag 7 · on "ocean" · pending',
      '   2    MPI_Request · receive from MPI_ANY_SOURCE · tag 9 · on "ocean" · pending',
    ]);
    const peers = [0, 0, 1].map((peer, rank) => [receive('r', peer, `0xb${rank}`)]);
    assert.deepEqual(
      linesOf(peers).map((line) => line.slice(0, 7)),
      ['r  0-1 ', '   2   '],
    );
  });

  it('has elements that fail alike once, whatever is in them', () => {
    const unset = [0, 1, 2, 3].map((i) => failed(`c[${i}]`, i < 2 ? '0xa is no MPI_Comm' : `0xb${i} is no MPI_Comm`));
    const gone = [5, 7, 9, 11, 13].map((i) => failed(`c[${i}]`, `c[${i}] cannot be read`));
    const [, ...lines] = linesOf([[...unset, failed('c[4]', '0xa is gone'), ...gone]]);
    assert.deepEqual(lines, [
      '  [0-3]       0  0x… is no MPI_Comm',
      'c[4]          0  0xa is gone',
      '  [5,7,…,13]  0  it cannot be read',
    ]);
  });

  it('has the elements of an array as a table, those that are alike together', () => {
    const answers = [
      none('q[0]'),
      receive('q[1]', 'MPI_ANY_SOURCE', '0xb1'),
      none('q[2]'),
      none('q[3]'),
      receive('q[4]', 3, '0xb4', { tag: 12345, flags: ['persistent'] }),
      failed('q[5]', 'it is not there'),
    ];
    assert.deepEqual(linesOf([answers, answers]), [
      'q               6 MPI_Request',
      '  [0,2-3]  0-1  MPI_REQUEST_NULL',
      '  [1]      0-1  receive from MPI_ANY_SOURCE  tag 7      on "ocean"  pending',
      '  [4]      0-1  receive from 3               tag 12345  on "ocean"  pending  persistent',
      'q[5]       0-1  it is not there',
    ]);
  });

  it('counts as the program does: Fortran from 1 on', () => {
    const [, first, second] = linesOf([[none('q(1)'), none('q(2)'), comm('world', 0)]]);
    assert.equal(first, '  (1-2)  0  MPI_REQUEST_NULL');
    assert.equal(second, 'world    0  MPI_Comm "ocean" · rank 0 of 4');
  });

  it('has what has an answer first', () => {
    const lines = linesOf([[failed('x', 'no symbol "x" (in f at /a/b.c:3)'), comm('c', 0)]]);
    assert.deepEqual(lines, ['c  0  MPI_Comm "ocean" · rank 0 of 4', 'x  0  no symbol "x" (in f at b.c:3)']);
  });

  it('tells what all ranks say of different addresses once, without a list of them', () => {
    const ranks = [0, 1].map((rank) => [failed('x', `nothing is at 0xa${rank}`)]);
    assert.deepEqual(linesOf(ranks), ['x  0-1  nothing is at 0x…']);
  });

  it('puts a long expression in a line of its own', () => {
    const expression = 'domain->neighbours[3].exchange.comm';
    assert.deepEqual(linesOf([[comm(expression, 0), comm('c', 0)]]), [
      expression,
      '   0  MPI_Comm "ocean" · rank 0 of 4',
      'c  0  MPI_Comm "ocean" · rank 0 of 4',
    ]);
  });

  it('has fields and addresses in full: a list for one handle', () => {
    const one = found('c', 'comm', '0xa0', { name: 'ocean', rank: 0, size: 4, unknownFlags: ['freedHandle'] });
    assert.deepEqual(linesOf([[one]], true), [
      'c  0  MPI_Comm "ocean" · rank 0 of 4',
      '    0  name: "ocean"',
      '    0  rank: 0',
      '    0  size: 4',
      '    0  handle: 0xa0',
      '    0  Fortran handle: 1',
      '    0  flags that this MPI does not record: [handle freed]',
    ]);
  });

  it('has fields and addresses in full: a table for the handles of several ranks, then what they have in common', () => {
    const attributes = [{ keyval: 0, value: 7 }];
    const ranks = [0, 1].map((rank) => [
      found('c', 'comm', `0xa${rank}`, { name: 'ocean', rank, size: 4, attributes, unknownFlags: ['freedHandle'] }),
    ]);
    assert.deepEqual(linesOf(ranks, true), [
      'c  0  MPI_Comm "ocean" · rank 0 of 4',
      '   1  MPI_Comm "ocean" · rank 1 of 4',
      '         name     rank  size  handle',
      '    0    "ocean"  0     4     0xa0',
      '    1    "ocean"  1     4     0xa1',
      '    0-1  attributes[0]: {keyval: 0, value: 7}',
      '    0-1  Fortran handle: 1',
      '    0-1  flags that this MPI does not record: [handle freed]',
    ]);
  });

  it('has fields and addresses in full: a table for the elements of an array, what matters first', () => {
    const bytes = { buffer: '0xd0', bytes: 128 };
    const lost = { code: 'MPIDBG_ERR_UNAVAILABLE', reason: 'a reason that is much too long for any column of a table' };
    const answers = [
      receive('q[0]', 1, '0xb0', { ...bytes, datatype: lost }),
      none('q[1]'),
      receive('q[2]', 1, '0xb2', { ...bytes, tag: 9 }),
      failed('q[3]', 'it is not there'),
    ];
    assert.deepEqual(linesOf([answers], true), [
      'q        4 MPI_Request',
      '              state    operation  peer  tag  bytes  buffer  name                handle',
      '    [0]    0  pending  receive    1     7    128    0xd0    ""                  0xb0',
      '    [1]    0                                                "MPI_REQUEST_NULL"  0x0',
      '    [2]    0  pending  receive    1     9    128    0xd0    ""                  0xb2',
      '    [0,2]  0  active: true',
      '    [0,2]  0  complete: false',
      '    [0]    0  datatype: unavailable: a reason that is much too long for any column of a table',
      '    [0,2]  0  comm: MPI_Comm "ocean"',
      '    [0-2]  0  Fortran handle: 1',
      '    [1]    0  flags: [predefined, null]',
      'q[3]  0  it is not there',
    ]);
  });

  it('cuts long lists of handles in full, and only these', () => {
    const waiting = (count: number): Answer =>
      found('c', 'comm', '0xa', {
        pendingRequests: Array.from({ length: count }, (_, i) => ({ kind: 'request', handle: `0xf${i}` })),
        group: Array.from({ length: count }, (_, i) => i),
      });
    const lineOf = (count: number, name: string): string =>
      linesOf([[waiting(count)]], true).find((line) => line.includes(name))!;
    assert.match(lineOf(64, 'pending requests'), /0xf0\b.*0xf63\b/);
    assert.doesNotMatch(lineOf(65, 'pending requests'), /0xf64\b/);
    assert.match(lineOf(65, 'pending requests'), /\b65\b/);
    assert.match(lineOf(65, 'group'), /\b0, 1, .*\b64\b/);
  });
});

describe('references to objects without names', () => {
  const pairs = { kind: 'datatype', handle: '0xd1' } as const;
  const int = { name: 'MPI_INT', combiner: 'MPI_COMBINER_NAMED' };
  const contents = { integers: [48], addresses: [], datatypes: [int] };
  const type = found('', 'datatype', '0xd1', { combiner: 'MPI_COMBINER_CONTIGUOUS', contents });
  const ask = async (): Promise<Answer> => type;

  it('are described by their structure, the address in full', async () => {
    const document = documentOf([0, 1].map((rank) => [receive('r', 3, `0xb${rank}`, { count: 2, datatype: pairs })]));
    const described = await describeReferences(document, ask);
    const line = 'receive from 3 · tag 7 · on "ocean" · 2 contiguous(48 × MPI_INT) · pending';
    assert.equal(showText(described), `r  0-1  MPI_Request · ${line}\n`);
    assert.match(showText(described, true), /datatype: MPI_Datatype contiguous\(48 × MPI_INT\), 0xd1\n/);
    assert.deepEqual(
      document.ranks,
      documentOf(document.ranks.map((rank) => ('answers' in rank ? rank.answers : []))).ranks,
    );
  });

  it('of the view of a file are alike in ranks whose structure is', async () => {
    const viewed = (filetype: string): Answer =>
      found('fh', 'file', '0xe', {
        view: { disp: 8, etype: pairs, filetype: { ...pairs, handle: filetype }, position: 0 },
      });
    const document = documentOf([[viewed('0xd2')], [viewed('0xd3')]]);
    const text = showText(await describeReferences(document, ask), true);
    assert.match(
      text,
      /\n +0-1 +view: \{displacement: 8, etype: contiguous\(48 × MPI_INT\), filetype: contiguous\(48 × MPI_INT\), position: 0\}\n/,
    );
  });

  it('stay addresses where nothing can be told', async () => {
    const document = documentOf([[receive('r', 3, '0xb0', { count: 2, datatype: pairs })]]);
    const gone = async (): Promise<Answer> => ({ kind: 'datatype', code: 'MPIDBG_ERR_NOT_FOUND', reason: 'freed' });
    assert.match(showText(await describeReferences(document, gone)), / 2 of MPI_Datatype 0xd1 /);
  });
});
