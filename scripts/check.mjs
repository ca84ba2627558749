// The quick gate, `npm run check`: types, lint, format, unused code, the architecture, and the warnings of C compilers.
// Prints one line per step and the whole output of those that failed.
import { isMain, run, tool, root } from './process.mjs';
import { join } from 'node:path';

const formatCache = [
  '--cache',
  '--cache-strategy',
  'content',
  '--cache-location',
  'node_modules/.cache/prettier-check',
];

const steps = [
  { name: 'types', command: [tool('tsc'), '--project', '.'] },
  { name: 'types of webviews', command: [tool('tsc'), '--project', 'extension/web'] },
  { name: 'lint', command: [tool('eslint'), '.', '--max-warnings', '0'] },
  { name: 'format', command: [tool('prettier'), '--check', '--log-level', 'warn', ...formatCache, '.'] },
  { name: 'unused', command: [tool('knip'), '--no-progress', '--no-config-hints'] },
  { name: 'architecture', command: [process.execPath, join(root, 'scripts/check-architecture.mjs')], showOutput: true },
  { name: 'collector', command: [process.execPath, join(root, 'scripts/check-collector.mjs')], showOutput: true },
];

async function runStep({ name, command: [program, ...args], showOutput = false }) {
  const begin = performance.now();
  const { status, output } = await run(program, args, { capture: true });
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const passed = status === 0;
  console.log(
    `${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)${passed && showOutput ? `: ${output.trim()}` : ''}`,
  );
  return { name, passed, output };
}

/**
 * Runs all steps, a failed one too, all at once or, where tests run beside them, one after the other.
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function check({ atOnce = true } = {}) {
  const results = [];
  if (atOnce) results.push(...(await Promise.all(steps.map(runStep))));
  else for (const step of steps) results.push(await runStep(step));
  const failures = results.filter(({ passed }) => !passed);
  for (const { name, output } of failures) console.log(`\n---- ${name} ----\n${output.trim()}`);
  return { passed: results.length - failures.length, failed: failures.length };
}

if (isMain(import.meta.url)) {
  const { failed } = await check();
  process.exitCode = failed > 0 ? 1 : 0;
}
