import assert from 'node:assert/strict';
import { infoText, type JobFacts } from '../../plugin-api/answers/text/info-text';
import { notDecoded } from '../../plugin-api/answers/text/not-decoded';
import type { Document, HandleKind, Implementation, RankAnswer, RankError } from '../../plugin-api/mpi/records';

const all = ['BASIC', 'REQUEST_LIST', 'WINDOW_LIST', 'FILE_LIST', 'HANDLE_LIST', 'FREED_HANDLE'];
const kinds = ['comm', 'datatype', 'errhandler', 'file', 'group', 'info', 'message', 'op', 'request', 'status', 'win'];
const capabilities = Object.fromEntries(kinds.map((kind) => [kind, all]));

const openmpi: Implementation = {
  ...{ name: 'openmpi', version: '4.1.4', state: 'initialized', messageLayer: 'ob1', capabilities },
  layout: 'table openmpi 4.1.4: 1 of 1 class sizes and 1 of 1 known answers agree',
  checks: ['size of ompi_win_t', 'name of MPI_SUM'].map((name) => ({ name, passed: true, found: 'a', expected: 'a' })),
};

const rank = (number: number, implementation: RankAnswer['implementation'] = openmpi, host = 'node1'): RankAnswer => ({
  ...{ rank: number, host, pid: 100 + number, implementation, answers: [] },
});

function linesOf(
  ranks: (RankAnswer | RankError)[],
  { command = () => './ocean -n 3', title = () => 'Open MPI', worldSize, alone = [] }: Partial<JobFacts> = {},
  full = false,
): string[] {
  const document: Document = { schema: 'mpidbg/1', target: 'live', ranks };
  return infoText(document, { command, title, worldSize, alone }, full).split('\n').slice(0, -1);
}

