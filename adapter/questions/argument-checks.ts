/**
 * Checks of what a client sends, which may be anything. A check returns a copy with only the known properties, or
 * throws an ArgumentError: one sentence that names the argument and says what it must be.
 */
export type Check<Value> = (value: unknown, name: string) => Value;

/** Left out, or null. */
export interface OptionalCheck<Value> extends Check<Value | undefined> {
  readonly isOptional: true;
}

/** A check for every property, so that nothing is read that was not checked. */
export type Fields<Arguments> = {
  readonly [Name in keyof Arguments]-?: undefined extends Arguments[Name]
    ? OptionalCheck<Exclude<Arguments[Name], undefined>>
    : Check<Arguments[Name]>;
};

export interface RecordCheck<Arguments> extends Check<Arguments> {
  readonly fields: Fields<Arguments>;
}

export class ArgumentError extends Error {
  constructor(name: string, wanted: string) {
    super(name === '' ? `the arguments must be ${wanted}` : `"${name}" must be ${wanted}`);
    this.name = 'ArgumentError';
  }
}

/** `wanted` ends the sentence `"kinds" must be …`. */
export function matching<Value>(wanted: string, isValid: (value: unknown) => value is Value): Check<Value> {
  return (value, name) => {
    if (isValid(value)) return value;
    throw new ArgumentError(name, wanted);
  };
}

export const text = matching('a string', isText);
export const flag = matching('true or false', (value) => typeof value === 'boolean');
export const integer = matching('a whole number', isInteger);
/** A count or an index. */
export const count = matching(
  'a whole number of at least 0',
  (value): value is number => isInteger(value) && value >= 0,
);

export function integerWithin(least: number, most: number): Check<number> {
  return matching(
    `a whole number from ${least} to ${most}`,
    (value): value is number => isInteger(value) && least <= value && value <= most,
  );
}

/** Checked by those who read it. */
export const anything: Check<unknown> = (value) => value;

export function oneOf<Word extends string>(words: readonly Word[]): Check<Word> {
  return matching(`one of ${words.join(', ')}`, (value): value is Word => words.includes(value as Word));
}

export function listOf<Value>(check: Check<Value>): Check<Value[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw new ArgumentError(name, 'a list');
    return value.map((each, i) => check(each, `${name}[${i}]`));
  };
}

export function optional<Value>(check: Check<Value>): OptionalCheck<Value> {
  return Object.assign(
    (value: unknown, name: string) => (value === undefined || value === null ? undefined : check(value, name)),
    { isOptional: true } as const,
  );
}

/** Sent by clients but unused: nothing can read it. */
export const unread: OptionalCheck<never> = Object.assign(() => undefined, { isOptional: true } as const);

export function record<Arguments>(fields: Fields<Arguments>): RecordCheck<Arguments> {
  const checks = Object.entries<Check<unknown>>(fields);
  return Object.assign(
    (value: unknown, name: string) => {
      // Lua writes an empty table as an empty list.
      const isEmptyList = Array.isArray(value) && value.length === 0;
      if (typeof value !== 'object' || value === null || (Array.isArray(value) && !isEmptyList))
        throw new ArgumentError(name, 'an object');
      const given = value as Readonly<Record<string, unknown>>;
      const under = name === '' ? '' : `${name}.`;
      const known = checks.map(([field, check]) => {
        const own = Object.hasOwn(given, field) ? given[field] : undefined;
        return [field, check(own, `${under}${field}`)] as const;
      });
      return Object.fromEntries(known.filter(([, each]) => each !== undefined)) as Arguments;
    },
    { fields },
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
