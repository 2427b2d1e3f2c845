/** What stops lead to, in a test runtime: the same cases as over HTTP. */
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { OffshootError } from '../../src/protocol/errors';
import { createTestRuntime, type TestRun } from '../../src/testing';
import { puppet } from '../support/puppet';
import { messageOf, STOP_CASES, type StoppedTree, tryStops } from '../support/stops';
import { noteTool } from '../support/trees';

const common = { systemPrompt: 'Do what you are told.', model: puppet };
const script = z.object({ steps: z.array(z.unknown()) });
const leaf = defineAgent({ ...common, name: 'leaf', tools: [noteTool()] });
const agents = {
  top: defineAgent({
    ...common,
    name: 'top',
    tools: [createSubAgentTool(leaf, script), createSubAgentTool(leaf, script, { name: 'careful', onFailure: 'wait' })],
  }),
  tiny: defineAgent({
    ...common,
    name: 'tiny',
    tools: [createSubAgentTool(leaf, script)],
    limits: { maxConcurrentChildren: 2 },
  }),
};

const codeOf = (error: unknown): string => (error instanceof OffshootError ? error.code : String(error));

function inRuntime(run: TestRun): StoppedTree {
  return {
    async act(verb, at, text) {
      const address = `${run.address}${at}`;
      try {
        await (verb === 'resume' || verb === 'retry' ? run[verb](undefined, address) : run[verb](text, address));
        return 'ok';
      } catch (error) {
        return codeOf(error);
      }
    },
    status: async (at) => JSON.parse(JSON.stringify(await run.status(`${run.address}${at}`))),
    stands: async (at, status) =>
      void (await vi.waitFor(async () => expect(await run.status(`${run.address}${at}`)).toMatchObject({ status }))),
    results: async () =>
      run
        .messages()
        .flatMap((message) => (message.role === 'tool' ? [message.result] : []))
        .map((result) => (result.success ? 'ok' : result.error.code)),
  };
}

it.each(STOP_CASES.map((one) => [one.title, one] as const))('[TT8] as over HTTP: %s', async (title, one) => {
  const runtime = createTestRuntime({ agents: [...Object.values(agents), leaf] });
  const run = await runtime.execute(agents[one.agent], messageOf(one, title));
  await tryStops(one, inRuntime(run), title);
  runtime.close();
});
