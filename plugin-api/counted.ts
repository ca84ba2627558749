/** "1 byte", "2 bytes"; a count that is too large for a number is a string. */
export function counted(count: number | bigint | string, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;
}
