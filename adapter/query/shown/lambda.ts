/** Lambdas of C++: objects of a type without a name, whose members are what they have captured. */
import { basename } from 'node:path';
import { declarationOf } from '../../gdb/declaration';
import type { ValueNode } from '../../values/value-node';
import type { ShownVariable } from './shown-variable';

/** More is captured by hardly any. */
const maxCaptures = 100;

/** `lambda at ripple.cpp:66`; undefined: it is none, or has captured nothing and looks like any empty struct. */
export async function lambdaIn(node: ValueNode): Promise<string | undefined> {
  const { type, shape, evalFrame, step, expression } = node;
  if (!/^(?:const )?struct \{\.\.\.\}$/.test(type ?? '') || shape.kind !== 'struct' || evalFrame.language !== 'c')
    return undefined;
  const captures = await node.parts(0, maxCaptures);
  if (captures.length === 0 || !captures.every(({ name }) => isCapture(name))) return undefined;
  const isVariable = step.kind === 'root' && /^[A-Za-z_]\w*$/.test(expression ?? '');
  const { thread, frame } = evalFrame;
  const place = isVariable ? await declarationOf(thread, frame, expression!) : undefined;
  return place === undefined ? 'lambda' : `lambda at ${basename(place.file)}:${place.line}`;
}

/** What has been captured, by the names that the program has for it. */
export function asLambda(bare: ShownVariable, line: string): ShownVariable {
  const { children } = bare;
  const captures = children && {
    list: async (page: Parameters<typeof children.list>[0]) =>
      (await children.list(page)).map((each) => ({ ...each, name: captureName(each.name) })),
  };
  return { ...bare, value: line, plain: undefined, isShort: true, children: captures };
}

/** As gcc and clang name what a lambda has captured; clang leaves a name out where it has one. */
const isCapture = (name: string): boolean => /^__[A-Za-z_]/.test(name);

function captureName(name: string): string {
  return isCapture(name) ? name.slice(2) : name;
}
