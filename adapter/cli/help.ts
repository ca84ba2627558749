/** The help, the help of one command and the man page, all generated from the table of commands. */
import { version } from '../../package.json';
import { lineWidth, wrapped } from '../../plugin-api/answers/text/wrapped';
import {
  commandEntries,
  optionEntries,
  targetOptions,
  type CommandEntry,
  type Option,
} from './arguments/command-table';

const purpose = 'inspect the ranks of an MPI job, running or crashed';
const kinds = `KIND is comm, datatype, errhandler, file, group, info, message, op, request, session, status or win; without it the
declared type decides. KIND.f: reads the expression as a Fortran INTEGER handle: comm.f:newcomm, comm.f:3`;
const promise = 'mpidbg leaves every process exactly as it found it.';

type Rows = readonly (readonly [string, string])[];

const titleOf = ([name, { operands }]: (typeof commandEntries)[number]): string =>
  `mpidbg ${name} ${operands}`.trimEnd();
const commandRows: Rows = commandEntries.map((entry) => [titleOf(entry), entry[1].summary]);
const isTarget = (name: string): boolean => targetOptions.some((option) => option === name) && name !== 'ranks';

export function usage(): string {
  const [targets, others] = [true, false].map((wanted) => optionRows(([name]) => isTarget(name) === wanted));
  return [
    `mpidbg: ${purpose}\n`,
    ...columns(commandRows),
    '\nTARGET',
    ...columns(targets ?? []),
    '\nOptions',
    ...columns(others ?? []),
    '',
    ...wrapped(kinds),
    `\n${promise}\n`,
  ].join('\n');
}

/** What one command takes. */
export function commandHelp(command: string, entry: CommandEntry): string {
  const { operands, summary, note, example } = entry;
  const rows = optionRows(([name]) => entry.options.some((option) => option === name));
  return [
    `mpidbg ${command} ${operands}`.trimEnd(),
    `  ${summary}`,
    ...(example === undefined ? [] : [`\n  ${example}`]),
    ...(rows.length === 0 ? [] : ['', ...columns(rows)]),
    ...(note === undefined ? [] : ['', ...wrapped(note)]),
    ...(operands.includes('KIND') ? ['', ...wrapped(kinds)] : []),
    '',
  ].join('\n');
}

/** For man(7). */
export function manPage(): string {
  const row = (term: string, ...paragraphs: string[]): string[] => [
    '.TP',
    `.B ${escaped(term)}`,
    paragraphs.map(escaped).join('\n.sp\n'),
  ];
  return [
    `.TH MPIDBG 1 "" "mpidbg ${version}" "User Commands"`,
    '.SH NAME',
    `mpidbg \\- ${escaped(purpose)}`,
    '.SH SYNOPSIS',
    '.B mpidbg',
    '.I COMMAND',
    '[\\fIOPTION\\fR...] \\fITARGET\\fR',
    '.SH COMMANDS',
    ...commandEntries.flatMap((entry) => {
      const { summary, note } = entry[1];
      return row(titleOf(entry), summary, ...(note === undefined ? [] : [note]));
    }),
    '.SH OPTIONS',
    ...optionRows(() => true).flatMap(([term, text]) => row(term, text)),
    '.SH KINDS OF HANDLES',
    escaped(kinds),
    '.SH EXIT STATUS',
    '0: every rank was asked, and each expression could be evaluated in some rank. 1: a rank has an error, or no rank',
    'could evaluate an expression. 2: wrong usage, the target cannot be opened, or the output cannot be written.',
    '.SH EXAMPLES',
    ...commandEntries.flatMap(([, { example }]) =>
      example === undefined ? [] : ['.PP', '.nf', escaped(example), '.fi'],
    ),
    '.SH NOTES',
    promise,
    '',
  ].join('\n');
}

function optionRows(isWanted: (entry: readonly [string, Option]) => boolean): Rows {
  return optionEntries.filter(isWanted).map(([name, { argument, short, summary }]) => {
    const names = `${short === undefined ? '' : `-${short}, `}--${name}`;
    return [argument === undefined ? names : `${names} ${argument}`, summary];
  });
}

function columns(rows: Rows): string[] {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.flatMap(([term, text]) =>
    wrapped(text, lineWidth - width - 4).map((line, i) => `  ${(i === 0 ? term : '').padEnd(width)}  ${line}`),
  );
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
