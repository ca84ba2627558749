/** What is told of ranks that are about to die, and the conditions on it. */
import type { SeenDeath } from '../../plugin-api/deaths/seen-death';
import type { AbortReason } from '../../plugin-api/deaths/abort-reason';
import type { DeathFacts } from '../../plugin-api/deaths/death-facts';
import assert from 'node:assert/strict';
import type { Rank } from '../../adapter/job/rank';
import { parseDeathCondition } from '../../adapter/dap/breakpoints/death-condition';
import { RuleError } from '../../adapter/dap/breakpoints/breakpoint-rules';
import {
  abortReasonText,
  argumentLines,
  deathText,
  deathWithPlace,
} from '../../plugin-api/answers/text/stopped-death-text';
import { errorClassMeaning } from '../../plugin-api/mpi/error-classes';
import { constants as mpich } from '../../plugin-api/plugins/mpich/constants';
import { staticConstants as openmpi } from '../../plugin-api/plugins/openmpi/constants';

const ocean = { kind: 'comm', handle: '0x84000001', name: 'ocean' } as const;

function facts(seen: Partial<SeenDeath>, known: Partial<DeathFacts> = {}): DeathFacts {
  return {
    seen: {
      inferior: 1,
      thread: 1,
      kind: 'mpi-error',
      stops: true,
      place: 'ompi_errhandler_invoke',
      code: 15,
      ...seen,
    },
    call: 'MPI_Recv',
    passed: [],
    errorClass: 'MPI_ERR_TRUNCATE',
    object: ocean,
    where: 'halo.c:88',
    isAfterMain: false,
    handled: undefined,
    ...known,
  };
}

