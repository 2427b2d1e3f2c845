import { describe, expect, it } from 'vitest';
import { WORKSPACE_SCHEMAS } from '../../src/core/agent/built-in/workspace';
import { seatOf } from '../../src/core/agent/seat';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import type { WorkFiles } from '../../src/core/ports/work-files';
import { workspaceBody } from '../../src/engine/workspace/bodies';
import { Finder } from '../../src/engine/workspace/finder';
import { OffshootError } from '../../src/protocol/errors';
import { noModel } from '../support/no-model';
import { agentOf, answer, question } from '../support/trees';

const LOOKING = ['workspace_list_files', 'workspace_read_file', 'workspace_search_files'];
const CHANGING = ['workspace_write_file', 'workspace_edit_file', 'workspace_delete_file'];

const toolsOf = (options?: Parameters<typeof agentOf>[1]) =>
  seatOf(agentOf('a', options)).tools.map(({ name }) => name);

function refused(define: () => unknown): string {
  try {
    define();
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'invalid_definition') return error.message;
    throw error;
  }
  return 'It was not refused.';
}

describe('the tools of a workspace', () => {
  it('[WS1] are offered to an agent that has one, those that only look to one that may only look, and to no other', () => {
    expect(toolsOf({ workspace: true })).toEqual([...LOOKING, ...CHANGING]);
    expect(toolsOf({ workspace: {} })).toEqual([...LOOKING, ...CHANGING]);
    expect(toolsOf({ workspace: { readOnly: true } })).toEqual(LOOKING);
    expect(toolsOf({ workspace: false })).toEqual([]);
    expect(toolsOf()).toEqual([]);
  });

  it('[WS1] need the yes of a person for a change where the workspace says so', () => {
    const { performed } = seatOf(agentOf('a', { workspace: { requireApproval: true } })).rules;
    const asking = performed.filter(({ requireApproval }) => requireApproval === true).map(({ name }) => name);
    expect(asking).toEqual(CHANGING);
    const none = seatOf(agentOf('a', { workspace: true })).rules.performed;
    expect(none.map(({ requireApproval, replay }) => [requireApproval, replay])).toEqual(
      Array(6).fill([false, 'safe']),
    );
  });

  it('[WS1, WS10] are those of one seat for each set of rules, of which a session that inherits has its own', () => {
    const seat = seatOf(agentOf('a'));
    const owner = { sessionId: 's', address: '/agents/a/b' };
    const heir = (readOnly: boolean) => seat.over({ workspace: { is: 'inherited', owner, rules: { readOnly } } });
    expect(seat.over({})).toBe(seat);
    expect(seat.over({ workspace: { is: 'per-invocation' } })).toBe(seat);
    expect(heir(true)).toBe(heir(true));
    expect(heir(true).tools.map(({ name }) => name)).toEqual(LOOKING);
    expect(heir(false).tools.map(({ name }) => name)).toEqual([...LOOKING, ...CHANGING]);
  });

  it('[WS5] delete no file without a version, and say to read it first', () => {
    const said = WORKSPACE_SCHEMAS.workspace_delete_file.safeParse({ path: 'a.md' });
    expect(said.error?.issues).toMatchObject([
      { path: ['version'], message: 'Read the file first, and give the `version` that you have read.' },
    ]);
  });

  it('[WS3, WS9, WS8] take arguments within their limits, at the edge and not past it', () => {
    const { workspace_search_files: search, workspace_list_files: list, workspace_read_file: read } = WORKSPACE_SCHEMAS;
    const takes = (schema: typeof search | typeof list | typeof read, input: object) => schema.safeParse(input).success;
    expect(takes(search, { text: 'x'.repeat(200), limit: 200 })).toBe(true);
    for (const wrong of [{ text: 'x'.repeat(201) }, { text: '' }, { text: 'a\nb' }, { text: 'x', limit: 201 }])
      expect(takes(search, wrong)).toBe(false);
    expect(search.parse({ text: 'x' })).toEqual({ text: 'x', ignoreCase: false, limit: 50 });
    expect(list.parse({})).toEqual({ limit: 100 });
    expect([takes(list, { limit: 500 }), takes(list, { limit: 501 })]).toEqual([true, false]);
    expect(takes(read, { path: 'f', line: 2 })).toBe(true);
    for (const wrong of [{ line: 1, offset: 0 }, { line: 1, encoding: 'base64' }, { line: 0 }, { more: 1 }])
      expect(takes(read, { path: 'f', ...wrong })).toBe(false);
  });
});

