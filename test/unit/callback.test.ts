import assert from 'node:assert/strict';
import { functionName } from '../../plugin-api/mpi/callback';

const cases: [symbol: string, language: 'c' | 'fortran' | 'unknown', name: string][] = [
  ['keep_larger', 'c', 'keep_larger'],
  ['keep_larger_', 'c', 'keep_larger_'],
  ['keep_larger_', 'fortran', 'keep_larger'],
  ['__callbacks_MOD_keep_larger', 'fortran', 'callbacks::keep_larger'],
  ['__callbacks_MOD_keep_larger', 'c', 'callbacks::keep_larger'],
  ['on_error.0', 'fortran', 'on_error'],
  ['_ZL4keepPKvPviRKN3MPI8DatatypeE', 'unknown', 'keep'],
  ['_Z4keepPvS_PiS0_', 'c', 'keep'],
  ['_ZN3sea6Vessel4keepEPvS1_', 'c', 'sea::Vessel::keep'],
  ['_ZN12_GLOBAL__N_14keepEv', 'c', '(anonymous namespace)::keep'],
  ['_ZN3sea4keepIiEEvPT_', 'c', '_ZN3sea4keepIiEEvPT_'],
  ['_Z', 'c', '_Z'],
];

describe('the name of a callback', () => {
  for (const [symbol, language, name] of cases)
    it(`for ${symbol} (${language}) is ${name}`, () => assert.equal(functionName(symbol, language), name));
});
