/** How a user looks at a job that somebody else has started: in a terminal, and in VS Code. */
import { name, publisher } from '../../package.json';
import { localHost } from '../hosts/local-host';

/** `job`: of the batch system, from wherever its commands work; else the launcher, on this host. */
export type Attachable = { readonly job: string } | { readonly launcherPid: number };

export function attachLines(target: Attachable): string[] {
  const [words, attribute, place] =
    'job' in target
      ? [`--job ${target.job}`, { job: target.job }, '']
      : [`--launcher ${target.launcherPid}`, { launcherPid: target.launcherPid }, ` on ${localHost.name}`];
  const configuration = { request: 'attach', name: words, ...attribute };
  const link = `vscode://${publisher}.${name}/launch/config?${encodeURIComponent(JSON.stringify(configuration))}`;
  return [`look at it${place}: mpidbg stacks ${words}`, `in VS Code${place}: ${link}`];
}
