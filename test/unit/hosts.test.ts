/** Whatever is asked of a process is asked of its Host: the same comes from another machine, to which only the Host leads. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { codeModulesOf } from '../../adapter/expressions/code-modules';
import { HostProcess } from '../../adapter/hosts/host-process';
import { filesOpenForWriting } from '../../adapter/hosts/open-files';
import { refusalBefore } from '../../adapter/hosts/ptrace-refusal';
import { LiveImage } from '../../adapter/images/live/live-image';
import { ranksOfLauncher } from '../../adapter/launchers/launcher-tree';
import { FaultError } from '../../plugin-api/result';
import { openWorkshop } from '../support/compile';
import { DistantHost } from '../support/distant-host';
import { localProcess } from '../support/local-process';

const program = `
  #include <stdio.h>
  #include <stdlib.h>
  int numbers[70000] = {11, 12};
  int main(void) {
    int *allocated = calloc(400, 4);
    allocated[0] = 0x5a17c3e9;
    numbers[69999] = 13;
    printf("{\\"numbers\\":\\"%p\\",\\"allocated\\":\\"%p\\"}\\n", (void *)numbers, (void *)allocated);
    fflush(stdout);
    return getchar() == 'x';
  }
`;

describe('a process of another host', () => {
  const workshop = openWorkshop();
  const host = new DistantHost();
  let path = '';
  let child: ChildProcess;
  let said: { numbers: bigint; allocated: bigint };
  let far: HostProcess;
  let pid = 0;

  before(async () => {
    path = workshop.compile('far', program, 'gcc', ['-no-pie']);
    const started = spawn(path, {
      env: { PMI_RANK: '0', PMI_SIZE: '1', TWICE: 'first' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child = started;
    const [line] = (await once(createInterface(started.stdout), 'line')) as [string];
    const { numbers, allocated } = JSON.parse(line) as Record<string, string>;
    said = { numbers: BigInt(numbers ?? 0), allocated: BigInt(allocated ?? 0) };
    pid = started.pid!;
    far = new HostProcess(host, host.pidOf(pid));
  });
  after(async () => {
    child.kill();
    await host.end();
    workshop.close();
  });

  it('has an image with the same memory, modules and symbols', async () => {
    const image = new LiveImage(far);
    const near = new LiveImage(localProcess(pid));
    assert.equal((await image.findSymbol('numbers'))?.address, said.numbers);
    assert.equal((await image.symbolAt(said.numbers + 8n))?.name, 'numbers');
    const bytes = await image.readMemory(said.numbers, 280_000);
    const numbers = new Int32Array(bytes.slice().buffer);
    assert.deepEqual([numbers[0], numbers[1], numbers[69_999]], [11, 12, 13]);
    assert.deepEqual(await image.modules(), await near.modules());
    assert.deepEqual(await image.findAllocated(0x5a17c3e9), { addresses: [said.allocated] });
    assert.equal((await image.environment()).get('TWICE'), 'first');
    await assert.rejects(image.readMemory(8n, 4), (error) => error instanceof FaultError && error.address === 8n);
    near.close();
  });

  it('is asked about anew after it has run', async () => {
    const image = new LiveImage(far);
    await image.modules();
    const [read, opened] = [host.asked.get('readFile')!, host.asked.get('openFile')!];
    await Promise.all([image.modules(), image.findSymbol('numbers')]);
    assert.equal(host.asked.get('readFile'), read, 'within a stop nothing is asked twice');
    image.invalidate();
    await Promise.all([image.modules(), image.findSymbol('numbers')]);
    assert.equal(
      host.asked.get('readFile'),
      read + 3,
      'whether it is the same process, its environment, and what it has mapped',
    );
    assert.equal(host.asked.get('openFile'), opened, 'the same is mapped as before');
  });

  it('is read to the end though its memory is closed meanwhile', async () => {
    const memory = localProcess(pid).openMemory();
    const reading = memory.read(said.numbers, 280_000);
    memory.close();
    const others = [0, 1, 2].map(() => openSync('/dev/zero', 'r'));
    assert.equal(Buffer.from(await reading).readInt32LE(4 * 69_999), 13);
    for (const descriptor of others) closeSync(descriptor);
  });

  it('tells its files, and who may attach to it', async () => {
    const [first] = (await codeModulesOf(far)).filter(({ isExecutable }) => isExecutable);
    assert.equal(first?.path, path);
    assert.equal(await refusalBefore(far), undefined);
    const none = new HostProcess(host, host.pidOf(2 ** 22 + 1));
    assert.match((await refusalBefore(none)) ?? '', /^there is no process \d+ on this host$/);
    assert.match((await refusalBefore(localProcess(process.pid))) ?? '', /is the debugger itself$/);
    const other = new DistantHost(process.pid - pid);
    assert.equal(
      await refusalBefore(new HostProcess(other, process.pid)),
      undefined,
      'with our number, on another host',
    );
    await other.end();
  });

  it('is among those that write a file', async () => {
    const file = join(workshop.directory, 'written');
    const descriptor = openSync(file, 'w');
    assert.ok((await filesOpenForWriting(host)).has(file));
    closeSync(descriptor);
    assert.ok(!(await filesOpenForWriting(host)).has(file));
  });

  it('is found below its launcher there', async () => {
    assert.deepEqual(await ranksOfLauncher(host, host.pidOf(process.pid)), [far.pid]);
  });

  it('gets signals there', async () => {
    const stopped = spawn('sleep', ['60'], { stdio: 'ignore' });
    const ended = once(stopped, 'exit');
    const sleeper = new HostProcess(host, host.pidOf(stopped.pid!));
    await sleeper.signal('SIGTERM');
    assert.deepEqual(await ended, [null, 'SIGTERM']);
    await sleeper.signal('SIGTERM');
  });
});
