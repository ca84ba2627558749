import assert from 'node:assert/strict';
import { describeAnswer, describeBriefly, describeFields, describeRef, fullText } from '../../plugin-api/mpi/describe';
import { describeAll, listText } from '../../plugin-api/mpi/describe-list';
import type { Answer, CommInfo, DatatypeInfo, RequestInfo } from '../../plugin-api/mpi/records';

const notKnown = { code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: 'not decoded yet' } as const;

const comm: CommInfo = {
  handle: '0x84000001',
  fortranHandle: -2080374783,
  name: 'ocean',
  flags: ['cartesian'],
  rank: 3,
  size: 12,
  localProcs: [0, 1, 2],
  cart: { dims: [3, 4], periods: [true, false], coords: [0, 3] },
  contextId: 5,
  group: { kind: 'group', handle: '0x88000001' },
  errhandler: { kind: 'errhandler', handle: '0x54000001', name: 'MPI_ERRORS_RETURN' },
  attributes: [],
  pendingRequests: notKnown,
  derivedWindows: notKnown,
  derivedFiles: notKnown,
};

function line(info: CommInfo): string {
  return describeAnswer({ kind: 'comm', code: 'MPIDBG_SUCCESS', info });
}

describe('a record as one line', () => {
  it('of a communicator', () => assert.equal(line(comm), 'MPI_Comm "ocean" · rank 3 of 12 · cart 3×4'));

  it('of an unnamed communicator', () =>
    assert.equal(line({ ...comm, name: '', cart: notKnown }), 'MPI_Comm · rank 3 of 12'));

  it('of a communicator that the library created for internal use', () => {
    const serves = { kind: 'comm', handle: '0x44000000', name: 'MPI_COMM_WORLD' } as const;
    const ofNode: CommInfo = { ...comm, name: '', cart: notKnown, flags: ['internal'], serves };
    assert.equal(line(ofNode), 'MPI_Comm · internal, for MPI_COMM_WORLD · rank 3 of 12');
    assert.equal(line({ ...ofNode, serves: notKnown }), 'MPI_Comm · internal · rank 3 of 12');
    const ref = { kind: 'comm', handle: '0x84000000', serves } as const;
    assert.equal(describeRef(ref), 'MPI_Comm 0x84000000 (internal, for MPI_COMM_WORLD)');
  });

  it('of a predefined communicator', () => {
    const world: CommInfo = { ...comm, name: 'MPI_COMM_WORLD', flags: ['predefined'], cart: undefined };
    assert.equal(line(world), 'MPI_COMM_WORLD · rank 3 of 12');
  });

  it('of a null handle', () => {
    const nothing = { handle: '0x0', fortranHandle: 2, name: 'MPI_COMM_NULL', flags: ['predefined', 'commNull'] };
    assert.equal(line(nothing as unknown as CommInfo), 'MPI_COMM_NULL');
  });

  it('contains no control characters', () => {
    const hostile = line({ ...comm, name: 'a\u001b[2J\n\u009b"b"' });
    assert.equal(hostile, 'MPI_Comm "a\\u001b[2J\\n\\u009b\\"b\\"" · rank 3 of 12 · cart 3×4');
  });

  it('of a failure', () => {
    const failed: Answer = { kind: 'comm', code: 'MPIDBG_ERR_NOT_FOUND', reason: 'no live communicator' };
    assert.equal(describeAnswer(failed), 'MPI_Comm · no live communicator');
  });

  it('of a receive inside a collective operation, on an internal communicator', () => {
    const serves = { kind: 'comm', handle: '0x44000000', name: 'MPI_COMM_WORLD' } as const;
    const info: RequestInfo = {
      ...{ handle: '0xac000000', fortranHandle: 1, name: '', flags: ['internal'], operation: 'receive' },
      ...{ active: true, complete: false, peer: 2, tag: 1, comm: { kind: 'comm', handle: '0x84000000', serves } },
    };
    assert.equal(
      describeAnswer({ kind: 'request', code: 'MPIDBG_SUCCESS', info }),
      'MPI_Request · receive from 2 · tag 1 · on internal communicator of MPI_COMM_WORLD · pending · internal',
    );
  });

  it('of a pending receive', () => {
    const info: RequestInfo = {
      ...{ handle: '0xac000000', fortranHandle: 1, name: '', flags: [], operation: 'receive' },
      ...{ active: true, complete: false, peer: 'MPI_ANY_SOURCE', tag: 7 },
      comm: { kind: 'comm', handle: '0x84000001', name: 'ocean' },
      count: 3,
      datatype: { kind: 'datatype', handle: '0x4c000405', name: 'MPI_INT' },
    };
    const text = describeAnswer({ kind: 'request', code: 'MPIDBG_SUCCESS', info });
    assert.equal(text, 'MPI_Request · receive from MPI_ANY_SOURCE · tag 7 · on "ocean" · 3 MPI_INT · pending');
  });
});

