import assert from 'node:assert/strict';
import { jsonPieces } from '../../adapter/cli/json-pieces';

describe('JSON in pieces', () => {
  it('is what JSON.stringify makes', () => {
    const answer = { kind: 'comm', info: { name: 'a\n"b"', group: [[], {}, [1, { deep: [null] }]], left: undefined } };
    const documents = [
      {},
      { ranks: [] },
      {
        schema: 'mpidbg/1',
        left: undefined,
        ranks: [
          { rank: 0, answers: [answer, answer] },
          { rank: null, answers: [] },
        ],
      },
      { 'a key': [[[[[[answer]]]]]], expressions: [{ values: [{ ranks: '0-1', text: '1' }], errors: [] }], errors: [] },
    ];
    for (const document of documents)
      assert.equal([...jsonPieces(document)].join(''), `${JSON.stringify(document, undefined, 2)}\n`);
  });

  it('means the same with every character visible', () => {
    const text = 'a\n\u001b[31m\u009b\u202e\ufeff\u{e0001}\ud800"\\';
    const document = { ranks: [{ answers: [{ [text]: { deep: text } }] }], [text]: text };
    const json = [...jsonPieces(document)].join('');
    assert.match(json, /^[\n -~]*$/);
    assert.deepEqual(JSON.parse(json), document);
  });

  it('has no piece longer than an answer', () => {
    const answer = { reason: 'x'.repeat(1000) };
    const document = { ranks: Array.from({ length: 3 }, (_, rank) => ({ rank, answers: Array(100).fill(answer) })) };
    assert.ok([...jsonPieces(document)].every((piece) => piece.length < 1100));
  });
});
