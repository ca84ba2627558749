/** The other end of DistantHost: answers for the machine that it runs on, one line for each question, until its input ends. */
import { createInterface } from 'node:readline';
import { ElfError } from '../../adapter/elf/byte-source';
import type { HostFile } from '../../adapter/hosts/host';
import { localHost } from '../../adapter/hosts/local-host';
import { ProcessAccessError } from '../../adapter/hosts/process-access-error';
import { FaultError } from '../../plugin-api/result';
import type { Failure, Question, Reply } from '../support/distant-host';

type Body<Union> = Union extends unknown ? Omit<Union, 'id'> : never;

const files = new Map<number, HostFile>();
let lastFile = 0;

createInterface({ input: process.stdin }).on('line', (line) => void reply(JSON.parse(line) as Question));

async function reply(question: Question): Promise<void> {
  const body = await answer(question).catch((error: unknown) => ({ failure: failureOf(error) }));
  process.stdout.write(`${JSON.stringify({ ...body, id: question.id })}\n`);
}

async function answer(question: Question): Promise<Body<Reply>> {
  switch (question.ask) {
    case 'readFile':
      return bytes(await localHost.readFile(question.path));
    case 'readLink':
      return bytes(Buffer.from(await localHost.readLink(question.path)));
    case 'list':
      return { names: await localHost.list(question.path) };
    case 'openFile': {
      const opened = await localHost.openFile(question.path);
      files.set(++lastFile, opened);
      const { size, inode, modified, changed, identity } = opened;
      return { file: lastFile, size, inode: String(inode), modified, changed, identity };
    }
    case 'readOpen':
      return bytes(await files.get(question.file)!.read(question.offset, question.length));
    case 'close':
      files.get(question.file)!.close();
      return bytes(Buffer.alloc(0));
    case 'readMemory': {
      const memory = localHost.openMemory(question.pid);
      try {
        return bytes(Buffer.from(await memory.read(BigInt(question.address), question.length)));
      } finally {
        memory.close();
      }
    }
    case 'signal':
      await localHost.signal(question.pid, question.signal);
      return bytes(Buffer.alloc(0));
  }
}

function bytes(buffer: Buffer): Body<Reply> {
  return { bytes: buffer.toString('base64') };
}

function failureOf(error: unknown): Failure {
  if (error instanceof ElfError) return { kind: 'elf', message: error.message };
  if (error instanceof FaultError) return { kind: 'fault', why: error.message.replace(/^.*?: /, '') };
  if (error instanceof ProcessAccessError) return { kind: 'access', why: error.why, message: error.message };
  const { code = 'EIO', message } = error as NodeJS.ErrnoException;
  return { kind: 'system', code, message };
}
