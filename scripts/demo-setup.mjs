// What `npm run demo` needs on a fresh clone: a few Debian packages, the npm packages, and the build.
import { ensureNodeModules } from './node-modules.mjs';
import { must } from './process.mjs';
import { ensurePackages, neededForDemo } from './system-packages.mjs';

try {
  await ensurePackages('The demo', neededForDemo);
  await ensureNodeModules();
  await must('npm', ['run', '--silent', 'build']);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
