/** Requests that make communicators, while a thread has a step of one in its hands: the step is in no list then. */
import assert from 'node:assert/strict';
import type { RequestInfo } from '../../plugin-api/mpi/records';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { MockOpenmpi } from '../support/mock-openmpi';

const collective = 4;
const active = 2;

class Requests extends MockOpenmpi {
  private readonly requestClass = this.addClass('ompi_request_t', this.layout('ompi_request_t').size);

  constructor(version: string) {
    super({ version });
    this.addClass('ompi_coll_libnbc_request_t', this.layout('ompi_coll_libnbc_request_t').size, this.requestClass);
    this.addClass('NBC_Schedule', this.layout('NBC_Schedule').size);
    this.variable('ompi_comm_request_initialized', 8);
  }

  /** A stock with one request in use that has no steps, and works on an object of that many bytes, which is answered. */
  commRequest(contextSize: number): bigint {
    const { size } = this.layout('ompi_comm_request_t');
    const itemClass = this.addClass('ompi_comm_request_t', size, this.requestClass);
    const list = this.layout('opal_free_list_t');
    const head = this.layout('opal_free_list_item_t').size;
    const allocation = this.allocate(head + 8 + size);
    const stock = this.variable('', list.size);
    this.image.writeStruct(list, stock, {
      ...{ fl_num_allocated: 1, fl_frag_size: size, fl_frag_alignment: 8, fl_frag_class: itemClass },
    });
    this.setClass(stock, this.addClass('opal_free_list_t', list.size));
    const sentinel =
      BigInt(list.fields['fl_allocations']!.offset) +
      BigInt(this.layout('opal_list_t').fields['opal_list_sentinel']!.offset);
    const next = BigInt(this.layout('opal_list_item_t').fields['opal_list_next']!.offset);
    this.image.writeU64(stock + sentinel + next, allocation);
    this.image.writeU64(allocation + next, stock + sentinel);
    const context = this.allocate(contextSize);
    this.setClass(context, this.addClass('ompi_comm_cid_context_t', contextSize));
    const request = allocation + BigInt(head);
    this.setClass(request, itemClass);
    this.image.writeStruct(this.layout('ompi_request_t'), request, {
      ...{ req_type: 7, req_state: active },
    });
    this.image.writeStruct(this.layout('ompi_comm_request_t'), request, { context });
    return context;
  }

  /** A pending collective whose schedule names the buffer behind 13 bytes of other things. */
  collective(buffer: bigint): bigint {
    const data = this.allocate(32);
    this.image.writeU64(data + 13n, buffer);
    const schedule = this.object('NBC_Schedule', { size: 21, data });
    const request = this.object('ompi_coll_libnbc_request_t', { comm: this.world, schedule });
    this.image.writeStruct(this.layout('ompi_request_t'), request, { req_type: collective, req_state: active });
    return request;
  }

  async flags(request: bigint): Promise<RequestInfo['flags']> {
    const process = await openmpi.open(this.image);
    assert.ok(process !== undefined);
    const answer = await process.query('request', request);
    assert.ok(answer.ok, answer.ok ? '' : answer.reason);
    return answer.value.flags;
  }
}

for (const version of ['4.0.0', '4.1.4', '5.0.7', '6.0.0rc2']) {
  describe(`a nonblocking collective of Open MPI ${version}, while a communicator is made`, () => {
    it("is the library's own when it works on what the request that makes it works on", async () => {
      const mock = new Requests(version);
      const context = mock.commRequest(200);
      assert.deepEqual(await mock.flags(mock.collective(context + 199n)), ['internal']);
    });

    it("is the program's when it works on anything else", async () => {
      const mock = new Requests(version);
      const context = mock.commRequest(200);
      assert.deepEqual(await mock.flags(mock.collective(context + 200n)), []);
    });
  });
}
