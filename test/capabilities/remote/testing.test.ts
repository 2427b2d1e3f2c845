import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRemoteSubAgentTool, defineRemoteAgent } from '../../../src/capabilities/remote/define';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { defineAgent } from '../../../src/core/definition/define-agent';
import type { RemoteAgentTransport } from '../../../src/core/definition/remote-transport';
import { createTestRuntime, scriptedModel } from '../../../src/testing';
import { noModel } from '../../support/no-model';

describe('a test runtime with a remote agent', () => {
  const inputSchema = z.object({});
  const far = {
    description: 'Works elsewhere.',
    remoteAgentType: 'leaf',
    transport: (env: { far: RemoteAgentTransport }) => env.far,
  };
  const others = { systemPrompt: 'x', model: noModel };
  const leaf = defineAgent({ name: 'leaf', ...others, inputSchema });
  const delegates = defineAgent({
    name: 'delegates',
    ...others,
    tools: [createRemoteSubAgentTool('leaf', { ...far, inputSchema })],
  });
  const keeps = defineAgent({ name: 'keeps', ...others, persistentAgents: [{ agent: defineRemoteAgent(far) }] });

  it('[TT10] asks for no definition of it, and its own transport is asked', async () => {
    createTestRuntime({ agents: [keeps] }).close();
    const asked: string[] = [];
    const transport: RemoteAgentTransport = {
      label: 'a test',
      async call({ verb }) {
        asked.push(verb);
        return { ok: false, code: 'not_found', title: 'No agent exists at this address.', status: 404 };
      },
      async *stream() {
        yield { type: 'end', status: 'completed' };
      },
    };
    const model = scriptedModel([{ calls: [{ name: 'subagent__leaf', input: {} }] }, { text: 'Without it.' }]);
    const runtime = createTestRuntime({ agents: [delegates], env: { far: transport }, model });
    const run = await runtime.execute(delegates, 'Go.');
    expect(await run.result()).toEqual({ status: 'completed', output: 'Without it.' });
    expect(asked).toContain('start');
    expect(JSON.stringify(run.messages())).toContain('No agent exists at this address.');
    runtime.close();
  });

  it('[TT10] refuses a definition that nobody would ask, unless another agent has it here', () => {
    for (const agent of [delegates, keeps])
      expect(() => createTestRuntime({ agents: [agent, leaf] })).toThrow(
        expect.objectContaining({
          failure: expect.objectContaining({
            code: 'invalid_definition',
            message: expect.stringContaining(`"${agent.name}" calls "leaf" remotely`),
          }),
        }),
      );
    const here = defineAgent({ name: 'here', ...others, tools: [createSubAgentTool(leaf)] });
    createTestRuntime({ agents: [delegates, leaf, here] }).close();
  });
});
