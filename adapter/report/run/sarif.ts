/** The problems of a run in SARIF 2.1.0 (OASIS), as code scanning services read it. Text of the debuggee is only ever text in it. */
import { isAbsolute, relative } from 'node:path';
import { plainLines, plainText } from './plain-text';
import type { Place, RunProblem, RunResult } from './run-result';

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

export function sarif(result: RunResult): string {
  const { command, version, started, seconds, status, problems, findings, notes, cwd } = result;
  const rules = [...new Set([...problems, ...findings].map(({ rule }) => plainText(rule)))];
  const log = {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'mpidbg', version, rules: rules.map(ruleOf) } },
        invocations: [
          {
            commandLine: plainText(command.join(' ')),
            startTimeUtc: started.toISOString(),
            endTimeUtc: new Date(started.getTime() + seconds * 1000).toISOString(),
            exitCode: status,
            executionSuccessful: problems.length === 0,
            ...(notes.length === 0 ? {} : { toolExecutionNotifications: notes.map(notificationOf) }),
          },
        ],
        results: [
          ...problems.map((problem) => resultOf(problem, 'error', rules, cwd)),
          ...findings.map((finding) => resultOf(finding, 'note', rules, cwd)),
        ],
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function notificationOf(note: string): object {
  return { level: 'warning', message: { text: plainText(note) } };
}

function ruleOf(rule: string): object {
  const [kind, type] = rule.split('/');
  const about = {
    hang: type === 'unknown' ? 'The job stands still in MPI' : `The job hangs: ${type}`,
    crash: `A rank died of ${type}`,
    'mpi-error': `A rank died of an MPI error: ${type}`,
    death: `A rank ended the job: ${type}`,
    unwatched: 'The job could not be watched',
    carried: `MPI carried ${type === 'nan' ? 'a NaN' : 'an infinity'} from rank to rank`,
  }[kind!];
  return { id: rule, shortDescription: { text: about ?? 'The launcher ended with a status other than 0' } };
}

function resultOf(
  { rule, text, places, others }: RunProblem,
  level: 'error' | 'note',
  rules: readonly string[],
  cwd: string,
): object {
  const ruleId = plainText(rule);
  const located = places.filter(({ file }) => file !== undefined);
  const related = others.filter(({ file }) => file !== undefined);
  return {
    ruleId,
    ruleIndex: rules.indexOf(ruleId),
    level,
    message: { text: plainLines(text) },
    locations: located.map((place) => locationOf(place, cwd)),
    ...(related.length === 0 ? {} : { relatedLocations: related.map((place) => locationOf(place, cwd)) }),
  };
}

function locationOf({ text, file = '', line }: Place, cwd: string): object {
  const hasLine = Number.isSafeInteger(line) && line! > 0;
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file, cwd) },
      ...(hasLine ? { region: { startLine: line } } : {}),
    },
    message: { text: plainLines(text) },
  };
}

/** Relative to where the job runs, if it lies below that: services look for it in the checkout. */
function uriOf(file: string, cwd: string): string {
  const inside = isAbsolute(file) ? relative(cwd, file) : file;
  const isInside = inside !== '' && !isAbsolute(inside) && inside.split('/')[0] !== '..';
  const path = (isInside ? inside : file).split('/').map(encodedName).join('/');
  return isAbsolute(path) ? `file://${path}` : path;
}

/** A name of a file, whatever bytes it is made of, as a part of a URI. */
function encodedName(name: string): string {
  return [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
