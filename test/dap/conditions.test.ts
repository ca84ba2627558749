/** Conditions with text and with what would run code in a rank. Truth: what the program itself says of the lap, by strcmp. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { formatRankSet, rankSetOf } from '../../plugin-api/answers/rank-set';
import { eitherMpi, launchers, samplePath } from '../support/sample-job';
import { DebugRun, type Place, type Stopped } from './debug-run';

const lapEnds: Place = { source: 'texts.cpp', marker: 'the lap ends' };
const ranks = [0, 1];

/** Until all ranks have stopped. */
async function allStopped(run: DebugRun): Promise<Stopped[]> {
  const stops: Stopped[] = [];
  const stopped = new Set<number>();
  while (stopped.size < ranks.length) {
    stops.push(await run.nextStop());
    const states = await run.client.request<{ ranks: { rank: number; state: string }[] }>('mpidbg/ranks');
    for (const { rank, state } of states.ranks) if (state === 'stopped') stopped.add(rank);
  }
  return stops;
}

async function goOn(run: DebugRun): Promise<Stopped[]> {
  const [{ id: threadId }] = (await run.threads()) as [DebugProtocol.Thread];
  await run.client.request('continue', { threadId });
  return allStopped(run);
}

async function inAllRanks(run: DebugRun, expression: string): Promise<string> {
  return (await run.evaluate(expression, 'repl')).result;
}

async function isRefused(run: DebugRun, place: Place, condition: string, why: RegExp): Promise<void> {
  const [breakpoint] = await run.setBreakpoints(place.source, [{ ...place, condition }]);
  assert.equal(breakpoint?.verified, false, condition);
  assert.match(breakpoint?.message ?? '', why, condition);
}

/** The ranks stop in the next lap in which this holds, and are let go with all breakpoints removed in the end. */
async function stopsWhereTrue(run: DebugRun, place: Place, condition: string, truth: string): Promise<void> {
  const [breakpoint] = await run.setBreakpoints(place.source, [{ ...place, condition }]);
  assert.equal(breakpoint?.verified, true, `${condition}: ${breakpoint?.message}`);
  for (const { description, reason } of await goOn(run)) {
    assert.equal(reason, 'breakpoint', condition);
    assert.doesNotMatch(description ?? '', /cannot/);
  }
  assert.equal(await inAllRanks(run, truth), '0-1: 1', condition);
}

/** Also where the value has none, and gdb would look for it for ever. */
async function haveAnEnd(run: DebugRun): Promise<void> {
  const { id } = await run.topFrame(0);
  const why = /: this took longer than \d s: is it initialized\?$/;
  await assert.rejects(run.evaluate('endless', 'watch', id), ({ message }: Error) => why.test(message));
  assert.equal((await run.evaluate('is_ocean + 0 * lap', 'watch', id)).result, (await run.local(0, 'is_ocean')).value);
}

/** Nothing was called: what the program says at its end. */
async function endsWell(run: DebugRun, place: Place): Promise<void> {
  await run.setBreakpoints(place.source, []);
  const [{ id: threadId }] = (await run.threads()) as [DebugProtocol.Thread];
  await run.client.request('continue', { threadId });
  assert.equal(await run.terminated(), 0);
  assert.equal(run.client.outputText('stdout').match(/\b0 calls\b/g)?.length, ranks.length);
  await run.close();
}

