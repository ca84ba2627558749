/** Says what the handles in log messages and conditions are, while gdb holds the thread that passed. */
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { LineReader } from '../../agent/line-reader';
import { newToken, proveToken } from '../../agent/proof';
import { handleKinds, typeNames } from '../../../plugin-api/mpi/describe';
import { prepareHandleQuestions, type HandleAnswer, type HandleQuestion } from '../../gdb/python/handle-questions';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { Gdb } from '../../gdb/gdb';
import type { Host } from '../../hosts/host';
import { temporaryFolder } from '../../hosts/temporary-folder';
import type { Job } from '../../job/job';
import type { JobQueries } from '../../query/job-queries';

/** A status is not a handle: its value is not its address. */
const kinds = handleKinds.filter((kind) => kind !== 'status');
/** Bytes of a line. */
const maxLineLength = 4096;
/** Milliseconds until the proof; gdb's Python gives up sooner. */
const maxProof = 5000;
const socketName = 'socket';

export class AskedHandles {
  private readonly token = newToken();
  private prepared: Promise<void> | undefined;
  private server: Server | undefined;
  /** The gdbs by the numbers with which they ask. */
  private readonly asking: Gdb[] = [];
  /** Where gdbs of other hosts ask. */
  private readonly names = new Map<Host, Promise<string>>();

  constructor(
    private readonly job: Job,
    private readonly queries: JobQueries,
  ) {}

  /** Before the first breakpoint that asks. Where gdb cannot ask, messages have its own text. */
  prepare(): Promise<void> {
    return (this.prepared ??= this.listen());
  }

  close(): void {
    this.server?.close();
  }

  private async listen(): Promise<void> {
    const folder = temporaryFolder('mpidbg-handles-', { socket: socketName });
    const path = join(folder, socketName);
    const server = createServer((socket) => void this.serve(socket));
    this.server = server;
    server.on('close', () => rmSync(folder, { recursive: true, force: true }));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    server.unref();
    const types = kinds.map((kind) => typeNames[kind]);
    await this.job.settings.set('handles', async (gdb, host) => {
      const index = this.asking.push(gdb) - 1;
      try {
        // A host that is lost has no messages either.
        const there = await this.listenAt(host).catch(() => undefined);
        await prepareHandleQuestions(gdb, { path: there ?? path, token: this.token.toString('hex'), index, types });
      } catch (error) {
        if (!(error instanceof GdbError)) throw error;
      }
    });
  }

  /** undefined where that is this machine. */
  private listenAt(host: Host | undefined): Promise<string | undefined> {
    if (host?.listen === undefined) return Promise.resolve(undefined);
    const known = this.names.get(host) ?? host.listen((visitor) => void this.serve(visitor));
    this.names.set(host, known);
    return known;
  }

  private async serve(socket: Duplex): Promise<void> {
    socket.on('error', () => socket.destroy());
    const late = setTimeout(() => socket.destroy(), maxProof);
    socket.once('close', () => clearTimeout(late));
    try {
      const lines = new LineReader(socket, maxLineLength);
      await proveToken(socket, lines, this.token);
      clearTimeout(late);
      for (;;) {
        const asked = JSON.parse(await lines.next()) as HandleQuestion;
        socket.write(`${JSON.stringify(await this.answer(asked))}\n`);
      }
    } catch {
      socket.destroy(); // a message has gdb's own text then
    }
  }

  private async answer({ gdb, inferior, type, form, value, isForFacts }: HandleQuestion): Promise<HandleAnswer> {
    const rank = this.job.ranks.find((each) => each.gdb === this.asking[gdb] && each.threadGroup === `i${inferior}`);
    const kind = kinds.find((each) => typeNames[each] === type);
    if (rank === undefined || kind === undefined) return { text: '' };
    return this.queries.handleWithoutGdb(rank, kind, BigInt(value), form, isForFacts);
  }
}
