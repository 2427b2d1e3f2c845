/** Agents elsewhere, as they are defined. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as older } from 'zod/v3';
import { createRemoteSubAgentTool, defineRemoteAgent } from '../../../src/capabilities/remote/define';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import type { RemoteAgentTransport } from '../../../src/core/definition/remote-transport';
import { agentOf } from '../../support/trees';

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

  it('[RM14, RM89] is used by the tool that leads there, and by no other', () => {
    const agent = defineRemoteAgent(options);
    expect(() => createSubAgentTool(agent, z.object({}))).toThrow(invalid);
    expect(() => createRemoteSubAgentTool('x', { ...options, inputSchema: z.object({}) })).not.toThrow();
  });

  it('[RM14, RM89] says what it is called there and how it is reached, and nothing that is not known', () => {
    for (const wrong of [{ remoteAgentType: '' }, { transport: undefined }, { description: '' }, { model: 'x' }])
      expect(() => defineRemoteAgent(Object.assign({}, options, wrong))).toThrow(invalid);
  });

  const inputSchema = z.object({});
  const zod3: unknown = older.object({ a: older.string() });
  const wrong = zod3 as z.ZodType;
  it.each<[string, (more: object) => unknown]>([
    ['createRemoteSubAgentTool', (more) => createRemoteSubAgentTool('r', { ...options, inputSchema, ...more })],
    ['defineRemoteAgent', (more) => defineRemoteAgent({ ...options, ...more })],
  ])('[DF30, DF18] takes no option that %s does not have, and no schema of zod 3', (_, define) => {
    expect(() => define({ notAnOption: 1 })).toThrow(/unknown options: notAnOption\. Available options: /);
    expect(() => define({ outputSchema: wrong })).toThrow('`outputSchema` is a schema of zod 3. Make it with zod 4');
  });

  it('[DF29, DF18] takes no option of another kind, and no arguments of zod 3', () => {
    const tool = (more: object) => createRemoteSubAgentTool('r', { ...options, inputSchema, ...more });
    expect(() => tool({ background: 1 })).toThrow('`background` must be true or false');
    expect(() => tool({ inputSchema: wrong })).toThrow('`inputSchema` is a schema of zod 3. Make it with zod 4');
  });
});
