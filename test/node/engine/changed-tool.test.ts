/** A call that waits for an approval while a new version changes or removes its tool. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { seatOf } from '../../../src/core/agent/seat';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { defineAgent } from '../../../src/core/definition/define-agent';
import { defineTool } from '../../../src/core/definition/define-tool';
import { createTestRuntime, scriptedModel } from '../../../src/testing';
import { ask } from '../../support/asks';
import { withTree } from '../../support/harness';
import { agentOf, noteTool, question } from '../../support/trees';

/** A run whose call waits, and whose tool needs a language from the second look of its schema at the arguments. */
async function waiting() {
  const version = { looks: 0, needsLanguageFrom: 2, bodies: 0 };
  const inputSchema = z.object({ title: z.string(), language: z.string().optional() }).superRefine((given, context) => {
    version.looks += 1;
    if (version.looks >= version.needsLanguageFrom && given.language === undefined)
      context.addIssue({ code: 'custom', path: ['language'], message: 'Required.' });
  });
  const execute = ({ title }: { title: string }) => {
    version.bodies += 1;
    return title;
  };
  const print = defineTool({ name: 'print', description: 'Prints.', inputSchema, requireApproval: true, execute });
  const model = scriptedModel(({ results }) =>
    results.length === 0 ? { calls: [{ name: 'print', input: { title: 'Bees' } }] } : { text: 'Done.' },
  );
  const printer = defineAgent({ name: 'changed-printer', systemPrompt: 'x', model, tools: [print] });
  const runtime = createTestRuntime({ agents: [printer] });
  const run = await runtime.execute(printer, 'Print it.');
  await run.settled();
  const toolCallId = run.pending()[0]?.toolCallId ?? '';
  const answer = (given: { approved: boolean; input?: { title: string; language: string } }) =>
    run.submit({ kind: 'approval-response', toolCallId, ...given });
  runtime.crash();
  return { version, runtime, run, model, answer };
}

const FIELDS = { fields: [{ path: 'language', message: 'Required.' }] };

it('[AN10, A37] a plain approval of arguments that no longer fit is refused with the fields, and the call still waits', async () => {
  const { version, runtime, run, answer } = await waiting();
  await expect(answer({ approved: true })).rejects.toMatchObject({
    failure: { code: 'invalid_arguments', details: FIELDS },
    message: expect.stringMatching(/"print": language: Required\. Approve with an `input`/),
  });
  expect([run.pending().length, version.bodies]).toEqual([1, 0]);
  await answer({ approved: true, input: { title: 'Bees', language: 'en' } });
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(version.bodies).toBe(1);
  runtime.close();
});

it('[AN10] a denial of them is taken', async () => {
  const { version, runtime, run, answer } = await waiting();
  await answer({ approved: false });
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(version.bodies).toBe(0);
  runtime.close();
});

it('[AN11] a body that begins under the new version fails with the fields, which the model reads', async () => {
  const { version, runtime, run, model, answer } = await waiting();
  // The new version comes between the approval and the body.
  version.needsLanguageFrom = version.looks + 2;
  await answer({ approved: true });
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(version.bodies).toBe(0);
  expect(model.requests.at(-1)?.results).toMatchObject([
    {
      failed: true,
      value: { code: 'invalid_arguments', error: 'The arguments of "print" do not fit: language: Required.' },
    },
  ]);
  runtime.close();
});

it.each([
  ['lists the fields that the new version no longer takes, in its list and in each status above', false],
  ['lists none of an agent that can hand over: the tool may be of the agent that took over', true],
])('[AN12] what waits %s', async (_, handsOver) => {
  const version = { needsLanguage: false };
  const inputSchema = z.object({ title: z.string(), language: z.string().optional() }).superRefine((given, context) => {
    if (version.needsLanguage && given.language === undefined)
      context.addIssue({ code: 'custom', path: ['language'], message: 'Required.' });
  });
  const facts = { name: 'print', description: 'Prints.', requireApproval: true };
  const tools = [defineTool({ ...facts, inputSchema, execute: () => null })];
  const handoffs = handsOver ? [{ name: 'other', description: 'Helps.', agent: agentOf('other') }] : [];
  const kid = { ...agentOf('kid', { tools }), handoffs };
  const asks = { name: 'print', input: { title: 'Bees' } };
  await withTree(
    () => ({
      agents: [agentOf('top', { tools: [createSubAgentTool(kid, question)] }), kid],
      scripts: {
        top: ({ step }) => (step === 1 ? { calls: [{ name: 'subagent__kid', input: { q: 'a' } }] } : { text: 'Done.' }),
        kid: ({ step }) =>
          step === 1 ? { calls: [asks, { ...asks, input: { ...asks.input, language: 'en' } }] } : { text: 'x' },
      },
    }),
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      const fits = expect.not.objectContaining({ invalidFields: expect.anything() });
      const listed = async (first: object): Promise<void> => {
        const items = [first, fits];
        expect(await ask(tree, 'pending', {})).toMatchObject({ ok: true, body: { items } });
        expect(await ask(tree, 'status', {})).toMatchObject({ ok: true, body: { pending: items } });
      };
      await listed(fits);
      version.needsLanguage = true;
      tree.crash();
      await listed(handsOver ? fits : { invalidFields: FIELDS.fields });
    },
  );
});

it('[AN10] a plain approval of a tool that is gone is refused, and a denial is taken', async () => {
  const now = { isGone: false };
  const gone = agentOf('gone');
  await withTree(
    (tree) => {
      const gated = agentOf('gone', { tools: [noteTool(tree, { name: 'write', requireApproval: true })] });
      const call = { name: 'write', input: { text: 'x' } };
      return { agents: [gated], scripts: { gone: ({ step }) => (step === 1 ? { calls: [call] } : { text: 'Done.' }) } };
    },
    { seat: () => (now.isGone ? seatOf(gone) : undefined) },
    async (tree) => {
      await tree.start();
      await tree.rest();
      now.isGone = true;
      tree.crash();
      const [asked] = tree.pending;
      if (asked === undefined) throw new Error('Nothing waits.');
      const refused = await tree.soon(tree.answer(asked, { kind: 'approval-response', approved: true }));
      expect(refused).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
      expect(tree.pending).toHaveLength(1);
      const denied = await tree.soon(tree.answer(asked, { kind: 'approval-response', approved: false }));
      expect(denied).toMatchObject({ ok: true });
      await tree.rest();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
    },
  );
});
