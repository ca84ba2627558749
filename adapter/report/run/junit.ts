/** A run as one test in JUnit's XML, in the strict form of its schemas. Text of the debuggee is only ever text in it. */
import { plainLines, plainText } from './plain-text';
import type { Place, RunProblem, RunResult } from './run-result';

export function junit({ command, host, started, seconds, problems, findings, notes }: RunResult): string {
  const counts = attributes({ tests: '1', failures: String(Math.min(problems.length, 1)), errors: '0' });
  const name = plainText(command.join(' '));
  const time = seconds.toFixed(3);
  // Its schema forbids a zone and parts of a second.
  const timestamp = started.toISOString().slice(0, 19);
  const suite = attributes({
    name: 'mpidbg run',
    package: 'mpidbg',
    id: '0',
    hostname: plainText(host),
    timestamp,
    time,
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `<testsuite${suite}${counts}>`,
    '<properties/>',
    `<testcase${attributes({ name, classname: 'mpidbg', time })}>`,
    ...failure(problems),
    '</testcase>',
    findings.length === 0 ? '<system-out/>' : `<system-out>${textOf(findings).map(escaped).join('\n')}</system-out>`,
    notes.length === 0 ? '<system-err/>' : `<system-err>${notes.map(escaped).join('\n')}</system-err>`,
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** A test fails once; what else is wrong is told in its text. */
function failure(problems: readonly RunProblem[]): string[] {
  const [first] = problems;
  if (first === undefined) return [];
  return [
    `<failure${attributes({ type: first.rule, message: first.text })}>${textOf(problems).map(escaped).join('\n')}</failure>`,
  ];
}

function textOf(problems: readonly RunProblem[]): string[] {
  return problems.flatMap(({ text, places, others }) => [text, ...[...places, ...others].map(placeText)]);
}

function placeText({ text, file, line }: Place): string {
  return file === undefined ? text : `${text} (${file}${line === undefined ? '' : `:${line}`})`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll('\n', '&#10;')}"`)
    .join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return plainLines(text).replace(/[&<>"]/g, (character) => entities[character]!);
}
