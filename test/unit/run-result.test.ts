/** What `run` tells other programs: SARIF and JUnit's XML, whatever the debuggee calls its things. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { junit } from '../../adapter/report/run/junit';
import { crashProblems, hangProblem, statusProblem, type RunResult } from '../../adapter/report/run/run-result';
import { sarif } from '../../adapter/report/run/sarif';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { computes, jobOf, receives } from '../support/hang-state';
import { checkOf } from '../support/json-schema';
import { parseXml } from '../support/xml';
import { xsdProblems } from '../support/xsd';

const schemas = join(__dirname, '..', 'cli', 'schemas');
const sarifProblems = checkOf(
  JSON.parse(readFileSync(join(schemas, 'sarif-2.1.0.json'), 'utf8')) as Record<string, unknown>,
);
const junitSchema = readFileSync(join(schemas, 'JUnit.xsd'), 'utf8');

interface Location {
  physicalLocation: { artifactLocation: { uri: string }; region?: { startLine: number } };
  message: { text: string };
}
interface SarifResult {
  ruleId: string;
  message: { text: string };
  locations: Location[];
  relatedLocations?: Location[];
}

function resultOf(problems: RunResult['problems'], rest: Partial<RunResult> = {}): RunResult {
  const started = new Date('2026-01-02T03:04:05.678Z');
  const where = { command: ['mpirun', '-n', '4', './a b'], cwd: '/home/me/ocean', host: 'node1', version: '0.1.0' };
  return { ...where, started, seconds: 61.25, status: 124, problems, findings: [], notes: [], ...rest };
}

/** Both files, which their schemas allow. */
function written(result: RunResult): { results: SarifResult[]; failures: string[]; texts: string } {
  const log = sarif(result);
  const xml = junit(result);
  const parsed = JSON.parse(log) as { runs: [{ results: SarifResult[] }] };
  assert.deepEqual(sarifProblems(parsed), []);
  assert.deepEqual(xsdProblems(xml, junitSchema), []);
  const [suite] = parseXml(xml).children;
  const testcase = suite!.children.find(({ name }) => name === 'testcase')!;
  const failures = testcase.children.map(({ text }) => text);
  assert.equal(suite!.attributes['failures'], String(failures.length));
  return { results: parsed.runs[0].results, failures, texts: log + xml };
}

/** Ranks 0 and 1 wait for each other, at line 10 and 11. */
function ring(file: string): ReturnType<typeof verdictOf>['document'] {
  const at = (rank: number): object => ({ code: { address: '0x1', file, line: 10 + rank }, where: `a.c:${10 + rank}` });
  const ranks = [0, 1].map((rank) => {
    const told = receives(1 - rank, 7, { traffic: 'none' });
    return { ...told, calls: [{ ...told.calls[0], ...at(rank) }] };
  });
  const look = jobOf([...ranks, ...[2, 3].map(() => ({ ...receives(0, 7), traffic: 'none' }))]);
  return verdictOf({ target: 'live', looks: [look, look], seconds: 1 }).document;
}

