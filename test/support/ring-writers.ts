/** Builds ring-writers.c with the collector's own source. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workshop } from './compile';

const native = join(__dirname, '..', '..', 'adapter', 'collector', 'native');

/** The path of the program. */
export function compileRingWriters(workshop: Workshop): string {
  const source = readFileSync(join(__dirname, 'ring-writers.c'), 'utf8');
  const files = ['region.c', 'rings.c'].map((name) => join(native, name));
  const options = ['-std=gnu11', '-O2', '-rdynamic', '-pthread', `-I${native}`, ...files];
  return workshop.compile('ring-writers', source, 'gcc', options);
}
