/** What the clocks of a process's host show. */
import { hrtime } from 'node:process';
import type { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';

/** In seconds. */
export interface HostClocks {
  /** CLOCK_MONOTONIC. */
  monotonic: number;
  /** CLOCK_REALTIME. */
  realtime: number;
}

/** Now; undefined for a process of another host, and for a core file. */
export function clocksOf(process: HostProcess | undefined): HostClocks | undefined {
  if (process?.host.name !== localHost.name) return undefined;
  return { monotonic: Number(hrtime.bigint()) / 1e9, realtime: Date.now() / 1000 };
}
