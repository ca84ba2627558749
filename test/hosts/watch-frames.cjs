// Runs in the adapter, before it begins: writes a line for each frame that it exchanges with agents of other hosts to the file
// MPIDBG_TEST_FRAMES. It looks at the connections from outside: the product knows nothing of it. adapter/agent/link.ts tells what is
// in a frame; frame-log.ts reads the lines.
const { appendFileSync } = require('node:fs');
const net = require('node:net');

const file = process.env.MPIDBG_TEST_FRAMES;
const macLength = 16;
/** Bytes of a question or command that are written. */
const maxText = 160;

/** A function that takes what is said on a connection, part by part, and calls `tell` with the content of each frame. */
function frames(tell) {
  let kept = Buffer.alloc(0);
  return (chunk) => {
    kept = Buffer.concat([kept, chunk]);
    for (;;) {
      // The lines of the proof in front of the first frame begin with a letter or digit.
      const isLine = kept.length > 0 && kept[0] >= 0x20;
      const end = isLine ? kept.indexOf(10) + 1 : kept.length < 4 ? 0 : 4 + kept.readUInt32BE() + macLength;
      if (end === 0 || end > kept.length) return;
      if (!isLine) tell(kept.subarray(4, end - macLength));
      kept = kept.subarray(end);
    }
  };
}

function log(direction, content) {
  if (content.length < 5) return;
  const [what, number] = [String.fromCharCode(content[0]), content.readUInt32BE(1)];
  const text = what === 'q' || what === 'd' ? content.toString('latin1', 5, 5 + maxText) : '';
  appendFileSync(file, `${JSON.stringify({ direction, what, number, text })}\n`);
}

const { emit } = net.Server.prototype;
net.Server.prototype.emit = function (event, socket, ...rest) {
  if (event === 'connection' && socket.remoteAddress !== undefined && !/^(::ffff:)?127\./.test(socket.remoteAddress)) {
    const { write, emit: emitHere } = socket;
    const [sent, received] = ['to', 'from'].map((direction) => frames((content) => log(direction, content)));
    socket.write = (chunk, ...others) => {
      sent(Buffer.from(chunk));
      return write.call(socket, chunk, ...others);
    };
    socket.emit = (name, ...values) => {
      if (name === 'data') received(Buffer.from(values[0]));
      return emitHere.call(socket, name, ...values);
    };
  }
  return emit.call(this, event, socket, ...rest);
};
