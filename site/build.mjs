// npm run site: builds docs/ as a site with search into site/.vitepress/dist, which any server of files serves. It installs
// the generator first, works offline from then on, and fails on a link that leads nowhere. OFFSHOOT_SITE_BASE is the path
// that the site will have, OFFSHOOT_SOURCES where its readers find the sources.
import { cpSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run, UserError } from '../scripts/lib/fail.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { root } from '../scripts/lib/paths.mjs';
import { runNode } from '../scripts/lib/processes.mjs';
import { builtFiles, deadLinks } from '../scripts/lib/site/links.mjs';

const site = join(root, 'site');
const out = join(site, '.vitepress', 'dist');

await run(async () => {
  ensureInstalled();
  ensureInstalled(site);
  const began = performance.now();
  // The generator finds its own packages from pages below its folder alone.
  const pages = join(site, 'pages');
  rmSync(pages, { recursive: true, force: true });
  cpSync(join(root, 'docs'), pages, { recursive: true });
  const generator = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  const { code, output } = await runNode([generator, 'build'], { cwd: site });
  if (code !== 0) throw new UserError(output);
  const base = process.env.OFFSHOOT_SITE_BASE ?? '/';
  const files = builtFiles(out);
  const dead = deadLinks(files, base);
  for (const { page, href } of dead) console.error(`${page}: ${href} leads nowhere`);
  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  const html = [...files.keys()].filter((path) => path.endsWith('.html')).length;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${html} pages, ${Math.round(bytes / 1024)} KiB in ${relative(root, out)}, ${seconds} s`);
  return dead.length > 0 ? 1 : 0;
});
