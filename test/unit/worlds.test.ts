import assert from 'node:assert/strict';
import { chosenRanks, formatRanks, parseRanks, RankSetError } from '../../plugin-api/answers/rank-set';
import { rankOf } from '../../adapter/launchers/rank-of-environment';
import { mergeEqual } from '../../plugin-api/answers/merge';
import { isCulpritOf } from '../../plugin-api/hang/culprits';
import { ranksInWords } from '../../plugin-api/mpi/rank-names';
import { inWorld, WorldNames } from '../../plugin-api/mpi/worlds';
import { shippedMpis } from '../../plugin-api/plugins/shipped';

const spawnedBy = (parent: string | undefined, key: string): { key: string; parent: string | undefined } => ({
  key,
  parent,
});

describe('the names of worlds', () => {
  it('lead from the launcher to who was spawned, in the order of the numbers that the launcher gives', () => {
    const names = new WorldNames();
    const origins = [
      spawnedBy('job@9', 'job@10'),
      spawnedBy('job@1', 'job@9'),
      spawnedBy('job@1', 'job@2'),
      spawnedBy(undefined, 'job@1'),
    ];
    assert.deepEqual(names.add(origins), ['0.2.1', '0.2', '0.1', '0']);
  });

  it('stay as they are while others come', () => {
    const names = new WorldNames();
    assert.deepEqual(names.add([spawnedBy(undefined, 'a')]), ['0']);
    assert.deepEqual(names.add([spawnedBy('a', 'a2'), undefined, spawnedBy(undefined, 'b')]), ['0.1', undefined, '1']);
    assert.deepEqual(names.add([spawnedBy('a', 'a3'), spawnedBy('a', 'a2')]), ['0.2', '0.1']);
  });

  it('have a place for a parent of which no process is left', () => {
    assert.deepEqual(new WorldNames().add([spawnedBy('gone', 'child')]), ['0.1']);
  });

  it('are told by the environment of Open MPI and by the proxies of hydra', () => {
    const environment = new Map([
      ['PMIX_NAMESPACE', '1845559298'],
      ['OMPI_COMM_WORLD_RANK', '1'],
      ['OMPI_PARENT_PORT', '1845559297.0:1821379744'],
    ]);
    const { number, world, parentWorld } = rankOf(environment, shippedMpis);
    assert.deepEqual([number, world, parentWorld], [1, '1845559298', '1845559297']);
    const hydra = shippedMpis.launchers.find(({ facts }) => facts.daemons?.includes('hydra_pmi_proxy'))!.facts;
    const words = (port: string, group: string): string[] =>
      `--control-port node1:${port} --demux poll --pgid ${group} --proxy-id 0`.split(' ');
    const own = hydra.worldOf?.(words('40285', '0'));
    assert.deepEqual([own?.key === undefined, own?.parent], [false, undefined]);
    // Release 4.0 has a proxy and a port for each world.
    const besides = [words('33617', '1'), words('40285', '0')];
    const spawned = hydra.worldOf?.(words('33617', '1'), { besides });
    assert.deepEqual([spawned?.parent, spawned?.key === own?.key], [own?.key, false]);
    const alone = hydra.worldOf?.(words('33617', '1'));
    assert.deepEqual([alone?.key, alone?.parent === own?.key], [spawned?.key, false]);
    // Later releases have one for all, and the number of the world is in the ranks' memory only.
    const named = hydra.worldOf?.(words('40285', '0'), { nameInHeap: 'kvs_1409_2_674753414_node1' });
    assert.deepEqual([named?.parent, named?.key === own?.key], [own?.key, false]);
    assert.equal(hydra.worldOf?.(['--version']), undefined);
  });
});

describe('ranks of several worlds', () => {
  const ranks = [0, 1].flatMap((number) => ['0', '0.1'].map((world) => ({ number, world })));

  it('are named in words', () => {
    const ids = [...ranks.map(({ number, world }) => ({ rank: number, world })), { rank: null, pid: 4711 }];
    assert.equal(ranksInWords(ids), 'ranks 0-1,0.1:0-1,pid 4711');
    assert.equal(ranksInWords(ids.slice(3, 4)), 'rank 0.1:1');
    assert.equal(ranksInWords([{ rank: null, core: '3.core' }]), '3.core');
  });

  it('are culprits by their world', () => {
    const isCulprit = isCulpritOf({ culprits: [1], culpritRanks: [{ world: '0.1', rank: 1 }] });
    const found = ranks.map(({ number, world }) => ({ rank: number, world })).filter(isCulprit);
    assert.deepEqual(found, [{ rank: 1, world: '0.1' }]);
    assert.ok(isCulpritOf({ culprits: [1] })({ rank: 1 }));
  });

  it("are chosen within one: the one that is named, or the launcher's own", () => {
    const chosen = (choice: Parameters<typeof chosenRanks>[1]): string =>
      chosenRanks(ranks, choice, (rank) => `no rank ${rank}`)
        .map(({ number, world }) => inWorld(world, String(number)))
        .join(' ');
    assert.equal(chosen({}), '0 0.1:0 1 0.1:1');
    assert.equal(chosen({ ranks: parseRanks('1') }), '1');
    assert.equal(chosen({ ranks: parseRanks('1'), world: '0.1' }), '0.1:1');
    assert.equal(chosen({ ranks: parseRanks('0.1:1,0:0') }), '0 0.1:1');
    assert.equal(chosen({ world: '0.1' }), '0.1:0 0.1:1');
    assert.throws(() => chosen({ ranks: parseRanks('2'), world: '0.1' }), /no rank 2/);
    assert.throws(
      () => chosen({ world: '0.2' }),
      (error) => error instanceof RankSetError && error.subject === 'world' && /has 0, 0\.1$/.test(error.message),
    );
  });

  it('are written so that they can be read back', () => {
    assert.equal(formatRanks(ranks), '0-1,0.1:0-1');
    assert.deepEqual(parseRanks('0-1,0.1:0,1'), [
      { ranks: [[0, 1]], world: undefined },
      { ranks: [[0, 1]], world: '0.1' },
    ]);
    assert.throws(() => parseRanks('0.1:x'), RankSetError);
  });

  it('are merged only within a world', () => {
    const answers = ranks.map(({ number, world }) => ({ rank: { rank: number, world }, text: 'same' }));
    assert.deepEqual(mergeEqual(answers), [
      { ranks: '0-1', text: 'same' },
      { ranks: '0.1:0-1', text: 'same' },
    ]);
  });
});