describe('an object in a list', () => {
  const pending: RequestInfo = {
    ...{ handle: '0xac000000', fortranHandle: 1, name: '', flags: [], operation: 'receive' },
    ...{ active: true, complete: false, peer: 3, tag: 21, comm: { kind: 'comm', handle: '0x84000001', name: 'ocean' } },
  };
  const request = (facts: Partial<RequestInfo>): Answer => ({
    ...{ kind: 'request', code: 'MPIDBG_SUCCESS', info: { ...pending, ...facts } },
  });
  const ofComm = (facts: Partial<CommInfo>): Answer => ({
    ...{ kind: 'comm', code: 'MPIDBG_SUCCESS', info: { ...comm, ...facts } },
  });

  it('has its name, or else what distinguishes it', () => {
    assert.equal(describeBriefly(ofComm({})), 'MPI_Comm "ocean"');
    assert.equal(describeBriefly(ofComm({ name: '' })), 'MPI_Comm (rank 3 of 12)');
    assert.equal(describeBriefly(request({})), 'receive from 3 tag 21');
    assert.equal(
      describeBriefly(request({ tag: 'MPI_ANY_TAG', complete: true })),
      'receive from 3 MPI_ANY_TAG complete',
    );
    assert.equal(
      describeBriefly(request({ name: 'MPI_REQUEST_NULL', flags: ['predefined', 'requestNull'] })),
      'MPI_REQUEST_NULL',
    );
  });

  it('is counted with its like; where some still wait and there is much to say, those are told', () => {
    const several = (count: number, facts: Partial<RequestInfo>): Answer[] =>
      Array.from({ length: count }, () => request(facts));
    const none = several(2, { name: 'MPI_REQUEST_NULL', flags: ['predefined', 'requestNull'] });
    const sends = { operation: 'send' } as const;
    const done = { active: false, complete: true };
    const all = (...lists: Answer[][]): string => describeAll(lists.flat(), lists.flat().length);
    assert.equal(all(several(4, {}), several(4, sends)), '4 receives, 4 sends, all pending');
    assert.equal(all(several(4, {}), several(4, { ...sends, ...done })), '4 receives pending, 4 sends complete');
    const mixed = [several(2, {}), several(2, sends), several(2, done), several(1, { ...sends, ...done })];
    assert.equal(all(...mixed), '4 of 7 pending: 2 receives, 2 sends');
    assert.equal(all(...mixed, none), '4 of 9 pending: 2 receives, 2 sends');
    assert.equal(
      all(several(2, done), several(3, { ...sends, ...done }), several(1, { complete: false, active: false })),
      '2 receives complete, 3 sends complete, 1 receive inactive',
    );
  });

  it('is marked if it is invalid or unavailable', () => {
    const { code, reason } = notKnown;
    assert.equal(describeBriefly({ kind: 'request', code, reason }), 'unavailable MPI_Request');
    assert.equal(
      describeBriefly({ kind: 'request', code: 'MPIDBG_ERR_NOT_FOUND', reason: 'freed' }),
      'invalid MPI_Request',
    );
  });

  it('is shown once, with a count, for equal neighbours', () => {
    const [none, some] = ['MPI_REQUEST_NULL', 'receive from 3 tag 21'];
    assert.equal(listText([some, none, none, some], 4), `[${some}, 2 × ${none}, ${some}]`);
    assert.equal(listText([none], 1), `[${none}]`);
    assert.equal(listText(Array<string>(8).fill(none), 64), `[8 × ${none}, … 64 in all]`);
    assert.equal(listText([], 0), '[]');
    const long = Array.from({ length: 8 }, (_, i) => `receive from ${i} tag 1000000`);
    assert.match(listText(long, 8), /^\[receive from 0 tag 1000000, .{60,100}, … 8 in all\]$/);
  });
});

