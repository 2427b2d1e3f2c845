/** Tools of MCP over HTTP whose server ends their session, their stream or their connection: no call is sent twice. */
import { createMCPClient } from '@ai-sdk/mcp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AnyTools } from '../../src/core/definition/given-tools';
import { createTestRuntime, scriptedModel } from '../../src/testing';
import { type McpServer, startMcpServer } from '../support/mcp-server';

async function served(): Promise<McpServer> {
  const server = await startMcpServer();
  onTestFinished(() => server.close());
  return server;
}

const open = ({ url }: McpServer) => createMCPClient({ transport: { type: 'http', url } });

/** The results of an agent that calls its tool with these texts, one after the other. `before`: before each call. */
async function results(tools: AnyTools, texts: readonly string[], before = () => {}, toolTimeoutMs = 10_000) {
  const model = scriptedModel(({ step }) => {
    const text = texts[step - 1];
    if (text === undefined) return { text: 'Done.' };
    before();
    return { calls: [{ name: 'echo', input: { text } }] };
  });
  const agent = defineAgent({ name: 'a', systemPrompt: 'Work.', model, tools, limits: { toolTimeoutMs } });
  const runtime = createTestRuntime({ agents: [agent], report: () => undefined });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(agent, 'Go.');
  expect(await run.result()).toEqual({ status: 'completed', output: 'Done.' });
  return run.messages().flatMap((message) => (message.role === 'tool' ? [message.result] : []));
}

const said = (text: string) => ({ success: true, value: { type: 'content', value: [{ type: 'text', text }] } });
const failed = (code: string, says = /./u) => ({
  success: false,
  error: { code, message: expect.stringMatching(says) },
});

const calls = ({ asked }: McpServer) => asked.filter((one) => one.startsWith('tools/call'));

async function clientOf(server: McpServer) {
  const client = await open(server);
  onTestFinished(() => client.close());
  return client.tools();
}

describe('a client that is opened once', () => {
  it('[DF53] has its calls answered, in JSON and in streams, by a server that takes no GET', async () => {
    const server = await served();
    const tools = await clientOf(server);
    expect(await results(tools, ['a'])).toMatchObject([said('a')]);
    server.behaviour.call = 'streams';
    expect(await results(tools, ['b', 'c'])).toMatchObject([said('b'), said('c')]);
    expect(server.begun).toEqual(['a', 'b', 'c']);
    const gets = server.asked.filter((one) => one.startsWith('GET'));
    expect(gets).toEqual(Array(gets.length).fill('GET 405'));
    expect(gets.length, 'a client may look for such a stream again when it begins').toBeLessThan(5);
  });

  it('[DF53] continues where an answer has another session id', async () => {
    const server = await served();
    server.behaviour.renews = true;
    expect(await results(await clientOf(server), ['a', 'b', 'c'])).toMatchObject(['a', 'b', 'c'].map(said));
  });

  // https://github.com/vercel/ai/pull/16399, https://github.com/modelcontextprotocol/typescript-sdk/pull/1707
  it.each([
    ['text', ['tools/call 404', 'tools/call 400'], /HTTP 404.*Create a new client/u, /HTTP 400.*Mcp-Session-Id/u],
    ['error', ['tools/call 404', 'tools/call 404'], /Session not found/u, /Session not found/u],
  ] as const)(
    '[DF53] whose session is gone, as %s says, has each call fail once, before it began',
    async (...given) => {
      const [gone, asked, first, second] = given;
      const server = await served();
      server.behaviour.gone = gone;
      const tools = await clientOf(server);
      const found = await results(tools, ['a', 'b', 'c'], () => server.begun.length === 1 && server.forget());
      expect(found).toMatchObject([said('a'), failed('tool_failed', first), failed('tool_failed', second)]);
      expect([server.begun, calls(server)]).toEqual([['a'], ['tools/call 200', ...asked]]);
    },
  );

  // https://github.com/vercel/ai/issues/19205, https://github.com/modelcontextprotocol/python-sdk/issues/1811
  it.each(['cut', 'broken'] as const)(
    '[DF53] has a call whose stream is %s fail at its time, and does not repeat it',
    async (call) => {
      const server = await served();
      server.behaviour.call = call;
      const tools = await clientOf(server);
      expect(await results(tools, ['a'], undefined, 1_000)).toMatchObject([failed('tool_timeout')]);
      expect([server.begun, calls(server)]).toEqual([['a'], ['tools/call 200']]);
      server.behaviour.call = 'answers';
      expect(await results(tools, ['b'])).toMatchObject([said('b')]);
    },
  );
});

it('[DF53] a client that a tool opens for each call has its sessions from the server that is there', async () => {
  const server = await served();
  const echo = defineTool({
    ...{ name: 'echo', description: 'Says it again.', inputSchema: z.object({ text: z.string() }) },
    execute: async (input, { abortSignal }) => {
      const client = await open(server);
      try {
        const result = await client.callTool({ name: 'echo', arguments: input, options: { signal: abortSignal } });
        return result.content;
      } finally {
        await client.close();
      }
    },
  });
  const found = await results([echo], ['a', 'b', 'c'], () => server.forget());
  expect(found.map(({ success }) => success)).toEqual([true, true, true]);
  expect([server.begun, calls(server)]).toEqual([['a', 'b', 'c'], Array(3).fill('tools/call 200')]);
});
