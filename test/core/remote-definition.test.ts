/** Agents elsewhere, as they are defined. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import type { RemoteAgentTransport } from '../../src/core/definition/remote-transport';
import { createRemoteSubAgentTool, defineRemoteAgent } from '../../src/remote-agents';
import { agentOf } from '../support/trees';

const transport: RemoteAgentTransport = {
  label: 'nowhere',
  call: () => Promise.reject(new Error('asked')),
  stream: () => {
    throw new Error('asked');
  },
};
const options = { description: 'Works elsewhere.', remoteAgentType: 'FactChecker', transport };
const invalid = expect.objectContaining({ failure: expect.objectContaining({ code: 'invalid_definition' }) });

describe('an agent elsewhere', () => {
  it('[RM10] is a companion of the kind that it is called there, and is placed there', () => {
    const kind = defineRemoteAgent(options);
    expect(kind.name).toBe('fact-checker');
    const [companion] = agentOf('writer', { persistentAgents: [{ agent: kind }] }).companions;
    expect(companion?.relationship).toMatchObject({ placement: 'remote', lifetime: 'named', workspace: 'session' });
    const [later] = agentOf('writer', { persistentAgents: [{ agent: () => kind }] }).companions;
    expect(later?.relationship.placement).toBe('remote');
    expect(
      agentOf('other', { persistentAgents: [{ agent: agentOf('near') }] }).companions[0]?.relationship,
    ).toMatchObject({
      placement: 'facet',
    });
  });

  it('[RM14, RG1] reads nobody here', () => {
    const agent = defineRemoteAgent(options);
    expect(() => agentOf('writer', { persistentAgents: [{ agent, mayRead: true }] })).toThrow(invalid);
  });

  it.each([{ inheritWorkspace: true }, { returnsFiles: true }, { workspaceLifetime: 'session' as const }])(
    '[RM14] has no files from here: %j',
    (option) => {
      const agent = defineRemoteAgent(options);
      expect(() => agentOf('writer', { persistentAgents: [{ agent, ...option }] })).toThrow(invalid);
      const tool = { ...options, inputSchema: z.object({}), ...option };
      expect(() => createRemoteSubAgentTool('x', tool)).toThrow(invalid);
    },
  );

  it('[RM14] is used by the tool that leads there, and by no other', () => {
    const agent = defineRemoteAgent(options);
    expect(() => createSubAgentTool(agent, z.object({}))).toThrow(invalid);
    expect(() => createRemoteSubAgentTool('x', { ...options, inputSchema: z.object({}) })).not.toThrow();
  });

  it('[RM14] says what it is called there and how it is reached, and nothing that is not known', () => {
    for (const wrong of [{ remoteAgentType: '' }, { transport: undefined }, { description: '' }, { model: 'x' }])
      expect(() => defineRemoteAgent(Object.assign({}, options, wrong))).toThrow(invalid);
  });
});
