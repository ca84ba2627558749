/** A page in the user's browser, from anywhere, against a debug adapter that listens on this machine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { AdapterServer, Intrusion } from '../support/adapter-server';
import { launchChromium } from './chromium';

/** By their names in web-page.html. */
const attempts = [
  ...['fetch, POST', 'fetch, POST to localhost', 'fetch, POST of a file', 'fetch, POST with a preflight', 'fetch, GET'],
  ...['TLS', 'XMLHttpRequest', 'WebSocket', 'image', 'form'],
];

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a web page', () => {
  let site: HttpServer;
  let browser: Browser;
  let page: Page;
  let adapter: AdapterServer;
  let intrusion: Intrusion;
  before(async () => {
    const html = readFileSync(join(__dirname, 'web-page.html'));
    site = createHttpServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html));
    const port = await listening(site);
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    adapter = await AdapterServer.start('--server=0');
    intrusion = new Intrusion();
  });
  after(async () => {
    await browser?.close();
    await adapter?.stop();
    site?.close();
    intrusion?.remove();
  });

  async function attempt(name: string, port: number, body: string): Promise<void> {
    const formFailed = name === 'form' ? page.waitForEvent('requestfailed') : undefined;
    await page.evaluate(`attempts[${JSON.stringify(name)}](${port}, ${JSON.stringify(body)}).then(() => undefined)`);
    await formFailed;
  }

  for (const name of attempts) {
    it(`runs nothing by ${name}`, async () => {
      const { request, session } = intrusion;
      let received = 0;
      const listener = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          received += 1;
          socket.destroy();
        });
      });
      await attempt(name, await listening(listener), request);
      listener.close();
      assert.ok(received > 0, 'the browser sends nothing');

      for (const body of [request, session, `${request}\r\n\r\n${session}`]) {
        await attempt(name, adapter.port, body);
        assert.equal(intrusion.hasRun, false);
      }
    });
  }

  it('keeps no client out, however often it tries', async () => {
    const many = `for (let i = 0; i < 100; i++) for (const name in attempts) void attempts[name](${adapter.port}, 'a=b');`;
    await page.evaluate(many);
    assert.equal(intrusion.hasRun, false);
    await intrusion.runAsClient(adapter);
    assert.deepEqual(adapter.lines, [
      'mpidbg: closed a connection: a message does not begin with the header "Content-Length: N", N being its length in bytes',
    ]);
  });
});
