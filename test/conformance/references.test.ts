/**
 * Lists of other handles (what is pending on a communicator, which windows were made from it, who uses an error handler),
 * held against what the program told of those others; and the capabilities that a plugin names, against all its answers.
 */
import assert from 'node:assert/strict';
import { CachedImage } from '../../adapter/images/cached-image';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { HandleKind, Implementation } from '../../plugin-api/mpi/records';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import type { Fields } from '../support/comparison';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { handleKinds } from '../support/stopped-ranks';
import type { TruthRecord } from '../support/truth';
import { localProcess } from '../support/local-process';

/** A list of a record: it holds the handles of `kind` that were told to refer to the record's object. */
interface List {
  of: HandleKind;
  list: string;
  kind: HandleKind;
  /** Fields of theirs. */
  refersBy: string[];
  /** Which of those must be listed; others that refer to the object may be. Default all. */
  must?: (told: Fields) => boolean;
}

const isPending = (told: Fields): boolean => told['active'] === true && told['complete'] === false;

const lists: List[] = [
  { of: 'comm', list: 'pendingRequests', kind: 'request', refersBy: ['comm'], must: isPending },
  { of: 'datatype', list: 'pendingRequests', kind: 'request', refersBy: ['datatype'], must: isPending },
  { of: 'comm', list: 'derivedWindows', kind: 'win', refersBy: ['comm'] },
  { of: 'comm', list: 'derivedFiles', kind: 'file', refersBy: ['comm'] },
  { of: 'group', list: 'usedBy', kind: 'comm', refersBy: ['group', 'remoteGroup'] },
  // MPICH lists the communicators only.
  { of: 'group', list: 'usedBy', kind: 'win', refersBy: ['group'], must: () => false },
  { of: 'errhandler', list: 'attachedTo', kind: 'comm', refersBy: ['errhandler'] },
  { of: 'errhandler', list: 'attachedTo', kind: 'win', refersBy: ['errhandler'] },
];

const samples = ['communicators', 'requests', 'handles', 'windows', 'files', 'datatypes'];

/** How many references that the program told are in the lists, at least. */
const atLeast: Record<Mpi, Record<string, number>> = {
  openmpi: {
    // Not those of the communicator whose MPI_Comm_idup is pending: Open MPI has no list with that one.
    'comm.pendingRequests request': 93,
    'datatype.pendingRequests request': 110,
    'comm.derivedWindows win': 76,
    'comm.derivedFiles file': 36,
    'group.usedBy comm': 43,
    'errhandler.attachedTo comm': 40,
    'errhandler.attachedTo win': 76,
  },
  mpich: { 'comm.pendingRequests request': 100, 'group.usedBy comm': 43, 'errhandler.attachedTo comm': 4 },
};

for (const mpi of allMpis) {
  describe(`what refers to what, under ${mpi}`, () => {
    const found = new Map<string, number>();
    const named: Implementation['capabilities'] = {};
    const told: Partial<Record<HandleKind, Set<string>>> = {};

    for (const sample of samples) {
      it(`is in ${sample} as the program made it`, async () => {
        const job = await SampleJob.startWaiting(mpi, sample);
        try {
          for (const [rank, pid] of job.pids.entries()) {
            const image = new LiveImage(localProcess(pid));
            const asked = await new PluginRegistry().open(new CachedImage(image));
            assert.ok(asked, `rank ${rank}: no plugin found its MPI`);
            const truth = job.truth.filter((record) => record.rank === rank);
            const records = await allRecords(asked, truth);
            image.close();
            Object.assign(named, asked.implementation.capabilities);
            for (const [kind, infos] of records) addCapabilities((told[kind] ??= new Set()), kind, infos);
            for (const list of lists) assert.deepEqual(compareList(list, truth, records, found), [], `rank ${rank}`);
          }
        } finally {
          await job.kill();
        }
      });
    }

    it('was found', () => {
      console.log(`      ${[...found].map(([list, count]) => `${list}: ${count}`).join(', ')}`);
      for (const [list, least] of Object.entries(atLeast[mpi])) assert.ok((found.get(list) ?? 0) >= least, list);
    });

    it('is told as far as the capabilities say', () => {
      for (const kind of handleKinds) {
        const promised = (named[kind] ?? []).filter((capability) => capability in shown);
        const all = [...(told[kind] ?? [])].filter((name) => promised.includes(name) || !isOfSome(kind, name));
        assert.deepEqual([kind, ...all.sort()], [kind, ...promised.sort()]);
      }
    });
  });
}

type Records = Map<HandleKind, Map<string, Fields>>;

