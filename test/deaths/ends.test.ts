/** How processes ended that could not say so themselves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { RankEnds } from '../../adapter/cli/run/rank-ends';
import { localHost } from '../../adapter/hosts/local-host';
import { patienceMs } from '../support/patience';

/** Nobody asks for the status of the one that it starts, which says who it is and waits for a line. */
const starter = 'exec 3<&0; sh -c \'echo $$; read line; eval "$line"\' <&3 & exec sleep 1000';

async function endOf(how: string, socket: string): Promise<unknown> {
  const parent = spawn('sh', ['-c', starter], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, MPIDBG_DEATHS: 'here' },
  });
  try {
    const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    const ends = new RankEnds();
    await ends.begun({ pid, rank: 3 }, { host: localHost, socket });
    parent.stdin.write(`${how}\n`);
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await new Promise(setImmediate);
    return (await ends.result()).ends;
  } finally {
    parent.kill('SIGKILL');
  }
}

describe('the ends of ranks that cannot say how they end', function () {
  this.timeout(patienceMs);

  it('are told by the kernel', async () => {
    assert.deepEqual(await endOf('kill -9 $$', 'here'), [{ rank: 3, after: 0, signal: 9 }]);
    assert.deepEqual(await endOf('exit 7', 'here'), [{ rank: 3, after: 0, status: 7 }]);
  });

  it('are none of those of other jobs', async () => {
    assert.deepEqual(await endOf('exit 0', 'elsewhere'), []);
  });
});
