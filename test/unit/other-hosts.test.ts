import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressTowards } from '../../adapter/hosts/own-addresses';
import { addressesForOthers, namedHosts } from '../../adapter/launchers/other-hosts';
import type { LauncherFacts } from '../../plugin-api/mpi/facts';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { launchers as ofMpich } from '../../plugin-api/plugins/mpich/launcher';
import { launchers as ofOpenmpi } from '../../plugin-api/plugins/openmpi/launcher';

const [hydra] = ofMpich;
const [openmpi] = ofOpenmpi;

describe('other hosts of a launch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function names(
    facts: LauncherFacts | undefined,
    args: string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<string[]> {
    assert.ok(facts?.hosts);
    return [...(await namedHosts(facts.hosts, args, folder, env))];
  }

  it('are found in the options of both launchers', async () => {
    for (const option of ['--host', '-host', '-H'])
      assert.deepEqual(await names(openmpi, ['--bind-to', 'none', option, 'a:4,b,a']), ['a', 'b']);
    for (const option of ['-hosts', '-host']) assert.deepEqual(await names(hydra, [option, 'a:4,b:2']), ['a', 'b']);
    assert.deepEqual(await names(openmpi, ['-n', '3', '--host']), []);
  });

  it('are found in the files that the options and the environment name', async () => {
    writeFileSync(join(folder, 'hosts'), '# ours\na slots=4 max_slots=4\n\nb # the other one\n');
    writeFileSync(join(folder, 'ranks'), 'rank 0=c slot=0\nrank 1=+n1 slot=1\n');
    writeFileSync(join(folder, 'machines'), 'a:4\nb:2 binding=user:0\n');
    assert.deepEqual(await names(openmpi, ['--hostfile', 'hosts', '-rf', join(folder, 'ranks')]), ['a', 'b', 'c']);
    assert.deepEqual(await names(hydra, ['-f', 'machines']), ['a', 'b']);
    assert.deepEqual(await names(hydra, [], { HYDRA_HOST_FILE: join(folder, 'machines') }), ['a', 'b']);
    assert.deepEqual(await names(openmpi, ['--hostfile', 'none']), []);
  });

  it('are none where this one alone is named, by whatever name', async () => {
    const launcher = { path: '/bin/true', command: 'true', facts: openmpi };
    for (const own of ['localhost:4', '127.0.0.1', `${hostname()}:2,localhost`])
      assert.deepEqual(await addressesForOthers(launcher, ['--host', own], { cwd: folder, env: {} }, shippedMpis), []);
    assert.deepEqual(await addressesForOthers(launcher, [], { cwd: folder, env: {} }, shippedMpis), []);
    assert.deepEqual(
      await addressesForOthers(
        { ...launcher, facts: undefined },
        ['--host', 'a'],
        { cwd: folder, env: {} },
        shippedMpis,
      ),
      [],
    );
  });

  it('have no address when nobody knows them', async () => {
    await assert.rejects(addressTowards('no-such-host.invalid'));
  });
});
