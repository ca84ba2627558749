/** What dying ranks send, taken at a socket and read as the header says. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Workshop } from '../support/compile';

const header = join(__dirname, '..', '..', 'adapter', 'collector', 'deaths', 'record.h');
const numbers = [
  'bytes',
  'kind',
  'pid',
  'tid',
  'flags',
  'rank',
  'status',
  'signal',
  'object_kind',
  'error_code',
  'error_class',
];
const longs = ['address', 'thrown', 'object', 'registers'];
const texts = ['function', 'error_text', 'words', 'type'];
const flags = { isAtCall: 1, isOwnHandler: 4, isFortran: 64, isStackFull: 128 };

export interface Death {
  number: Record<string, number>;
  long: Record<string, bigint>;
  text: Record<string, string>;
  flag: Record<keyof typeof flags, boolean>;
  /** LINE of the program's source where the stack of the death begins, and where the exception was thrown; undefined: in no code of the program. */
  place?: number;
  thrown?: number;
}

/** By the compiler: where the fields of the record are, and the numbers of its kinds. */
export class RecordLayout {
  readonly places: Record<string, [offset: number, size: number]>;
  readonly kinds: Record<string, number>;
  readonly objects: Record<string, number>;

  constructor(workshop: Workshop) {
    const source = readFileSync(header, 'utf8');
    const names = [...source.matchAll(/^ {4}DEATH_(\w+) = \d+,$/gm)].map(([, name]) => name!);
    const objects = ['COMM', 'WIN', 'FILE', 'SESSION'];
    const fields = [...numbers, ...longs, ...texts];
    const lines = [
      ...fields.map(
        (field) => `printf("${field} %zu %zu\\n", offsetof(struct mpidbg_death, ${field}), sizeof d.${field});`,
      ),
      ...[...names, ...objects].map((name) => `printf("DEATH_${name} %d 0\\n", DEATH_${name});`),
    ];
    const program = workshop.compile(
      'layout',
      `#include <stddef.h>\n#include <stdio.h>\n#include "${header}"\nstruct mpidbg_death d;\nint main(void) {${lines.join('\n')}}`,
    );
    const told = execFileSync(program, { encoding: 'utf8' }).trim().split('\n');
    this.places = Object.fromEntries(
      told.map((line) => {
        const [name = '', offset, size] = line.split(' ');
        return [name, [Number(offset), Number(size)]];
      }),
    );
    const numbered = (all: readonly string[]): Record<string, number> =>
      Object.fromEntries(all.map((name) => [name, this.places[`DEATH_${name}`]![0]]));
    this.kinds = numbered(names);
    this.objects = numbered(objects);
  }

  read(record: Buffer): Death {
    const at = (field: string): number => this.places[field]![0];
    const text = (field: string): string => {
      const [offset, size] = this.places[field]!;
      return record.toString('utf8', offset, offset + size).split('\0')[0]!;
    };
    const signed = (field: string): number => record.readInt32LE(at(field));
    const death: Death = {
      number: Object.fromEntries(numbers.map((field) => [field, signed(field)])),
      long: Object.fromEntries(longs.map((field) => [field, record.readBigUInt64LE(at(field))])),
      text: Object.fromEntries(texts.map((field) => [field, text(field)])),
      flag: { isAtCall: false, isOwnHandler: false, isFortran: false, isStackFull: false },
    };
    for (const [name, bit] of Object.entries(flags))
      death.flag[name as keyof typeof flags] = (death.number['flags']! & bit) !== 0;
    const pc = record.readBigUInt64LE(at('registers') + 16 * 8);
    const tid = death.number['tid']!;
    death.place = lineOf(tid, pc - (death.flag.isAtCall ? 1n : 0n));
    death.thrown = lineOf(tid, death.long['thrown']! - 1n);
    return death;
  }
}

/** By a thread that lives: the first one of its process may have ended. */
function mapsOf(tid: number): string {
  try {
    return readFileSync(`/proc/${tid}/maps`, 'utf8');
  } catch {
    return '';
  }
}

/** The process waits: its memory map is there, unless the launcher has killed it. */
function lineOf(tid: number, address: bigint): number | undefined {
  for (const line of mapsOf(tid).split('\n')) {
    const [, begin, end, offset, path] = /^(\w+)-(\w+) \S+ (\w+) \S+ \d+ +(\/.*)$/.exec(line) ?? [];
    if (path === undefined || address < BigInt(`0x${begin}`) || address >= BigInt(`0x${end}`)) continue;
    const inFile = address - BigInt(`0x${begin}`) + BigInt(`0x${offset}`);
    const told = execFileSync('addr2line', ['-e', path, `0x${inFile.toString(16)}`], { encoding: 'utf8' });
    const [, found] = /:(\d+)/.exec(told) ?? [];
    return found === undefined ? undefined : Number(found);
  }
  return undefined;
}

/** answers: what it does when a record is there; default: lets the rank go on. */
export class DeathListener {
  readonly deaths: Death[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly path: string,
  ) {}

  static async open(
    path: string,
    layout: RecordLayout,
    answer: (socket: Socket) => void = (socket) => socket.end('.'),
  ): Promise<DeathListener> {
    const server = createServer();
    const listener = new DeathListener(server, path);
    server.on('connection', (socket) => {
      const parts: Buffer[] = [];
      listener.sockets.add(socket);
      socket.on('error', () => undefined); // the rank was killed meanwhile
      socket.on('data', (part) => {
        parts.push(part);
        const all = Buffer.concat(parts);
        if (all.length < 12 || all.length < all.readUInt32LE(8)) return;
        if (all.readUInt32LE(layout.places['kind']![0]) === layout.kinds['NOT_YET']) return void socket.end();
        listener.deaths.push(layout.read(all));
        answer(socket);
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(path, resolve);
    });
    return listener;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
