/** What the SDK offers for sub-agents from another Worker, and their MCP clients: two Workers under one real server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { root } from '../../scripts/lib/paths.mjs';
import { serveTogether } from '../support/served';
import { get } from './desk';

const LOOK = { interval: 20 };

/** A client of the SDK at an agent: the frames that it was sent, by their type. */
class Client {
  readonly frames: { readonly type?: string }[] = [];
  readonly socket: WebSocket;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (data) => {
      const text = String(data);
      if (text.startsWith('{')) this.frames.push(JSON.parse(text));
    });
  }

  of(type: string): object[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** Its agent has greeted it. */
  async open(): Promise<this> {
    await vi.waitFor(() => expect(this.of('cf_agent_identity')).toHaveLength(1), LOOK);
    return this;
  }
}

describe('agents of one Worker, from another one', () => {
  let folder: string;
  let workers: Awaited<ReturnType<typeof serveTogether>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-sdk-'));
    const configs = ['other.jsonc', 'home.jsonc'].map((name) => join(root, 'test', 'e2e', 'sdk', name));
    workers = await serveTogether(folder, configs);
  });
  afterAll(async () => {
    await workers?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string, ...names: string[]): string =>
    `/agents/shelf/${name}${names.map((each) => `/sub/shelf/${each}`).join('')}`;

  it('[F20] C23: getSubAgentByName calls an agent there to the second level, and makes none', async () => {
    await get(`${workers.url}/do/c23/make/a/b`);
    expect(await get(`${workers.url}/reach/c23`)).toEqual({
      kept: ['a keeps one', 'b keeps two'],
      nobody: Array.from({ length: 3 }, () => expect.stringContaining('There is no such sub-agent.')),
    });
    expect(await get(`${workers.url}/do/c23/inside`)).toEqual(['a']);
  });

  it('[F20] C23: buildAgentPath and routeSubAgentRequest lead to the second level, and make none', async () => {
    await get(`${workers.url}/do/c23r/make/a/b`);
    const path = await (await fetch(`${workers.url}/path/c23r/a/b`)).text();
    expect(path).toBe(`${at('c23r', 'a', 'b')}/tail`);
    expect(await get(`${workers.url}/route/c23r${path}`)).toEqual({ name: 'b', path: '/tail' });
    for (const ghost of [at('c23r', 'ghost'), at('c23r', 'a', 'ghost')])
      expect((await fetch(`${workers.url}/route/c23r${ghost}/tail`)).status).toBe(404);
    expect(await get(`${workers.url}/do/c23r/inside`)).toEqual(['a']);
  });

  it('[F21] C21: what an agent is connected to over MCP is told to its own clients, at the second level', async () => {
    await get(`${workers.url}/do/c21/make/a/b`);
    const socket = (path: string) => new Client(`${workers.url.replace('http', 'ws')}${path}`).open();
    const [own, other] = [await socket(at('c21', 'a', 'b')), await socket(at('c21', 'a'))];
    const before = other.of('cf_agent_mcp_servers').length;
    expect(await get(`${workers.url}/mcp-of/c21/a/b`)).toEqual(['fact']);
    await vi.waitFor(
      () =>
        expect(own.of('cf_agent_mcp_servers').at(-1)).toMatchObject({
          mcp: { tools: [{ name: 'fact' }], servers: expect.anything() },
        }),
      LOOK,
    );
    expect(JSON.stringify(other.of('cf_agent_mcp_servers').slice(before))).not.toContain('fact');
    own.socket.close();
    other.socket.close();
  });
});
