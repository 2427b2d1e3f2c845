/** Files that go with messages and ends, in whole trees: both ways, at work and at rest, and wherever a crash comes. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { Limits } from '../../src/core/definition/limits';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Json, JsonObject } from '../../src/protocol/json';
import { ran, stored, toldPaths } from '../support/enclosed';
import type { Tree, TreeParts } from '../support/harness';
import { sample } from '../support/sizes';
import { agentOf, answer, question } from '../support/trees';

/** Transactions that a sweep of `npm test` tries; a night tries all. */
const MOST = 30;

const call = (name: string, input: Json) => ({ name, input });
const companion = (tool: string, input: JsonObject) => call(`companion__${tool}`, input);
const write = (path: string, content: string) => call('workspace_write_file', { path, content });
const read = (path: string) => call('workspace_read_file', { path });
const attach = (...files: string[]) => call('__attach__', { files });
const JUDGE = '/agents/writer/one/sub/critic/judge';

/** The version that the first result of a request tells. */
const versionIn = ({ messages }: ModelRequest): string =>
  /"version":"([0-9a-f]+)"/.exec(JSON.stringify(messages))?.[1] ?? '';

/** A writer sends its draft to a critic, which brings its notes; then a second draft, and better notes. */
function review(): TreeParts {
  const critic = agentOf('critic', { workspace: true, outputSchema: answer });
  const writer = agentOf('writer', { workspace: true, persistentAgents: [{ agent: critic, returnsFiles: true }] });
  return {
    agents: [writer, critic],
    scripts: {
      writer: [
        { calls: [write('drafts/one.md', 'first'), write('two.md', 'second')] },
        {
          calls: [
            companion('spawnAgent', {
              agent: 'critic',
              name: 'judge',
              initialMessage: 'Judge.',
              files: ['drafts/one.md'],
            }),
          ],
        },
        { calls: [companion('sendMessage', { name: 'judge', message: 'And this.', files: ['two.md'], wait: true })] },
        { text: 'Done.' },
      ],
      critic: (request) => {
        const paths = toldPaths(request);
        if (request.step === 1) return { calls: [read(paths.at(-1) ?? '')] };
        if (request.step === 2)
          return {
            calls: [write(`notes-${paths.length}.md`, `on ${paths.length}`), attach(`notes-${paths.length}.md`)],
          };
        if (request.step === 3) return { calls: [attach(`notes-${paths.length}.md`)] };
        return { finish: { answer: 'ok' } };
      },
    },
  };
}

const both = (tree: Tree) => [stored(tree), stored(tree, JUDGE)];

describe('files with messages of a companion', () => {
  it("[CF1, CF3, CF5] are its own when it reads the message, and what it hands over is its parent's with the end", async () => {
    const { seen, results, said, problems, outcome } = await ran(review, both);
    expect(problems).toEqual([]);
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(seen).toEqual([
      {
        files: {
          'attachments/notes-1.md': 'on 1',
          'attachments/notes-2.md': 'on 2',
          'drafts/one.md': 'first',
          'two.md': 'second',
        },
        kept: [],
      },
      {
        files: {
          'attachments/one.md': 'first',
          'attachments/two.md': 'second',
          'notes-1.md': 'on 1',
          'notes-2.md': 'on 2',
        },
        kept: [],
      },
    ]);
    expect(results.slice(2)).toMatchObject([
      { name: 'judge', status: 'completed', files: [{ path: 'attachments/notes-1.md', size: 4 }] },
      { name: 'judge', status: 'completed', files: [{ path: 'attachments/notes-2.md', size: 4 }] },
    ]);
    expect(JSON.stringify(said)).not.toContain('drafts/one.md (');
  });

  it('[CF1, CF2, RC5] the same wherever a crash comes', async () => {
    const calm = await ran(review, both);
    for (const crash of sample(calm.transactions, MOST)) {
      const found = await ran(review, both, crash);
      const [writer, judge] = found.seen;
      expect([writer, { ...judge, kept: [] }], `a crash before ${crash}`).toEqual(calm.seen);
      // A child that does not know that its end was heard holds what went with it until its next task begins.
      expect(
        judge?.kept.filter((key) => key.startsWith('/in/')),
        `a crash before ${crash}`,
      ).toEqual([]);
      expect(found.said, `a crash before ${crash}`).toEqual(calm.said);
    }
  });
});

