// Where the kernel writes core files, which is a setting of the whole machine.
import { readFileSync, writeFileSync } from 'node:fs';

const pattern = '/proc/sys/kernel/core_pattern';

/**
 * Sets core_pattern only where cores would go elsewhere than into the folder in which the program runs, under a name that
 * begins with "core". Throws where it may not be set, as in most containers.
 * @returns {() => void} restores it
 */
export function writeCoresBesideTheProgram() {
  const own = readFileSync(pattern, 'utf8').trimEnd();
  if (/^core[^/]*$/.test(own)) return () => undefined;
  try {
    writeFileSync(pattern, 'core');
  } catch (error) {
    throw new Error(
      `${pattern} is "${own}", so that core files go elsewhere, and cannot be set here (${error.message}):` +
        ` run "echo core > ${pattern}" as root on the host`,
      { cause: error },
    );
  }
  return () => writeFileSync(pattern, own);
}
