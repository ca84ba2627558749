/** `run` ends with the status of the user's launcher: an internal error adds a line, and changes nothing else. */
import { tell } from '../../hosts/standard-streams';
import { inTime, realClock } from '../../job/clock';
import type { UserLauncher } from './user-launcher';

/** Called with an internal error. */
export type OnInternalError = (error: unknown) => void;

/** Milliseconds, for what is still to be told when the launcher has ended, once an error has come from where nobody waited for it. */
const maxTelling = 10_000;

/** Resolves with the status of `work`, or with the launcher's if that fails or no longer settles. Never rejects. */
export async function withStatusOf(
  { ended }: Pick<UserLauncher, 'ended'>,
  work: (onInternalError: OnInternalError) => Promise<number>,
): Promise<number> {
  const errors: string[] = [];
  const add: OnInternalError = (error) => {
    const text = textOf(error);
    if (!errors.includes(text)) errors.push(text);
  };
  const unexpected = new Promise<void>((resolve) => {
    const take = (error: unknown): void => {
      add(error);
      resolve();
    };
    // They stay until the end of this process: cli.ts leaves such errors to us.
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, take);
  });
  let status: number | undefined;
  const done = work(add).then((told) => void (status = told), add);
  const isStuck = unexpected.then(() => ended).then(() => inTime(realClock, done, maxTelling));
  // Both end: what is waited for for a long time is the job.
  // eslint-disable-next-line no-restricted-syntax
  await Promise.race([done, isStuck]);
  const { status: ofLauncher } = await ended;
  for (const text of errors) await tell(`internal error, less is told than could be: ${text}`);
  return status ?? ofLauncher;
}

/** With the place, for those who mend it. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /^\s*at (.*)$/m.exec(error.stack ?? '')?.[1];
  return `${error.message.split('\n')[0] ?? ''}${place === undefined ? '' : ` (${place})`}`;
}
