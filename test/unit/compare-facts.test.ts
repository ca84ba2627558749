import assert from 'node:assert/strict';
import type { Answer, CommInfo, Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument, compareFacts } from '../support/compare-facts';
import { loadTruth, questions } from '../support/truth';

const handler = { kind: 'errhandler', handle: '0x54000000', name: 'MPI_ERRORS_ARE_FATAL' } as const;
const told = {
  handle: '0x84000001',
  fortranHandle: -2080374783,
  name: 'ocean',
  flags: ['cartesian', 'topoReordered'],
  rank: 1,
  size: 2,
  localProcs: [3, 1],
  group: { kind: 'group', handle: '0x88000002' },
  cart: { dims: [2], periods: [true], coords: [1] },
  errhandler: handler,
  attributes: [
    { keyval: 7, value: '0x10' },
    { keyval: 9, value: 42 },
  ],
};
const truth = loadTruth([
  'an ordinary line',
  `MPIDBG-TRUTH ${JSON.stringify({ rank: 1, expression: 'ocean', kind: 'comm', info: told })}`,
  'MPIDBG-TRUTH {"rank":1,"expression":"freed","code":"MPIDBG_ERR_NOT_FOUND","handle":"0x84000007"}',
]);

const unavailable = { code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: 'not read yet' } as const;
function rightInfo(): CommInfo {
  const info = structuredClone(told) as object as CommInfo;
  return {
    ...info,
    contextId: 4,
    pendingRequests: unavailable,
    derivedWindows: unavailable,
    derivedFiles: unavailable,
  };
}
const notFound: Answer = { expression: 'freed', code: 'MPIDBG_ERR_NOT_FOUND', reason: 'no live communicator' };

/** The differences when the right answer is changed so. */
function differencesAfter(change: (info: CommInfo) => void): string[] {
  const info = rightInfo();
  change(info);
  return compareFacts(truth, [success(info), notFound]).differences;
}

function success(info: CommInfo): Answer {
  return { expression: 'ocean', kind: 'comm', code: 'MPIDBG_SUCCESS', info };
}

