import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LayoutTable } from '../../plugin-api/layout';
import { compareVersions } from '../../plugin-api/mpi/versioned-tables';
import { specs as mpichSpecs } from '../../plugin-api/plugins/mpich/specs';
import { tables as mpichTables } from '../../plugin-api/plugins/mpich/tables';
import { specs as openmpiSpecs } from '../../plugin-api/plugins/openmpi/specs';
import { tables as openmpiTables } from '../../plugin-api/plugins/openmpi/tables';
import { tables as ucxTables } from '../../plugin-api/plugins/ucx/library';
import { specs as ucxSpecs } from '../../plugin-api/plugins/ucx/specs';
import { checkSpec, type StructSpec } from '../../plugin-api/struct';

interface Shipped {
  plugin: string;
  specs: readonly StructSpec[];
  tables: Readonly<Record<string, LayoutTable>>;
  /** Structs that only some releases have. */
  isAbsent?: (struct: string, version: string) => boolean;
}

const before = (limit: string) => (version: string) => compareVersions(version, limit) < 0;
const since = (limit: string) => (version: string) => compareVersions(version, limit) >= 0;
const only =
  (...versions: string[]) =>
  (version: string) =>
    versions.includes(version);

/** Structs that not all releases have, or whose layout is not known of all; layouts/README.md of the plugin says why. */
const openmpiStructs: Record<string, (version: string) => boolean> = {
  attribute_key_value_t: since('4.1.4'),
  attribute_value_t: before('4.1.4'),
  opal_cstring_t: since('5.0.0'),
  ompi_instance_t: since('5.0.0'),
  ompi_isendrecv_context_t: since('5.0.0'),
  ompi_isendrecv_replace_context_t: since('5.0.0'),
  ompi_op_t: (version) => version !== '4.1.3',
  ompio_file_t: (version) => version !== '4.1.3',
  ompi_coll_libnbc_component_t: since('4.1.4'),
  ompi_osc_rdma_module_t: only('4.1.4', '5.0.7', '5.0.10', '6.0.0rc2'),
  ompi_osc_rdma_state_t: only('4.1.4', '5.0.7', '5.0.10'),
  ompi_osc_sm_node_state_t: (version) => version !== '6.0.0rc2',
  ompi_osc_ucx_module_t: only('4.1.4', '5.0.7', '6.0.0rc2'),
  ompi_osc_pt2pt_module_t: only('4.1.4'),
  mca_part_persist_request_t: only('5.0.7', '5.0.10', '6.0.0rc2'),
  mca_pml_ucx_persistent_request_t: only('4.1.4', '4.1.8', '5.0.7', '5.0.10', '6.0.0rc2'),
  mca_pml_ucx_module_t: only('4.1.4', '4.1.8', '5.0.7', '5.0.10', '6.0.0rc2'),
};

const shipped: Shipped[] = [
  {
    plugin: 'openmpi',
    specs: openmpiSpecs,
    tables: openmpiTables,
    isAbsent: (struct, version) => openmpiStructs[struct]?.(version) === false,
  },
  {
    plugin: 'mpich',
    specs: mpichSpecs,
    tables: mpichTables,
    isAbsent: (struct, version) => {
      if (struct === 'info_entry') return compareVersions(version, '4.1') < 0;
      if (['MPII_BsendBuffer', 'bsend_auto_elem'].includes(struct)) return compareVersions(version, '4.2') < 0;
      if (struct === 'BsendBuffer') return compareVersions(version, '4.2') >= 0;
      return struct === 'MPII_Group_pmap_t' && compareVersions(version, '5.0') >= 0;
    },
  },
  { plugin: 'ucx', specs: ucxSpecs, tables: ucxTables },
];

for (const { plugin, specs, tables, isAbsent = () => false } of shipped) {
  describe(`the layout tables of ${plugin}`, () => {
    it('are all used', () => {
      const files = readdirSync(join(__dirname, '..', '..', 'plugin-api', 'plugins', plugin, 'layouts'));
      const versions = files.filter((f) => f.endsWith('.json')).map((f) => f.slice(0, -'.json'.length));
      assert.deepEqual(Object.keys(tables).sort(), versions.sort());
    });

    for (const [version, table] of Object.entries(tables)) {
      it(`have every field of every spec: ${version}`, () => {
        const present = specs.filter(({ struct }) => !isAbsent(struct, version));
        assert.deepEqual(
          present.flatMap((spec) => checkSpec(spec, table[spec.struct])),
          [],
        );
      });

      it(`have nothing that no spec reads: ${version}`, () => {
        const read = new Set(specs.flatMap((s) => Object.values(s.fields).map((f) => `${s.struct}.${f.path}`)));
        const unread = Object.entries(table).flatMap(([struct, { fields }]) =>
          Object.keys(fields)
            .map((field) => `${struct}.${field}`)
            .filter((field) => !read.has(field)),
        );
        assert.deepEqual(unread, []);
        assert.deepEqual(
          Object.keys(table).filter((struct) => isAbsent(struct, version)),
          [],
        );
      });
    }
  });
}
