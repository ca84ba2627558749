/** The hosts of a job: this machine, and those whose agents have dialled in. */
import { AgentHost } from './agent-host';
import { GuardedHost } from './guarded-gdb';
import type { Hub, Peer } from './hub';
import type { Link } from './link';

export class JobHosts {
  readonly home: GuardedHost;
  private readonly others = new Map<Link, AgentHost>();

  /** `isForLook`: see GuardedHost. */
  constructor(
    private readonly hub: Hub,
    isForLook = false,
  ) {
    this.home = new GuardedHost(hub, isForLook);
    hub.on('link', (link) => {
      const known = [...this.others].find(([old, host]) => old.isClosed && host.name === link.host);
      if (known === undefined) return;
      this.others.delete(known[0]);
      this.others.set(link, known[1]);
      known[1].comeBack(link);
    });
  }

  /** Where it runs. */
  of({ link }: Peer): GuardedHost | AgentHost {
    if (link === undefined) return this.home;
    const host = this.others.get(link) ?? new AgentHost(this.hub, link);
    this.others.set(link, host);
    return host;
  }
}
