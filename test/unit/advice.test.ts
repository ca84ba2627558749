import assert from 'node:assert/strict';
import { adviceText as ofCommandLine } from '../../adapter/cli/advice';
import { adviceText as ofLaunchJson, launchAdviceText } from '../../adapter/dap/client/advice';
import { noticeText, type Advice } from '../../adapter/job/advice';

describe('advice', () => {
  const kinds: Advice['kind'][] = [
    'libraryFolder',
    'rightProgram',
    'correctProgram',
    'debugInformation',
    'sourceFolder',
  ];
  for (const kind of kinds) {
    it(`names the options of the front end that gives it: ${kind}`, () => {
      assert.match(ofCommandLine({ kind }), /--(search-path|program|source-map)\b/);
      assert.doesNotMatch(ofCommandLine({ kind }), /"/);
      assert.match(ofLaunchJson({ kind }), /"(searchPath|program|sourceFileMap)"/);
      assert.doesNotMatch(ofLaunchJson({ kind }), /--/);
    });
  }

  it('ends the sentence about the problem', () => {
    const advice = { kind: 'correctProgram' } as const;
    assert.equal(noticeText({ text: 'no program x', advice }, ofCommandLine), 'no program x: correct --program');
    assert.equal(noticeText({ text: 'core.1: no x', advice }, ofLaunchJson), 'core.1: no x; correct "program"');
    assert.equal(noticeText({ text: 'it is truncated' }, ofCommandLine), 'it is truncated');
  });

  it('on a launcher names the package that has it, where that is known', () => {
    assert.equal(
      launchAdviceText({ kind: 'correctLauncher', package: 'mpich' }),
      'install the package mpich, or correct "launcher"',
    );
    assert.equal(
      launchAdviceText({ kind: 'installLauncher', package: undefined }),
      'install it, or name it with "launcher"',
    );
  });
});
