/** The messages of a stream: what is one, at which byte anything else is refused, and how much work a message is. */
import assert from 'node:assert/strict';
import { maxContentBytes, maxFirstBytes, MessageReader, NotDapError } from '../../adapter/dap/client/message-reader';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

function framed(content: string | Buffer): Buffer {
  const body = Buffer.from(content as string);
  return Buffer.concat([bytes(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

const request = (seq: number, args: object = {}): string =>
  JSON.stringify({ seq, type: 'request', command: 'evaluate', arguments: args });

/** The messages in these pieces, in order. */
function read(...pieces: readonly Buffer[]): unknown[] {
  const reader = new MessageReader();
  return pieces.flatMap((piece) => [...reader.read(piece)]);
}

function piecesOf(whole: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, i) => whole.subarray(i * size, (i + 1) * size));
}

/** How many bytes are taken, one at a time, before the reader refuses one. */
function takenOf(stream: Buffer): number {
  const reader = new MessageReader();
  for (const [at, piece] of piecesOf(stream, 1).entries()) {
    try {
      for (const message of reader.read(piece)) assert.fail(`it is a message: ${JSON.stringify(message)}`);
    } catch (error) {
      assert.ok(error instanceof NotDapError, String(error));
      return at;
    }
  }
  return stream.length;
}

describe('DAP messages out of a stream', () => {
  it('are the same in pieces of any size', () => {
    const texts = [request(1), request(2, { expression: 'ü€😀' }), request(3, { a: [1, { b: null }] })];
    const stream = Buffer.concat(texts.map(framed));
    const expected = texts.map((text) => JSON.parse(text) as unknown);
    for (let size = 1; size <= stream.length; size++) assert.deepEqual(read(...piecesOf(stream, size)), expected);
  });

  it('begin with Content-Length and nothing else: the first byte that differs is refused', () => {
    const length = 'Content-Length: ';
    const cases: [stream: string, taken: number][] = [
      ['GET / HTTP/1.1\r\n', 0],
      ['POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}', 0],
      ['CONNECT localhost:1 HTTP/1.1\r\n', 1],
      ['\x16\x03\x01', 0],
      ['\0', 0],
      ['\r\n', 0],
      [' Content-Length: 2\r\n\r\n{}', 0],
      ['content-length: 2\r\n\r\n{}', 0],
      ['Content-Type: application/json\r\n', 'Content-'.length],
      ['Content-Length:2\r\n\r\n{}', length.length - 1],
      ['Content-Length\t: 2\r\n\r\n{}', length.length - 2],
      [`${length} 2\r\n\r\n{}`, length.length],
      [`${length}\r\n\r\n{}`, length.length],
      [`${length}0\r\n\r\n`, length.length],
      [`${length}02\r\n\r\n{}`, length.length],
      [`${length}-2\r\n\r\n{}`, length.length],
      [`${length}+2\r\n\r\n{}`, length.length],
      [`${length}NaN\r\n\r\n{}`, length.length],
      [`${length}٢\r\n\r\n{}`, length.length],
      [`${length}2x2\r\n\r\n{}`, length.length + 1],
      [`${length}2.0\r\n\r\n{}`, length.length + 1],
      [`${length}2e1\r\n\r\n{}`, length.length + 1],
      [`${length}2 \r\n\r\n{}`, length.length + 1],
      [`${length}2\0\r\n\r\n{}`, length.length + 1],
      [`${length}2\n\n{}`, length.length + 1],
      [`${length}2\r\r\n{}`, length.length + 2],
      [`${length}2\r\nHost: localhost\r\n\r\n{}`, length.length + 3],
      [`${length}2\r\n${length}2\r\n\r\n{}`, length.length + 3],
      [`${length}2\r\n 3\r\n\r\n{}`, length.length + 3],
    ];
    for (const [stream, taken] of cases) {
      assert.equal(takenOf(bytes(stream)), taken, JSON.stringify(stream));
      const before = framed(request(1));
      assert.throws(() => read(before, bytes(stream)), NotDapError, `behind a message: ${JSON.stringify(stream)}`);
    }
  });

  it('hold 64 MiB at most, which their header tells', () => {
    assert.equal(maxContentBytes, 67108864);
    for (const length of ['67108864', '1', '9999999']) {
      const header = `Content-Length: ${length}\r\n\r\n`;
      assert.equal(takenOf(bytes(header)), header.length, length);
    }
    // The digit is refused with which the number is too big.
    const cases = { '67108865': 7, '99999999': 7, '100000000': 8, '671088640': 8, '18446744073709551617': 8 };
    for (const [length, digits] of Object.entries({ ...cases, ['9'.repeat(400)]: 7 }))
      assert.equal(takenOf(bytes(`Content-Length: ${length}\r\n\r\n`)), 'Content-Length: '.length + digits, length);
  });

  it('are requests, responses or events in JSON', () => {
    for (const text of [
      ...['{', '[]', '[1]', '"text"', '1', 'null', 'true', '{}', '{"type":"greeting"}', '{"type":{}}', '\uFEFF{}'],
      ...[
        '{"type":"toString"}',
        '{"__proto__":{"type":"event"}}',
        `${request(1)} x`,
        `{"type":"request","command":"x"}`,
      ],
      ...['{"seq":"1","type":"request","command":"x"}', '{"seq":1,"type":"request","command":["x"]}'],
      ...['{"seq":1.5,"type":"request","command":"x"}', '{"seq":1,"type":"request"}'],
    ]) {
      assert.throws(() => read(framed(text)), NotDapError, text);
    }
    assert.throws(
      () => read(framed(Buffer.from([...bytes('{"type":"event","a":"'), 0xff, ...bytes('"}')]))),
      NotDapError,
    );
    for (const text of [request(1), '{"type":"event","event":"x"}', '{"type":"response"}'])
      assert.deepEqual(read(framed(text)), [JSON.parse(text)]);
  });

  it('give nothing but data: names of the language are names like others', () => {
    const [message] = read(framed('{"seq":1,"type":"request","command":"__proto__","__proto__":{"polluted":true}}'));
    assert.deepEqual(Object.getPrototypeOf(message), Object.prototype);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  it('have a million parts at most: what takes seconds and gigabytes to parse is not parsed', () => {
    const about = (json: string): Buffer[] => {
      const message = `{"seq":1,"type":"request","command":"x","arguments":${json}}`;
      return piecesOf(framed(message), 65536);
    };
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const many = (count: number, part: string): string => `[${`${part},`.repeat(count)}0]`;
    for (const json of [nested(100_000), many(900_000, '1'), JSON.stringify('[{,\\"'.repeat(1_000_000))])
      assert.equal(read(...about(json)).length, 1);
    for (const json of [nested(1 << 20), many(1_000_000, '1'), many(500_000, '[]'), many(500_000, '{}')])
      assert.throws(() => read(...about(json)), { message: 'a message has too many parts' });
  });

  it('of a stranger are short until one of them is read', () => {
    const reader = new MessageReader(maxFirstBytes);
    const long = framed(request(2, { expression: 'x'.repeat(maxFirstBytes) }));
    assert.throws(() => [...reader.read(long)], { message: 'a message is longer than 65536 bytes' });
    const trusting = new MessageReader(maxFirstBytes);
    const taken: unknown[] = [];
    for (const message of trusting.read(Buffer.concat([framed(request(1)), long]))) {
      taken.push(message);
      trusting.trust();
    }
    assert.equal(taken.length, 2);
  });

  it('those before the bytes that are refused are read', () => {
    const reader = new MessageReader();
    const seen: unknown[] = [];
    assert.throws(() => {
      for (const message of reader.read(Buffer.concat([framed(request(1)), bytes('GET /')]))) seen.push(message);
    }, NotDapError);
    assert.deepEqual(seen, [JSON.parse(request(1))]);
  });

  // The work that counts is bytes that are moved; how they are moved is one of these two.
  let moved = 0;
  const restore: (() => void)[] = [];
  function count<Result>(owner: object, name: string, bytesOf: (result: Result) => number): void {
    const was = Object.getOwnPropertyDescriptor(owner, name)!;
    const move = was.value as (...args: unknown[]) => Result;
    const value = function (this: unknown, ...args: unknown[]): Result {
      const result = move.apply(this, args);
      moved += bytesOf(result);
      return result;
    };
    Object.defineProperty(owner, name, { ...was, value });
    restore.push(() => Object.defineProperty(owner, name, was));
  }
  before(() => {
    count(Buffer.prototype as object, 'copy', (copied: number) => copied);
    count(Buffer, 'concat', (all: Buffer) => all.length);
  });
  after(() => restore.forEach((each) => each()));

  it('cost work in proportion to their bytes, whatever the size of the pieces', () => {
    for (const [length, size] of [
      [1 << 14, 1],
      [1 << 16, 7],
      [1 << 18, 100],
      [1 << 22, 4096],
      [1 << 22, 65536],
    ] as const) {
      const stream = framed(request(1, { expression: 'x'.repeat(length) }));
      const pieces = piecesOf(stream, size);
      moved = 0;
      assert.equal(read(...pieces).length, 1);
      assert.ok(
        moved >= length && moved <= 3 * stream.length,
        `${moved} bytes moved for ${length} in pieces of ${size}`,
      );
    }
    const whole = framed(request(1, { expression: 'x'.repeat(1 << 20) }));
    moved = 0;
    read(whole);
    assert.equal(moved, 0, 'a message that comes as one piece is not moved');
  });
});
