/** The tree of a value over a gdb that answers from a table: what it is asked for, and what the nodes are. */
import assert from 'node:assert/strict';
import { parseRecord } from '../../adapter/gdb/mi/mi-parser';
import type { MiTuple } from '../../adapter/gdb/mi/mi-values';
import { valueOf } from '../../adapter/gdb/mi/value';
import type { VariableObject } from '../../adapter/gdb/variable-objects';
import type { EvaluationFrame } from '../../adapter/expressions/evaluation-frame';
import { ValueNode } from '../../adapter/values/value-node';
import type { Reading } from '../../adapter/values/reading';

type Told = Partial<Omit<VariableObject, 'value'>> & { value?: string };

const variable = ({ value = '1', ...told }: Told): VariableObject => ({
  ...{ name: 'var', expression: 'x', type: 'int', value: valueOf(value), childCount: 0 },
  ...{ hasMore: false, dynamic: false, displayHint: undefined },
  ...told,
});

/** As gdb lists children: `["name", "type", "value", number of children]`. */
type Child = readonly [name: string, type: string | undefined, value: string, children?: number];

function listing(of: string, children: readonly Child[]): MiTuple {
  const each = children.map(([exp, type, value, count = 0]) => {
    const texts = { name: `${of}.${exp}`, exp, value, ...(type !== undefined && { type }) };
    const fields = Object.entries(texts).map(([name, text]) => `${name}=${JSON.stringify(text)}`);
    return `child={${[...fields, `numchild="${count}"`].join(',')}}`;
  });
  const record = parseRecord(`1^done,numchild="${children.length}",children=[${each.join(',')}]`);
  assert.ok(record?.kind === 'result');
  return record.results;
}

/** `tables`: what each variable object has below it. */
function reading(
  tables: Record<string, readonly Child[]>,
  root: VariableObject,
): { asked: string[]; reading: Reading } {
  const asked: string[] = [];
  const gdb = {
    command: async (text: string): Promise<MiTuple> => {
      asked.push(text);
      const [, name, from, to] = /^-var-list-children .* "(.*)" (\d+) (\d+)$/.exec(text) ?? [];
      assert.ok(name !== undefined, `gdb is asked ${text}`);
      return listing(name, tables[name]!.slice(Number(from), Number(to)));
    },
    console: async (text: string) => assert.fail(`gdb is asked ${text}`),
  };
  const evalFrame = { thread: { gdbThread: 1, gdb }, frame: 0, language: 'c' } as unknown as EvaluationFrame;
  const create = async (_: EvaluationFrame, source: string): Promise<VariableObject> => {
    asked.push(`create ${source}`);
    return source === root.expression ? root : variable({ name: source, expression: source, type: 'Lane [2]' });
  };
  return {
    asked,
    reading: {
      ...{ evalFrame, create, meaningOf: async () => ({ form: 'other' }) },
      ...{ smallestHandle: async () => undefined, kindOfNumbers: async () => undefined },
    },
  };
}

