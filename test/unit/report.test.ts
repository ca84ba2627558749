import assert from 'node:assert/strict';
import type { Answer, RankAnswer, StackNode } from '../../plugin-api/mpi/records';
import { valueOf } from '../../adapter/gdb/mi/value';
import type { LocalValue } from '../../adapter/query/across-ranks/local-values';
import { html } from '../../adapter/report/html';
import type { Report, ReportedProcess } from '../../adapter/report/report';
import { reportHtml } from '../../adapter/report/report-html';
import { countRanks } from '../../plugin-api/mpi/rank-names';

const implementation = {
  name: 'openmpi',
  version: '4.1.4',
  layout: 'table openmpi 4.1.4',
  capabilities: { comm: ['BASIC'] },
  state: 'initialized' as const,
  checks: [{ name: 'size of MPI_COMM_WORLD', passed: true, found: '4', expected: '4' }],
};

const notKept = { code: 'MPIDBG_ERR_UNAVAILABLE' as const, reason: 'it is not kept' };

function comm(name: string, rank: number, flags: 'internal'[] = []): Answer {
  const handle = `0x${(0x5500 + rank).toString(16)}`;
  return {
    kind: 'comm',
    code: 'MPIDBG_SUCCESS',
    info: {
      handle,
      fortranHandle: 3,
      name,
      flags,
      rank,
      size: 4,
      localProcs: [0, 1, 2, 3],
      contextId: notKept,
      group: { kind: 'group', handle },
      errhandler: { kind: 'errhandler', handle, name: 'MPI_ERRORS_ARE_FATAL' },
      attributes: [],
      pendingRequests: [],
      derivedWindows: [],
      derivedFiles: [],
    },
  };
}

function rankAnswer(rank: number, ...answers: Answer[]): RankAnswer {
  return { rank, host: 'node1', pid: 4000 + rank, implementation, answers };
}

function node(name: string, ranks: string, ...children: StackNode[]): StackNode {
  return { frame: { name, source: `/src/${name}.c`, line: 12 }, ranks, threads: countRanks(ranks), children };
}

function reportOf(handles: Report['handles']['ranks'], rest: Partial<Report> = {}): Report {
  const processes = handles.map(({ rank, host, pid }): ReportedProcess => ({
    ...{ rank, ...(host && { host }), ...(pid && { pid }) },
    program: '/home/me/ocean',
    whereabouts: rank === 2 ? 'usleep at io.c:88' : 'MPI_Barrier',
    threads: 1,
    variables: [],
  }));
  return {
    target: 'launcher 4711',
    ended: undefined,
    hang: undefined,
    made: new Date('2026-11-21T10:00:00Z'),
    version: '0.1.0',
    held: 500,
    processes,
    crash: [],
    overlays: undefined,
    notes: [],
    handles: { schema: 'mpidbg/1', target: 'live', ranks: handles },
    stacks: { schema: 'mpidbg/1', target: 'live', tree: [node('main', '0-3')], outliers: [], errors: [] },
    full: false,
    ...rest,
  };
}

const four = [0, 1, 2, 3].map((rank) => rankAnswer(rank, comm('ocean', rank)));

