/** The apps of `examples/` and the page that shows them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';

const page = readFileSync(join(root, 'docs', 'examples.md'), 'utf8');
const apps = readdirSync(join(root, 'examples')).filter((name) => statSync(join(root, 'examples', name)).isDirectory());
/** Their models are real ones: a browser shows them, see test/browser/examples.test.ts. */
const WITH_PAGES = ['chat', 'front'];
const offline = apps.filter((name) => !WITH_PAGES.includes(name));

const read = (app: string, path: string) => readFileSync(join(root, 'examples', app, path), 'utf8');
const filesOf = (app: string) =>
  readdirSync(join(root, 'examples', app), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.\w+$/.test(path) && !path.includes('node_modules'))
    .map((path) => ({ path, text: read(app, path) }));

/** The sources that are shown: of an app with a page all, else those that define agents, and of an evaluation its test. */
function mainOf(app: string) {
  const sources = filesOf(app).filter(({ path }) => path.startsWith('src'));
  if (WITH_PAGES.includes(app)) return sources;
  if (app === 'evaluation') return sources.filter(({ path }) => path.endsWith('.test.ts'));
  return sources.filter(({ text }) => /\bdefine(?:Dual)?Agent\(/.test(text));
}

/** A configuration without what differs from app to app. */
function configOf(app: string, path: string) {
  const { name, main, services, assets, ...rest } = JSON.parse(read(app, path));
  return { name, rest };
}

describe('an example', () => {
  it.each(apps)('[DF35] %s is on its page word for word, and short', (app) => {
    const main = mainOf(app);
    expect(main).not.toEqual([]);
    for (const { path, text } of main) expect(page.includes(`${app}/${path}\n${text}\`\`\``), path).toBe(true);
    if (!WITH_PAGES.includes(app)) expect(page).toContain(`](../examples/${app})`);
    const programs = filesOf(app).filter(({ path }) => path !== 'README.md');
    expect(programs.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0)).toBeLessThan(150);
  });

  it.each(offline)('[DF36] %s has tests of its own, a model for a variable, and versions that go together', (app) => {
    const { scripts, dependencies } = JSON.parse(read(app, 'package.json'));
    const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(scripts).toEqual({
      dev: expect.stringMatching(/^wrangler dev/),
      test: expect.stringMatching(/^vitest run/),
    });
    for (const [name, range] of Object.entries(dependencies))
      if (name !== 'offshoot') expect([name, range]).toEqual([name, peerDependencies[name]]);
    const files = filesOf(app);
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['README.md', join('src', 'agents.test.ts'), join('src', 'index.ts')]),
    );
    for (const { path, text } of files.filter(({ text }) => /\bdefine(?:Dual)?Agent\(/.test(text)))
      expect([path, text]).toEqual([
        path,
        expect.stringContaining('modelFromEnv([anthropic], { otherwise: offline })'),
      ]);
    const shared = configOf('front', 'wrangler.jsonc').rest;
    const configs = files.filter(({ path }) => path.endsWith('.jsonc')).map(({ path }) => configOf(app, path));
    expect(configs.map(({ rest }) => rest)).toEqual(configs.map(() => shared));
    expect(configs.map(({ name }) => name).every((name) => name.startsWith('offshoot-'))).toBe(true);
  });
});
