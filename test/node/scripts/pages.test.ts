/** What holds of every page: links lead somewhere, sentences are short, and the list of pages is whole. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { referencePages } from '../../../scripts/lib/reference/pages.mjs';
import { anchorsOf, linksOf, longSentences, MAX_WORDS, unexplainedRoute } from './prose';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`);
const docs = pagesIn('docs');
const pages = ['README.md', 'CONTRIBUTING.md', ...docs];

/** The links of a page that lead to no file or heading. */
function broken(path: string): string[] {
  return linksOf(path, read(path)).flatMap(({ line, path: target, anchor }) => {
    if (!existsSync(join(root, target))) return [`${path}:${line}: ${target}`];
    if (anchor === undefined || !target.endsWith('.md') || anchorsOf(read(target)).has(anchor)) return [];
    return [`${path}:${line}: ${target}#${anchor}`];
  });
}

const sentence = (words: number) => `${'Word '.repeat(words).trim()}.`;

describe('the pages', () => {
  it('[DF37] have links and anchors that lead somewhere', () => {
    const all = [...pages, ...pagesIn('design')];
    expect(all.length).toBeGreaterThan(50);
    expect(all.flatMap((path) => linksOf(path, read(path))).length).toBeGreaterThan(200);
    expect(all.flatMap(broken)).toEqual([]);
  });

  it('[DF38] have no long sentence, the reference that is made from comments aside', async () => {
    const made = await referencePages();
    const written = pages.filter((path) => !made.has(path));
    expect(written.flatMap((path) => longSentences(read(path)).map((found) => `${path}:${found}`))).toEqual([]);
  });

  it('[DF39] are all in the list of pages', () => {
    const listed = new Set(linksOf('docs/README.md', read('docs/README.md')).map(({ path }) => path));
    expect(docs.filter((path) => path !== 'docs/README.md' && !listed.has(path))).toEqual([]);
  });

  it('[DF47] say what `A` is where they first name a route by it', () => {
    // The page that the others link to defines the notation itself.
    const others = docs.filter((path) => path !== 'docs/concepts/agent.md');
    expect(others.filter((path) => read(path).includes('`A`')).length).toBeGreaterThan(15);
    const found = others.map((path) => ({ path, line: unexplainedRoute(read(path)) }));
    expect(found.filter(({ line }) => line !== undefined)).toEqual([]);
  });
});

describe('the check of pages', () => {
  it('[DF38] counts words of paragraphs, items and cells, code as one word, and no program', () => {
    expect(longSentences(sentence(MAX_WORDS))).toEqual([]);
    expect(longSentences(`${sentence(MAX_WORDS)} ${sentence(MAX_WORDS)}`)).toEqual([]);
    const long = sentence(MAX_WORDS + 1);
    expect(longSentences(long)).toEqual([`1: 26: ${long}`]);
    expect(longSentences(long.replace('Word Word', 'Word\nWord'))).toHaveLength(1);
    for (const start of ['- ', '1. ', '| cell | ', '> ']) expect(longSentences(start + long)).toHaveLength(1);
    expect(longSentences(`\`\`\`ts\n${long}\n\`\`\`\n\n${sentence(3)}`)).toEqual([]);
    expect(longSentences(long.replace('Word', '`let a = 1; let b = 2`'))).toHaveLength(1);
    expect(longSentences(sentence(MAX_WORDS).replace('Word', '[`some code`](a-page.md)'))).toEqual([]);
  });

  it('[DF47] finds a route by `A` that no line before it explains', () => {
    const meaning = '`A` is the [address](../concepts/agent.md#address) of an agent.';
    for (const route of [
      'GET A/pending',
      'A/logs',
      'DELETE A',
      'GET A/usage?includeSubAgents=1',
      'A/variables/{request}',
    ]) {
      expect(unexplainedRoute(`# Page\n\nAsk \`${route}\`.`)).toBe(3);
      expect(unexplainedRoute(`Ask \`${route}\`.\n\n${meaning}`)).toBe(1);
      expect(unexplainedRoute(`${meaning}\n\nAsk \`${route}\`.`)).toBeUndefined();
      expect(unexplainedRoute(`Ask \`${route}\`; ${meaning}`)).toBeUndefined();
    }
    expect(unexplainedRoute('`A` is something.\n\nAsk `A/logs`.')).toBe(3);
    expect(unexplainedRoute('```sh\ncurl `A/logs`\n```\n\n`Agent` and `POST /agents`.')).toBeUndefined();
  });

  it('[DF37] finds links outside of code, and names headings as GitHub does', () => {
    const page =
      '# One\n## A `B`: c, d\n## One\n```\n# no\n[x](y.md)\n```\n[a](../b.md#c) [d](#e) `[f](g.md)` [h](https://i.example)';
    expect([...anchorsOf(page)]).toEqual(['one', 'a-b-c-d', 'one-1']);
    expect(linksOf('docs/x/page.md', page)).toEqual([
      { line: 8, path: 'docs/b.md', anchor: 'c' },
      { line: 8, path: 'docs/x/page.md', anchor: 'e' },
    ]);
  });
});
