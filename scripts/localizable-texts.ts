// The texts that the extension gives to l10n.t of @vscode/l10n: in VS Code and in its webviews.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** The first import of a page that needs texts when it is loaded: it has the translation read before. */
const translationFirst = './kit/translation';

/**
 * As bundle.l10n.json has them: each text is its own key. Throws Error for a call that a translation would not reach: a text that
 * is not written there as it is, without an argument for each placeholder, or asked for before the translation is known.
 */
export function textsOfExtension(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = new Set<string>();
  for (const name of files)
    for (const text of textsOf(name, readFileSync(path.join(folder, name), 'utf8'))) texts.add(text);
  return Object.fromEntries([...texts].sort().map((text) => [text, text]));
}

export function textsOf(file: string, content: string): string[] {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const isTranslatedFirst = firstImport(source) === translationFirst;
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /\bl10n\.t$/.test(node.expression.getText(source))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      const wrong = (what: string): Error => new Error(`${file}:${line + 1}: ${what}`);
      if (node.expression.getText(source) !== 'l10n.t') throw wrong("write l10n.t, of '@vscode/l10n'");
      const [text, ...values] = node.arguments;
      if (text === undefined || !ts.isStringLiteralLike(text)) throw wrong('l10n.t needs a text');
      const places = new Set(text.text.match(/\{\d+\}/g));
      const isComplete = values.every((value, index) => !ts.isSpreadElement(value) && places.has(`{${index}}`));
      if (!isComplete || places.size !== values.length) throw wrong('l10n.t needs a value for each placeholder');
      if (!isTranslatedFirst && !isInFunction(node)) throw wrong('call l10n.t in a function: this is too early');
      texts.push(text.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function firstImport(source: ts.SourceFile): string | undefined {
  const first = source.statements.find((statement) => ts.isImportDeclaration(statement))?.moduleSpecifier;
  return first !== undefined && ts.isStringLiteral(first) ? first.text : undefined;
}

/** Or in a property of an object that is made later. */
function isInFunction(node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at)) return true;
    if (ts.isPropertyDeclaration(at)) return !at.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
  }
  return false;
}