/** What a writer and one critic say, who share nothing. */
function pair(
  writer: TreeParts['scripts'][string],
  critic: TreeParts['scripts'][string],
  {
    limits = {},
    ...relationship
  }: { limits?: Partial<Limits>; inheritWorkspace?: boolean; returnsFiles?: boolean } = {},
): () => TreeParts {
  return () => {
    const child = agentOf('critic', { ...(relationship.inheritWorkspace ? {} : { workspace: true }), limits });
    const parent = agentOf('writer', { workspace: true, persistentAgents: [{ agent: child, ...relationship }] });
    return { agents: [parent, child], scripts: { writer, critic } };
  };
}

const spawn = (more: JsonObject = {}) =>
  companion('spawnAgent', { agent: 'critic', name: 'judge', initialMessage: 'Go', mode: 'non-blocking', ...more });
const wait = companion('waitForResult', { name: 'judge' });

describe('a file that goes along', () => {
  it('[CF2, CF1] is what it was when it was named, and reaches one at work before its next step', async () => {
    const make = pair(
      (request) => {
        if (request.step === 1) return { calls: [write('a.md', 'one')] };
        if (request.step === 2) return { calls: [spawn()] };
        if (request.step === 3)
          return { calls: [companion('sendMessage', { name: 'judge', message: 'Read.', files: ['a.md'] })] };
        if (request.step > 4) return { text: 'Done.' };
        const version = versionIn(request);
        return { calls: [call('workspace_delete_file', { path: 'a.md', version }), wait] };
      },
      (request) => {
        const [path] = toldPaths(request);
        if (path === undefined) return { calls: [call('workspace_list_files', {})] };
        return request.messages.some((one) => JSON.stringify(one).includes('"text":"one"'))
          ? { text: 'read' }
          : { calls: [read(path)] };
      },
    );
    const { seen, results, problems } = await ran(make, both);
    expect(problems).toEqual([]);
    expect(seen).toEqual([
      { files: {}, kept: [] },
      { files: { 'attachments/a.md': 'one' }, kept: [] },
    ]);
    expect(results.at(-1)).toMatchObject({ status: 'completed', result: 'read' });
  });

  it('[CF4] that is not there, or cannot be sent, keeps the message back, and the model is told which', async () => {
    const missing = await ran(
      pair([{ calls: [spawn({ files: ['no.md', '../up.md'] })] }, { text: 'Done.' }], [{ text: 'never' }]),
      ({ addresses }) => addresses,
    );
    expect(missing.results).toEqual(['invalid_arguments']);
    expect(JSON.stringify(missing.said)).toContain('There is no file \\"no.md\\". There is no file \\"../up.md\\".');
    expect(missing.seen).toHaveLength(1);
    const scripts = [{ calls: [write('a.md', 'four')] }, { calls: [spawn({ files: ['a.md'] })] }, { text: 'Done.' }];
    const big = await ran(pair(scripts, [{ text: 'never' }], { limits: { maxFileBytes: 3 } }), stored);
    expect(big.results.at(-1)).toBe('invalid_arguments');
    const shared = await ran(pair(scripts, [{ text: 'never' }], { inheritWorkspace: true }), stored);
    expect(shared.results.at(-1)).toBe('invalid_arguments');
    for (const { seen } of [big, shared]) expect(seen).toEqual({ files: { 'a.md': 'four' }, kept: [] });
  });

  it('[CF4] that one at work does not take keeps its message back; the next one goes on its way', async () => {
    const make = pair(
      [
        { calls: [write('a.md', 'one')] },
        { calls: [spawn({ mode: 'blocking' })] },
        { calls: [companion('sendMessage', { name: 'judge', message: 'Work.' })] },
        {
          calls: [
            companion('sendMessage', { name: 'judge', message: 'Read.', files: ['a.md'] }),
            companion('sendMessage', { name: 'judge', message: 'End.' }),
          ],
        },
        { calls: [wait] },
        { text: 'Done.' },
      ],
      ({ messages, step }) => {
        const text = JSON.stringify(messages);
        if (!text.includes('Work.')) return step === 1 ? { calls: [write('own.md', 'x')] } : { text: 'ready' };
        if (JSON.stringify(messages).includes('End.')) return { text: JSON.stringify(messages.at(-1)) };
        return { calls: [call('workspace_list_files', {})] };
      },
      { limits: { maxFiles: 1 } },
    );
    const { results, said, problems, seen } = await ran(make, both);
    expect(problems).toEqual([]);
    expect(results.at(-1)).toMatchObject({ status: 'completed', result: expect.stringContaining('End.') });
    expect(JSON.stringify(said[JUDGE])).not.toContain('Read.');
    expect(JSON.stringify(said)).toContain(
      'was not delivered, because its files could not be copied: There are 1 files',
    );
    expect(seen.map(({ kept }) => kept)).toEqual([[], []]);
  });

  it('[CF4] that a further task needs and is not taken ends that task, and the companion stays', async () => {
    const make = pair(
      [
        { calls: [write('a.md', 'one')] },
        { calls: [spawn({ mode: 'blocking' })] },
        { calls: [companion('sendMessage', { name: 'judge', message: 'Read.', files: ['a.md'], wait: true })] },
        { calls: [spawn({ mode: 'blocking', initialMessage: 'And now?', keepMemory: true })] },
        { text: 'Done.' },
      ],
      ({ messages, step }) =>
        step === 1 && messages.length === 1
          ? { calls: [write('own.md', 'x')] }
          : { text: `${messages.filter(({ role }) => role === 'user').length}` },
      { limits: { maxFiles: 1 } },
    );
    const { results, problems, said } = await ran(make, both);
    expect(problems).toEqual([]);
    expect(results.slice(2)).toMatchObject([
      { task: 2, status: 'failed', error: expect.stringContaining('its files could not be copied') },
      { task: 3, status: 'completed' },
    ]);
    expect(JSON.stringify(said[JUDGE])).not.toContain('Read.');
  });

  it('[CF5] and comes with the end of a call, is told beside its result', async () => {
    const make = (): TreeParts => {
      const child = agentOf('child', { workspace: true, outputSchema: answer });
      const tool = createSubAgentTool(child, question, { returnsFiles: true });
      return {
        agents: [agentOf('writer', { tools: [tool] }), child],
        scripts: {
          writer: [{ calls: [call('subagent__child', { q: 'x' })] }, { text: 'Done.' }],
          child: [
            { calls: [write('plan.md', 'the plan')] },
            { calls: [attach('plan.md', 'none.md'), attach('plan.md')] },
            { finish: { answer: 'a' } },
          ],
        },
      };
    };
    const { seen, results, said } = await ran(make, stored);
    expect(seen).toEqual({ files: { 'attachments/plan.md': 'the plan' }, kept: [] });
    expect(results).toEqual([{ answer: 'a' }]);
    expect(JSON.stringify(said)).toContain(
      'The sub-agent child returned files, which are yours now:\\n- attachments/plan.md (text/plain; charset=utf-8, 8 bytes)',
    );
  });

  it('[CF5] and cannot be brought leaves the end as it is, and says why', async () => {
    const make = (): TreeParts => {
      const child = agentOf('critic', { workspace: true });
      const parent = agentOf('writer', {
        workspace: true,
        limits: { maxFiles: 1 },
        persistentAgents: [{ agent: child, returnsFiles: true }],
      });
      return {
        agents: [parent, child],
        scripts: {
          writer: [{ calls: [write('a.md', 'one')] }, { calls: [spawn({ mode: 'blocking' })] }, { text: 'Done.' }],
          critic: [{ calls: [write('plan.md', 'p')] }, { calls: [attach('plan.md')] }, { text: 'ready' }],
        },
      };
    };
    const { seen, results } = await ran(make, both);
    expect(results.at(-1)).toMatchObject({
      status: 'completed',
      output: 'ready',
      filesError: expect.stringContaining('There are 1 files'),
    });
    expect(seen.map(({ kept }) => kept)).toEqual([[], []]);
  });
});
