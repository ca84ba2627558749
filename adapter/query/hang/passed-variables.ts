/**
 * After a verdict: which variables of the source, of which the disagreeing argument is made, differ between the ranks that wait. They are
 * what is seen now, no proof: a tag may be right though it differs, and a variable may have changed since the call.
 */
import { basename } from 'node:path';
import { groupedBy } from '../../../plugin-api/grouped-by';
import { isRooted } from '../../../plugin-api/hang/calls';
import type { CallArguments } from '../../../plugin-api/hang/position';
import { isUnavailable } from '../../../plugin-api/result';
import {
  passedExpressions,
  sourceForm,
  type PassedExpression,
  type PassedRole,
} from '../../../plugin-api/hang/passed-expressions';
import { passedText, type PassedVariable } from '../../../plugin-api/hang/passed-text';
import type { Cause } from '../../../plugin-api/hang/stuck-job';
import type { HangVerdict } from '../../../plugin-api/hang/verdict';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import { ThreadStacks } from '../../expressions/thread-stack';
import { functionsOfSource } from '../../gdb/python/source-functions';
import type { Rank, RankThread } from '../../job/rank';
import type { Frame } from '../../stacks/frame';
import { isNewerThan, sourceText } from '../../job/source-text';
import { countRanks } from '../../../plugin-api/mpi/rank-names';
import { describeRanks, mergeEqual } from '../../../plugin-api/answers/merge';
import { rankAsked, unlessGdbFails, type QuestionSources, type Told } from './asked-ranks';
import { ExpressionValues } from '../shown/expression-values';
import { GdbValues } from '../shown/gdb-values';
import { ValueQueries } from '../shown/value-queries';
import { VariableStore } from '../shown/variable-store';

/** Where a process is that the cause is seen in, or another one in the same function. */
export interface PassingPlace {
  id: HangVerdict['graph']['waits']['processes'][number]['id'];
  thread: number;
  call: string;
  file: string;
  line: number;
  function: string;
  module: string;
  /** The argument of its call is not that of another process, which is why both wait. */
  disagrees: boolean;
}

/** What one verdict asks of variables. */
export interface PassedQuestion {
  roles: readonly PassedRole[];
  groups: readonly PassingGroup[];
}

/** One function. */
interface PassingGroup {
  /** Those whose call is in it. */
  calling: readonly PassingPlace[];
  /** Those that have called something else, perhaps from it. */
  others: readonly Pick<PassingPlace, 'id' | 'thread'>[];
}

/** Ranks of which variables are read. */
const maxPlaces = 32;
const maxNames = 6;
const maxSentences = 2;
/** Characters of one value. */
const maxValue = 40;

/** undefined: the cause is no argument, or no call in the source has a variable for it. */
export async function passedQuestion({ graph, cause }: HangVerdict): Promise<PassedQuestion | undefined> {
  if (cause === undefined) return undefined;
  const roles = rolesOf(cause);
  if (roles.length === 0) return undefined;
  const pairs = new Set((cause.nearMisses ?? []).flatMap(({ found: { from, to } }) => [from, to]));
  const concerned = new Set([...cause.culprits, ...cause.needs.map(({ wait }) => wait.process), ...pairs]);
  const places = graph.waits.processes.flatMap(({ id, positions }, process) =>
    positions.flatMap(({ state, call, code, thread, through }) => {
      if (state !== 'blocked' || call === undefined || !isWhole(code)) return [];
      const place = { id, thread, call, ...code, disagrees: pairs.has(process) };
      return [{ isConcerned: concerned.has(process) && through === undefined, place }];
    }),
  );
  const functions = groupedBy(
    places.filter(({ isConcerned }) => isConcerned),
    ({ place }) => keyOf(place),
  );
  const groups = [...functions.keys()].map((key): PassingGroup => {
    const [calling, others] = [true, false].map((isIn) =>
      places.flatMap(({ place }) => ((keyOf(place) === key) === isIn ? [place] : [])),
    );
    return { calling: calling!.slice(0, maxPlaces), others: others!.slice(0, maxPlaces - calling!.length) };
  });
  const asked = await Promise.all(groups.map(({ calling }) => namesAnything(calling, roles)));
  const found = groups.filter((_, index) => asked[index]);
  return found.length === 0 ? undefined : { roles, groups: found };
}

function keyOf({ file, function: name }: PassingPlace): string {
  return `${file} ${name}`;
}

