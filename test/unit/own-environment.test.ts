/** What our own perl is started with. */
import assert from 'node:assert/strict';
import { environmentOfAgent, environmentOfPerl, wordsForAgent } from '../../adapter/hosts/own-environment';

describe('the environment of our perl', () => {
  it('has it silent about a locale that a machine may lack', () => {
    for (const env of [{ LC_ALL: 'xx_YY' }, { LANG: 'en_US.UTF-8' }, { LC_NUMERIC: 'de_DE' }]) {
      assert.deepEqual(wordsForAgent(env), ['env', 'PERL_BADLANG=0']);
      assert.equal(environmentOfPerl(env).PERL_BADLANG, '0');
      assert.equal(environmentOfAgent(env).PERL_BADLANG, '0');
    }
    for (const env of [{}, { LANG: 'C.UTF-8', LC_ALL: '' }, { LC_ALL: 'POSIX' }, { LANGUAGE: 'de' }])
      assert.deepEqual(wordsForAgent(env), []);
  });

  it('keeps what the user has said of that for the ranks', () => {
    const env = { LC_ALL: 'xx_YY', PERL_BADLANG: '1' };
    const kept = 'MPIDBG_KEPT_PERL_BADLANG=31';
    assert.deepEqual(wordsForAgent(env), ['env', '-u', 'PERL_BADLANG', 'PERL_BADLANG=0', kept]);
    assert.deepEqual(environmentOfAgent(env), { LC_ALL: 'xx_YY', PERL_BADLANG: '0', MPIDBG_KEPT_PERL_BADLANG: '31' });
  });
});