/** The part of the page between the headings of two sections, without tags, each run of white space one space. */
function textOf(page: string, section: string): string {
  const [, content = ''] = new RegExp(`<section id="${section}"([^]*?)</section>`).exec(page) ?? [];
  return content.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

describe('html``', () => {
  it('escapes what goes into a text or into quotes', () => {
    assert.equal(
      html`<p title="${`a"'<b>&`}">${'</p><script>'}</p>`.markup,
      '<p title="a&quot;&#39;&lt;b&gt;&amp;">&lt;/p&gt;&lt;script&gt;</p>',
    );
  });

  it('writes out what a browser would obey or hide', () => {
    const bell = String.fromCharCode(7);
    const turned = String.fromCharCode(0x202e);
    const half = String.fromCharCode(0xd800);
    assert.equal(html`${bell}${turned}${half}😀`.markup, '\\u0007\\u202e\\ud800😀');
  });

  it('takes markup and lists of it as they are, and nothing for undefined', () => {
    const numbers = [1, 2].map((number) => html`<b>${number}</b>`);
    assert.equal(html`<p>${numbers}${undefined}</p>`.markup, '<p><b>1</b><b>2</b></p>');
  });
});

describe('the page of a report', () => {
  it('lets no name of the program out of its place', () => {
    const hostile = `</style></script><script>alert(1)</script><img src=x onerror='alert(2)'>"'`;
    const page = reportHtml(
      reportOf([rankAnswer(0, comm(hostile, 0))], {
        processes: [
          { rank: 0, host: hostile, program: `/bin/${hostile}`, whereabouts: hostile, threads: 1, variables: [] },
        ],
        stacks: {
          schema: 'mpidbg/1',
          target: 'live',
          tree: [{ frame: { name: hostile, source: hostile, line: 1 }, ranks: hostile, threads: 1, children: [] }],
          outliers: [hostile],
          errors: [{ rank: 0, error: { ...notKept, reason: hostile } }],
        },
        crash: [hostile],
        notes: [hostile],
        target: hostile,
      }),
    );
    assert.equal(page.match(/<script/g)?.length, 1, 'the only script is the own one');
    assert.equal(page.match(/<\/style/g)?.length, 1);
    assert.doesNotMatch(page, /<img/);
    assert.doesNotMatch(page, /="[^"<>]*onerror='/);
  });

  it('loads nothing, and allows only its own style and script', () => {
    const page = reportHtml(reportOf(four));
    assert.match(page, /default-src &#39;none&#39;; style-src &#39;sha256-[^&]+&#39;; script-src &#39;sha256-/);
    assert.doesNotMatch(page, /\b(src|srcset|action|data|poster)="|@import|url\(|\bhttps?:|unsafe-inline/);
    assert.ok([...page.matchAll(/href="([^"]*)"/g)].every(([, target]) => target?.startsWith('#')));
  });

  it('tells what the ranks have in common once', () => {
    const page = reportHtml(reportOf(four));
    assert.match(page, /<title>ocean on 4 ranks<\/title>/);
    assert.match(
      textOf(page, 'summary'),
      /Program \/home\/me\/ocean .*MPI library openmpi 4\.1\.4, initialized .*all 1 passed/,
    );
    const lines = [...page.matchAll(/<span class="line">([^<]*)/g)].map(([, line]) => line);
    assert.deepEqual(lines, ['MPI_Comm &quot;ocean&quot; · rank 0-3 of 4  (0x5500, 0x5501, 0x5502, 0x5503)']);
    assert.match(textOf(page, 'handles'), /ranks in MPI_COMM_WORLD \[0, 1, 2, 3\] .*errhandler MPI_ERRORS_ARE_FATAL /);
  });

  it('folds what the MPI library made for itself', () => {
    const page = reportHtml(reportOf([rankAnswer(0, comm('ocean', 0), comm('secret', 0, ['internal']))]));
    const [before = '', folded = ''] = page.split('own (1)</summary>');
    assert.match(before, /MPI_Comm &quot;ocean&quot;/);
    assert.doesNotMatch(before, /secret/);
    assert.match(folded, /MPI_Comm &quot;secret&quot;/);
  });

  it('names the ranks that differ, and in what', () => {
    const ranks = [...four.slice(0, 3), rankAnswer(3, comm('ocean', 3), comm('more', 3))];
    const text = textOf(reportHtml(reportOf(ranks)), 'differences');
    assert.match(text, /rank 2: differs from most in place/);
    assert.match(text, /rank 3: differs from most in number of MPI_Comm/);
    assert.match(text, /place 0-1,3 MPI_Barrier 2 usleep at io\.c:88/);
    assert.match(text, /number of MPI_Comm 0-2 1 3 2 /);
    assert.doesNotMatch(text, /MPI library/);
  });

  it('names variables of the same function that differ, and of many values the range', () => {
    const local = (frame: string, name: string, text: string): LocalValue => ({
      ...{ frame, name, text, value: valueOf(text) },
    });
    const base = reportOf(Array.from({ length: 12 }, (_, rank) => rankAnswer(rank, comm('ocean', rank))));
    const processes = base.processes.map((process) => ({
      ...process,
      place: 'solve at solver.c:9',
      variables: [
        local('solve', 'residual', process.rank === 7 ? 'nan(0x8000000000000)' : '0.5'),
        local('solve', 'cells', '100'),
        local('main', 'rank', String(process.rank)),
      ],
    }));
    const text = textOf(reportHtml({ ...base, processes }), 'differences');
    assert.match(text, /rank 7: differs from most in residual in solve /);
    assert.match(text, /residual in solve 0-6,8-11 0\.5 7 nan /);
    assert.match(text, /rank in main 12 different values 0 0 is the smallest 11 11 is the greatest/);
    assert.doesNotMatch(text, /cells/);
  });

  it('takes no list that cannot be read for an empty one', () => {
    const unread: Answer = { kind: 'comm', code: 'MPIDBG_ERR_UNAVAILABLE', reason: 'the core file is truncated' };
    const page = reportHtml(reportOf([rankAnswer(0, comm('ocean', 0)), rankAnswer(1, unread)]));
    const text = page.replace(/<[^>]*>|\s+/g, ' ').replace(/ +/g, ' ');
    assert.match(text, /Handles 0 1 MPI_Comm 1 unknown: the core file is truncated /);
    assert.match(text, /number of MPI_Comm 0 1 1 unknown /);
    assert.doesNotMatch(text, /predefined ones only/);
    const none = reportHtml(reportOf([rankAnswer(0, unread)])).replace(/<[^>]*>|\s+/g, ' ');
    assert.match(none, /MPI_Comm +none that could be read/);
  });

  it('has events, OpenMP and calls line by line, in which nothing is markup', () => {
    const told = {
      events: 'MPI events\n  <one>\n',
      openmp: '0: 3 threads\n  & more\n',
      calls: '0: 2 calls\n  MPI_Send\n',
    };
    const page = reportHtml(reportOf([], { overlays: { variables: [], notes: [], ...told } }));
    for (const text of ['MPI events\n  &lt;one&gt;\n', '0: 3 threads\n  &amp; more\n', '0: 2 calls\n  MPI_Send\n'])
      assert.ok(page.includes(`<pre>${text}</pre>`), page);
  });

  it('says that no rank differs where none could be read', () => {
    assert.match(textOf(reportHtml(reportOf([])), 'differences'), /No rank could be read\./);
  });

  it('says so when none differs', () => {
    assert.match(textOf(reportHtml(reportOf(four.slice(0, 2))), 'differences'), /None: they are at the same place/);
    assert.match(textOf(reportHtml(reportOf(four.slice(0, 1))), 'differences'), /There is only one/);
  });

  it('lists what is unavailable with its reason, once for all ranks', () => {
    const lost = { rank: 3, host: 'node2', error: { ...notKept, reason: 'its gdb ended' } };
    const text = textOf(reportHtml(reportOf([...four.slice(0, 3), lost])), 'unavailable');
    assert.match(text, /MPI_Comm context id it is not kept 0-2 /);
    assert.match(text, /MPI and its handles its gdb ended 3 /);
  });

  it('marks where few ranks went another way, and keeps a deep stack flat', () => {
    let deep = node('leaf', '0-3');
    for (let i = 0; i < 5000; i++) deep = node('again', '0-3', deep);
    const odd = node('main', '0-3', node('exchange', '0-1,3'), node('write_out', '2'));
    const stacks = (tree: StackNode[]) => reportHtml(reportOf(four, { stacks: { ...reportOf(four).stacks, tree } }));
    const [section = ''] = /<section id="stacks"[^]*?<\/section>/.exec(stacks([odd])) ?? [];
    assert.deepEqual(
      [...section.matchAll(/<details open class="odd">\s*<summary>\s*<span class="ranks">([^<]*)/g)].map(
        ([, ranks]) => ranks,
      ),
      ['2'],
    );
    const [flat = ''] = /<section id="stacks"[^]*?<\/section>/.exec(stacks([deep])) ?? [];
    assert.equal(flat.match(/<details/g)?.length, 1);
    assert.equal(flat.match(/class="frame"/g)?.length, 5001);
  });

  it('has a table row for each of 64 ranks and one line for what they have in common', () => {
    const ranks = Array.from({ length: 64 }, (_, rank) => rankAnswer(rank, comm('ocean', rank)));
    const page = reportHtml(reportOf(ranks));
    assert.equal(page.match(/<tr data-ranks="\d+">/g)?.length, 64);
    assert.equal(page.match(/<span class="line">/g)?.length, 1);
    assert.match(page, /<span class="line">MPI_Comm &quot;ocean&quot; · rank 0-63 of 4 /);
    assert.ok(page.includes('0x553f'), 'no rank is left out below the line');
  });
});

describe('countRanks', () => {
  it('counts ranges, and processes without a rank', () => {
    assert.equal(countRanks('0-3,7'), 5);
    assert.equal(countRanks('2,pid 4711'), 2);
    assert.equal(countRanks('0-1,0.1:0-2,5,10.12:7'), 7);
  });
});