function isWhole(code: CodeRef | undefined): code is Required<CodeRef> {
  return [code?.file, code?.line, code?.function, code?.module].every((each) => each !== undefined);
}

function rolesOf({ type, blocks, needs }: Cause): readonly PassedRole[] {
  switch (type) {
    case 'tag-mismatch':
      return ['tag'];
    case 'root-mismatch':
      // Other counts may have made other trees, too.
      return areKnownToDiffer(needs.map(({ wait }) => wait.position.root)) ? ['root'] : ['root', 'count'];
    case 'comm-mismatch':
      return ['comm'];
    case 'other':
      return blocks !== undefined || needs.some(({ need }) => need.kind === 'collective') ? ['count'] : [];
    case 'collective-order-mismatch':
      // Who has left a rooted operation may have passed another root.
      return needs.some(({ wait }) => isRooted(wait.call)) ? ['root'] : [];
    default:
      return [];
  }
}

function areKnownToDiffer(roots: readonly CallArguments['root'][]): boolean {
  return roots.every((root) => root !== undefined && !isUnavailable(root)) && new Set(roots).size > 1;
}

/** As far as the text tells, before a debugger is asked where functions begin. */
async function namesAnything([place]: readonly PassingPlace[], roles: readonly PassedRole[]): Promise<boolean> {
  const { file, line, module } = place!;
  const source = await sourceText(file);
  if (source === undefined || (await isNewerThan(file, module))) return false;
  const all = passedExpressions(source, { form: sourceForm(file), first: 1, last: line }, roles);
  return all.some(({ names }) => names.length > 0);
}

/** What the variables are now that are given to MPI and differ, one sentence for an expression. */
export async function passedVariables({ roles, groups }: PassedQuestion, sources: QuestionSources): Promise<Told[]> {
  const { queries } = sources;
  const values = new ValueQueries(queries, new ExpressionValues(queries, new GdbValues(new VariableStore(), queries)));
  const asked: Asked = { sources, values, stacks: new ThreadStacks() };
  return (await Promise.all(groups.map((of) => variablesOf(of, roles, asked)))).flat().slice(0, maxSentences);
}

interface Asked {
  sources: QuestionSources;
  values: ValueQueries;
  stacks: ThreadStacks;
}

async function variablesOf(
  { calling, others }: PassingGroup,
  roles: readonly PassedRole[],
  asked: Asked,
): Promise<Told[]> {
  const standing = await standingAt(calling, asked);
  const expressions = await expressionsOf(standing, roles);
  const names = [...new Set(expressions.flatMap((each) => each.names))].slice(0, maxNames);
  if (names.length === 0) return [];
  const all = [...standing, ...(await callersAmong(others, standing, asked))];
  const pairs = new Set(standing.flatMap(({ place }) => (place.disagrees ? [describeRanks([place.id])] : [])));
  const found = new Map<string, PassedVariable & Pick<Told, 'evidence'>>();
  for (const name of names) {
    const calls = expressions.flatMap((each) => (each.names.includes(name) ? [each.call] : []));
    const told = isOfStatus.test(name) ? standing.filter(({ place }) => calls.includes(place.call)) : all;
    const variable = await variableOf(name, told, pairs, asked);
    if (variable !== undefined) found.set(name, variable);
  }
  const told = new Set<string>();
  return expressions.flatMap((expression) => {
    const variables = expression.names.flatMap((name) => found.get(name) ?? []);
    // One expression stands for all that are made of the same.
    const key = variables.map(({ name }) => name).join();
    if (variables.length === 0 || told.has(key)) return [];
    told.add(key);
    const where = `${basename(calling[0]!.file)}:${expression.line}`;
    const evidence = variables.flatMap((each) => each.evidence);
    return [{ text: passedText({ where, expression, variables }), evidence }];
  });
}

/** What a rank has received: of those that have not made the call, theirs tells nothing. */
const isOfStatus = /\bMPI_(SOURCE|TAG|ERROR)\b/i;

interface Standing {
  rank: Rank;
  thread: RankThread;
  frame: Frame;
}

type StandingAtCall = Standing & { place: PassingPlace };

/** Those whose stack still has the place. */
async function standingAt(places: readonly PassingPlace[], asked: Asked): Promise<StandingAtCall[]> {
  const found = places.map(async (place) => {
    const standing = await standingIn(
      place,
      ({ fullName = '', file = fullName, line }) => line === place.line && basename(file) === basename(place.file),
      asked,
    );
    return standing === undefined ? [] : [{ ...standing, place }];
  });
  return (await Promise.all(found)).flat();
}