for (const mpi of eitherMpi('conditions in C++')) {
  describe(`conditions in C++, with ${mpi}`, () => {
    it('compare text by content, whatever holds it', async () => {
      // The symbols of the C++ library have not been read then.
      const first: Place = { ...lapEnds, condition: 'by_key["here"] == "ocean" && all[1] == "ocean"' };
      const { run, stop } = await DebugRun.stopped({ mpi, program: 'texts', ranks: 2, breakpoints: [first] });
      assert.doesNotMatch(stop.description ?? '', /cannot/);
      assert.equal((await run.evaluate('is_ocean', 'watch', (await run.topFrame(0)).id)).result, '1');
      const forms = [
        'array == "ocean"',
        'pointer == "ocean"',
        '"ocean" == where',
        'text == "ocean"',
        'wide == L"ocean"',
        'view == "ocean"',
        'alias == "ocean"',
        'bound == "ocean"',
        'all[1] == "ocean"',
        'by_key["here"] == "ocean"',
        'buoy.name == "ocean"',
        'at->name == "ocean"',
        'names[lap % 4] == "ocean"',
        '$_streq(array, "ocean")',
        'pointer >= "ocean" && pointer <= "ocean"',
        '!(text != "ocean")',
      ];
      const always = 'fixed == "ocean" && fixed != "ocea" && nothing != "" && !(nothing == "")';
      await stopsWhereTrue(run, lapEnds, `${forms.join(' && ')} && ${always} && $rank >= 0`, 'is_ocean');
      for (const form of forms) assert.equal(await inAllRanks(run, form), '0-1: true', form);
      await stopsWhereTrue(run, lapEnds, `${forms.join(' || ')} || !(${always})`, 'is_ocean');
      await stopsWhereTrue(run, lapEnds, 'pointer == "" || nothing == "ocean"', 'is_ocean + !*pointer');
      for (const form of forms) assert.equal(await inAllRanks(run, form), '0-1: false', form);
      // What only looks at a stopped rank compares alike.
      for (const context of ['watch', 'hover'])
        assert.equal((await run.evaluate('text == "" && array != "ocean"', context)).result, 'true', context);
      await endsWell(run, lapEnds);
    });

    it('are refused where they would run code or mean nothing', async () => {
      const { run } = await DebugRun.stopped({ mpi, program: 'texts', ranks: 2, breakpoints: [lapEnds] });
      const call = /^the condition would call .*mpidbg runs no code in a rank/;
      for (const [condition, why] of [
        ['deepest(lap) == 3', /would call deepest, /],
        ['lap == 1000 && (deepest)(lap) == 3', call],
        ['strcmp(array, "ocean") == 0', /would call strcmp, .*name == "ocean"/],
        ['depth == buoy.depth', call],
        ['static_cast<Depth>(lap).metres == 3', /^a cast from int to Depth would run code of the program/],
        ['text.capacity() > 3', call],
        ['array + 1 == "cean" + 0', /^a literal text can only be compared/],
        ['lap == 3 && *"ocean" == 111', /^a literal text can only be compared/],
        ['lap = 3', /would change the program/],
        ['$tag == 112', /^nothing is called \$tag: /],
        ['lop == 3', /No symbol "lop"/],
        ['depth == 3', /operator|Invalid type combination/],
        ['lap == "ocean"', /is no text/],
        ['buoy.nome == "ocean"', /^buoy is of type .*, which has no member nome$/],
        ['lap == 1.5', /^lap is a whole number \(int\) and never 1\.5$/],
        ['99999999999 == lap', /^lap is of type int, from -2147483648 to 2147483647: this is never true$/],
        ['array[0] > 300', /^array\[0\] is of type char, from -128 to 127: this is never true$/],
        ['array == 3', /^array is an array: compare one of its elements$/],
        ['lap == 3 && lap.x == 1', /^lap is of type int, which has no member x$/],
        ['pointer->x == 1', /^pointer is of type const char \*, which has no member x$/],
        ['*(void *)pointer == 1 || lap % 0', /./],
        ['lap % 0 == 1', /^Division by zero$/],
        ['$_regex(pointer, "(")', /^"\(" is no regular expression: missing \), /],
        ['text.nosuch() == 3', /has no method nosuch$/],
        ['lap =< 3', /^"=<" is no operator here: write <=$/],
        ['lap == 3)', /^a closing parenthesis has no opening one$/],
        ['lap ==', /^an operand is missing behind "=="$/],
        ["text == 'ocean'", /^'ocean' is no character: text is written in double quotes, as in name == "ocean"$/],
        ['$rank == 0.5', /^\$rank is a whole number and never 0\.5/],
        ['buoy == 3', /buoy is of type .*: compare one of its members, as in buoy\./],
        ['lap == text', call],
        ['$rank == buoy', call],
        ...['MPI_COMM_WORLD', 'pointer', '&lap'].map(
          (other) => [`$rank == ${other}`, /^\$rank is a number, and .* is none: compare it with numbers/] as const,
        ),
        ['pointer != $rank', /^\$rank is a number, and a pointer is none: compare it with numbers/],
        ['$1 == 3', /^nothing is called \$1: /],
        ['lap == 3 || $', /^nothing is called \$: /],
        ['$_strlen(lap) == 3', /^Trying to read string with inappropriate type/],
        ['$_streq(text, "ocean")', /^Trying to read string with inappropriate type/],
        ['$_streq(pointer)', /^a function of gdb needs more or fewer arguments$/],
        ['lap == 3 || 1 / 0', /^Division by zero$/],
      ] as const)
        await isRefused(run, lapEnds, condition, why);
      const [kept] = await run.setBreakpoints(lapEnds.source, [
        {
          ...lapEnds,
          condition: `$rank == lap && $_streq(pointer, "ocean") && array[0] == '$' && lap / (lap - 3) == 1`,
        },
      ]);
      assert.equal(kept?.verified, true, kept?.message);
      const { breakpoints } = await run.client.request<DebugProtocol.SetFunctionBreakpointsResponse['body']>(
        'setFunctionBreakpoints',
        {
          breakpoints: [
            { name: 'deepest', condition: 'metres == "x"' },
            // Where the rank is now there is one; gdb takes it for the code of other ranks.
            { name: 'deepest', condition: 'lap == 3' },
            { name: 'deepest', logMessage: '{array}' },
            { name: 'usleep', condition: 'lap == 3' },
            { name: 'deepest', condition: 'metres == 3' },
            { name: 'MPI_Barrier', condition: '$nth == where' },
            { name: 'MPI_Barrier', condition: '$tig == 1' },
            { name: 'MPI_Barrier', condition: 'strlen("x") == 1' },
          ],
        },
      );
      assert.deepEqual(
        breakpoints.map(({ verified }) => verified),
        [false, false, false, false, true, false, false, false],
      );
      for (const { message } of breakpoints.slice(1, 3)) assert.match(message ?? '', /^No symbol "(lap|array)"/);
      assert.match(breakpoints[5]?.message ?? '', /^\$nth is a number, and a pointer is none/);
      assert.match(breakpoints[3]?.message ?? '', /^(No symbol "lap"|no variable is called lap there)/);
      for (const expression of ['deepest(1)', 'depth == buoy.depth', 'array + "x"', 'text + "x"'])
        await assert.rejects(run.evaluate(expression, 'watch', (await run.topFrame(0)).id), expression);
      if (mpi === 'openmpi') await haveAnEnd(run);
      await endsWell(run, lapEnds);
    });

    it('that fail at a hit stop each rank once, and say why', async () => {
      const begins: Place = { ...lapEnds, marker: 'the lap ends', condition: 'nowhere->depth.metres == 3' };
      const { run } = await DebugRun.stopped({ mpi, program: 'texts', ranks: 2, breakpoints: [lapEnds] });
      const lap = Number((await run.local(0, 'lap')).value);
      const set = await run.setBreakpoints(begins.source, [begins, { ...begins, condition: `lap == ${lap + 5}` }]);
      assert.deepEqual(
        set.map(({ verified }) => verified),
        [true, true],
      );
      const why = /whose condition cannot be evaluated: Cannot access memory at address/;
      const told = await goOn(run);
      for (const { description, text } of told) {
        assert.match(description ?? '', why);
        assert.match(text ?? '', /^the condition cannot be evaluated: Cannot access memory at address/);
      }
      for (const { description } of await goOn(run)) assert.doesNotMatch(description ?? '', /cannot/);
      assert.equal(await inAllRanks(run, `lap == ${lap + 5}`), `${formatRankSet(rankSetOf(ranks))}: true`);
      const lines = run.client.outputText('console').match(/^\[\d\] the condition of this breakpoint .*$/gm);
      assert.equal(lines?.length, 1);
      await endsWell(run, lapEnds);
    });
  });

  it(`conditions in Fortran compare CHARACTER by content, with ${mpi}`, async () => {
    const place: Place = { source: 'fortran-texts.f90', marker: 'all have a name' };
    const inside: Place = { ...place, marker: 'the lap begins' };
    // No rank has a frame then, which knows how long the texts are.
    const first: Place = { ...inside, condition: "label == 'ocean' .and. others(2) == 'ocean'" };
    const { run, stop } = await DebugRun.stopped({ mpi, program: 'fortran-texts', ranks: 2, breakpoints: [first] });
    assert.doesNotMatch(stop.description ?? '', /cannot/);
    await run.setBreakpoints(place.source, [place]);
    await goOn(run);
    const stopsAt = async (where: Place, condition: string, truth = 'is_ocean'): Promise<void> => {
      const [breakpoint] = await run.setBreakpoints(where.source, [{ ...where, condition }]);
      assert.equal(breakpoint?.verified, true, `${condition}: ${breakpoint?.message}`);
      for (const { description } of await goOn(run)) assert.doesNotMatch(description ?? '', /cannot/);
      assert.equal(await inAllRanks(run, truth), '0-1: .TRUE.', condition);
    };
    const forms = [
      "fixed == 'ocean'",
      '"ocean" .eq. shared',
      "nearest%name == 'ocean   '",
      "trim(all(2)) == 'ocean'",
      "initial == 'o'",
      "words(2) == 'ocean'",
      "words(lbound(words,1)+1)(2:3) == 'ce'",
      "nearest%label == 'ocean'",
      "nearest%labels(2)(1:2) == 'oc'",
      "'ocean' == nearest%labels(2)",
      "(fixed /= '' .and. fixed > 'north' .and. fixed < 'p')",
      'counted == 1',
      'level > 2',
      'seen',
      '(allocated(level) .and. associated(counted) .and. mod(counted,2) == 1)',
      "(len(fixed) == 12 .and. len_trim(fixed) == 5 .and. len(words) == 5 .and. len(initial) == 1 .and. initial == 'o')",
    ];
    await stopsAt(place, forms.join(' .and. '));
    await stopsAt(place, forms.join(' .or. '));
    await stopsAt(inside, "label == 'ocean' .and. others(2) == 'ocean'");
    await stopsAt(inside, "others(2)(1:1) == 'o'");
    const texts = "title == 'ocean' .and. given == 'ocean' .and. own == 'ocean!' .and. title(2:3) == 'ce'";
    await stopsAt({ ...place, marker: 'below the program' }, 'present(extra) .and. len(title) == 5', 'is_here');
    await stopsAt({ ...place, marker: 'below the program' }, '.not. (.not. present(extra))', 'present(extra)');
    await stopsAt({ ...place, marker: 'below the program' }, texts, 'is_here');
    for (const name of ['title', 'given', 'words(2)']) assert.equal(await inAllRanks(run, name), "0-1: 'ocean'", name);
    assert.equal(await inAllRanks(run, 'len(title) + len(own)'), '0-1: 11');
    for (const [condition, why] of [
      ['deepest(lap) == 3', /would call deepest, /],
      ["lap == 'ocean'", /is no text|cannot be/],
      ['$tag == 3', /^nothing is called \$tag/],
      ['lap == 99 .or. fixed == 3', /^an operator of the condition has no meaning for its operands/],
      ['int(lap) == 3', /^mpidbg does not know the intrinsic int: /],
      ['fixed == 3', /^an operator of the condition has no meaning for its operands/],
      ["all == 3 .or. fixed == 'x'", /^all is an array: /],
      ['lap == 3 .and. .not. lap', /^an operator of the condition has no meaning for its operands/],
      ['len(lap) == 3', /LEN does not apply to it/],
      ['any(words == fixed)', /^mpidbg does not know the intrinsic any: /],
      ["all(2) == 'x' .and. nowhere == 3", /^No symbol "nowhere" in current context$/],
    ] as const)
      await isRefused(run, place, condition, why);
    await stopsAt(place, "fixed == 'ocean' .and. kind_of_name == 'name'");
    await stopsAt(place, '.not. lap == 0 .and. is_ocean');
    await stopsAt(place, "lap < 0 .eqv. .not. fixed == 'ocean'");
    await stopsAt(place, "counted==1.and.nearest%label=='ocean'.and.size(words)>=2.or.lap==-2.and.seen");
    await stopsAt(inside, "size(others) >= 2 .and. ubound(others, 1) >= 2 .and. label == 'ocean'");
    await stopsAt(place, '-mod(lap,4)**2 < 0 .and. is_ocean');
    const { id } = await run.topFrame(0);
    for (const form of [...forms, ...forms.map((each) => `.not. (${each})`)])
      assert.equal(
        (await run.evaluate(form, 'watch', id)).result,
        form.startsWith('.not. (') ? '.FALSE.' : '.TRUE.',
        form,
      );
    for (const [expression, value] of [
      ['fixed(2:4)', "'cea'"],
      ['initial', "'o'"],
      ['words(2)(1:2)', "'oc'"],
      ['kind_of_name', "'name'"],
      ['counted + 1', '2'],
      ['len_trim(fixed)', '5'],
    ] as const)
      for (const context of ['watch', 'hover'])
        assert.equal((await run.evaluate(expression, context, id)).result, value, `${context}: ${expression}`);
    await endsWell(run, place);
  });
}