/** By handle: every object that is listed, all that the truth mentions, and the copies of infos that objects keep. */
async function allRecords(asked: MpiProcess, truth: readonly TruthRecord[]): Promise<Records> {
  const records: Records = new Map();
  for (const kind of handleKinds) {
    const listed = await asked.handles(kind);
    const told = truth.flatMap(({ told }) => (told === undefined ? [] : mentioned(told.info, kind)));
    const own = truth.flatMap(({ told }) => (told?.kind === kind ? [told.info['handle']] : []));
    const handles = [...told, ...own].filter((handle) => typeof handle === 'string').map(BigInt);
    const infos = new Map<string, Fields>();
    for (const handle of new Set([...(listed.ok ? listed.value : []), ...handles])) {
      const answer = await asked.query(kind, handle);
      if (answer.ok) infos.set(`0x${handle.toString(16)}`, answer.value as object as Fields);
    }
    records.set(kind, infos);
  }
  for (const { info } of [...records.values()].flatMap((infos) => [...infos.values()])) {
    const handle = (info as Fields | undefined)?.['handle'];
    const answer = typeof handle === 'string' ? await asked.query('info', BigInt(handle)) : undefined;
    if (answer?.ok) records.get('info')?.set(String(handle), answer.value as object as Fields);
  }
  return records;
}

function mentioned(info: Fields, kind: HandleKind): unknown[] {
  const refs = Object.values(info) as (Fields | null)[];
  return refs.flatMap((ref) => (typeof ref === 'object' && ref?.['kind'] === kind ? [ref['handle']] : []));
}

/** What the lists of all objects of a kind have or lack against what was told. One that cannot be told has a reason instead. */
function compareList(
  { of, list, kind, refersBy, must = () => true }: List,
  truth: readonly TruthRecord[],
  records: Records,
  found: Map<string, number>,
): string[] {
  // Nothing is told about null handles.
  const others = truth.flatMap(({ told }) =>
    told?.kind === kind && refersBy.some((field) => told.info[field] !== undefined) ? [told.info] : [],
  );
  const wrong: string[] = [];
  for (const [handle, info] of records.get(of) ?? []) {
    const refs = info[list];
    if (!Array.isArray(refs)) continue;
    const listed = (refs as Fields[]).filter((ref) => ref['kind'] === kind).map((ref) => ref['handle']);
    for (const other of others) {
      const ownRecord = records.get(kind)?.get(other['handle'] as string);
      const isTold = (fields: Fields | undefined) =>
        refersBy.some((field) => (fields?.[field] as Fields | undefined)?.['handle'] === handle);
      const isListed = listed.includes(other['handle']);
      const isRight = isListed ? isTold(other) : !isTold(other) || !must(other);
      if (isListed) found.set(`${of}.${list} ${kind}`, (found.get(`${of}.${list} ${kind}`) ?? 0) + 1);
      if (!isRight && !(isTold(other) && !isTold(ownRecord)))
        wrong.push(`${of} ${handle} ${list}: ${isListed ? '' : 'no '}${kind} ${String(other['handle'])}`);
    }
  }
  return wrong;
}

/** By mpidbg's names: whether this record shows that the plugin has the capability. */
const shown: Record<string, (info: Fields) => boolean> = {
  STRING_NAMES: ({ name, flags }) => name !== '' && !isNull(flags as string[]),
  FREED_HANDLE: ({ kind, flags, unknownFlags }) =>
    canBeFreed.includes(kind as HandleKind) &&
    !(flags as string[]).some((flag) => ['predefined', 'internal'].includes(flag)) &&
    !(unknownFlags as string[] | undefined)?.includes('freedHandle'),
  REQUEST_LIST: ({ pendingRequests }) => isFilled(pendingRequests),
  WINDOW_LIST: ({ derivedWindows }) => isFilled(derivedWindows),
  FILE_LIST: ({ derivedFiles }) => isFilled(derivedFiles),
  HANDLE_LIST: ({ attachedTo, usedBy }) => isFilled(attachedTo) || isFilled(usedBy),
};

/** A communicator of Open MPI 5 with an info object is known not to be freed; of others nothing is known. */
function isOfSome(kind: HandleKind, capability: string): boolean {
  return kind === 'comm' && capability === 'FREED_HANDLE';
}

/** The kinds whose records have the flag. */
const canBeFreed: HandleKind[] = ['comm', 'request', 'errhandler', 'datatype', 'group', 'info', 'op', 'file', 'win'];

/** Its name is the constant's in every case. */
function isNull(flags: readonly string[]): boolean {
  return flags.some((flag) => /Null$|^messageNoProc$/.test(flag));
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

function addCapabilities(known: Set<string>, kind: HandleKind, infos: ReadonlyMap<string, Fields>): void {
  for (const [capability, isShown] of Object.entries(shown))
    if ([...infos.values()].some((info) => isShown({ ...info, kind }))) known.add(capability);
}