describe('a death in words', () => {
  it('of an MPI error has the call, the class and the object, and who gets it', () => {
    assert.equal(deathText(facts({})), 'MPI_Recv: message truncated (MPI_ERR_TRUNCATE) on "ocean"');
    assert.equal(deathWithPlace(facts({})), 'MPI_Recv: message truncated (MPI_ERR_TRUNCATE) on "ocean" at halo.c:88');
    assert.match(deathText(facts({ handler: 'returns' })), / on "ocean", returned to the program$/);
    assert.match(deathText(facts({ handler: 'own' })), / on "ocean", given to the program's error handler$/);
  });

  it('of an MPI error leaves out what is not known', () => {
    const unknown = { errorClass: undefined, object: undefined };
    assert.equal(deathText(facts({}, { ...unknown, call: undefined })), 'MPI: error 15');
    const put = { call: 'MPI_Put', object: undefined, passed: [{ name: 'win', text: '"tide"' }] };
    assert.equal(deathText(facts({}, put)), 'MPI_Put: message truncated (MPI_ERR_TRUNCATE) on "tide"');
    const ended = facts({ words: 'out of \u001b[1mcontexts' }, unknown);
    assert.equal(deathText(ended), 'MPI_Recv: the library ends the job with status 15: out of \\u001b[1mcontexts');
  });

  it('by MPI_Abort and exit has the arguments', () => {
    const abort = { kind: 'mpi-abort', code: 5 } as const;
    assert.equal(deathText(facts(abort, { call: 'MPI_Abort' })), 'MPI_Abort("ocean", 5)');
    const exit = { kind: 'exit-without-finalize', code: 3 } as const;
    const outside = { call: undefined };
    assert.equal(deathText(facts(exit, outside)), 'exit with status 3 without MPI_Finalize');
    assert.equal(
      deathText(facts({ ...exit, words: 'STOP 3' }, outside)),
      'STOP 3: exit with status 3 without MPI_Finalize',
    );
    assert.equal(deathText(facts(exit, { ...outside, isAfterMain: true })), 'main returned 3 without MPI_Finalize');
    assert.equal(deathText(facts(exit, { call: 'MPI_File_write' })), 'MPI_File_write ends the process with status 3');
  });

  it('in an error handler has the error and the call that failed', () => {
    const { seen, ...error } = facts({ handler: 'own' }, { passed: [{ name: 'tag', text: '7' }] });
    const exit = { kind: 'exit-without-finalize', code: 3 } as const;
    const inHandler = facts(exit, { call: undefined, handled: { ...error, seen } });
    assert.equal(
      deathText(inHandler),
      'exit with status 3 without MPI_Finalize in the error handler that MPI_Recv called: message truncated (MPI_ERR_TRUNCATE) on "ocean"',
    );
    assert.deepEqual(argumentLines(inHandler), ['tag: 7']);
  });

  it('has the arguments of the call that are known', () => {
    const passed = [
      { name: 'count', text: '4', number: 4 },
      { name: 'comm', text: '"ocean"' },
    ];
    assert.deepEqual(argumentLines(facts({}, { passed })), ['count: 4', 'comm: "ocean"']);
  });

  it('has a meaning for every class of both MPIs that programs of MPI 4 see', () => {
    const own = /^MPI_ERR_(LASTCODE|ABI|DUP_DATAREP|.*PROC_FAILED.*|REVOKED)$/;
    const names = [...mpich, ...openmpi].flatMap(([name]) => (/^MPI_ERR_/.test(name) && !own.test(name) ? [name] : []));
    assert.deepEqual(
      names.filter((name) => name !== 'MPI_ERRORS_RETURN' && errorClassMeaning(name) === undefined),
      [],
    );
  });
});

describe('an abort in words', () => {
  const by = (
    by: 'uncaught' | 'noexcept' | 'rethrow' | 'pureVirtual' | 'program',
    exception: object | 'none' | undefined,
  ) => abortReasonText({ kind: 'terminate', by, exception } as AbortReason);

  it('has what the library says, which may hold anything', () => {
    assert.equal(abortReasonText({ kind: 'message', text: 'double free\u001b[1m' }), 'double free\\u001b[1m');
    assert.equal(abortReasonText({ kind: 'abort' }), 'abort was called');
    assert.equal(abortReasonText(undefined), '');
  });

  it('has the exception, and how it got away', () => {
    const table = { type: 'St13runtime_error', what: 'bad table' };
    assert.equal(by('uncaught', table), 'uncaught std::runtime_error: bad table');
    assert.equal(by('noexcept', table), 'std::runtime_error: bad table, which left a noexcept function');
    assert.equal(by('program', table), 'std::terminate, called while handling std::runtime_error: bad table');
    assert.equal(by('uncaught', { type: 'St9bad_alloc', what: 'std::bad_alloc' }), 'uncaught std::bad_alloc');
    const of: AbortReason = {
      kind: 'terminate',
      by: 'uncaught',
      exception: { type: '4TideIiE' },
      typeName: 'Tide<int>',
    };
    assert.equal(abortReasonText(of), 'uncaught Tide<int>');
  });

  it('does not tell an exception that is not there, or not known', () => {
    assert.equal(by('program', 'none'), 'std::terminate, without an exception');
    assert.equal(by('program', undefined), 'std::terminate');
    assert.equal(by('uncaught', undefined), 'an uncaught C++ exception');
    assert.equal(by('rethrow', 'none'), 'std::terminate, by throw; without an exception to throw again');
    assert.equal(by('pureVirtual', 'none'), 'pure virtual method called');
  });
});

describe('a condition on an error of MPI', () => {
  const error = { errorClass: 'MPI_ERR_TRUNCATE', object: ocean };
  const holds = (text: string, number = 1, world?: string): boolean =>
    parseDeathCondition(text).holds({ number, world } as Rank, error, '0');

  it('compares class, communicator and rank', () => {
    assert.ok(holds('class == MPI_ERR_TRUNCATE'));
    assert.ok(!holds('class != MPI_ERR_TRUNCATE'));
    assert.ok(holds('comm == "ocean"'));
    assert.ok(!holds('comm == MPI_COMM_WORLD'));
    assert.ok(holds('$rank in 0-3,7', 7));
    assert.ok(!holds('$rank in 0-3,7', 5));
    assert.ok(holds('$rank == 1') && holds('$rank != 2'));
    assert.ok(
      !holds('$rank in 0-3', 1, '0.1') && holds('$rank in 3, 0.1:0-3', 1, '0.1') && holds('$rank != 1', 1, '0.1'),
    );
    assert.ok(holds('class == MPI_ERR_TRUNCATE && comm == "ocean" && $rank in 0-3'));
    assert.ok(!holds('class == MPI_ERR_TRUNCATE and comm == "ocean" and $rank in 2-3'));
  });

  it('joins, negates and turns comparisons round', () => {
    assert.ok(holds('!(comm == "land") && ("ocean" == comm || class == MPI_ERR_TAG)'));
    assert.ok(!holds('not (comm == "ocean") or MPI_ERR_TRUNCATE != class'));
    assert.ok(holds('comm == "a && b" || $rank in 0-1 && (class == MPI_ERR_TRUNCATE)'));
  });

  it('takes a name in quotes as it is', () => {
    const named = { errorClass: undefined, object: { ...ocean, name: 'sea and land' } };
    assert.ok(parseDeathCondition('comm == "sea and land"').holds({ number: 0 } as Rank, named, '0'));
  });

  it('needs no look at MPI for ranks alone', () => {
    assert.equal(parseDeathCondition('$rank in 0-3').needsMpi, false);
    assert.equal(parseDeathCondition('$rank in 0-3 && comm == "ocean"').needsMpi, true);
  });

  it('is refused where it says something else', () => {
    for (const text of [
      'depth > 3',
      'class == 15',
      'comm == ocean',
      '$rank in x',
      'class == MPI_ERR_TAG ||',
      'class == MPI_ERR_NOSUCH',
      '(comm == "a"',
      '!comm == "a"',
      'comm == MPI_COMM_NOPE',
      '('.repeat(100_000),
    ])
      assert.throws(() => parseDeathCondition(text), RuleError, text);
  });
});