for (const mpi of eitherMpi('conditions with containers'))
  it(`conditions with containers and smart pointers of C++ hold where the program says so, with ${mpi}`, async () => {
    const place: Place = { source: 'conditions.cpp', marker: 'all made' };
    const behind: Place = { source: 'conditions.cpp', marker: 'behind' };
    const told = spawnSync(samplePath(mpi, 'conditions'), {
      encoding: 'utf8',
      env: { ...process.env, ...launchers[mpi].env },
    });
    const truths = [...told.stdout.matchAll(/^CONDITION (.*)\t([01])$/gm)].map(([, condition = '', value]) => ({
      condition,
      holds: value === '1',
    }));
    assert.ok(truths.length > 0, told.stderr);
    const refused = [
      'k.find("a") != k.end()',
      'name.find("ea") == 2',
      '*v.begin() == 1',
      'd.empty()',
      'box.get() == 3',
      'v == v',
      '!v',
      'd',
      'd ? true : false',
      '(bool)d',
      'member == 5 && d',
      'table[1] == 2',
      'tables[0][1]',
      'table->entries[1] == 2',
      '*table == 1',
      'row[0].entries[1] == 2',
      'member == 5 && (table)[1] == 2',
    ];
    const missing: readonly [string, RegExp][] = [
      ['v[4] == 1', /it has no element 4: its size is 4/],
      ['v.at(9) == 1', /it has no element 9: its size is 4/],
      ['empty[0] == 1', /it has no elements/],
      ['empty.front() == 1', /it has no elements/],
      ['empty.back() == 1', /it has no elements/],
      ['flags[3]', /it has no element 3: its size is 3/],
      ['dq[2] == 1', /it has no element 2: its size is 2/],
      ['arr[3] == 1', /it has no element 3: its size is 3/],
      ['k["none"] == 1', /it has no such key/],
    ];
    const run = await DebugRun.open();
    await run.launch({ mpi, program: 'conditions', ranks: 1, breakpoints: [behind] });
    await run.nextStop();
    const set = await run.setBreakpoints(place.source, [
      behind,
      ...refused.map((condition) => ({ ...place, condition })),
      ...truths.map(({ condition }, i) => ({ ...place, condition, logMessage: `holds ${i}` })),
    ]);
    for (const [i, condition] of refused.entries()) {
      assert.equal(set[1 + i]?.verified, false, condition);
      assert.match(set[1 + i]?.message ?? '', /mpidbg runs no code in a rank|would call malloc/, condition);
    }
    for (const [i, { condition }] of truths.entries())
      assert.equal(
        set[1 + refused.length + i]?.verified,
        true,
        `${condition}: ${set[1 + refused.length + i]?.message}`,
      );
    await run.close();
    const again = await DebugRun.open();
    await again.launch({
      ...{ mpi, program: 'conditions', ranks: 1 },
      breakpoints: [
        behind,
        { ...place, logMessage: 'LONG {deep} THEN {deep} THEN {member} {vv} {k} END' },
        ...truths.map(({ condition }, i) => ({ ...place, condition, logMessage: `holds ${i}` })),
        ...missing.map(([condition]) => ({ ...place, condition, logMessage: 'holds beyond the end' })),
      ],
    });
    await again.nextStop();
    const { id } = await again.topFrame(0);
    const [long = ''] = /LONG .* END/.exec(again.client.outputText('console')) ?? [];
    assert.match(long, /\.\.\.\}.* THEN .*\.\.\.\}.* THEN 5 .*\{1, 2\}.*\{3\}.*\["a"\] = 3, \["b"\] = 4\} END/);
    assert.ok((long.match(/\b7\b/g)?.length ?? 0) <= 10_200);
    for (const [expression, why] of missing) {
      const form = new RegExp(`cannot be evaluated: ${why.source}`);
      assert.match(again.client.outputText('console'), form, expression);
      for (const context of ['watch', 'repl']) await assert.rejects(again.evaluate(expression, context, id), why);
    }
    assert.ok(!again.client.outputText('console').includes('beyond the end'));
    for (const [i, { condition, holds }] of truths.entries()) {
      const { result } = await again.evaluate(`(${condition}) ? 1 : 0`, 'watch', id);
      assert.equal(result, holds ? '1' : '0', condition);
      const isLogged = again.client.outputText('console').includes(`[0] holds ${i}\n`);
      assert.equal(isLogged, holds, `${condition}: ${again.client.outputText('console')}`);
    }
    await again.close();
  });