describe('the files of a run', () => {
  it('tell of a job that ended well that nothing is wrong', () => {
    const { results, failures } = written(resultOf([], { status: 0 }));
    assert.deepEqual({ results, failures }, { results: [], failures: [] });
  });

  it('tell what was not watched, though the job ended well', () => {
    const note = 'the job was not watched: no rank was found';
    const result = resultOf([], { status: 0, notes: [note] });
    const { results, failures } = written(result);
    assert.deepEqual({ results, failures }, { results: [], failures: [] });
    const { runs } = JSON.parse(sarif(result)) as {
      runs: [{ invocations: [{ toolExecutionNotifications: object[] }] }];
    };
    assert.deepEqual(runs[0].invocations[0].toolExecutionNotifications, [
      { level: 'warning', message: { text: note } },
    ]);
    assert.equal(parseXml(junit(result)).children[0]!.children.at(-1)!.text, note);
  });

  it('lead to the lines of the culprits of a hang', () => {
    const document = ring('/home/me/ocean/src/a.c');
    const { results, failures } = written(resultOf([hangProblem(document, 60)]));
    assert.equal(document.type, 'p2p-cycle');
    assert.equal(results.length, 1);
    assert.equal(results[0]!.ruleId, 'hang/p2p-cycle');
    assert.equal(results[0]!.message.text, document.sentence);
    assert.deepEqual(
      results[0]!.locations.map(({ physicalLocation: { artifactLocation, region }, message }) => ({
        ...{ uri: artifactLocation.uri, line: region?.startLine, text: message.text },
      })),
      [0, 1].map((rank) => ({ uri: 'src/a.c', line: 10 + rank, text: `rank ${rank}: MPI_Recv` })),
    );
    assert.equal(failures.length, 1);
    assert.ok(failures[0]!.startsWith(`${document.sentence}\nrank 0: MPI_Recv (/home/me/ocean/src/a.c:10)\n`));
  });

  it('tell of a job that stands still for an unknown reason', () => {
    const look = jobOf([computes, receives(0, 1)]);
    const { document } = verdictOf({ target: 'live', looks: [look, look], seconds: 1 });
    const { results, failures } = written(resultOf([hangProblem(document, 60)]));
    assert.equal(results[0]!.ruleId, 'hang/unknown');
    assert.match(failures[0]!, /^The job has stood still in MPI for 60 s\. /);
  });

  it('have one problem for ranks that died alike, and the status', () => {
    const frame = { name: 'f', source: '/elsewhere/a.c', line: 3 };
    const crashed = [1, 3].map((rank) => ({
      rank: { rank },
      crash: { signal: 'SIGSEGV', text: 'SIGSEGV at a.c:3', frame },
    }));
    const { results, failures } = written(resultOf([...crashProblems(crashed), statusProblem(139)], { status: 139 }));
    assert.deepEqual(
      results.map(({ ruleId, message }) => [ruleId, message.text]),
      [
        ['crash/SIGSEGV', 'ranks 1,3: SIGSEGV at a.c:3'],
        ['status', 'The launcher ended with status 139.'],
      ],
    );
    assert.equal(results[0]!.locations[0]!.physicalLocation.artifactLocation.uri, 'file:///elsewhere/a.c');
    assert.equal(failures.length, 1, 'a test fails once');
  });

  it('keep the lines of a sentence, and of nothing that the debuggee is called', () => {
    const text = 'rank 1 made a NaN: 0.0/0.0\nat relax.c:41';
    const result = resultOf([{ rule: 'floating-point/invalid', text, places: [], others: [] }], { command: ['a\nb'] });
    const { results, failures } = written(result);
    const [suite] = parseXml(junit(result)).children;
    const testcase = suite!.children.find(({ name }) => name === 'testcase')!;
    assert.deepEqual(
      [results[0]!.message.text, failures[0], testcase.children[0]!.attributes['message'], testcase.attributes['name']],
      [text, text, text, 'a\\u000ab'],
    );
  });

  it('stay what they are whatever the debuggee is called', () => {
    const odd = [
      '\u0000\u001b[31m\u007f\u0085',
      ']]><failure/><!--',
      '"/><x y=\'&amp;&#0;',
      '\u202egnp.exe\u2066\u200b\ufeff',
      '\ud800 lone \udfff',
      '\ufffe\uffff\u{1fffe}',
      '%00%zz#?:\\..//../',
      '\n\r\t  ',
    ];
    for (const name of odd) {
      const document = ring(`/home/me/ocean/${name}/a.c`);
      const hang = hangProblem({ ...document, sentence: `It is ${name}.` }, 60);
      const frame = { name, source: name, line: -1 };
      const crash = { signal: `SIG${name}`, text: name, frame };
      const problems = [hang, ...crashProblems([{ rank: { rank: null, host: name, pid: 7 }, crash }])];
      const { results, failures, texts } = written(
        resultOf(problems, { command: [name], host: 'n' + name, notes: [name] }),
      );
      assert.equal(results.length, 2);
      assert.equal(results[1]!.locations[0]!.physicalLocation.region, undefined);
      assert.equal(failures.length, 1);

      assert.doesNotMatch(
        texts,
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066\ud800\ufeff\ufffe\uffff]/u,
      );
    }
  });
});
