/**
 * Many questions about random handles in pools that are full of objects with random contents: the bits of each kind,
 * so that every decoder is entered, and wild pointers, counts, cycles and texts behind that.
 */
import type { HandleKind } from '../../plugin-api/mpi/records';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { MockMpich } from '../support/mock-mpich';
import { MockUcx } from '../support/mock-ucx';
import { assertDecoded, askAtRandom, RandomObjects, type Random, type RandomMemory } from '../support/random-memory';
import { randomNumbers } from '../support/random-numbers';
import { randomCases } from '../support/thorough';

const questions = randomCases(50_000); // of each version

/** MPICH's numbers of the kinds, and their structs. */
const pools: Partial<Record<HandleKind, { number: number; struct: string }>> = {
  comm: { number: 1, struct: 'MPIR_Comm' },
  group: { number: 2, struct: 'MPIR_Group' },
  datatype: { number: 3, struct: 'MPIR_Datatype' },
  errhandler: { number: 5, struct: 'MPIR_Errhandler' },
  op: { number: 6, struct: 'MPIR_Op' },
  info: { number: 7, struct: 'MPIR_Info' },
  win: { number: 8, struct: 'MPIR_Win' },
  request: { number: 11, struct: 'MPIR_Request' },
  message: { number: 11, struct: 'MPIR_Request' },
  session: { number: 14, struct: 'MPIR_Session' },
};
const kinds: readonly HandleKind[] = [...(Object.keys(pools) as HandleKind[]), 'file', 'status'];
/** What objects lead to. */
const others = ['MPIR_Attribute', 'MPII_Keyval', 'MPIR_Topology', 'MPIR_Datatype_contents', 'MPIR_Info'];
/** How many of the eight in a pool's direct array are made; the others are free. */
const madeObjects = 6;
/** MPIR_REQUEST_KIND__*: so many. */
const requestKinds = 14;
const romioCookie = 2487376;

for (const version of ['4.0.2', '4.2.1']) {
  it(`${questions} questions about random handles of MPICH ${version} end, each with an answer or a reason`, async () => {
    const random = randomNumbers(version === '4.0.2' ? 20261121 : 4711);
    const answers = await askAtRandom(mpich, new RandomPools(version, random), kinds, random, questions);
    assertDecoded(answers, kinds);
  }).timeout(120_000);
}

class RandomPools implements RandomMemory {
  private readonly mock: MockMpich;
  readonly objects: RandomObjects;
  private readonly files: bigint[] = [];
  private readonly start: bigint;
  private end: bigint;

  constructor(
    version: string,
    private readonly random: Random,
  ) {
    this.mock = new MockMpich({ version });
    const { mock } = this;
    this.start = mock.allocate(16);
    this.end = this.start;
    this.objects = new RandomObjects(mock.image, random, () => ({ start: this.start, end: this.end }));
    const ucx = new MockUcx(mock.image, version === '4.0.2' ? '1.13.1' : '1.18.1');
    for (const [kind, { number, struct }] of Object.entries(pools)) {
      if (kind === 'message') continue;
      for (let i = 0; i < madeObjects; i++) this.addInPool(kind as HandleKind, number, struct, ucx);
    }
    for (const struct of others) for (let i = 0; i < 6; i++) this.addOther(struct);
    for (let i = 0; i < 6; i++) this.files.push(this.addOther('ADIOI_FileD', { cookie: romioCookie }));
    this.end = mock.allocate(16);
    this.objects.mutate(1000);
  }

  get image() {
    return this.mock.image;
  }

  private addInPool(kind: HandleKind, number: number, struct: string, ucx: MockUcx): void {
    const { mock } = this;
    const { handle, address } =
      kind === 'request' ? mock.makeRequest(ucx, this.random(requestKinds)) : mock.make(number, struct);
    this.objects.add(address, mock.layout(struct).size, () => {
      mock.write('MPIR_Handle_common', address, { handle: Number(handle), ref_count: 1 + this.random(2) });
      if (kind === 'request')
        mock.write('MPIR_Request', address, { kind: this.random(requestKinds), cc_ptr: this.objects.inside() });
      if (kind === 'comm' && this.random(64) === 0) mock.setFirstFree(this.objects.inside());
      if (kind === 'win') mock.write('MPIR_Win', address, { create_flavor: 1 + this.random(4), comm_ptr: mock.world });
    });
  }

  private addOther(struct: string, values: Record<string, number> = {}): bigint {
    const { mock } = this;
    const address = mock.object(struct, values);
    this.objects.add(address, mock.layout(struct).size, () => mock.write(struct, address, values));
    return address;
  }

  /** Mostly one with the bits of its kind, often of an object. */
  handle(kind: HandleKind): bigint {
    const pool = pools[kind];
    if (pool === undefined || this.random(8) === 0) return this.address(kind);
    const how = [0n, 1n, 2n, 2n, 2n, 2n, 2n, 3n][this.random(8)]!;
    const number = this.random(16) === 0 ? this.random(16) : pool.number;
    const index = this.random(8) === 0 ? this.random(1 << 26) : this.random(8);
    return (how << 30n) | (BigInt(number) << 26n) | BigInt(index);
  }

  private address(kind: HandleKind): bigint {
    if (kind === 'file' && this.random(2) === 0) return this.files[this.random(this.files.length)]!;
    switch (this.random(4)) {
      case 0:
        return this.objects.word();
      case 1:
        return this.objects.inside();
      case 2:
        return (BigInt(this.random(0x7fffffff)) << 33n) | BigInt(this.random(0x7fffffff));
      default:
        return this.objects.object();
    }
  }
}
