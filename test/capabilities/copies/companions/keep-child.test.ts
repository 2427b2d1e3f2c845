/**
 * A sub-agent that was called for one task is kept under a name: with its memory and whom it keeps, counted like any other
 * companion; also after a crash at any commit, and when the turn that called it is gone from the log.
 */
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../../../src/capabilities';
import { seatOf } from '../../../../src/core/agent/seat';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import type { JsonObject } from '../../../../src/protocol/json';
import type { Message } from '../../../../src/protocol/messages';
import { examine, transcripts } from '../../../support/examine';
import { type Tree, type TreeParts, withTree } from '../../../support/harness';
import { moments } from '../../../support/sizes';
import { agentOf, answer, question, toolResults } from '../../../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;
const TOP = '/agents/top/one';
const ADA = `${TOP}/sub/scout/ada`;

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const keep = (name: string, more: JsonObject = {}) =>
  companion('keepChild', { agent: 'scout', name, message: 'more', ...more });
const scouts = (...names: string[]) => names.map((q) => ({ name: 'subagent__scout', input: { q } }));

const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

const told = (tree: Tree) =>
  toolResults(tree).map((result) => (result.success ? result.value : { code: result.error.code }));

const withoutCrashes = (tree: Tree): string[] =>
  tree.time.problems.filter((problem) => !problem.includes('was lost from memory'));

/** Two scouts are called, each asks a clerk whom it keeps; the first one is kept, and asked again in the next turns. */
function keeping(): TreeParts {
  const clerk = agentOf('clerk', { outputSchema: answer });
  const scout = agentOf('scout', { outputSchema: answer, persistentAgents: [{ agent: clerk }] });
  const top = agentOf('top', {
    tools: [createSubAgentTool(scout, question)],
    persistentAgents: [{ agent: scout }],
    limits: { keepRuns: 1 },
  });
  const ask = (initialMessage: string) => companion('spawnAgent', { agent: 'clerk', name: 'cleo', initialMessage });
  return {
    agents: [top, scout, clerk],
    scripts: {
      top: ({ messages, step }) => {
        if (texts(messages).length > 1)
          return step === 1
            ? { calls: [companion('sendMessage', { name: 'ada', message: 'again', wait: true })] }
            : { text: 'Done.' };
        if (step === 1) return { calls: scouts('a', 'b') };
        return step === 2 ? { calls: [keep('ada', { which: 2 })] } : { text: 'Done.' };
      },
      scout: ({ messages, step }) => {
        const said = texts(messages);
        if (step === 1) return { calls: [ask(said.at(-1) ?? '')] };
        const last = messages.findLast(({ role }) => role === 'tool');
        return { finish: { answer: JSON.stringify(last?.role === 'tool' ? last.result : null) } };
      },
      clerk: ({ messages }) => ({ finish: { answer: texts(messages).join(' ') } }),
    },
  };
}

async function keptOverTurns(crashAt: readonly number[] = []) {
  return withTree(keeping, { crashAt: new Set(crashAt) }, async (tree) => {
    const what = `a crash at ${crashAt.join()}`;
    const outputs: unknown[] = [];
    for (const turn of ['1', '2', '3']) {
      await tree.start(turn);
      await tree.finish();
      await tree.rest();
      // Later turns have lost what this log says of it.
      if (turn === '1') examine(tree, what);
      outputs.push(told(tree).at(-1));
    }
    const says = (text: string) => ({ answer: expect.stringContaining(text) });
    expect(outputs, what).toMatchObject([
      { name: 'ada', task: 1, status: 'completed', output: says('{\\"q\\":\\"a\\"} more') },
      { name: 'ada', task: 2, result: says('} more again') },
      { name: 'ada', task: 3, result: says('} more again again') },
    ]);
    // The turn that called them is gone, with both of them.
    const here = [TOP, ADA, `${ADA}/sub/clerk/cleo`];
    expect([...tree.addresses].sort(), what).toEqual(here);
    expect(tree.nodes.map(({ address }) => address).sort(), what).toEqual(here);
    expect(withoutCrashes(tree), what).toEqual([]);
    return { kinds: tree.kinds, said: transcripts(tree) };
  });
}

describe('a sub-agent that is kept', () => {
  it('[CP13, CP49] L22: remembers its task and whom it keeps under its new name, and stays when its turn is gone', async () => {
    await keptOverTurns();
  });

  it('[CP13, CP5, RC5] the same after a crash at any commit', async () => {
    const calm = await keptOverTurns();
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await keptOverTurns([commit]);
      expect(found.said, `a crash at ${commit}`).toEqual(calm.said);
    }
  });
});