describe('the text of info', () => {
  it('is five lines where all ranks agree', () => {
    assert.deepEqual(linesOf([rank(0), rank(1), rank(2, openmpi, 'node2')]), [
      'program      ./ocean -n 3',
      'ranks        0-1 on node1; 2 on node2',
      'MPI          Open MPI 4.1.4, messages by ob1',
      'layout       proved by 2 of 2 checks (table openmpi 4.1.4)',
      'not decoded  session',
    ]);
  });

  it('tells the thread level, where it is known', () => {
    const unknown = { code: 'MPIDBG_ERR_NOT_FOUND' as const, reason: 'not found' };
    const levels = [{ threadLevel: 'MPI_THREAD_MULTIPLE' }, { threadLevel: unknown }, {}];
    const lines = linesOf(levels.map((level, number) => ({ ...rank(number), ...level })));
    assert.deepEqual(lines.slice(2, 4), [
      'MPI          0    Open MPI 4.1.4, messages by ob1, MPI_THREAD_MULTIPLE',
      '             1-2  Open MPI 4.1.4, messages by ob1',
    ]);
  });

  it('says of how many ranks it knows some', () => {
    assert.ok(linesOf([rank(1), rank(3)], { worldSize: 4 }).includes('ranks        1,3 on node1 (of 4)'));
    assert.ok(linesOf([rank(0), rank(1)], { worldSize: 2 }).includes('ranks        0-1 on node1'));
  });

  it('says who differs', () => {
    const command: JobFacts['command'] = ({ rank: number }) => (number === 0 ? './master' : './worker');
    const lines = linesOf([rank(0), rank(1), rank(2, { ...openmpi, state: 'finalized' })], { command });
    assert.deepEqual(lines.slice(0, 5), [
      'program      0    ./master',
      '             1-2  ./worker',
      'ranks        0-2 on node1',
      'MPI          0-1  Open MPI 4.1.4, messages by ob1',
      '             2    Open MPI 4.1.4, messages by ob1, after MPI_Finalize',
    ]);
  });

  it('bounds what many ranks say differently, but not in full', () => {
    const ranks = Array.from({ length: 9 }, (_, i) => rank(i));
    const command: JobFacts['command'] = (id) => `./part${id.rank}`;
    const short = linesOf(ranks, { command });
    assert.deepEqual(short.slice(3, 6), [
      '             3  ./part3',
      '             and 5 others: see --full',
      'ranks        0-8 on node1',
    ]);
    assert.equal(linesOf(ranks, { command }, true).filter((line) => line.includes('./part')).length, 9);
  });

  it('begins with crashes', () => {
    const crash = { signal: 'SIGSEGV', text: 'SIGSEGV at ocean.c:12, address 0x0' };
    const lines = linesOf([rank(0), { ...rank(1), crash }]);
    assert.deepEqual(lines.slice(0, 2), ['rank 1: SIGSEGV at ocean.c:12, address 0x0', 'program      ./ocean -n 3']);
  });

  it('keeps what was not checked, and tells a layout that is not believed whole', () => {
    const early = { ...openmpi, layout: 'table X: 2 of 2 class sizes agree; known answers not checked: too early' };
    assert.ok(
      linesOf([rank(0, early)]).includes(
        'layout       proved by 2 of 2 checks (table X); known answers not checked: too early',
      ),
    );
    const checks = [{ name: 'size of ompi_win_t', passed: false, found: '8', expected: '16' }];
    const layout = 'table X: rejected: size of ompi_win_t is 8 instead of 16';
    const wrong: Implementation = { ...openmpi, checks, layout, capabilities: {} };
    const lines = linesOf([rank(0, wrong)], {}, true);
    assert.ok(lines.includes(`layout       ${layout}`), lines.join('\n'));
    assert.ok(lines.includes('not decoded  no handle can be decoded'));
    assert.ok(lines.includes('  0  FAILED  size of ompi_win_t: found 8, expected 16'));
  });

  it('says why nothing is known of a rank, and of a file that is none', () => {
    const unavailable = { code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: 'no MPI library is loaded' } as const;
    const unopened: RankError = {
      rank: null,
      core: 'core.9',
      error: { ...unavailable, reason: 'it is not a core file' },
    };
    const lines = linesOf([rank(0, unavailable), unopened], { command: () => undefined });
    assert.deepEqual(lines, [
      'ranks        0 on node1',
      'MPI          no MPI library is loaded',
      'not opened: core.9: it is not a core file',
    ]);
  });

  it('has each process, check and capability in full', () => {
    const lines = linesOf([rank(0), rank(1)], {}, true);
    for (const line of [
      'rank 1  node1  pid 101',
      '  0-1  layout: table openmpi 4.1.4: 1 of 1 class sizes and 1 of 1 known answers agree',
      '  0-1  passed  size of ompi_win_t',
      '  0-1  decodes comm: basic fields, pending requests, windows, files, objects that use it, freed handles',
    ])
      assert.ok(lines.includes(line), line);
  });
});

describe('what is not decoded', () => {
  const without = (kind: HandleKind, ...names: string[]): Implementation['capabilities'] => ({
    ...{ ...capabilities, session: all },
    [kind]: all.filter((name) => !names.includes(name)),
  });

  it('is nothing where all is told', () => assert.equal(notDecoded({ capabilities: without('comm') }), ''));

  it('is not a kind that came with a later release of the MPI', () => {
    assert.equal(notDecoded({ capabilities }), 'session');
    assert.equal(notDecoded({ capabilities, absentKinds: ['session'] }), '');
    assert.equal(notDecoded({ capabilities: {}, absentKinds: ['session'] }), 'no handle can be decoded');
  });

  it('is in lines that a terminal holds', () => {
    const basic = Object.fromEntries(kinds.map((kind) => [kind, ['BASIC']]));
    const lines = linesOf([rank(0, { ...openmpi, capabilities: basic })]).slice(4);
    assert.ok(lines.length > 1 && lines.every((line) => line.length <= 100), lines.join('\n'));
    assert.ok(lines.slice(1).every((line) => /^ {13}\S/.test(line)));
  });

  it('is named part by part', () => {
    const of = without('comm', 'WINDOW_LIST', 'FREED_HANDLE');
    assert.equal(notDecoded({ capabilities: of }), 'windows of comm; whether a comm was freed');
    const two = notDecoded({ capabilities: { ...of, file: ['BASIC'] } });
    assert.equal(two, 'windows of comm; whether a comm/file was freed');
  });
});