describe('comparing answers with the truth', () => {
  it('counts the facts of equal answers', () => {
    const { facts, differences } = compareFacts(truth, [success(rightInfo()), notFound]);
    assert.deepEqual(differences, []);
    // 2 expressions answered, 1 code of the freed one; code, kind, flags, 5 scalars, localProcs 3, group 2,
    // cart 6, errhandler 3, attributes 5
    assert.equal(facts, 2 + 1 + 3 + 5 + 3 + 2 + 6 + 3 + 5);
  });

  it('counts the same facts whatever differs', () => {
    const info = { ...rightInfo(), name: 'sea', localProcs: [1, 3] };
    assert.equal(compareFacts(truth, [success(info), notFound]).facts, 30);
  });

  it('finds a value that differs and says which', () => {
    assert.deepEqual(
      differencesAfter((info) => (info.size = 3)),
      ['rank 1 ocean: size is 3, MPI says 2'],
    );
  });

  it('finds wrong, surplus and missing elements', () => {
    assert.equal(differencesAfter((info) => (info.localProcs = [3, 2])).length, 1);
    assert.equal(differencesAfter((info) => (info.localProcs = [3, 1, 0])).length, 1);
    assert.equal(differencesAfter((info) => (info.localProcs = [3])).length, 2);
    assert.equal(differencesAfter((info) => (info.cart = { ...told.cart, dims: [2, 1] })).length, 1);
  });

  it('finds unknown and missing fields', () => {
    assert.equal(differencesAfter((info) => (info.remoteSize = 2)).length, 1);
    assert.equal(differencesAfter((info) => (info.group = { ...told.group, kind: 'group', name: 'crew' })).length, 1);
    assert.equal(differencesAfter((info) => delete info.cart).length, 1);
    assert.equal(differencesAfter((info) => delete (info as Partial<CommInfo>).contextId).length, 1);
  });

  it('finds an item that is unavailable although MPI reports it', () => {
    assert.equal(differencesAfter((info) => (info.attributes = unavailable)).length, 1);
  });

  it('finds flags that are missing, wrong, or unknown although MPI reports them', () => {
    assert.equal(differencesAfter((info) => (info.flags = ['cartesian'])).length, 1);
    assert.equal(differencesAfter((info) => info.flags.push('freedHandle')).length, 1);
    assert.equal(differencesAfter((info) => (info.unknownFlags = ['topoReordered'])).length, 2);
    assert.equal(differencesAfter((info) => (info.unknownFlags = ['predefined'])).length, 1);
  });

  it('accepts that a library cannot tell a flag that MPI has no call for', () => {
    const change = (info: CommInfo): void => {
      info.flags = ['cartesian'];
      info.unknownFlags = ['topoReordered', 'freedHandle'];
    };
    assert.deepEqual(differencesAfter(change), []);
  });

  it('accepts attributes in any order, but no other attribute', () => {
    const [first, second] = told.attributes;
    assert.ok(first && second);
    assert.deepEqual(
      differencesAfter((info) => (info.attributes = [second, first])),
      [],
    );
    assert.equal(differencesAfter((info) => (info.attributes = [first])).length, 2);
    assert.equal(differencesAfter((info) => (info.attributes = [first, { ...second, value: 43 }])).length, 1);
    assert.equal(differencesAfter((info) => (info.attributes = [first, second, { keyval: 10, value: 1 }])).length, 1);
  });

  it('finds a wrong code, a missing answer, a surplus one, and an answer without a reason', () => {
    const right = success(rightInfo());
    const wrongCode: Answer = { ...notFound, code: 'MPIDBG_ERR_UNAVAILABLE' };
    assert.equal(compareFacts(truth, [right, wrongCode]).differences.length, 1);
    assert.equal(compareFacts(truth, [right, { ...right, expression: 'freed' }]).differences.length, 1);
    assert.equal(compareFacts(truth, [right, success(rightInfo())]).differences.length, 2);
    assert.equal(compareFacts(truth, [right]).differences.length, 1);
    assert.equal(compareFacts(truth, [right, notFound, notFound]).differences.length, 1);
    assert.equal(compareFacts(truth, [right, { ...notFound, reason: '' }]).differences.length, 1);
  });

  it('finds a null handle that has more than its four fields', () => {
    const info = { handle: '0x4000000', fortranHandle: 67108864, name: 'MPI_COMM_NULL', flags: ['commNull'] };
    const line = `MPIDBG-TRUTH ${JSON.stringify({ rank: 0, expression: 'none', kind: 'comm', info })}`;
    const records = loadTruth([line]);
    const answer = (extra: object): Answer =>
      ({ expression: 'none', kind: 'comm', code: 'MPIDBG_SUCCESS', info: { ...info, ...extra } }) as Answer;
    assert.deepEqual(compareFacts(records, [answer({})]).differences, []);
    assert.equal(compareFacts(records, [answer({ size: 0 })]).differences.length, 1);
  });

  it('fails when facts differ, and when too few were compared', () => {
    assert.throws(() => assertAgree({ facts: 10, differences: ['size is 3, MPI says 2'] }, 1), /size is 3/);
    assert.throws(() => assertAgree({ facts: 10, differences: [] }, 11), /only 10 facts/);
  });

  it('finds a rank that failed, and one that is missing', () => {
    const right = { rank: 1, implementation: unavailable, answers: [success(rightInfo()), notFound] };
    const document: Document = { schema: 'mpidbg/1', target: 'live', ranks: [right] };
    assert.deepEqual(compareDocument(truth, document).differences, []);
    assert.equal(
      compareDocument(truth, { ...document, ranks: [{ rank: 1, error: unavailable }] }).differences.length,
      1,
    );
    assert.notEqual(compareDocument(truth, { ...document, ranks: [] }).differences.length, 0);
    assert.notEqual(
      compareDocument(truth, { ...document, ranks: [right, { ...right, rank: 2 }] }).differences.length,
      0,
    );
  });
});

describe('loading the truth', () => {
  it('asks each question once', () => {
    const lines = ['a[0]', 'a[1]', 'b'].map((expression) => {
      const ask = expression.startsWith('a') ? 'a' : undefined;
      return `MPIDBG-TRUTH ${JSON.stringify({ rank: 0, expression, ask, code: 'MPIDBG_ERR_NOT_FOUND', handle: '0x1' })}`;
    });
    assert.deepEqual(questions(loadTruth(lines)), ['a', 'b']);
  });

  it('keeps values that are not handles', () => {
    const line = (value: string): string =>
      `MPIDBG-TRUTH {"rank":0,"expression":"x","code":"MPIDBG_ERR_NOT_FOUND",${value}}`;
    const values = loadTruth([line('"handle":"0xdeadbeef"'), line('"fortranHandle":-7')]).map(({ bad }) => bad);
    assert.deepEqual(values, [{ handle: 0xdeadbeefn }, { fortranHandle: -7 }]);
  });

  it('refuses a line that was cut or mixed with another', () => {
    assert.throws(() => loadTruth(['MPIDBG-TRUTH {"rank":1,"expre']));
    assert.throws(() => loadTruth(['{"rank":1MPIDBG-TRUTH {"rank":1}']));
    assert.throws(() => loadTruth(['MPIDBG-TRUTH {"rank":1,"expression":"x"}']));
    assert.throws(() => loadTruth(['MPIDBG-TRUTH {"rank":1,"expression":"x","code":"MPIDBG_ERR_NOT_FOUND"}']));
  });
});
