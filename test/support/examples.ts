/** The `@example` of each export, as the recorded types carry it, as a file of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import type { Program } from './pages';

/** What an entry exports. */
interface Exported {
  readonly entry: string;
  readonly name: string;
  /** Whether it is more than a type. */
  readonly value: boolean;
}

const typed = readdirSync(join(root, 'api'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.d.ts'))
  .map((path) => readFileSync(join(root, 'api', path), 'utf8'));

/** What the entries export, each name by the first of them. */
export function exportsOf(entries: readonly string[]): Exported[] {
  const all = entries.flatMap((entry) => {
    const text = readFileSync(join(root, 'api', `${entry.split('/')[1] ?? 'index'}.d.ts`), 'utf8');
    const inline = [...text.matchAll(/^export declare (?:abstract )?(?:function|class|const) (\w+)/gm)];
    const declared = inline.map(([, name = '']) => ({ entry, name, value: true }));
    const listed = [...text.matchAll(/^export (type )?\{(.*?)\}/gms)].flatMap(([, types, names = '']) =>
      names.split(',').map((each) => {
        const [, type, name = ''] = /^\s*(type )?(?:\S+ as )?(\S+)/.exec(each) ?? [];
        return { entry, name, value: (types ?? type) === undefined };
      }),
    );
    return [...declared, ...listed];
  });
  return all.filter(({ name }, index) => name !== '' && all.findIndex((other) => other.name === name) === index);
}

/** The example of an export, if it has one. */
export function exampleOf(name: string): string | undefined {
  for (const text of typed) {
    const declares = `(?:export )?(?:declare )?(?:abstract )?(?:function|class|const|interface|type) ${name}\\b`;
    const declared = text.matchAll(new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\n${declares}`, 'gs'));
    for (const [, docs = ''] of declared) {
      const [, example] = /@example\n(.*?)(?=\n\s*\* @|\s*$)/s.exec(docs) ?? [];
      if (example !== undefined) return example.replaceAll(/^\s*\* ?/gm, '');
    }
  }
  return undefined;
}

/** What examples speak of that others have made: two agents, a tool, a model, and entries of a log. */
const GIVEN = `import { createSubAgentTool, defineAgent, defineTool, scriptedModel, type SequencedChunk } from 'offshoot';
import * as z from 'zod';

export const model = scriptedModel([]);
export const clock = defineTool({ name: 'time_in', description: 'Works.', inputSchema: z.object({ zone: z.string() }), execute: ({ zone }) => zone });
export const timekeeper = defineAgent({ name: 'timekeeper', systemPrompt: 'Work.', model, tools: [clock], inputSchema: z.object({ zone: z.string() }) });
export const planner = defineAgent({ name: 'planner', systemPrompt: 'Work.', model, tools: [createSubAgentTool(timekeeper)] });
export const entries: SequencedChunk[] = [];
`;
const GIVEN_NAMES = ['model', 'clock', 'timekeeper', 'planner', 'entries'];

/** The examples as programs that import what they mention. */
export function examples(all: readonly Exported[]): Program[] {
  const made = all.flatMap(({ name }): Program[] => {
    const example = exampleOf(name);
    if (example === undefined) return [];
    const free = (word: string) =>
      new RegExp(`\\b${word}\\b`).test(example) && !new RegExp(`(?:const|let|class) ${word}\\b`).test(example);
    const imports = all
      .filter((one) => free(one.name))
      .map((one) => `import { ${one.value ? '' : 'type '}${one.name} } from '${one.entry}';`);
    const given = GIVEN_NAMES.filter(free);
    const lines = [
      ...imports,
      ...(given.length > 0 ? [`import { ${given.join(', ')} } from './given';`] : []),
      ...(free('z') ? ["import * as z from 'zod';"] : []),
      ...(free('expect') ? ["import { expect } from 'vitest';"] : []),
    ];
    return [{ page: 'examples', file: `${name}.ts`, text: [...lines, example, 'export {};', ''].join('\n') }];
  });
  return [{ page: 'examples', file: 'given.ts', text: GIVEN }, ...made];
}
