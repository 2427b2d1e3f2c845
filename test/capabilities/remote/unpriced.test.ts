/** What a remote agent spends whose side knows no price, under a cost limit here. */
import { describe, expect, it } from 'vitest';
import { createRemoteSubAgentTool, defineRemoteAgent } from '../../../src/capabilities/remote/define';
import type { Limits } from '../../../src/core/definition/limits';
import type { RemoteAgentTransport } from '../../../src/core/definition/remote-transport';
import { isObject } from '../../../src/protocol/json';
import { NO_USAGE } from '../../../src/protocol/usage';
import { Tree } from '../../support/harness';
import { agentOf, answer, question } from '../../support/trees';
import { spawn, tell } from './support/critic-elsewhere';
import { elsewhere } from './support/elsewhere';

interface Env {
  readonly transport: RemoteAgentTransport;
}

const PRICE = { input: 1, output: 2 };
const transport = (env: Env) => env.transport;

interface Given {
  readonly limits?: Partial<Limits>;
  readonly budget?: { readonly maxCostUsd: number };
  /** Of the parent, and of the remote agent. */
  readonly price?: typeof PRICE;
  readonly priceThere?: typeof PRICE;
  /** The other side does not say what was spent. */
  readonly isSilent?: boolean;
  /** It fails, after a call. */
  readonly fails?: boolean;
}

const priced = (price: typeof PRICE | undefined) => (price ? { price } : {});

/** What is reported of two calls of a remote agent. */
async function reports({ limits = {}, budget, price, priceThere, isSilent, fails }: Given): Promise<string[]> {
  const tool = createRemoteSubAgentTool('far', {
    ...{
      description: 'Works elsewhere.',
      inputSchema: question,
      outputSchema: answer,
      remoteAgentType: 'Far',
      transport,
    },
    ...(budget ? { budget } : {}),
  });
  const call = { calls: [{ name: 'subagent__far', input: { q: 'a' } }] };
  const tree: Tree = new Tree((it) => ({
    agents: [
      agentOf('top', { tools: [tool], limits, ...priced(price) }),
      agentOf('far', { inputSchema: question, outputSchema: answer, ...priced(priceThere) }),
    ],
    scripts: {
      top: [call, call, { text: 'Done.' }],
      far: ({ step }) => {
        const usage = { modelCalls: 1, inputTokens: 5 };
        if (!fails) return { finish: { answer: 'far' }, usage };
        return step === 1 ? { text: 'No answer.', usage } : { fail: { code: 'model_refused' } };
      },
    },
    env: {
      transport: elsewhere(it, {
        async call({ verb }, perform) {
          const said = await perform();
          if (!isSilent || verb !== 'usage' || !said.ok || !isObject(said.body)) return said;
          return { ok: true, body: { ...said.body, total: { ...NO_USAGE } } };
        },
      }),
    },
  }));
  await tree.run();
  expect(tree.outcome).toMatchObject({ status: 'completed' });
  const { problems } = tree.time;
  tree.close();
  return problems.map((problem) => problem.trim()).filter((problem) => problem.startsWith('Agent "far"'));
}

const UNPRICED =
  'Agent "far" reports model calls without a price, so cost limits do not count them. Set `price` for that agent, in its own Worker.';

describe('a remote agent without a price', () => {
  it.each([
    { limits: { maxCostUsd: 1 } },
    { limits: { maxTreeCostUsd: 1 } },
    { budget: { maxCostUsd: 1 } },
    { price: PRICE },
  ])('[RM92] is reported once at the end of a task, where a cost limit may count it: %j', async (given) => {
    expect(await reports(given)).toEqual([UNPRICED]);
    expect(await reports({ ...given, priceThere: PRICE })).toEqual([]);
  });

  it('[RM92] is not reported where nobody asked for its cost', async () => {
    expect(await reports({})).toEqual([]);
    expect(await reports({ limits: { maxTreeTokens: 1_000_000 } })).toEqual([]);
  });

  it('[RM92] whose side says nothing of its calls is reported, too', async () => {
    expect(await reports({ budget: { maxCostUsd: 1 }, isSilent: true })).toEqual([
      'Agent "far" reports no model calls: cost limits do not count any it makes.',
    ]);
  });

  it('[RM92] is reported where its task fails', async () => {
    expect(await reports({ budget: { maxCostUsd: 1 }, fails: true })).toEqual([UNPRICED]);
  });

  it('[RM92] whose task fails without a count of its calls is not reported: it may not have called a model', async () => {
    expect(await reports({ budget: { maxCostUsd: 1 }, fails: true, isSilent: true })).toEqual([]);
  });

  it('[RM92] is reported as a companion', async () => {
    const kind = defineRemoteAgent({
      description: 'Judges.',
      outputSchema: answer,
      remoteAgentType: 'Critic',
      transport,
    });
    const tree: Tree = new Tree((it) => ({
      agents: [
        agentOf('writer', { persistentAgents: [{ agent: kind }], limits: { maxTreeCostUsd: 1 } }),
        agentOf('critic', { outputSchema: answer }),
      ],
      scripts: {
        writer: [{ calls: [spawn('one')] }, { calls: [tell('two', { wait: true })] }, { text: 'Done.' }],
        critic: () => ({ finish: { answer: 'read' }, usage: { modelCalls: 1, inputTokens: 5 } }),
      },
      env: { transport: elsewhere(it) },
    }));
    await tree.run();
    const reported = tree.time.problems.map((one) => one.trim()).filter((one) => one.startsWith('Agent "critic"'));
    expect(reported).toEqual([UNPRICED.replace('far', 'critic')]);
    tree.close();
  });
});
