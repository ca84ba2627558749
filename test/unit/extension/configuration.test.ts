import assert from 'node:assert/strict';
import { missingTarget, withNumbers } from '../../../extension/configuration';

const launch = { type: 'mpidbg', request: 'launch', name: 'ring' };
const attach = { type: 'mpidbg', request: 'attach', name: 'job' };

describe('launch configuration', () => {
  it('makes numbers of what variables put in as text', () => {
    assert.deepEqual(
      withNumbers({ ...launch, ranks: '4', programs: [{ program: 'a', ranks: '2' }, { program: 'b' }] }),
      {
        ...launch,
        ranks: 4,
        programs: [{ program: 'a', ranks: 2 }, { program: 'b' }],
      },
    );
    assert.deepEqual(withNumbers({ ...attach, launcherPid: ' 4711 ', pids: ['12', 13] }), {
      ...attach,
      launcherPid: 4711,
      pids: [12, 13],
    });
  });

  it('leaves to the adapter what is no number', () => {
    assert.deepEqual(withNumbers({ ...launch, ranks: 'four' }), { ...launch, ranks: 'four' });
    assert.deepEqual(withNumbers({ ...launch, ranks: -1 }), { ...launch, ranks: -1 });
  });

  it('says what is missing', () => {
    assert.match(missingTarget(launch) ?? '', /"ring" names no program/);
    assert.match(missingTarget({ ...launch, program: ' ' }) ?? '', /names no program/);
    assert.match(missingTarget({ ...attach, cores: [] }) ?? '', /"launcherPid", "pids" or "cores"/);
    assert.match(missingTarget({ ...launch, request: 'debug' }) ?? '', /"request": "debug"/);
  });

  it('asks for no more than one target', () => {
    assert.equal(missingTarget({ ...launch, program: '/bin/ring' }), undefined);
    assert.equal(missingTarget({ ...launch, programs: [{ program: 'a' }] }), undefined);
    assert.equal(missingTarget({ ...attach, launcherPid: 1 }), undefined);
    assert.equal(missingTarget({ ...attach, cores: ['core.1'] }), undefined);
  });
});
