/** mpidbg collector: the words to put before a launcher. */
import { collectorEnvironment, type CollectorOptions } from '../collector/preload';

/** Throws StartError. */
export function collectorWords(options: CollectorOptions): string {
  const environment = collectorEnvironment(options, process.env);
  return ['env', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)].join(' ');
}
