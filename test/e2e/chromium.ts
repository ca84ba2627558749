/** The browser of these tests: Debian's, or the one that MPIDBG_E2E_CHROMIUM names. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const path = process.env.MPIDBG_E2E_CHROMIUM ?? '/usr/bin/chromium';
const options = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

/** Throws, with what to do, when there is none. */
export function requireChromium(): void {
  if (!existsSync(path)) throw new Error(`${path} is missing: install Debian's package chromium`);
}

export async function launchChromium(): Promise<Browser> {
  requireChromium();
  return chromium.launch({ executablePath: path, args: options });
}
