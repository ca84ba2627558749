/**
 * A rank that is stopped at any instruction of calls that make and free objects: the objects that it keeps are told
 * right, and every other one is told, or it is said why it cannot be.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { add, type Comparison } from '../support/comparison';
import type { Library } from '../support/excused';
import { randomNumbers } from '../support/random-numbers';
import { SampleJob, type Mpi } from '../support/sample-job';
import { SteppingGdb } from '../support/stepping-gdb';
import { handleKinds, lookAt, whileStopped, type Sight } from '../support/stopped-ranks';
import type { TruthRecord } from '../support/truth';
import { watchpointsAreReported } from '../support/watchpoints';
import { writtenWords } from '../support/written-words';
import { ucxOptions } from './programs';
import { localProcess } from '../support/local-process';

const calls = [
  'MPI_Comm_dup',
  'MPI_Comm_set_attr',
  'MPI_Comm_split',
  'MPI_Cart_create',
  'MPI_Comm_free',
  'MPI_Type_vector',
  'MPI_Type_commit',
  'MPI_Type_create_struct',
  'MPI_Type_free',
  'MPI_Irecv',
  'MPI_Isend',
  'MPI_Waitall',
  'MPI_Start',
  'MPI_Request_free',
  'MPI_Cancel',
  'MPI_Mprobe',
  'MPI_Group_incl',
  'MPI_Group_free',
  'MPI_Info_create',
  'MPI_Info_set',
  'MPI_Info_delete',
  'MPI_Info_free',
  'MPI_Op_create',
  'MPI_Comm_create_errhandler',
  'MPI_Errhandler_free',
  'MPI_Win_create',
  'MPI_Win_free',
  'MPI_File_open',
  'MPI_File_close',
];
const stopsInCall = 3;
/** Instructions to the next stop in a call. */
const maxWay = 30;
const freeStops = 50;
const maxPauseMs = 4;
/** Fewer where gdb has to step to each: on a busy machine it takes ten seconds to one. */
const writesPerWord = watchpointsAreReported() ? 5 : 2;
/** So many words x86-64 watches at once. */
const watchedAtOnce = 4;
/** All handles of a rank take a few hundred. */
const maxReads = 3000;

const libraries: { library: Library; mpi: Mpi; launcherArgs: string[]; isStepped: boolean }[] = [
  { library: 'mpich', mpi: 'mpich', launcherArgs: [], isStepped: true },
  { library: 'openmpi', mpi: 'openmpi', launcherArgs: [], isStepped: true },
  { library: 'openmpi with ucx', mpi: 'openmpi', launcherArgs: ucxOptions(), isStepped: false },
];

for (const { library, mpi, launcherArgs, isStepped } of libraries) {
  describe(`a rank of ${library} that makes and frees objects tells those that it keeps`, () => {
    let job: SampleJob;
    let pid: number;
    let seen: Seen;
    const random = randomNumbers(20261121);

    before(async () => {
      job = await SampleJob.startWaiting(mpi, 'busy', { ranks: 2, launcherArgs });
      pid = job.pids[0]!;
      const truth = job.truth.filter(({ rank }) => rank === 0);
      seen = new Seen(pid, truth, library);
    });

    after(async () => {
      await (job as SampleJob | undefined)?.kill();
      console.log(`      ${seen.summary()}`);
    });

    it(`stopped ${freeStops} times anywhere`, async () => {
      for (let i = 0; i < freeStops; i++) {
        // No event is waited for: how far the rank comes meanwhile is to be random.
        await pause(random(maxPauseMs));
        await whileStopped([pid], () => seen.look(`stop ${i}`));
      }
    });

    // Its objects are those of the other message layer; only its transfers lie elsewhere.
    if (!isStepped) return;

    it(`stopped at ${calls.length * stopsInCall} instructions of ${calls.length} calls`, () =>
      withGdb(pid, async (gdb) => {
        for (const call of calls) {
          await gdb.runTo(await addressOf(pid, call));
          for (let i = 0; i < stopsInCall; i++) {
            await gdb.step(1 + random(maxWay));
            await seen.look(`in ${call}, stop ${i}`);
          }
        }
      })).timeout(300_000);

    it('stopped behind the writes that change the lists of objects', () =>
      withGdb(pid, async (gdb) => {
        const words = [...(await wordsOf(pid, mpi))];
        while (words.length > 0) {
          const watched = words.splice(0, watchedAtOnce);
          const names = watched.map(([name]) => name).join(', ');
          for (const [, address] of watched) await gdb.watch(address);
          for (let i = 0; i < writesPerWord * watched.length; i++) {
            await gdb.goOn();
            await seen.look(`a write to the list of ${names}`);
            await gdb.step(1 + random(3));
            await seen.look(`behind a write to the list of ${names}`);
          }
          await gdb.unwatch();
        }
      })).timeout(300_000);
  });
}