/** Those among them that have called from the same function, what it is that they are in now. */
async function callersAmong(
  others: PassingGroup['others'],
  [one]: readonly Standing[],
  asked: Asked,
): Promise<Standing[]> {
  const { function: name, fullName } = one?.frame ?? {};
  if (name === undefined) return [];
  const found = others.map((place) =>
    standingIn(place, (frame) => frame.function === name && frame.fullName === fullName, asked),
  );
  return (await Promise.all(found)).filter((each) => each !== undefined);
}

/** In the innermost frame that is meant. */
async function standingIn(
  { id, thread: number }: Pick<PassingPlace, 'id' | 'thread'>,
  isMeant: (frame: Frame) => boolean,
  { sources, stacks }: Asked,
): Promise<Standing | undefined> {
  const rank = rankAsked(id, sources);
  const thread = rank?.threads[number - 1];
  if (rank === undefined || thread === undefined) return undefined;
  const listed = await unlessGdbFails(stacks.of(thread).frames());
  const frame = listed?.frames.find(isMeant);
  return frame && { rank, thread, frame };
}

/** What a place's own call is given; of one that waits for requests, what those are given that the function has started before. */
async function expressionsOf(
  standing: readonly StandingAtCall[],
  roles: readonly PassedRole[],
): Promise<PassedExpression[]> {
  const [first] = standing;
  if (first === undefined) return [];
  const { file } = first.place;
  const source = await sourceText(file);
  const functions = await unlessGdbFails(functionsOfSource(first.thread, file));
  if (source === undefined || functions === undefined) return [];
  const form = sourceForm(file);
  const places = [...groupedBy(standing, ({ place: { call, line } }) => `${call} ${line}`).values()];
  const all = places.flatMap(([each]) => {
    const { call, line } = each!.place;
    const start = Math.max(1, ...functions.filter((one) => one.line <= line).map((one) => one.line));
    const before = passedExpressions(source, { form, first: start, last: line }, roles);
    const own = before.filter((one) => one.call === call);
    const last = Math.max(...own.map((one) => one.line));
    return own.length > 0
      ? own.filter((one) => one.line === last)
      : before.filter((one) => startsRequest.test(one.call));
  });
  return [...groupedBy(all, ({ line, text }) => `${line} ${text}`).values()].map(([one]) => one!);
}

const startsRequest = /^MPI_(I(?!probe|mprobe|ntercomm|nfo)|P(send|recv)_init|\w+_init)/;

/**
 * undefined: it is not a number in at least two ranks, is equal in all of them, or differs in each. Where the ranks in `pairs` have two
 * values, only those are told: other ranks are merely ahead or behind.
 */
async function variableOf(
  name: string,
  standing: readonly Standing[],
  pairs: ReadonlySet<string>,
  { values }: Asked,
): Promise<(PassedVariable & Pick<Told, 'evidence'>) | undefined> {
  const at = new Map(standing.map((each) => [each.rank, each]));
  const answers = await values.answersOf([...at.keys()], name, (rank) => {
    const { thread, frame } = at.get(rank)!;
    return { thread, frame: frame.level };
  });
  const known = answers.filter(({ failed, value }) => failed !== true && value?.kind === 'number');
  if (known.length < 2 || known.some(({ text }) => text.length > maxValue)) return undefined;
  const byCount = (of: typeof known): { ranks: string; text: string }[] =>
    mergeEqual(of).sort((a, b) => countRanks(b.ranks) - countRanks(a.ranks));
  const all = byCount(known);
  const ofPairs = known.filter(({ rank }) => pairs.has(describeRanks([rank])));
  const among = byCount(ofPairs);
  const isClearer = among.length === 2 && ofPairs.length > 2;
  const [told, merged] = isClearer ? [ofPairs, among] : [known, all];
  const isOwn = known.every(({ rank, text }) => String(rank.rank) === text);
  if (merged.length < 2 || isOwn || (known.length > 2 && merged.length === known.length)) return undefined;
  const evidence = told.flatMap(({ rank: { rank, world }, text }) =>
    rank === null ? [] : [{ rank, ...(world && { world }), fact: `${name} is now ${text}` }],
  );
  return { name, values: merged, evidence };
}
