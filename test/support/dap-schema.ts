/**
 * The Debug Adapter Protocol as its schema has it, read from the declarations that are generated from that
 * (@vscode/debugprotocol): what a message of it has to be, and the arguments of each request.
 */
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** One argument of a request; what is in a list is behind []: "breakpoints[].line". */
export interface ArgumentPath {
  path: string;
  isOptional: boolean;
  type: ts.TypeNode;
}

const file = require.resolve('@vscode/debugprotocol/lib/debugProtocol.d.ts');
const declared = new Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>();
const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
(function collect(node: ts.Node): void {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) declared.set(node.name.text, node);
  else ts.forEachChild(node, collect);
})(source);

/** The name of the declaration for a request's arguments or an answer: ("setBreakpoints", "Arguments"). */
export function nameOf(message: string, part: 'Arguments' | 'Response' | 'Event'): string {
  return `${message[0]!.toUpperCase()}${message.slice(1)}${part}`;
}

export function isDeclared(name: string): boolean {
  return declared.has(name);
}

/** What is wrong with a value of a declared type: a sentence about each place. Empty: nothing. */
export function problemsOf(name: string, value: unknown): string[] {
  return propertiesOf(name).flatMap((property) => problemsOfProperty(property, value, ''));
}

/** The paths of a request's arguments, in all depths. */
export function argumentPaths(name: string, prefix = ''): ArgumentPath[] {
  return propertiesOf(name).flatMap((property) => {
    const path = `${prefix}${property.name.getText()}`;
    return pathsOf(property.type!, path, property.questionToken !== undefined);
  });
}

function pathsOf(type: ts.TypeNode, path: string, isOptional: boolean): ArgumentPath[] {
  const own = { path, isOptional, type };
  if (ts.isArrayTypeNode(type)) return [own, ...pathsOf(type.elementType, `${path}[]`, false)];
  const name = referenceOf(type);
  // A source may have sources.
  const isNew = name !== undefined && isInterface(name) && !path.includes('sources');
  return isNew ? [own, ...argumentPaths(name, `${path}.`)] : [own];
}

/** With all that is in it. */
export function isOfType(type: ts.TypeNode, value: unknown): boolean {
  return problemsOfType(type, value, '').length === 0;
}

function problemsOfType(type: ts.TypeNode, value: unknown, at: string): string[] {
  const wrong = (wanted: string): string[] => [`${at} is ${JSON.stringify(value)?.slice(0, 200)}, and not ${wanted}`];
  if (ts.isParenthesizedTypeNode(type)) return problemsOfType(type.type, value, at);
  if (ts.isUnionTypeNode(type)) {
    const problems = type.types.map((each) => problemsOfType(each, value, at));
    return problems.some((each) => each.length === 0) ? [] : problems[0]!;
  }
  if (ts.isArrayTypeNode(type)) {
    if (!Array.isArray(value)) return wrong('a list');
    return value.flatMap((each, i) => problemsOfType(type.elementType, each, `${at}[${i}]`));
  }
  if (ts.isLiteralTypeNode(type)) {
    const wanted = ts.isStringLiteral(type.literal) ? type.literal.text : null;
    return value === wanted ? [] : wrong(JSON.stringify(wanted));
  }
  if (ts.isTypeLiteralNode(type)) return problemsOfLiteral(type, value, at);
  const { kind } = type;
  if (kind === ts.SyntaxKind.AnyKeyword) return [];
  if (kind === ts.SyntaxKind.StringKeyword) return typeof value === 'string' ? [] : wrong('a string');
  if (kind === ts.SyntaxKind.BooleanKeyword) return typeof value === 'boolean' ? [] : wrong('true or false');
  if (kind === ts.SyntaxKind.NumberKeyword) {
    // In the schema all of them are integers but one.
    if (at.endsWith('percentage')) return typeof value === 'number' ? [] : wrong('a number');
    return Number.isInteger(value) ? [] : wrong('an integer');
  }
  const name = referenceOf(type);
  if (name === undefined) throw new Error(`${type.getText()} of ${file} is nothing that is known here`);
  const alias = declared.get(name);
  if (alias !== undefined && ts.isTypeAliasDeclaration(alias)) return problemsOfType(alias.type, value, at);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('an object');
  return propertiesOf(name).flatMap((property) => problemsOfProperty(property, value, at));
}

function problemsOfLiteral(type: ts.TypeLiteralNode, value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${at} is ${JSON.stringify(value)}, and not an object`];
  return type.members.flatMap((member) => {
    if (ts.isPropertySignature(member)) return problemsOfProperty(member, value, at);
    if (!ts.isIndexSignatureDeclaration(member)) return [];
    return Object.entries(value).flatMap(([name, each]) => problemsOfType(member.type, each, `${at}.${name}`));
  });
}

function problemsOfProperty(property: ts.PropertySignature, of: unknown, at: string): string[] {
  const name = property.name.getText();
  const value = (of as Record<string, unknown>)[name];
  if (value === undefined) return property.questionToken === undefined ? [`${at}.${name} is missing`] : [];
  return problemsOfType(property.type!, value, `${at}.${name}`);
}

/** With those that it inherits; its own take their place. */
function propertiesOf(name: string): ts.PropertySignature[] {
  const declaration = declared.get(name);
  if (declaration === undefined || !ts.isInterfaceDeclaration(declaration)) throw new Error(`no interface ${name}`);
  const above = (declaration.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap((type) => propertiesOf(type.expression.getText())),
  );
  const own = declaration.members.filter(ts.isPropertySignature);
  const names = new Set(own.map((property) => property.name.getText()));
  return [...above.filter((property) => !names.has(property.name.getText())), ...own];
}

function isInterface(name: string): boolean {
  const declaration = declared.get(name);
  return declaration !== undefined && ts.isInterfaceDeclaration(declaration);
}

function referenceOf(type: ts.TypeNode): string | undefined {
  return ts.isTypeReferenceNode(type) ? type.typeName.getText() : undefined;
}
