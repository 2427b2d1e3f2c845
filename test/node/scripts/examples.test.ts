/** The apps of `examples/` and the page that shows them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';

const page = readFileSync(join(root, 'docs', 'examples.md'), 'utf8');
const apps = readdirSync(join(root, 'examples')).filter((name) => statSync(join(root, 'examples', name)).isDirectory());
const filesOf = (app: string) =>
  readdirSync(join(root, 'examples', app), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.\w+$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, 'examples', app, path), 'utf8') }));

describe('an example', () => {
  it.each(apps)('[DF35] %s is on its page word for word, and short', (app) => {
    const files = filesOf(app);
    for (const { path, text } of files.filter((file) => file.path.startsWith('src')))
      expect(page.includes(`${app}/${path}\n${text}\`\`\``), path).toBe(true);
    expect(files.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0)).toBeLessThan(150);
  });
});
