/** Structs are read by specs, and tables hold what specs name: what is read in any other way is listed here, with the reason. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { formatTable, makeTable } from '../../plugin-api/layout-table';
import { tableOwners } from '../../plugin-api/plugins/table-owners';
import { addressOf, checkSpec, chars, i32, pointer, struct } from '../../plugin-api/struct';

const plugins = join(__dirname, '..', '..', 'plugin-api', 'plugins');

/** The files that read memory without a layout. */
const withoutLayout: Record<string, string> = {
  'mpich/code.ts': 'machine code',
  'mpich/containers.ts':
    "the library's data, searched for what MPICH's pools hold; lists of free objects, by the offset of a spec",
  'mpich/endpoints.ts':
    "the device's table of addresses: its manager and head, in no table, told by what they must hold",
  'mpich/file.ts': 'an element of the array of files',
  'mpich/keyvals.ts': 'the number of a keyval, in a variable of the library',
  'mpich/library.ts': 'the text of the version',
  'mpich/op.ts': "the program's function, first in the state that MPICH's Fortran keeps of an operation",
  'mpich/request.ts': 'the counter that a request points to',
  'mpich/schedules.ts': 'the counter that a request points to',
  'mpich/standard-abi.ts': "the number that a handle of MPI 5's binary interface points to",
  'mpich/status.ts': "the program's MPI_Status, as mpi.h has it",
  'mpich/system-hints.ts': 'a variable of ROMIO, and the code that names it',
  'mpich/thread-level.ts': 'the record of the thread level, which has no symbol; the descriptor of a thread',
  'mpich/type-construction.ts':
    "the arguments of a datatype's constructor, which lie behind their header, one array after the other",
  'mpich/ucx-requests.ts':
    'what MPICH packs, whose three words lie behind one another; the pointer in the area of a UCX user',
  'openmpi/attributes.ts': 'the integer that a Fortran program set; the number of a keyval',
  'openmpi/comm-requests.ts': 'the memory in which the stock of requests lies; two requests of an array',
  'openmpi/containers.ts': 'an element of an array of pointers',
  'openmpi/handles.ts': 'the pointer to the Fortran table of operations',
  'openmpi/info.ts': 'a text of known length',
  'openmpi/library.ts': 'the state of MPI',
  'openmpi/live-handles.ts': 'the pointer to the group of failed processes',
  'openmpi/thread-level.ts': 'the variable of the thread level',
  'ucx/library.ts': 'the version, from code',
  'ucx/queues.ts': 'links of lists and heads of queues, which UCX has had since its first release, and checks of both',
  'ucx/transfer.ts': "the context of a generic datatype, a struct's first member",
};

const rawRead = /\b(readMemory|readPointer|readU64|readI32)\(|\.get(Big)?(Ui|I)nt\d+\(/;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'specs' ? [] : sources(path);
    return entry.name.endsWith('.ts') && entry.name !== 'specs.ts' ? [path] : [];
  });
}

describe('what the plugins read', () => {
  it('is in a spec, with listed exceptions', () => {
    const found = sources(plugins).filter((path) => rawRead.test(readFileSync(path, 'utf8')));
    assert.deepEqual(found.map((path) => relative(plugins, path)).sort(), Object.keys(withoutLayout).sort());
  });

  it('is all that the tables contain, in the form that mpidbg layout writes', async () => {
    for (const { name, specs, tables } of tableOwners)
      for (const [version, shipped] of Object.entries(tables)) {
        const { table } = await makeTable(specs, async (struct) => shipped[struct]);
        const file = join(plugins, name, 'layouts', `${version}.json`);
        assert.equal(readFileSync(file, 'utf8'), formatTable(table), `${name} ${version}`);
      }
  });
});

describe('a spec', () => {
  const spec = struct('ocean', {
    depth: i32('depth'),
    name: chars('name'),
    bed: pointer('bed'),
    fish: addressOf('fish'),
  });
  const fields = {
    depth: { offset: 0, size: 4 },
    name: { offset: 4, size: 12 },
    bed: { offset: 16, size: 8 },
    fish: { offset: 24, size: 16 },
  };

  it('fits a layout that has its fields', () => {
    assert.deepEqual(checkSpec(spec, { size: 40, fields }), []);
    const kinds = {
      ...fields,
      bed: { ...fields.bed, kind: 'union' as const },
      fish: { ...fields.fish, kind: 'struct' as const },
    };
    assert.deepEqual(checkSpec(spec, { size: 40, fields: kinds }), []);
  });

  it('reports what does not match: missing, too small, of another size or kind', () => {
    assert.deepEqual(checkSpec(spec, undefined), ['no struct ocean']);
    assert.deepEqual(checkSpec(spec, { size: 32, fields }), ['ocean.fish lies outside the struct']);
    const { depth: _, ...others } = fields;
    assert.deepEqual(checkSpec(spec, { size: 40, fields: others }), ['ocean has no field depth']);
    const longer = { ...fields, depth: { offset: 0, size: 8 } };
    assert.deepEqual(checkSpec(spec, { size: 40, fields: longer }), ['ocean.depth has 8 bytes instead of 4']);
    const otherKinds = {
      depth: { ...fields.depth, kind: 'integer' as const },
      name: { ...fields.name, kind: 'struct' as const },
      bed: { ...fields.bed, kind: 'integer' as const },
      fish: fields.fish,
    };
    assert.deepEqual(checkSpec(spec, { size: 40, fields: otherKinds }), [
      'ocean.name is of kind struct and not array',
      'ocean.bed is of kind integer and not pointer',
    ]);
  });
});
