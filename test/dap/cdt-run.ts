/** One process under cdt-gdb-adapter, an adapter for gdb of others: it says what a DAP client is used to. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapClient } from '../support/dap-client';
import { markerLine, samplePath, type Mpi } from '../support/sample-job';

const samples = join(__dirname, '..', '..', 'samples');
const adapterFile = join(__dirname, 'oracle', 'node_modules', 'cdt-gdb-adapter', 'dist', 'debugAdapter.js');

export class CdtRun {
  private constructor(
    readonly client: DapClient,
    private readonly adapter: ChildProcess,
  ) {}

  /** Launches the program without a launcher, as a job of one rank. */
  static async launch(mpi: Mpi, program: string, source: string, marker: string, args = ''): Promise<CdtRun> {
    assert.ok(existsSync(adapterFile), 'cdt-gdb-adapter is missing: run test/dap/oracle/setup.sh');
    const { client, process: adapter } = DapClient.spawn(adapterFile, { isForeign: true });
    const run = new CdtRun(client, adapter);
    await client.request('initialize', { adapterID: 'gdb', linesStartAt1: true, pathFormat: 'path' });
    const launched = client.request('launch', { program: samplePath(mpi, program), arguments: args, cwd: samples });
    await Promise.race([client.waitFor('initialized'), launched]);
    const path = join(samples, source);
    const breakpoints = [{ line: markerLine(source, marker) }];
    await client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
      source: { path },
      breakpoints,
    });
    await client.request('configurationDone');
    await launched;
    return run;
  }

  async close(): Promise<void> {
    if (this.adapter.exitCode !== null) return;
    await this.client.request('disconnect');
    this.adapter.stdin?.end();
    await once(this.adapter, 'exit', { signal: AbortSignal.timeout(20_000) }).catch(() => this.adapter.kill('SIGKILL'));
  }
}
