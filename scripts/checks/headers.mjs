// Checks the headers that `npm run where` searches: in some rooms of src every file has a subject of its own, and cites a
// promise of SPEC.md.
import { run } from '../lib/fail.mjs';
import { headerProblems, readHeaders } from '../lib/where/headers.mjs';

await run(async () => {
  const problems = headerProblems(readHeaders().files);
  for (const problem of problems) console.log(problem);
  return problems.length > 0 ? 1 : 0;
});
