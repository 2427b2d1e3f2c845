import { appendFileSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { bugs } from '/work/h/p11/bugs.mjs';
import { reachedByRequests } from './scripts/lib/mutants/sample.mjs';
import { nearestTests } from './scripts/lib/planted/nearest.mjs';
import { endRuns, runTests, testFiles } from './scripts/lib/planted/tests.mjs';
import { ProjectCopy } from './scripts/lib/planted/tree.mjs';
const [, , part, ...only] = process.argv;
const OUT = '/work/h/p11/out.jsonl';
const copy = new ProjectCopy();
process.on('SIGTERM', () => { endRuns(); copy.remove(); process.exit(1); });
try {
  const files = await testFiles(copy.folder);
  const withText = (path) => ({ path, text: copy.read(path) });
  const of = (project) => [...files].filter(([, own]) => own === project).map(([path]) => withText(path));
  const core = of('core'), workerd = of('workerd');
  const suites = copy.files.filter((p) => /^test\/.*\.ts$/.test(p) && !files.has(p)).map(withText);
  const inCore = core.map(({ path }) => path).filter((p) => p.startsWith('test/core/'));
  const groupsOf = (file) => {
    const groups = nearestTests(withText(file), core, suites);
    const seen = new Set();
    const pure = [...groups, ...(file.startsWith('src/core/') || groups.length === 0 ? [inCore] : [])]
      .map((g) => g.filter((p) => !seen.has(p) && seen.add(p))).filter((g) => g.length > 0);
    const requests = nearestTests(withText(file), workerd, suites);
    return [...pure.map((g) => ['core', g]), ...requests.map((g) => ['workerd', g])];
  };
  const done = () => new Set(existsSync(OUT) ? readFileSync(OUT, 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l).id) : []);
  const mine = bugs.filter((b, i) => (only.length ? only.includes(b.id) : i % 2 === Number(part)));
  for (const bug of mine) {
    if (done().has(bug.id) && !only.length) continue;
    const takeOut = copy.plant([bug]);
    let seconds = 0, by = '', stage = '', late = false; const ran = [];
    const all = groupsOf(bug.file);
    for (const [project, g] of all) {
      const report = await runTests(copy.folder, { projects: [project], files: g, workers: '1', ms: 600_000 });
      seconds += report.seconds; ran.push(`${project}:${g.length}`);
      if (report.failed) { by = `${report.failed.file} > ${report.failed.title}`; stage = project; late = report.late; break; }
    }
    takeOut();
    const line = { id: bug.id, noticed: by !== '', by, stage, seconds: Math.round(seconds), ran: ran.join(' '), at: new Date().toISOString() };
    appendFileSync(OUT, JSON.stringify(line) + '\n');
    console.log(JSON.stringify(line));
  }
} finally { copy.remove(); }
