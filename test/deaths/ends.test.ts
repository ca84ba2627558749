/** How processes ended that could not say so themselves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { createInterface } from 'node:readline';
import { RankEnds } from '../../adapter/cli/run/rank-ends';
import { localHost } from '../../adapter/hosts/local-host';
import { patienceMs } from '../support/patience';

/** Says who it is and waits for a line. */
const rank = 'exec 3<&0; sh -c \'echo $$; read line; eval "$line"\' <&3 &';
/** Nobody asks for the status of the one that it starts. */
const starter = `${rank} exec sleep 1000`;
/** Takes the status at once, as launchers do, and says so. */
const launcher = `${rank} wait $!; echo taken`;

/** Since Linux 6.15 the kernel tells a status that was taken. */
const tellsTaken = release().localeCompare('6.15', undefined, { numeric: true }) >= 0;

async function endOf(how: string, socket: string, starts = starter): Promise<unknown> {
  const parent = spawn('sh', ['-c', starts], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, MPIDBG_DEATHS: 'here' },
  });
  try {
    const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    const ends = new RankEnds();
    await ends.begun({ pid, rank: 3 }, { host: localHost, socket });
    parent.stdin.write(`${how}\n`);
    if (starts === launcher) await lines.next();
    else while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await new Promise(setImmediate);
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

  it('are told even if the launcher takes the status at once', async () => {
    const [status, signal] = tellsTaken ? [{ status: 7 }, { signal: 11 }] : [{}, {}];
    assert.deepEqual(await endOf('exit 7', 'here', launcher), [{ rank: 3, after: 0, ...status }]);
    assert.deepEqual(await endOf('kill -11 $$', 'here', launcher), [{ rank: 3, after: 0, ...signal }]);
  });

  it('are none of those of other jobs', async () => {
    assert.deepEqual(await endOf('exit 0', 'elsewhere'), []);
  });
});
