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
      'How gdb writes errors, types, values and commands is read in adapter/gdb/ (mi/failure.ts, value-type.ts, mi/value.ts, value-text.ts, user-command.ts).',
    where: /^adapter\/(?!gdb\/)/,
    word: /Cannot access memory|No symbol table|no member named|as an expression|may-(write|call)-|max-value-size|Cannot find bounds|thread is running|Python scripting|frame apply|exited-signalled|-hit$|<optimized out|^\{\.\.\.\}$|<repeats|PTR TO|\(kind=|__class_|\^Type |\bstarti\b|exec-file/,
  },
  {
    name: 'registers-in-processor',
    comment:
      'What a register is called, and in which order registers come, is known to plugin-api/processor/. A user may write $rsp.',
    // They read the text of x86-64's instructions, inside gdb.
    where:
      /^(plugin-api|adapter|extension)\/(?!processor\/|gdb\/python\/(float-trap|float-operation|saved-floats)-script\.ts$)/,
    word: /(?<![\w$])(r[abcd]x|r[sd]i|r[sb]p|rip|r([89]|1[0-5])|[xyz]mm\d+|mxcsr|eflags|[fg]s_base)(?!\w)/,
  },
  {
    name: 'frames-in-stacks',
    comment: 'A frame, whoever has found it, is a Frame of adapter/stacks/, which asks gdb for its frames.',
    where: /^adapter\/(?!gdb\/|stacks\/)/,
    word: /^(GdbFrame|stackListFrames)$/,
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
  const isCommand = (node) =>
    ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && isGdb(node.expression);
  return outsideGdb(folder, files, isCommand).map(
    ({ where, node }) =>
      `gdb-commands-in-gdb: ${where}: ${node.expression.getText()}\n    A command is a function of adapter/gdb/, with arguments and a typed answer.`,
  );
}

/** Where nodes of this kind are in the adapter, but for adapter/gdb. */
function outsideGdb(folder, files, isWanted) {
  return files
    .filter((file) => /^adapter\/(?!gdb\/)/.test(file))
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.Latest, true);
      const found = [];
      const visit = (node) => {
        if (isWanted(node)) {
          const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
          found.push({ where: `${file}:${line}`, node });
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

/** Methods that read what a text says. */
const reading = new Set([
  'match',
  'matchAll',
  'search',
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'slice',
  'split',
]);

/** @returns {string[]} a line for each place outside adapter/gdb that reads what gdb's text of a value says. */
export function valuesReadAsText(folder, files) {
  return outsideGdb(folder, files, readsValueText).map(
    ({ where, node }) =>
      `values-read-in-gdb: ${where}: ${node.getText().slice(0, 80)}\n    What a value is, adapter/gdb/mi/value.ts tells by its kind.`,
  );
}

function readsValueText(node) {
  if (ts.isBinaryExpression(node)) return isComparison(node) && [node.left, node.right].some(isValueText);
  if (!ts.isCallExpression(node)) return false;
  const { expression: called, arguments: args } = node;
  if (ts.isIdentifier(called))
    return /^(Number|BigInt|parseInt|parseFloat|valueOf)$/.test(called.text) && args.some(isValueText);
  if (!ts.isPropertyAccessExpression(called)) return false;
  const isPattern = /^(test|exec|parseInt|parseFloat)$/.test(called.name.text);
  return isPattern ? args.some(isValueText) : reading.has(called.name.text) && isValueText(called.expression);
}

function isComparison({ operatorToken: { kind }, left, right }) {
  const isEquality =
    kind === ts.SyntaxKind.EqualsEqualsEqualsToken || kind === ts.SyntaxKind.ExclamationEqualsEqualsToken;
  return isEquality && [left, right].some(ts.isStringLiteralLike);
}

/** `value.text`, `node.value.text`, `(await dataEvaluateExpression(…)).text`, perhaps with `?? ''`. */
function isValueText(node) {
  if (ts.isParenthesizedExpression(node)) return isValueText(node.expression);
  if (ts.isBinaryExpression(node)) return isValueText(node.left);
  if (!ts.isPropertyAccessExpression(node) || node.name.text !== 'text') return false;
  return /(^|\.)(value|plain|written|told)$|dataEvaluateExpression|\bwrite\(\)|writtenOut\(\)/.test(
    node.expression.getText(),
  );
}