describe('the fields of a record', () => {
  const fields = describeFields(comm);
  const text = (name: string): string | undefined => fields.find((field) => field.name === name)?.text;

  it('are complete, the technical ones last', () => {
    assert.deepEqual(new Set(fields.map(({ name }) => name)), new Set(Object.keys(comm)));
    assert.equal(fields[0]?.name, 'name');
    assert.deepEqual(
      fields.slice(-3).map(({ name }) => name),
      ['handle', 'fortranHandle', 'flags'],
    );
  });

  it('show structures, lists and references', () => {
    assert.equal(text('cart'), '{dims: [3, 4], periods: [true, false], coords: [0, 3]}');
    assert.equal(text('errhandler'), 'MPI_ERRORS_RETURN');
    assert.equal(text('group'), describeRef(comm.group as { kind: 'group'; handle: string }));
  });

  it('say in words where the object comes from, and what its handle was before', () => {
    const call = (name: string, line: number) => ({
      ...{ call: name, time: 1, thread: 7 },
      code: { address: '0x1', file: '/u/a.c', line },
    });
    const earlier = [{ freed: call('MPI_Comm_free', 9), name: 'brief' }];
    const all = describeFields({ ...comm, history: { created: call('MPI_Comm_dup', 12), earlier } });
    const field = all.find(({ name }) => name === 'history');
    assert.equal(field?.text, 'created by MPI_Comm_dup at a.c:12, 1 object before');
    assert.equal(field.children[1]?.children[0]?.text, '"brief", freed by MPI_Comm_free at a.c:9');
  });

  it('shorten a long type map, and show a nested datatype on one line', () => {
    const entry = (i: number): string => `(MPI_INT, ${4 * i})`;
    const typeMap = (count: number): DatatypeInfo['typeMap'] => ({
      ...{ runs: [{ type: 'MPI_INT', displacement: 0, count, stride: 4 }], holes: 0, truncated: false },
      text: `{${Array.from({ length: count }, (_, i) => entry(i)).join(', ')}}`,
    });
    const extent = { size: 4, lb: 0, extent: 4, trueLb: 0, trueExtent: 4 };
    const int: DatatypeInfo = {
      ...{ handle: '0x4c000405', fortranHandle: 1, name: 'MPI_INT', flags: ['predefined', 'committed'], ...extent },
      ...{ combiner: 'MPI_COMBINER_NAMED', typeMap: typeMap(1), pendingRequests: [] },
    };
    const many: DatatypeInfo = {
      ...{ ...int, name: '', flags: [], combiner: 'MPI_COMBINER_CONTIGUOUS', typeMap: typeMap(300) },
      contents: { integers: [300], addresses: [], datatypes: [int] },
    };
    const field = (name: string) => describeFields(many).find((each) => each.name === name)!;
    const first = Array.from({ length: 8 }, (_, i) => entry(i)).join(', ');
    assert.equal(field('typeMap').text, `{${first}, … 300 in all}`);
    assert.equal(field('contents').text, '{integers: [300], addresses: [], datatypes: [MPI_INT · 4 bytes]}');
    assert.match(fullText(field('typeMap')), /^\{runs: \[\{type: MPI_INT, .*\(MPI_INT, 1196\)\}\}$/);
    assert.match(fullText(field('contents')), /combiner: MPI_COMBINER_NAMED, typeMap: \{runs/);
  });

  it('say why an item is unavailable', () => assert.equal(text('derivedFiles'), 'unavailable: not decoded yet'));
});