describe('a workspace in a definition', () => {
  const definition = (workspace: unknown) => () =>
    defineAgent({ name: 'a', systemPrompt: 'Work.', model: noModel, ...Object({ workspace }) });

  it('[DF1, WS1] is refused where it is none', () => {
    expect(refused(definition('yes'))).toContain('must be true, false or an object');
    expect(refused(definition({ lifetime: 'x' }))).toContain('Available options: readOnly, requireApproval');
    expect(refused(definition({ readOnly: 1 }))).toContain('`workspace.readOnly` must be true or false');
  });

  it('[WS12] F130: cannot be had and inherited: by a tool, by a companion, and by one that comes as a function', () => {
    const child = agentOf('child', { workspace: true, inputSchema: question, outputSchema: answer });
    const both = 'remove one of `workspace` and `inheritWorkspace`';
    expect(refused(() => createSubAgentTool(child, { inheritWorkspace: true }))).toContain(both);
    expect(refused(() => agentOf('top', { persistentAgents: [{ agent: child, inheritWorkspace: true }] }))).toContain(
      both,
    );
    const later = createSubAgentTool(() => child, { name: 'child', inheritWorkspace: true });
    expect(refused(() => later.description)).toContain(both);
    expect(createSubAgentTool(child).name).toBe('subagent__child');
  });

  it('[WS14, DF1] has one of two lifetimes', () => {
    const agent = agentOf('child');
    const kept = (workspaceLifetime: unknown) => () =>
      agentOf('top', { persistentAgents: [{ agent, ...Object({ workspaceLifetime }) }] });
    expect(refused(kept('persistent'))).toContain('must be one of session, per-invocation');
    const of = (workspaceLifetime?: 'per-invocation') =>
      kept(workspaceLifetime)().companions[0]?.relationship.workspace;
    expect([of(), of('per-invocation')]).toEqual(['session', 'per-invocation']);
  });
});

describe('what finds a text in bytes', () => {
  it('[WS9] takes work in proportion to the bytes, whatever the text and whatever it is searched in', () => {
    const size = 2_000_000;
    const steps = (text: string): number => {
      let steps = 0;
      const watched = new Proxy(new TextEncoder().encode(text), {
        get(target, key) {
          if (typeof key === 'string' && /^\d+$/.test(key)) steps++;
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const finder = new Finder(watched);
      for (let at = 0; at < size / 100; at++) finder.ends(97);
      return steps;
    };
    const worst = `${'a'.repeat(199)}b`;
    expect(steps(worst)).toBeLessThan((5 * size) / 100);
    expect(steps('ab')).toBeLessThan((5 * size) / 100);
  });

  it('[WS9] finds every end, also of texts that overlap', () => {
    const found = (text: string, inside: string) => {
      const finder = new Finder(new TextEncoder().encode(text));
      return [...new TextEncoder().encode(inside)].flatMap((byte, at) => (finder.ends(byte) ? [at + 1] : []));
    };
    expect(found('aa', 'aaaa')).toEqual([2, 3, 4]);
    expect(found('abab', 'abababxabab')).toEqual([4, 6, 11]);
    expect(found('aab', 'aaab')).toEqual([4]);
  });
});

const VERSION = '0123456789abcdef';

describe('a stop', () => {
  it.each([
    { tool: 'workspace_read_file', input: { path: 'f', line: 1e9 } },
    { tool: 'workspace_search_files', input: { text: 'needle' } },
    { tool: 'workspace_edit_file', input: { path: 'f', version: VERSION, oldText: 'needle', newText: 'pin' } },
  ] as const)('[WS17] ends $tool at the next part of a file', async ({ tool, input }) => {
    const stop = new AbortController();
    const file = { path: 'f', size: 4e9, mediaType: 'text/plain', etag: VERSION, updatedAt: 1 };
    let parts = 0;
    let isCancelled = false;
    const body = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (++parts === 3) stop.abort(new Error('Enough.'));
            if (parts > 10) throw new Error('It reads on.');
            controller.enqueue(new TextEncoder().encode('hay\n'));
          },
          cancel: () => {
            isCancelled = true;
          },
        },
        { highWaterMark: 0 },
      );
    const files: WorkFiles = {
      done: async () => undefined,
      list: async () => ({ items: [file] }),
      stat: async () => file,
      open: async () => ({ file, offset: 0, length: file.size, body: body() }),
      write: async () => file,
      remove: async () => undefined,
    };
    const work = { files, key: 'c_1', signal: stop.signal, limits: DEFAULT_LIMITS };
    const read = WORKSPACE_SCHEMAS[tool].parse(input);
    await expect(workspaceBody(tool)?.(read, work)).rejects.toThrow('Enough.');
    expect([parts, isCancelled]).toEqual([3, true]);
  });
});
