/** mpidbg collector: the words to put before a launcher. */
import { collectorEnvironment, type Collect } from '../collector/preload';

/** Throws StartError. */
export function collectorWords(collect: Collect): string {
  const environment = collectorEnvironment({ collect }, process.env);
  return ['env', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)].join(' ');
}
