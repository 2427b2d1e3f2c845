/** Workspaces in whole trees: alone, inherited, and emptied between tasks; also wherever a crash comes. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Json } from '../../src/protocol/json';
import { transcripts } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, question, toolResults } from '../support/trees';

const call = (tool: string, input: Json) => ({ name: `workspace_${tool}`, input });
const write = (path: string, content: string, version?: string) =>
  call('write_file', { path, content, ...(version === undefined ? {} : { version }) });
const read = (path: string) => call('read_file', { path });

/** The last result that a model was given. */
function last({ messages }: ModelRequest): Json {
  const results = messages.flatMap((message) => (message.role === 'tool' ? [message.result] : []));
  const result = results.at(-1);
  return result?.success ? result.value : (result?.error.code ?? null);
}

const versionIn = (request: ModelRequest): string => {
  const { version } = Object(last(request));
  return String(version);
};

/** A parent and two levels below it work on one file: the child edits what the parent wrote, the grandchild beside it. */
function family(): TreeParts {
  const grandchild = agentOf('grandchild', { outputSchema: answer });
  const child = agentOf('child', {
    tools: [createSubAgentTool(grandchild, question, { inheritWorkspace: true })],
    outputSchema: answer,
  });
  const top = agentOf('top', {
    workspace: true,
    tools: [createSubAgentTool(child, question, { inheritWorkspace: true })],
  });
  return {
    agents: [top, child, grandchild],
    scripts: {
      top: [
        { calls: [write('plan.md', 'one\ntwo\n')] },
        { calls: [{ name: 'subagent__child', input: { q: 'go' } }] },
        { calls: [read('plan.md'), call('list_files', {})] },
        { text: 'Done.' },
      ],
      child: (request) => {
        if (request.step === 1) return { calls: [read('plan.md')] };
        if (request.step === 2) return { calls: [write('plan.md', 'one\nTWO\n', versionIn(request))] };
        if (request.step === 3) return { calls: [{ name: 'subagent__grandchild', input: { q: 'go' } }] };
        return { finish: { answer: 'c' } };
      },
      grandchild: [
        {
          calls: [
            call('edit_file', { path: 'plan.md', oldText: 'one', newText: 'ONE' }),
            write('notes/g.md', 'by the grandchild'),
          ],
        },
        { finish: { answer: 'g' } },
      ],
    },
  };
}

/** What the files of an agent hold, by path, read past the object. */
function filesOf(tree: Tree, address = tree.address): Record<string, string> {
  const rows = tree.world.storage(address)?.sql.exec('SELECT path, tail FROM files').toArray() ?? [];
  return Object.fromEntries(
    rows.map(({ path, tail }) => [path, tail instanceof ArrayBuffer ? new TextDecoder().decode(tail) : 'no bytes']),
  );
}

/** What everybody was told, without times. */
function said(tree: Tree): Json {
  return JSON.parse(JSON.stringify(transcripts(tree)).replaceAll(/"updatedAt":\d+/g, '"updatedAt":0'));
}

/** Runs a tree that loses everything in memory before one of its transactions. */
async function ran<Seen>(make: () => TreeParts, look: (tree: Tree) => Seen, crashBefore?: number) {
  let transactions = 0;
  let lose: (() => void) | undefined;
  const transaction = () => {
    if (lose === undefined || ++transactions !== crashBefore) return;
    lose();
    throw new Error('This object was lost from memory.');
  };
  return withTree(make, { transaction }, async (tree) => {
    await tree.start();
    lose = () => tree.crash();
    await tree.finish();
    await tree.rest();
    return {
      seen: look(tree),
      transactions,
      said: said(tree),
      results: toolResults(tree),
      problems: tree.time.problems,
      tree,
    };
  });
}

const SHARED = { 'plan.md': 'ONE\nTWO\n', 'notes/g.md': 'by the grandchild' };

