/** Finds English in the source of the extension that no translation reaches: what users read, outside of l10n.t. */
import ts from 'typescript';

/** Properties, and variables of pages, that hold what users read: a single word counts. */
const read = new Set([
  ...[
    'label',
    'description',
    'tooltip',
    'title',
    'hint',
    'text',
    'texts',
    'lines',
    'line',
    'words',
    'iconText',
    'detail',
  ],
  ...['placeHolder', 'placeholder', 'prompt', 'openLabel', 'aria-label', 'message', 'textContent'],
]);
/** What these hold is never read. */
const unread = new Set([
  ...['id', 'context', 'look', 'kind', 'class', 'margin', 'role', 'type', 'scope', 'value', 'aria-live', 'aria-hidden'],
]);
/** Style and markup. */
const notWords = /^color-mix\(|^<|^['"]*>/;
/** Calls whose texts are shown. */
const showing = /^(element|button|tool|choice|swatch|Error|show\w+Message|fillText)$/;
/** Calls whose texts are not. */
const silent = /^(getContext|series|register\w*|executeCommand|RegExp)$/;

export interface Literal {
  text: string;
  where: string;
}

export function englishLiterals(file: string, content: string): Literal[] {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (isText(node)) {
      // $(icon)
      const text = node.text.replace(/\$\([\w-]+\)/g, '');
      const isSentence = /[a-z]{2,},? +[a-z]|[a-z] +[a-z]{2,}/i.test(text);
      const isWord = /[a-z]{2}/i.test(text) && !notWords.test(text);
      const place = isWord ? placeOf(node) : 'unread';
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      if (place === 'read' || (place === 'unknown' && isSentence)) found.push({ text, where: `${file}:${line + 1}` });
    }
    if (!ts.isTypeNode(node) && !ts.isImportDeclaration(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isText(node: ts.Node): node is ts.LiteralLikeNode {
  return ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node);
}

/** By what it becomes a part of. */
function placeOf(node: ts.Node): 'read' | 'unread' | 'unknown' {
  for (let at = node; at.parent !== undefined; at = at.parent) {
    const { parent } = at;
    if (ts.isBinaryExpression(parent) && isComparison(parent.operatorToken.kind)) return 'unread';
    if (ts.isConditionalExpression(parent) && parent.condition === at) return 'unread';
    if (ts.isElementAccessExpression(parent) || ts.isCaseClause(parent)) return 'unread';
    if (ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent)) {
      if (parent.name === at) return 'unread';
      const name = parent.name.getText().replace(/'/g, '');
      if (unread.has(name)) return 'unread';
      if (read.has(name)) return 'read';
    }
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const name = ts.isPropertyAccessExpression(parent.left) ? parent.left.name.text : '';
      return read.has(name) ? 'read' : 'unknown';
    }
    if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
      const name = parent.expression.getText().split('.').at(-1) ?? '';
      if (parent.expression.getText() === 'l10n.t' || silent.test(name)) return 'unread';
      if (!showing.test(name)) return 'unknown';
      return isName(name) && parent.arguments?.[0] === at ? 'unread' : 'read';
    }
    if (ts.isFunctionLike(at) && !ts.isArrowFunction(at)) return 'unknown';
  }
  return 'unknown';
}

/** Whether the first argument is the name of an element, or of a color. */
const isName = (call: string): boolean => call === 'element' || call === 'swatch';

function isComparison(operator: ts.SyntaxKind): boolean {
  const { EqualsEqualsEqualsToken, ExclamationEqualsEqualsToken, InKeyword } = ts.SyntaxKind;
  return [EqualsEqualsEqualsToken, ExclamationEqualsEqualsToken, InKeyword].includes(operator);
}
