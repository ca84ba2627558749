/** The record of a death as the C compiler lays it out, and what is read of its bytes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { carriedFields, carriedRecordSize } from '../../plugin-api/deaths/carried-record';
import { deathFields, deathRecordLength, deathRecordSize, readDeath } from '../../plugin-api/deaths/death-record';
import { usualProcessor } from '../../plugin-api/processor/known/processors';
import { Registers } from '../../plugin-api/processor/registers';
import { stopFields, stopRecordSize, stopsFields, stopsSize } from '../../plugin-api/deaths/stop-record';
import { openWorkshop } from '../support/compile';

const header = join(__dirname, '..', '..', 'adapter/collector/deaths/record.h');

/** Prints where each field lies, and last a record. */
const program = `
#include "${header}"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#define FIELD(name) printf("%s %zu\\n", #name, offsetof(struct mpidbg_death, name));
int main(void)
{
    struct mpidbg_death death = {{DEATH_MAGIC}, sizeof death, DEATH_MPI_ERROR, 4711, 4712, 1ull << 40};
${Object.keys(deathFields)
  .map((field) => `    FIELD(${field})`)
  .join('\n')}
    printf("all %zu\\n", sizeof death);
    death.flags = DEATH_AT_CALL | DEATH_MPI_IS_UP | DEATH_OWN_HANDLER | DEATH_IN_CATCH | DEATH_ERROR_RETURNED;
    death.rank = 3;
    death.status = -1;
    death.registers_known = 1 << 6 | 1 << 7 | 1 << 16;
    for (int i = 0; i < DEATH_REGISTERS; i++) death.registers[i] = 100 + i;
    death.object = 0x84000001;
    death.object_kind = DEATH_COMM;
    death.error_code = 0x2004;
    death.error_class = 4;
    death.tail_bytes = 4000000000u;
    strcpy(death.function, "MPI_Recv");
    strcpy(death.error_text, "Message truncated");
    death.error_caller = 4713;
    death.error_stack = 4714;
    strcpy(death.error_function, "MPI_Wait");
    memset(death.words, 'w', sizeof death.words);
    memset(death.tail, 't', sizeof death.tail);
    printf("record ");
    for (size_t i = 0; i < sizeof death; i++) printf("%02x", ((unsigned char *)&death)[i]);
    return 0;
}
`;

/** A program that prints where the fields of a struct lie. */
const offsetsOf = (header: string, struct: string, fields: object): string => `
#include "${join(__dirname, '..', '..', 'adapter/collector', header)}"
#include <stddef.h>
#include <stdio.h>
int main(void)
{
${Object.keys(fields)
  .map((field) => `    printf("%s %zu\\n", "${field}", offsetof(struct ${struct}, ${field}));`)
  .join('\n')}
    printf("all %zu\\n", sizeof(struct ${struct}));
    return 0;
}
`;

for (const [what, header, struct, offsets, size] of [
  ['of what MPI carries', 'calls/carried.h', 'mpidbg_carried', carriedFields, carriedRecordSize],
  ['of a rank that is to wait', 'deaths/stop-record.h', 'mpidbg_stop', stopFields, stopRecordSize],
  ['of where a rank is to wait', 'deaths/stop-record.h', 'mpidbg_stops', stopsFields, stopsSize],
] as const)
  describe(`the record ${what}`, () => {
    it('lies as the C compiler has it', () => {
      const workshop = openWorkshop();
      const source = offsetsOf(header, struct, offsets);
      const printed = execFileSync(workshop.compile(struct, source, 'cc', []), { encoding: 'utf8' });
      workshop.close();
      const fields = [...Object.entries(offsets), ['all', size] as const];
      assert.equal(printed, fields.map(([field, offset]) => `${field} ${offset}\n`).join(''));
    });
  });

describe('the record of a death', () => {
  let printed: string;
  before(() => {
    const workshop = openWorkshop();
    printed = execFileSync(workshop.compile('record', program, 'cc', []), { encoding: 'utf8' });
    workshop.close();
  });

  it('lies as the C compiler has it', () => {
    const offsets = new Map([...printed.matchAll(/^(\w+) (\d+)$/gm)].map(([, name, offset]) => [name, Number(offset)]));
    for (const [field, offset] of Object.entries(deathFields)) assert.equal(offsets.get(field), offset, field);
    assert.equal(offsets.get('all'), deathRecordSize);
  });

  it('is read, and trusted in nothing', () => {
    const bytes = Buffer.from(/^record (.*)$/m.exec(printed)![1]!, 'hex');
    assert.equal(deathRecordLength(bytes), bytes.length);
    const { stack, words, tail, ...death } = readDeath(bytes);
    assert.deepEqual(death, {
      ...{ kind: 'mpiError', pid: 4711, tid: 4712, time: 1n << 40n, rank: 3, mpi: 'up' },
      ...{
        status: undefined,
        signal: undefined,
        handlerExits: false,
        ownHandler: { function: 'MPI_Wait', caller: 4713n, stackPointer: 4714n },
        ...{ returnedBy: 'MPI_Wait', isInCatch: true },
        thrown: undefined,
        left: undefined,
        exception: undefined,
        python: undefined,
        floatKinds: [],
      },
      ...{ object: { kind: 'comm', handle: 0x84000001n, isFortran: false }, isStackFull: false, goesOn: false },
      error: { code: 0x2004, class: 4, text: 'Message truncated' },
      ...{ function: 'MPI_Recv', type: '', typeName: '' },
    });
    // rbp is DWARF's 6 and the processor's 5, rsp 7 and 4.
    const general = Array.from({ length: 16 }, (_, n) => (n === 5 ? 106n : n === 4 ? 107n : undefined));
    assert.deepEqual(stack, { address: 116n, isCaller: true, registers: new Registers(usualProcessor, general) });
    // Neither ends with a zero.
    assert.deepEqual([words.length, tail.length], [1024, 512]);
    // Fortran's first handle is 0.
    const other = Buffer.from(bytes);
    other.writeUInt32LE(13, deathFields.kind);
    other.writeUInt32LE(64 | 128 | 256, deathFields.flags);
    other.writeBigUInt64LE(0n, deathFields.object);
    const { kind, mpi, isStackFull, object } = readDeath(other);
    assert.deepEqual(
      { kind, mpi, isStackFull, object },
      { kind: 'mpiEnds', mpi: 'unknown', isStackFull: true, object: { kind: 'comm', handle: 0n, isFortran: true } },
    );
    other.writeUInt32LE(14, deathFields.kind);
    other.writeUInt32LE(1 | 8 | 32, deathFields.float_flags);
    const float = readDeath(other);
    assert.deepEqual([float.kind, float.floatKinds], ['float', ['invalid', 'overflow']]);
    assert.equal(deathRecordLength(bytes.subarray(0, 8)), undefined);
    assert.throws(() => deathRecordLength(Buffer.concat([Buffer.from('x'), bytes])), RangeError);
    for (const length of [0, 12, 70_000]) {
      const forged = Buffer.from(bytes);
      forged.writeUInt32LE(length, deathFields.bytes);
      assert.throws(() => deathRecordLength(forged), RangeError);
    }
  });
});
