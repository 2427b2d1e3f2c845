/** What an agent says of itself: the same in the root's record and in a view of the log, at every moment of a run. */
import { expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { reduceAll } from '../../src/protocol/view/reduce';
import { findAgent } from '../../src/protocol/view/view';
import { child, slowTool } from '../support/control';
import { sameWords } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, noteTool, question } from '../support/trees';

const say = { name: 'say', input: { text: 'Reading page 3' } };

/** Says something in its first step, then takes 20 s; a turn that is asked for `quiet` says nothing. */
function speaker(tree: Tree): TreeParts {
  const tool = noteTool(tree, { name: 'say' });
  const says = {
    ...tool,
    execute: (_: unknown, context: { emit(text: string): void }) => context.emit(say.input.text),
  };
  const tools = [says, slowTool(tree, 20_000)];
  const steps = [{ calls: [say] }, { calls: [{ name: 'slow' }] }];
  const kid = agentOf('kid', { tools, outputSchema: answer });
  const top = agentOf('top', { tools: [...tools, createSubAgentTool(kid, question)] });
  return {
    agents: [top, kid],
    scripts: {
      top: ({ step, messages }) => {
        const last = JSON.stringify(messages.filter(({ role }) => role === 'user').at(-1));
        if (last.includes('quiet')) return step === 1 ? { calls: [{ name: 'slow' }] } : { text: 'Done.' };
        return step === 1 ? { calls: [say, child('kid')] } : { text: 'Done.' };
      },
      kid: [...steps, { finish: { answer: 'k' } }],
    },
  };
}

/** The texts of the root and of its sub-agent, in the record and in the log alike. */
function texts(tree: Tree): (string | undefined)[] {
  sameWords(tree);
  const view = reduceAll(tree.log);
  return tree.nodes.map(({ sessionId }) => findAgent(view, sessionId)?.statusText);
}

it('[R16] a status text is about the newest run: gone after completion, a resume and the next start', () =>
  withTree(speaker, {}, async (tree) => {
    await tree.start();
    await tree.time.pass(2_000);
    expect(texts(tree)).toEqual([say.input.text, say.input.text]);
    expect(tree.stop('interrupt', 'Lunch.')).toBe(true);
    await tree.rest();
    expect(texts(tree)).toEqual(['Lunch.', 'Lunch.']);
    await tree.resume();
    await tree.time.pass(2_000);
    expect(texts(tree)).toEqual([undefined, undefined]);
    await tree.finish();
    expect(texts(tree)).toEqual([undefined, undefined]);
    await tree.start('again');
    await tree.time.pass(2_000);
    expect(texts(tree)[0]).toBe(say.input.text);
    await tree.finish();
    expect(texts(tree)).toEqual([undefined, undefined, undefined]);
    expect(tree.outcome).toMatchObject({ status: 'completed' });
  }));

it.each(['abort', 'terminate'] as const)('[R16, SP10] the text of %s is its reason, until the next run', (verb) =>
  withTree(speaker, {}, async (tree) => {
    await tree.start('quiet');
    await tree.time.pass(2_000);
    expect(texts(tree)).toEqual([undefined]);
    expect(tree.stop(verb, 'No more.')).toBe(true);
    await tree.finish();
    expect(texts(tree)).toEqual(['No more.']);
    if (verb === 'terminate') return;
    await tree.start('quiet');
    await tree.time.pass(2_000);
    expect(texts(tree)).toEqual([undefined]);
    await tree.finish();
  }),
);

it('[R16, R15, SP10] the end of a session at rest says why, in the record and in the log', () =>
  withTree(speaker, {}, async (tree) => {
    await tree.start('quiet');
    await tree.finish();
    expect(texts(tree)).toEqual([undefined]);
    tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'terminate', reason: 'Cleaned up.' }));
    await tree.rest();
    expect(texts(tree)).toEqual(['Cleaned up.']);
    expect(tree.nodes[0]?.status).toBe('terminated');
  }));
