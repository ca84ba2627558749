/** Checks values against JSON Schema (draft 4). A keyword that is not known here is an error: nothing is left unchecked. */
import { isDeepStrictEqual } from 'node:util';

interface Schema {
  [keyword: string]: unknown;
}

/** What is wrong with it: a sentence about each place. Empty: nothing. */
export function schemaProblems(value: unknown, root: Schema): string[] {
  return problemsOf(value, root, root, '');
}

/** They say nothing about a value. */
const notes = new Set(['$schema', 'id', 'title', 'description', 'default', 'definitions']);

/** Each answers the problems of a value with what the schema has under that keyword. */
type Check = (value: unknown, wanted: never, context: Context) => string[];

interface Context {
  at: string;
  schema: Schema;
  check: (value: unknown, schema: Schema, at: string) => string[];
  root: Schema;
}

function problemsOf(value: unknown, schema: Schema, root: Schema, at: string): string[] {
  const check = (part: unknown, partSchema: Schema, place: string): string[] =>
    problemsOf(part, partSchema, root, place);
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (notes.has(keyword)) return [];
    const known = checks[keyword];
    if (known === undefined) throw new Error(`the keyword ${keyword} is not checked`);
    return known(value, wanted as never, { at, schema, check, root });
  });
}

const checks: Readonly<Record<string, Check>> = {
  $ref: (value, path: string, { at, check, root }) => {
    const found = path
      .split('/')
      .slice(1)
      .reduce<unknown>((part, name) => (part as Schema)[name], root);
    return check(value, found as Schema, at);
  },
  type: (value, type: string | string[], { at }) =>
    [type].flat().some((each) => isOfType(value, each)) ? [] : [`${at} is no ${String(type)}`],
  enum: (value, values: unknown[], { at }) => (values.includes(value) ? [] : [`${at} is not one of ${values.join()}`]),
  required: (value, names: string[], { at }) =>
    isObject(value) ? names.filter((name) => !(name in value)).map((name) => `${at} has no ${name}`) : [],
  properties: (value, schemas: Record<string, Schema>, { at, check }) =>
    Object.entries(schemas).flatMap(([name, schema]) =>
      isObject(value) && name in value ? check(value[name], schema, `${at}/${name}`) : [],
    ),
  additionalProperties: (value, allowed: boolean | Schema, { at, schema, check }) => {
    if (!isObject(value) || allowed === true) return [];
    const known = isObject(schema['properties']) ? schema['properties'] : {};
    const others = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
    return others.flatMap((name) =>
      allowed === false ? [`${at} may not have ${name}`] : check(value[name], allowed, `${at}/${name}`),
    );
  },
  items: (value, schema: Schema, { at, check }) =>
    Array.isArray(value) ? value.flatMap((item, index) => check(item, schema, `${at}/${index}`)) : [],
  minItems: (value, least: number, { at }) => (Array.isArray(value) && value.length < least ? [`${at} is short`] : []),
  uniqueItems: (value, unique: boolean, { at }) =>
    unique && Array.isArray(value) && value.some((item, i) => value.slice(0, i).some((e) => isDeepStrictEqual(e, item)))
      ? [`${at} has equal items`]
      : [],
  minimum: (value, least: number, { at }) =>
    typeof value === 'number' && value < least ? [`${at} is < ${least}`] : [],
  maximum: (value, most: number, { at }) => (typeof value === 'number' && value > most ? [`${at} is > ${most}`] : []),
  pattern: (value, pattern: string, { at }) =>
    typeof value === 'string' && !new RegExp(pattern, 'u').test(value) ? [`${at} does not match ${pattern}`] : [],
  format: (value, format: string, { at }) => {
    const isRight = formats[format];
    if (isRight === undefined) throw new Error(`the format ${format} is not checked`);
    return typeof value === 'string' && !isRight(value) ? [`${at} is no ${format}`] : [];
  },
  anyOf: (value, schemas: Schema[], { at, check }) =>
    schemas.some((schema) => check(value, schema, at).length === 0) ? [] : [`${at} matches none of its schemas`],
  oneOf: (value, schemas: Schema[], { at, check }) =>
    schemas.filter((schema) => check(value, schema, at).length === 0).length === 1
      ? []
      : [`${at} does not match exactly one of its schemas`],
};

/** RFC 3986: what may be in a reference, and percent signs only before two digits. */
const uriReference = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})*$/;
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uri: (text) => uriReference.test(text) && URL.canParse(text),
  'uri-reference': (text) => uriReference.test(text) && URL.canParse(text, 'file:///'),
  'date-time': (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text)),
};

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  return type === 'object' ? isObject(value) : typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
