// npm run where -- WORD…: the files that decide a thing (where to change it), carry it out and show it, its numbers, its
// promises, and the tests of these. A WORD is a subject, an id of a promise
// (CP12), a limit, a file or an export; of several words all have to match. Without one it lists the sections of SPEC.md.
// --all prints everything that matches.
import { run } from './lib/fail.mjs';
import { readHouse } from './lib/where/headers.mjs';
import { printed, sectionList } from './lib/where/print.mjs';
import { find } from './lib/where/where.mjs';

await run(async () => {
  const args = process.argv.slice(2);
  const question = args.filter((each) => !each.startsWith('-')).join(' ');
  const house = readHouse();
  const width = process.stdout.columns ?? 160;
  if (question.trim() === '') {
    console.log(sectionList(house).join('\n'));
    return 0;
  }
  const lines = printed(find(house, question), { width, all: args.includes('--all') });
  console.log(
    lines.length > 0 ? lines.join('\n') : `Nothing matches "${question}". \`npm run where\` lists the sections.`,
  );
  return lines.length > 0 ? 0 : 1;
});
