import assert from 'node:assert/strict';
import { parseTransport, UsageError } from '../../adapter/dap/client/transport';

describe('the arguments of the debug adapter', () => {
  it('are none, a port or a path', () => {
    assert.deepEqual(parseTransport([]), { kind: 'stdio' });
    assert.deepEqual(parseTransport(['--server=0']), { kind: 'port', port: 0 });
    assert.deepEqual(parseTransport(['--server=65535']), { kind: 'port', port: 65535 });
    assert.deepEqual(parseTransport(['--socket=a b=c\n']), { kind: 'file', path: 'a b=c\n' });
  });

  it('are refused when they are anything else', () => {
    for (const args of [
      ...[['--server'], ['--server', '4711'], ['--server='], ['--server=-1'], ['--server=65536'], ['--server=0x50']],
      ...[['--server= 80'], ['--server=1e3'], ['--server=127.0.0.1:80'], ['--socket'], ['--socket=']],
      ...[
        ['--server=1', '--socket=a'],
        ['--socket=a', '--server=1'],
        ['--server=1', '--server=1'],
      ],
      ...[['--help'], ['4711'], [''], ['--toString=1'], ['--server=1', '']],
    ])
      assert.throws(() => parseTransport(args), UsageError, args.join(' '));
  });
});