describe('the tree of a value', () => {
  it('has the members of a class and its bases, whoever may use them, and asks gdb once', async () => {
    const root = variable({ name: 'v', expression: 'port', type: 'Port', value: '{...}', childCount: 3 });
    const tables: Record<string, Child[]> = {
      v: [
        ['Harbour', 'Harbour', '{...}', 1],
        ['public', undefined, '', 2],
        ['private', undefined, '', 1],
      ],
      'v.public': [
        ['depth', 'int', '4'],
        ['Lane', 'Lane', '{...}', 1],
      ],
      'v.private': [['comm', 'MPI_Comm', '0x44000000']],
      'v.Harbour': [['public', undefined, '', 2]],
      'v.Harbour.public': [
        ['depth', 'int', '5'],
        ['width', 'int', '6'],
      ],
    };
    const { asked, reading: read } = reading(tables, root);
    const port = await ValueNode.ofExpression(read, 'port', 'port');
    const parts = await port.parts(0, 40);
    assert.deepEqual(
      parts.map(({ name, step, expression }) => [name, step.kind, expression]),
      [
        ['Harbour', 'base', '*(Harbour *)&(port)'],
        ['depth', 'member', 'port.depth'],
        ['Lane', 'member', 'port.Lane'],
        ['comm', 'member', 'port.comm'],
      ],
    );
    assert.equal(asked.length, 4, asked.join('\n'));
    // All of them are known by now.
    assert.deepEqual(await port.parts(0, 1000), parts);
    assert.deepEqual(await port.parts(0, 2), parts.slice(0, 2));
    assert.equal(asked.length, 4, asked.join('\n'));
    assert.deepEqual(
      (await parts[0]!.parts(0, 40)).map(({ expression, value }) => [expression, value.text]),
      [
        ['port.Harbour::depth', '5'],
        ['port.width', '6'],
      ],
    );
  });

  it('in C has members that are named as their types, which are no bases', async () => {
    const root = variable({ name: 'v', expression: 'box', type: 'struct Box', value: '{...}', childCount: 1 });
    const { reading: read } = reading({ v: [['Lid', 'struct Lid', '{...}', 1]] }, root);
    const [lid] = await (await ValueNode.ofExpression(read, 'box', 'box')).parts(0, 40);
    assert.deepEqual([lid?.step.kind, lid?.expression], ['member', 'box.Lid']);
  });

  it('takes the elements of a long array from a slice, so that gdb does not make all of them', async () => {
    const root = variable({ name: 'v', expression: 'row', type: 'Lane [5000]', value: '[5000]', childCount: 5000 });
    const slice: Child[] = [
      ['0', 'Lane', '{...}', 1],
      ['1', 'Lane', '{...}', 1],
    ];
    const { asked, reading: read } = reading({ '*(row + 4000)@2': slice }, root);
    const row = await ValueNode.ofExpression(read, 'row', 'row');
    assert.deepEqual(row.shape, { kind: 'array', count: 5000, first: 0 });
    const elements = await row.parts(4000, 4002);
    assert.deepEqual(
      elements.map(({ name, expression }) => [name, expression]),
      [
        ['[4000]', 'row[4000]'],
        ['[4001]', 'row[4001]'],
      ],
    );
    assert.deepEqual(asked.slice(0, 2), ['create row', 'create *(row + 4000)@2']);
    assert.equal(asked.length, 3);
  });

  it('tells pointers by what they lead to, pointers to arrays too', async () => {
    const open = async (told: Told, below: readonly Child[]): Promise<ValueNode> => {
      const root = variable({ name: 'v', expression: 'p', value: '0x4010', childCount: below.length, ...told });
      return ValueNode.ofExpression(reading({ v: below }, root).reading, 'p', 'p');
    };
    const part = async (told: Told, below: readonly Child[]): Promise<(string | undefined)[]> => {
      const [first] = await (await open(told, below)).parts(0, 1);
      return [first?.name, first?.step.kind, first?.expression, first?.shape.kind];
    };
    assert.deepEqual(await part({ type: 'Lane *' }, [['width', 'int', '1']]), [
      'width',
      'member',
      'p->width',
      'scalar',
    ]);
    assert.deepEqual(await part({ type: 'int *' }, [['*p', 'int', '1']]), ['*p', 'target', '*p', 'scalar']);
    assert.deepEqual(await part({ type: 'int (*)[3]' }, [['*p', 'int [3]', '[3]', 3]]), [
      '*p',
      'target',
      '*p',
      'array',
    ]);
    const none = await open({ type: 'Lane *', value: '0x0' }, [['width', 'int', '1']]);
    assert.deepEqual(none.shape, { kind: 'pointer', isNull: true, hasParts: true, hasText: false });
    const text = await open({ type: 'const char *', value: '0x4010 "sea"' }, [['*p', 'char', "115 's'"]]);
    assert.deepEqual(text.shape, { kind: 'pointer', isNull: false, hasParts: true, hasText: true });
  });
});
