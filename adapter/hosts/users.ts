/** The users of a host. */
import type { Host } from './host';

/** For the name of a user there is no better source without running a program. */
export async function userName(host: Host, uid: number): Promise<string> {
  const passwd = await host.readFile('/etc/passwd').then(String, () => '');
  const entry = passwd.split('\n').find((line) => line.split(':')[2] === String(uid));
  return entry?.split(':')[0] ?? `number ${uid}`;
}
