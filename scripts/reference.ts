/** docs/reference.md: every command and option of the command line, attribute of launch.json, and setting, from their typed sources. */
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import {
  commandEntries,
  optionEntries,
  optionTable,
  targetOptions,
  type OptionName,
} from '../adapter/cli/arguments/command-table';
import { attachAttributes, launchAttributes, sessionAttributes, type Schema } from '../extension/manifest/attributes';
import { manifest } from '../extension/manifest/manifest';

const heading = `# Reference

Made by \`npm run manifest\` from the sources; the manual (manual.md) explains by task.
`;

/** The page, formatted as the repository's files are. */
export async function reference(): Promise<string> {
  const file = path.join(__dirname, '..', 'docs/reference.md');
  const { properties } = manifest.contributes.configuration;
  const sections = [
    heading,
    '## Commands of the command line',
    ...commandEntries.map(([name, entry]) =>
      [
        `### mpidbg ${name}`,
        `\`${`mpidbg ${name} ${entry.operands}`.trimEnd()}\`: ${escaped(entry.summary)}`,
        ...(entry.note === undefined ? [] : [escaped(entry.note)]),
        ...(entry.example === undefined ? [] : [`Example: \`${entry.example}\``]),
        ...(entry.options.length === 0 ? [] : [`Options: ${optionsOf(entry.options)}`]),
      ].join('\n\n'),
    ),
    '## Options of the command line',
    `TARGET: ${targetOptions.map((name) => `\`--${name}\``).join(', ')}.`,
    table(
      ['option', 'meaning'],
      optionEntries.map(([name, { summary }]) => [`\`${optionText(name as OptionName)}\``, summary]),
    ),
    '## launch.json: `"request": "launch"`',
    attributes(launchAttributes),
    '## launch.json: `"request": "attach"`',
    attributes(attachAttributes),
    '## launch.json: both',
    attributes(sessionAttributes),
    '## Settings',
    attributes(properties),
    '## Commands of VS Code',
    table(
      ['command', 'identifier'],
      manifest.contributes.commands.map(({ command, title }) => [title, `\`${command}\``]),
    ),
  ];
  return format(sections.join('\n\n'), { ...(await resolveConfig(file)), parser: 'markdown' });
}

/** Those that say which job is meant are not repeated. */
function optionsOf(options: readonly OptionName[]): string {
  const hasTarget = targetOptions.every((name) => options.includes(name));
  const own = hasTarget ? options.filter((name) => !targetOptions.includes(name)) : options;
  const texts = own.map((name) => `\`${optionText(name)}\``);
  return [...texts, ...(hasTarget ? ['those of a TARGET'] : [])].join(', ');
}

function optionText(name: OptionName): string {
  const { argument, short } = optionTable[name] as { argument?: string; short?: string };
  return `${short === undefined ? '' : `-${short}, `}--${name}${argument === undefined ? '' : ` ${argument}`}`;
}

function attributes(schemas: Readonly<Record<string, Schema>>): string {
  return table(
    ['name', 'type', 'default', 'meaning'],
    Object.entries(schemas).map(([name, schema]) => [
      `\`${name}\``,
      typeOf(schema),
      defaultOf(schema),
      meaningOf(schema),
    ]),
  );
}

function typeOf({ type, enum: words }: Schema): string {
  if (words !== undefined) return words.map((word) => `\`${JSON.stringify(word)}\``).join(', ');
  return [type ?? 'any'].flat().join(' or ');
}

function defaultOf(schema: Schema): string {
  return schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
}

function meaningOf({ markdownDescription, description }: Schema): string {
  return markdownDescription ?? escaped(description ?? '');
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/\n+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text that is no Markdown. */
function escaped(text: string): string {
  return text.replace(/([*_<>[\]])/g, '\\$1');
}