async function withGdb(pid: number, use: (gdb: SteppingGdb) => Promise<void>): Promise<void> {
  const gdb = await SteppingGdb.attach(pid);
  try {
    await use(gdb);
  } finally {
    await gdb.detach();
  }
}

async function addressOf(pid: number, name: string): Promise<bigint> {
  const symbol = await withImage(pid, (image) => image.findSymbol(name));
  assert.ok(symbol, `the program has no ${name}`);
  return symbol.address;
}

function wordsOf(pid: number, mpi: Mpi): Promise<Map<string, bigint>> {
  return withImage(pid, (image) => writtenWords(mpi, image));
}

async function withImage<T>(pid: number, use: (image: LiveImage) => Promise<T>): Promise<T> {
  const image = new LiveImage(localProcess(pid));
  try {
    return await use(image);
  } finally {
    image.close();
  }
}

/**
 * Between two instructions MPICH 5 has put an object in front of the list of its free ones that does not lead on yet: then
 * nothing tells whether a window lives, which has no count of references.
 */
const cutList = 'MPICH is changing its list of free objects right now';
/** The most stops behind a write, which are the only ones that hit it more than by chance. */
const maxMoments = 2 * writesPerWord;

/** What was seen at all stops. */
class Seen {
  private readonly total: Comparison = { facts: 0, differences: [] };
  private readonly said = new Map<string, number>();
  private readonly listed = new Map<HandleKind, bigint[]>();
  private stops = 0;
  private momentsWithoutAnswer = 0;
  private maxReads = 0;

  constructor(
    private readonly pid: number,
    private readonly truth: TruthRecord[],
    private readonly library: Library,
  ) {}

  async look(where: string): Promise<void> {
    const sight = await lookAt(this.pid, this.truth, this.library);
    this.stops++;
    add(this.total, sight.comparison);
    const { differences } = sight.comparison;
    assert.deepEqual(
      differences.filter((difference) => !difference.includes(cutList)),
      [],
      where,
    );
    if (differences.length > 0) this.momentsWithoutAnswer++;
    assert.ok(this.momentsWithoutAnswer <= maxMoments, `${where}: again not told`);
    assert.ok(sight.reads < maxReads, `${where}: ${sight.reads} reads`);
    this.maxReads = Math.max(this.maxReads, sight.reads);
    for (const kind of handleKinds) this.count(where, sight, kind);
  }

  /** What was listed at the first stop is there at each, unless the list says that it cannot be read now. */
  private checkList(where: string, kind: HandleKind, handles: readonly bigint[]): void {
    const kept = this.truth.flatMap(({ told }) => (told?.kind === kind ? [BigInt(told.info['handle'] as string)] : []));
    const listed = this.listed.get(kind) ?? kept.filter((handle) => handles.includes(handle));
    this.listed.set(kind, listed);
    const missing = listed.filter((handle) => !handles.includes(handle));
    assert.deepEqual(missing, [], `${where}: ${kind} missing`);
    assert.equal(new Set(handles).size, handles.length, `${where}: a ${kind} is listed twice`);
  }

  private count(where: string, { lists, answers }: Sight, kind: HandleKind): void {
    const list = lists.get(kind)!;
    if (list.ok) this.checkList(where, kind, list.value);
    else this.say(`${kind} list: ${list.code} ${list.reason}`);
    for (const { answer } of answers.get(kind)!) if (!answer.ok) this.say(`${kind}: ${answer.code} ${answer.reason}`);
  }

  private say(what: string): void {
    const general = what.replace(/0x[0-9a-f]+/g, '0x…');
    this.said.set(general, (this.said.get(general) ?? 0) + 1);
  }

  summary(): string {
    const said = [...this.said].map(([what, times]) => `\n        ${times} × ${what}`);
    return `${this.stops} stops, ${this.total.facts} facts compared, at most ${this.maxReads} reads${said.join('')}`;
  }
}
