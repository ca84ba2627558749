/** An Open MPI in which one struct is larger than a table says, as in a release that has no table of its own. */
import assert from 'node:assert/strict';
import type { LayoutSource } from '../../plugin-api/layout';
import { MissingTypeError } from '../../plugin-api/result';
import { Constants } from '../../plugin-api/plugins/openmpi/constants';
import { findLibrary } from '../../plugin-api/plugins/openmpi/library';
import { commSpec, ompioRequestSpec } from '../../plugin-api/plugins/openmpi/specs';
import { layoutCandidates } from '../../plugin-api/plugins/openmpi/tables';
import { verify } from '../../plugin-api/plugins/openmpi/verify';
import { readRecordedJob, recordedImage } from '../support/recorded-job';

async function verifyWithLarger(struct: string) {
  const { ranks } = readRecordedJob('handles.openmpi-4.1.4.json.br');
  const image = recordedImage((ranks[0] ?? assert.fail('no rank is recorded')).recording);
  const library = (await findLibrary(image)) ?? assert.fail('Open MPI is not found');
  const [candidate] = layoutCandidates(image, library);
  const { name, sources } = candidate ?? assert.fail('there is no layout');
  const larger = sources.map((source): LayoutSource => ({
    name: source.name,
    find: async (wanted, fields) => {
      const layout = await source.find(wanted, fields);
      return layout && wanted === struct ? { ...layout, size: layout.size + 24 } : layout;
    },
  }));
  const { version } = library;
  return verify(image, library, new Constants(image, version), { name, sources: larger });
}

describe('a struct of Open MPI whose size is not that of the table', () => {
  it('is not read, and all else is', async () => {
    const { reader, checks, sentence } = await verifyWithLarger(ompioRequestSpec.struct);
    assert.ok(reader !== undefined, sentence);
    assert.match(sentence, /agree; mca_ompio_request_t is not read: its size is \d+ instead of \d+$/);
    assert.deepEqual(
      checks.filter((check) => !check.passed).map((check) => check.name),
      ['size of mca_ompio_request_t'],
    );
    assert.ok((await reader.sizeOf(commSpec)) > 0);
    await assert.rejects(reader.sizeOf(ompioRequestSpec), MissingTypeError);
  });

  it('has the table refused, where all else depends on it', async () => {
    const { reader, sentence } = await verifyWithLarger(commSpec.struct);
    assert.equal(reader, undefined);
    assert.match(sentence, /rejected: size of ompi_communicator_t is \d+ instead of \d+$/);
  });
});