/** A root that calls and keeps as it is told, one step after the other; with `undefined` it ends its turn. */
async function inSteps(
  steps: readonly (readonly { readonly name: string; readonly input: JsonObject }[] | undefined)[],
  { maxCompanions = 1_000, maxTreeChildren = 1_000, fails = false, background = false } = {},
) {
  const make = (): TreeParts => {
    const scout = agentOf('scout', { outputSchema: answer });
    const top = agentOf('top', {
      tools: [createSubAgentTool(scout, question, { background })],
      persistentAgents: [{ agent: scout, retention: 'tree' }],
      limits: { maxCompanions, maxTreeChildren },
    });
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages }) => {
          const calls = steps[messages.filter(({ role }) => role === 'assistant').length];
          return calls ? { calls } : { text: 'Done.' };
        },
        scout: ({ messages }) =>
          fails && texts(messages).length === 1
            ? { fail: { code: 'model_refused' } }
            : { finish: { answer: texts(messages).join(' ') } },
      },
    };
  };
  return withTree(make, {}, async (tree) => {
    const turns = steps.filter((calls) => calls === undefined).length + 1;
    for (let turn = 1; turn <= turns; turn++) {
      await tree.start();
      await tree.finish();
      await tree.rest();
    }
    expect(tree.time.problems).toEqual([]);
    return { told: told(tree), addresses: tree.addresses };
  });
}

describe('companion__keepChild', () => {
  it('[CP13] takes one that failed, with what it had done', async () => {
    const { told } = await inSteps([scouts('a'), [keep('ada')]], { fails: true });
    expect(told).toMatchObject([{ code: 'model_refused' }, { name: 'ada', output: { answer: '{"q":"a"} more' } }]);
  });

  it('[CP13] takes the one that was called last where nothing else is said, and one of those in the background', async () => {
    const { told } = await inSteps([scouts('a', 'b'), undefined, [keep('ada'), keep('ben', { which: 2 })]], {
      background: true,
    });
    const answers = told.map((value) => JSON.stringify(value)).filter((text) => text.includes('output'));
    expect(answers.map((text) => text.includes('more'))).toEqual([true, true]);
    expect(answers.map((text) => /q\\+":\\+"(\w)/.exec(text)?.[1])).toEqual(['b', 'a']);
  });

  it('[CP13, CP49] refuses what names nobody, a name that is taken or given, and one more than there may be', async () => {
    const { told, addresses } = await inSteps(
      [
        [keep('early'), ...scouts('a')],
        [keep('ada'), keep('ben', { which: 2 }), keep('scout-7')],
        [keep('ada'), keep('cy', { mode: 'non-blocking' }), companion('waitForResult', { name: 'ada' })],
      ],
      { maxCompanions: 1 },
    );
    expect(told).toMatchObject([
      { code: 'not_found' },
      { answer: '{"q":"a"}' },
      { name: 'ada', status: 'completed' },
      { code: 'not_found' },
      { code: 'invalid_arguments' },
      { code: 'name_taken' },
      { code: 'max_children' },
      { name: 'ada', status: 'completed' },
    ]);
    expect(addresses).toEqual([TOP, `${TOP}/sub/scout/1~1`, ADA]);
  });

  it('[CP29, CP49] leaves nothing behind where the tree has no place for it', async () => {
    const { told, addresses } = await inSteps([scouts('a'), [keep('ada')]], { maxTreeChildren: 1 });
    expect(told.at(-1)).toMatchObject({ status: 'failed', code: 'max_tree_children' });
    expect(addresses).toEqual([TOP, `${TOP}/sub/scout/1~1`]);
  });

  it('[CP48] is a tool of an agent that calls and keeps agents of one kind, and of no other', () => {
    const scout = agentOf('scout', { outputSchema: answer });
    const other = agentOf('other', { outputSchema: answer });
    const sub = createSubAgentTool(scout, question);
    const offered = (companion: typeof scout, ...tools: (typeof sub)[]) => {
      const top = agentOf('top', { tools, persistentAgents: [{ agent: companion }] });
      return seatOf(top, CAPABILITIES).tools.filter(({ name }) => name === 'companion__keepChild').length;
    };
    expect([offered(scout, sub), offered(other, sub), offered(scout)]).toEqual([1, 0, 0]);
  });
});
