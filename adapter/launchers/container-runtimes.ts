/** Programs that start another one in a container, by their documentation; tried with Charliecloud, and with `unshare` and `chroot`. */
import { basename } from 'node:path';

const runtimes = new Set(
  'apptainer singularity ch-run shifter sarus podman podman-hpc docker enroot udocker proot bwrap unshare chroot nsenter'.split(
    ' ',
  ),
);

export function isContainerRuntime(program: string): boolean {
  return runtimes.has(basename(program));
}

/** `words`: of a command. Slurm's own way are options: --container-image, --container. */
export function startsContainer(words: readonly string[]): boolean {
  return words.some((word) => isContainerRuntime(word) || /^--container(-image)?(=|$)/.test(word));
}
