/** In what words a line of a source declares a variable. */
import assert from 'node:assert/strict';
import { isWithoutTypeName } from '../../adapter/values/declared-words';

describe('the words of a declaration', () => {
  for (const [line, name, expected] of [
    ['  auto comm = grid.comm();', 'comm', true],
    ['  const auto &comm = grid.comm();', 'comm', true],
    ['  auto const *comm = &world;', 'comm', true],
    ['  auto [comm, count] = pair;', 'count', true],
    ['  auto &&[comm, count] = pair;', 'comm', true],
    ['  for (auto &each : requests)', 'each', true],
    ['template <typename Comm> void send(Comm comm, int tag)', 'comm', true],
    ['  std::vector<MPI_Comm>::value_type first = comms[0];', 'first', true],
    ['template <typename Comm> void send(Comm comm, int tag)', 'tag', false],
    ['  int comm = 12;', 'comm', false],
    ['  const int comm = 12;', 'comm', false],
    ['  unsigned int a, comm;', 'comm', false],
    ['  int first, comm = 12;', 'comm', false],
    ['  std::int32_t comm = 12;', 'comm', false],
    ['  return comm;', 'comm', false],
    ['  auto communicator = comm;', 'comm', false],
    ['  comm = next;', 'comm', false],
    ['', 'comm', false],
    ['  auto (comm = 1;', '(comm', false],
  ] as const)
    it(`${name} in "${line.trim()}"`, () => assert.equal(isWithoutTypeName(line, name), expected));
});
