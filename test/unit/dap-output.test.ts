import assert from 'node:assert/strict';
import { exitCodeOf, OutputEvents, OutputLabels } from '../../adapter/dap/ranks/output';

describe('output', () => {
  const labelled = (...parts: [number | undefined, string][]): string => {
    const labels = new OutputLabels();
    return parts.map(([rank, text]) => labels.label({ rank, stream: 'stdout', text })).join('');
  };

  it('says on each line which rank printed it', () => {
    assert.equal(labelled([2, 'a\nb\n'], [undefined, 'the launcher\n']), '[2] a\n[2] b\nthe launcher\n');
    assert.equal(labelled([0, '\n\nx\n']), '[0] \n[0] \n[0] x\n');
  });

  it('names the world of a rank that was spawned', () => {
    const labels = new OutputLabels();
    const label = (world: string, text: string): string => labels.label({ rank: 0, world, stream: 'stdout', text });
    assert.equal(label('0', 'no end') + label('0.1', 'a\n') + label('?', 'b\n'), '[0] no end\n[0.1:0] a\n[?:0] b\n');
  });

  it('puts a line together that comes in pieces, unless another rank comes between', () => {
    assert.equal(labelled([1, 'no end'], [1, ' yet\nnext\n']), '[1] no end yet\n[1] next\n');
    assert.equal(labelled([1, 'no end'], [0, 'other\n'], [1, ' yet\n']), '[1] no end\n[0] other\n[1]  yet\n');
  });

  it('is one event for what arrives at once, in its order, and comes before anything else', async () => {
    const told: string[] = [];
    const events = new OutputEvents(({ category, output }) => told.push(`${category} ${JSON.stringify(output)}`));
    events.add({ rank: 0, stream: 'stdout', text: 'a\n' });
    events.add({ rank: 1, stream: 'stdout', text: 'b\n' });
    events.add({ rank: 0, stream: 'stderr', text: 'c\n' });
    events.add({ rank: 0, stream: 'stdout', text: 'd\n' });
    setImmediate(() => told.push('later'));
    await new Promise(setImmediate);
    events.add({ rank: 0, stream: 'stdout', text: 'e\n' });
    await Promise.resolve();
    const first = ['stdout "[0] a\\n[1] b\\n"', 'stderr "[0] c\\n"', 'stdout "[0] d\\n"'];
    assert.deepEqual(told, [...first, 'later', 'stdout "[0] e\\n"']);
  });

  it("gives the launcher's status as a shell does", () => {
    assert.equal(exitCodeOf({ exitCode: 3 }, {}), 3);
    assert.equal(exitCodeOf({ signal: 'SIGKILL' }, { SIGKILL: 9 }), 137);
    assert.equal(exitCodeOf({}, {}), undefined);
  });
});