describe('a workspace that is inherited', () => {
  it('[WS10, WS1] F127, F130: is that of the parent for all below it: what one wrote the others read and change, and nothing is copied', async () => {
    const { seen, results, problems, tree } = await ran(family, (of) =>
      of.addresses.map((address) => filesOf(of, address)),
    );
    expect(problems).toEqual([]);
    expect(seen).toEqual([SHARED, {}, {}]);
    expect(results.slice(-2)).toMatchObject([
      { success: true, value: { text: 'ONE\nTWO\n' } },
      { success: true, value: { items: [{ path: 'notes/g.md' }, { path: 'plan.md' }] } },
    ]);
    expect(tree.outcome).toMatchObject({ status: 'completed' });
  });

  it('[WS2, RC5] is the same wherever a crash comes: each change is made once', async () => {
    const calm = await ran(family, filesOf);
    for (let crash = 1; crash <= calm.transactions; crash++) {
      const found = await ran(family, filesOf, crash);
      expect(found.seen, `a crash before ${crash}`).toEqual(SHARED);
      expect(found.said, `a crash before ${crash}`).toEqual(calm.said);
    }
  });

  it('[WS11] F131, L37: lets one of two siblings that replace the same version, and tells the other', async () => {
    const sibling = agentOf('sibling', { outputSchema: answer });
    const top = agentOf('top', {
      workspace: true,
      tools: [createSubAgentTool(sibling, question, { inheritWorkspace: true })],
    });
    const told: Json[] = [];
    const make = (): TreeParts => ({
      agents: [top, sibling],
      scripts: {
        top: (request) => {
          if (request.step === 1) return { calls: [write('f', 'old')] };
          const q = versionIn(request);
          return request.step === 2
            ? { calls: [1, 2].map(() => ({ name: 'subagent__sibling', input: { q } })) }
            : { text: 'Done.' };
        },
        sibling: (request) => {
          const [version] = /[0-9a-f]{16}/.exec(JSON.stringify(request.messages[0])) ?? [];
          if (request.step === 1) return { calls: [write('f', request.sessionId, version)] };
          told.push(last(request));
          return { finish: { answer: 'x' } };
        },
      },
    });
    const { seen } = await ran(make, filesOf);
    expect(told).toHaveLength(2);
    expect(told.filter((one) => one === 'file_changed')).toHaveLength(1);
    expect(seen.f).toMatch(/^s_/);
  });

  it('[WS10] has the rules of the owner: what needs the yes of a person there needs it here, and is not offered where it only looks', async () => {
    const child = agentOf('child', { outputSchema: answer });
    const make = (workspace: AgentDefinition['workspace'] & object): TreeParts => ({
      agents: [
        agentOf('top', { workspace, tools: [createSubAgentTool(child, question, { inheritWorkspace: true })] }),
        child,
      ],
      scripts: {
        top: [{ calls: [{ name: 'subagent__child', input: { q: 'go' } }] }, { text: 'Done.' }],
        child: (request) =>
          request.step === 1
            ? { calls: [write('f', 'x'), call('list_files', {})] }
            : { finish: { answer: JSON.stringify(last(request)) } },
      },
    });
    await withTree(
      () => make({ requireApproval: true }),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => tree.pending.length > 0);
        const [waits] = tree.pending;
        expect(tree.pending).toHaveLength(1);
        expect(filesOf(tree)).toEqual({});
        if (waits) await tree.answer(waits, { kind: 'approval-response', approved: true });
        await tree.finish();
        expect(filesOf(tree)).toEqual({ f: 'x' });
      },
    );
    const only = await ran(() => make({ readOnly: true }), filesOf);
    expect(only.seen).toEqual({});
    const refused = only.tree.port.asked.flatMap(({ messages }) => messages).filter(({ role }) => role === 'tool');
    expect(JSON.stringify(refused)).toContain('unknown_tool');
  });

  it('[WS26] has only the tools that read for a child with `read`, and for who inherits below it', async () => {
    const grandchild = agentOf('grandchild', { outputSchema: answer });
    const child = agentOf('child', {
      tools: [createSubAgentTool(grandchild, question, { inheritWorkspace: true })],
      outputSchema: answer,
    });
    const tools = [createSubAgentTool(child, question, { inheritWorkspace: 'read' })];
    const offered = new Map<string, string[]>();
    const readOnly = ['list_files', 'read_file', 'search_files'];
    const note = ({ agentType, tools: given }: ModelRequest) =>
      offered.set(
        agentType,
        given.flatMap(({ name }) => (name.startsWith('workspace_') ? [name.replace('workspace_', '')] : [])),
      );
    const make = (): TreeParts => ({
      agents: [agentOf('top', { workspace: true, tools }), child, grandchild],
      scripts: {
        top: [
          { calls: [write('plan.md', 'one')] },
          { calls: [{ name: 'subagent__child', input: { q: 'go' } }] },
          { text: 'Done.' },
        ],
        child: (request) => {
          note(request);
          if (request.step === 1) return { calls: [{ name: 'subagent__grandchild', input: { q: 'go' } }] };
          return { finish: { answer: 'c' } };
        },
        grandchild: (request) => {
          note(request);
          return request.step === 1 ? { calls: [read('plan.md')] } : { finish: { answer: String(last(request)) } };
        },
      },
    });
    const { tree } = await ran(make, filesOf);
    expect([offered.get('child'), offered.get('grandchild')]).toEqual([readOnly, readOnly]);
    const results = tree.port.asked.flatMap(({ messages }) => messages).filter(({ role }) => role === 'tool');
    expect(JSON.stringify(results)).toContain('"text":"one"');
  });

  it('[WS10] is one for the bodies of tools as well: `context.files` are the shared ones', async () => {
    const keep = defineTool({
      name: 'keep',
      description: 'Keeps.',
      inputSchema: question,
      execute: async ({ q }, { files }) => {
        const { version } = await files.write('kept', q);
        await expect(files.write('kept', 'other', { ifVersion: null })).rejects.toThrow('has changed');
        await files.write('kept', new Blob([`${q}!`]).stream(), { ifVersion: version, size: q.length + 1 });
        return { text: await files.readText('kept'), all: (await files.list()).map(({ path }) => path) };
      },
    });
    const child = agentOf('child', { tools: [keep], outputSchema: answer });
    const make = (): TreeParts => ({
      agents: [agentOf('top', { tools: [createSubAgentTool(child, question, { inheritWorkspace: true })] }), child],
      scripts: {
        top: [{ calls: [{ name: 'subagent__child', input: { q: 'go' } }] }, { text: 'Done.' }],
        child: (request) =>
          request.step === 1
            ? { calls: [{ name: 'keep', input: { q: 'go' } }] }
            : { finish: { answer: JSON.stringify(last(request)) } },
      },
    });
    const { seen, results } = await ran(make, filesOf);
    expect(seen).toEqual({ kept: 'go!' });
    expect(JSON.stringify(results)).toContain('go!');
  });
});

