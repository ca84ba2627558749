import { HostProcess } from '../../adapter/hosts/host-process';
import { localHost } from '../../adapter/hosts/local-host';

/** A process of this machine. */
export function localProcess(pid: number): HostProcess {
  return new HostProcess(localHost, pid);
}
