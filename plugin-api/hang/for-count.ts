const plurals: Readonly<Record<string, string>> = {
  is: 'are',
  has: 'have',
  polls: 'poll',
  reads: 'read',
  sends: 'send',
  waits: 'wait',
  seems: 'seem',
  leaves: 'leave',
};

const plural = (verb: string): string => (Object.hasOwn(plurals, verb) ? plurals[verb]! : verb);

/** A fact of one process, "is in its own code", as several have it: "are in their own code". */
export function forCount(fact: string, count: number): string {
  if (count === 1) return fact;
  return fact
    .replace(/^\w+/, plural)
    .replace(/(?<=, and )\w+/, plural)
    .replace('in its own code', 'in their own code')
    .replace('its part of', 'their parts of')
    .replace('that it holds itself', 'that each holds itself');
}