describe('a workspace of its own', () => {
  it('[BT4] has its calls performed like those of other tools: hooks are told of them, and their usage is counted', async () => {
    const told: string[] = [];
    const note = ({ tool }: { tool: { name: string } }) => void told.push(tool.name);
    const make = (): TreeParts => ({
      agents: [agentOf('top', { workspace: true, hooks: { beforeTool: note, afterTool: note } })],
      scripts: { top: [{ calls: [write('f', 'x'), read('g')] }, { text: 'Done.' }] },
    });
    const { results, tree } = await ran(make, filesOf);
    expect(told.sort()).toEqual([...Array(2).fill('workspace_read_file'), ...Array(2).fill('workspace_write_file')]);
    expect(results).toMatchObject([{ success: true }, { success: false, error: { code: 'not_found' } }]);
    expect(tree.state().spent.toolCalls).toBe(2);
  });

  it('[WS10] F132: is another for each child: the same path, different content', async () => {
    const leaf = agentOf('leaf', { workspace: true, outputSchema: answer });
    const make = (): TreeParts => ({
      agents: [agentOf('top', { tools: [createSubAgentTool(leaf, question)] }), leaf],
      scripts: {
        top: [{ calls: ['a', 'b'].map((q) => ({ name: 'subagent__leaf', input: { q } })) }, { text: 'Done.' }],
        leaf: ({ step, messages }) =>
          step === 1 ? { calls: [write('f', JSON.stringify(messages[0]))] } : { finish: { answer: 'x' } },
      },
    });
    const { seen } = await ran(make, (tree) =>
      tree.addresses.slice(1).map((address) => filesOf(tree, address).f ?? ''),
    );
    expect(seen).toHaveLength(2);
    expect(seen[0]).not.toBe(seen[1]);
  });

  /** A companion that has two tasks, and writes one file in each. */
  const companion = (workspaceLifetime?: 'session' | 'per-invocation') => (): TreeParts => {
    const ada = agentOf('ada', { workspace: true, outputSchema: answer });
    const tell = { name: 'companion__sendMessage', input: { name: 'a', message: 'again', wait: true } };
    const top = agentOf('top', {
      persistentAgents: [{ agent: ada, ...(workspaceLifetime === undefined ? {} : { workspaceLifetime }) }],
    });
    return {
      agents: [top, ada],
      scripts: {
        top: [
          { calls: [{ name: 'companion__spawnAgent', input: { agent: 'ada', name: 'a', initialMessage: 'go' } }] },
          { calls: [tell] },
          { text: 'Done.' },
        ],
        ada: ({ step, messages }) => {
          const told = messages.filter(({ role }) => role === 'user').length;
          return step === 1 ? { calls: [write(`task-${told}`, 'x')] } : { finish: { answer: 'x' } };
        },
      },
    };
  };

  const ofAda = (tree: Tree) => Object.keys(filesOf(tree, `${tree.address}/sub/ada/a`));

  it('[WS14] F128, F129, L35, L36: stays with the session of a companion, or is emptied when its next task begins', async () => {
    expect((await ran(companion(), ofAda)).seen).toEqual(['task-1', 'task-2']);
    expect((await ran(companion('session'), ofAda)).seen).toEqual(['task-1', 'task-2']);
    expect((await ran(companion('per-invocation'), ofAda)).seen).toEqual(['task-2']);
  });

  it('[WS14, RC5] wherever a crash comes', async () => {
    const calm = await ran(companion('per-invocation'), ofAda);
    for (let crash = 1; crash <= calm.transactions; crash++) {
      const found = await ran(companion('per-invocation'), ofAda, crash);
      expect(found.seen, `a crash before ${crash}`).toEqual(['task-2']);
    }
  });
});
