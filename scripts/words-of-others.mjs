// Words that belong to another folder: names and messages of an MPI or of gdb, in code that should ask the folder
// that knows them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const rules = [
  {
    name: 'mpi-facts-in-plugins',
    comment: 'What one MPI is called or does is a fact of its plugin (plugin-api/mpi/facts.ts), which is asked for it.',
    where: /^adapter\//,
    word: /open[-_ ]?mpi|mpich|ompi_|\bopal_|\borte|prte(?!d?ed)|\bhydra|pmix|\bpmi_|\bucx|libuc|slurm|mpir_|mpii_|mpidi?_(?!ERR)|libp?mpi/i,
  },
  {
    name: 'gdb-words-in-gdb',
    comment:
      'How gdb writes errors, types, values and commands is read in adapter/gdb/ (mi/failure.ts, value-type.ts, value-text.ts, user-command.ts).',
    where: /^adapter\/(?!gdb\/)/,
    word: /Cannot access memory|No symbol table|no member named|as an expression|may-(write|call)-|max-value-size|Cannot find bounds|thread is running|Python scripting|frame apply|exited-signalled|-hit$|<optimized out|<repeats|PTR TO|\(kind=|__class_|\^Type |\bstarti\b|exec-file/,
  },
  {
    name: 'options-in-front-ends',
    comment: 'What an option is called is known to the front end that has it: give an Advice (adapter/job/advice.ts).',
    where: /^adapter\/(?!cli\/|cli\.ts|dap\/)/,
    word: /(?<![\w-])--(search-path|program|source-map|gdb|ranks|timeout|plugin|core|internal)\b|(?<!=)"(searchPath|sourceFileMap|programs?|launcher|launcherArgs|launcherPid|env|cwd|stdin|ranks|gdb|cores|pids|plugins|request)"|launch\.json/,
  },
];

/** @returns {string[]} a line for each word: `rule: file:line: text`, and the rule's comment. */
export function wordsOfOthers(folder, files) {
  return files.flatMap((file) =>
    rules
      .filter(({ where }) => where.test(file))
      .flatMap(({ name, word, comment }) =>
        spokenIn(file, readFileSync(join(folder, file), 'utf8'))
          .filter(({ text }) => word.test(text))
          .map(({ text, line }) => `${name}: ${file}:${line}: ${text.trim().slice(0, 80)}\n    ${comment}`),
      ),
  );
}

/** Texts, patterns and names in the code; not its comments, nor whom it imports from. */
function spokenIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const isSpoken =
      ts.isStringLiteralLike(node) ||
      ts.isIdentifier(node) ||
      ts.isRegularExpressionLiteral(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node);
    if (isSpoken) found.push({ text: node.text, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Calls by which commands are sent to gdb as text. */
const commands = new Set(['console', 'command', 'commandOutput', 'quietly']);

/** @returns {string[]} a line for each command that is written outside adapter/gdb. */
export function commandsOfGdb(folder, files) {
  return files
    .filter((file) => /^adapter\/(?!gdb\/)/.test(file))
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.Latest, true);
      const found = [];
      const visit = (node) => {
        if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && isGdb(node.expression)) {
          const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
          found.push(
            `gdb-commands-in-gdb: ${file}:${line}: ${node.expression.getText()}\n    A command is a function of adapter/gdb/, with arguments and a typed answer.`,
          );
        }
        node.forEachChild(visit);
      };
      visit(source);
      return found;
    });
}

function isGdb({ name, expression }) {
  return commands.has(name.text) && /(^|\.)gdb$/.test(expression.getText());
}
