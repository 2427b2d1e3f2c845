/** A picture that a remote agent returns. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRemoteSubAgentTool } from '../../../src/capabilities/remote/define';
import type { ModelRequest } from '../../../src/core/definition/model-port';
import type { RemoteAgentTransport } from '../../../src/core/definition/remote-transport';
import { profileOf } from '../../../src/model/request/profiles';
import { toRequest } from '../../../src/model/request/request';
import { png } from '../../providers/rules/pictures';
import { withTree } from '../../support/harness';
import { present } from '../../support/present';
import { agentOf, question } from '../../support/trees';
import { elsewhere } from './support/elsewhere';

const A = png(3, 2);

describe('a picture of a child in another Worker', () => {
  it('[M93] is shown to the model of its parent', async () => {
    const value = { type: 'content', value: [{ type: 'file', mediaType: 'image/png', filename: 'far.png', data: A }] };
    const far = agentOf('far', { inputSchema: question, outputSchema: z.looseObject({ type: z.string() }) });
    const farTool = createRemoteSubAgentTool('far', {
      description: 'Works far away.',
      inputSchema: question,
      outputSchema: z.looseObject({ type: z.string() }),
      remoteAgentType: 'Far',
      transport: (env: { readonly transport: RemoteAgentTransport }) => env.transport,
    });
    const asked: ModelRequest[] = [];
    await withTree(
      (tree) => ({
        agents: [agentOf('top', { tools: [farTool] }), far],
        scripts: {
          top: (request) => {
            asked.push(request);
            return request.step === 1 ? { calls: [{ name: 'subagent__far', input: { q: 'a' } }] } : { text: 'Done.' };
          },
          far: [{ finish: value }],
        },
        env: { transport: elsewhere(tree) },
      }),
      {},
      async (tree) => {
        await tree.start();
        await tree.finish();
      },
    );
    const { prompt } = toRequest(present(asked.at(-1)), profileOf('anthropic.messages', 'claude-sonnet-4-5'));
    const [result] = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    expect(result).toMatchObject({
      output: { type: 'content', value: [{ type: 'file', mediaType: 'image/png', data: { data: A } }] },
    });
  });
});
