import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { notingOf, type PairOptions, pairOf, sayTool } from '../support/duals';
import { examine, transcripts } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import type { Answer } from '../support/scripted-port';

/** What was asked of whom: the side, and what it saw. */
interface Shown {
  readonly side: ModelRequest['side'];
  readonly system: string;
  readonly tools: readonly string[];
  readonly messages: readonly unknown[];
}

const seen = ({ side, system, tools, messages }: ModelRequest): Shown => ({
  side,
  system,
  tools: tools.map(({ name }) => name),
  messages: messages.map((message) =>
    message.role === 'tool'
      ? { tool: message.toolName, success: message.result.success }
      : message.role === 'assistant'
        ? {
            assistant: message.content.map((part) =>
              'toolName' in part ? part.toolName : 'text' in part ? part.text : part.type,
            ),
          }
        : { [message.role]: message.content },
  ),
});

/** Runs a pair whose steps answer so, in order; tells what its models were shown, by step, and how it ended. */
async function told(answers: readonly Answer[], options: PairOptions = {}, treeOptions: TreeOptions = {}) {
  const shown: Shown[] = [];
  const make = (tree: Tree): TreeParts => ({
    env: notingOf(tree),
    agents: [pairOf('writer', options)],
    scripts: {
      writer: (request) => {
        shown[request.step - 1] = seen(request);
        const answer = answers[request.step - 1];
        if (answer === undefined) throw new Error(`No answer for step ${request.step}.`);
        return answer;
      },
    },
  });
  return withTree(make, treeOptions, async (tree) => {
    await tree.run('Write of rain.');
    examine(tree);
    return {
      shown,
      outcome: tree.outcome,
      commits: tree.commits.length,
      sides: tree
        .store()
        .steps({})
        .map(({ side }) => side),
      said: transcripts(tree),
      started: tree.log.flatMap(({ chunk }) => (chunk.type === 'step_started' ? [[chunk.side, chunk.speaker]] : [])),
    };
  });
}

const approve = (input: object): NonNullable<Answer['calls']>[number] => ({ name: 'approve', input: { ...input } });
const REVIEWED: readonly Answer[] = [
  { text: 'Rain falls.' },
  { text: 'Too short.' },
  { text: 'Rain falls on the roof.' },
  { text: 'Good.', calls: [approve({ text: 'Rain falls on the roof.' })] },
];

describe('a session of two sides', () => {
  it('[SA7] is done by turns: one drafts, the other rejects, it drafts again, and is approved, with one result', async () => {
    const { outcome, sides, started } = await told(REVIEWED);
    expect(outcome).toEqual({
      status: 'completed',
      output: 'Rain falls on the roof.',
      completionReason: 'session_stop',
    });
    expect(sides).toEqual(['side_a', 'side_b', 'side_a', 'side_b']);
    expect(started).toEqual([
      ['side_a', 'Author'],
      ['side_b', 'Editor'],
      ['side_a', 'Author'],
      ['side_b', 'Editor'],
    ]);
  });

  it('[SA7, RC5] is the same after a crash at any commit', async () => {
    const { commits, ...calm } = await told(REVIEWED);
    for (let at = 1; at <= commits; at++) {
      const { commits: _commits, ...crashed } = await told(REVIEWED, {}, { crashAt: new Set([at]) });
      expect(crashed, `a crash after commit ${at}`).toEqual(calm);
    }
  });

  it('[SA74, SAW33] is read by each side as its own: the words of the other are those of a user, its calls are hidden', async () => {
    const look = { name: 'look', input: { text: 'out' } };
    const { shown } = await told([
      { text: 'Let me look.', calls: [look] },
      { text: 'Rain falls.' },
      { text: 'Too short.' },
      { text: 'Rain falls on the roof.' },
      { calls: [approve({ text: 'Fine.' })] },
    ]);
    expect(shown[3]).toEqual({
      side: 'side_a',
      system: 'author',
      tools: ['look'],
      messages: [
        { user: 'Write of rain.' },
        { assistant: ['Let me look.', 'look'] },
        { tool: 'look', success: true },
        { assistant: ['Rain falls.'] },
        { user: 'Too short.' },
      ],
    });
    expect(shown[4]).toEqual({
      side: 'side_b',
      system: 'editor',
      tools: ['approve', 'refuse', 'note'],
      messages: [
        { user: '[From the caller to Author]\nWrite of rain.' },
        { user: 'Let me look.' },
        { user: 'Rain falls.' },
        { assistant: ['Too short.'] },
        { user: 'Rain falls on the roof.' },
      ],
    });
  });

  it('[SA36] ends by the rules of the side that acts alone: a call of a tool that the other is bound to ends nothing', async () => {
    const { outcome, sides } = await told(
      [
        { calls: [approve({ text: 'By myself.' })] },
        { text: 'Draft.' },
        { calls: [approve({ text: 'By the editor.' })] },
      ],
      { a: { tools: [sayTool('approve')] } },
    );
    expect(sides).toEqual(['side_a', 'side_a', 'side_b']);
    expect(outcome).toMatchObject({ status: 'completed', output: 'By the editor.' });
  });

  it.each([
    ['the argument, trimmed', { text: '  Done.\n' }, 'Done.'],
    ['the result where the argument is empty', { text: '', other: 1 }, 'given'],
    ['an object as JSON', { text: undefined, body: { a: [1] } }, '{"a":[1]}'],
    ['the result where there is no such argument', {}, 'given'],
  ])('[SA38] ends with what the binding maps: %s', async (_, input, output) => {
    const property = 'body' in input ? 'body' : 'text';
    const given = sayTool('approve', () => 'given');
    const b = { tools: [given], sessionStop: { name: 'approve', messageProperty: property } };
    const calls = [{ name: 'approve', input: JSON.parse(JSON.stringify(input)) }];
    const { outcome } = await told([{ text: 'Draft.' }, { calls }], { b });
    expect(outcome).toMatchObject({ status: 'completed', output });
  });

  it('[SA37, SA38] ends with the result of a tool that is named alone, and with words of ours where there is nothing', async () => {
    const ended = async (sessionStop: string | { name: string }, value: unknown) => {
      const b = { tools: [sayTool('approve', () => value)], sessionStop };
      return (await told([{ text: 'Draft.' }, { calls: [approve({ text: 'x' })] }], { b })).outcome;
    };
    expect(await ended('approve', 'Result.')).toMatchObject({ output: 'Result.' });
    expect(await ended('approve', 'Result.')).toEqual(await ended({ name: 'approve' }, 'Result.'));
    expect(await ended('approve', { ok: true })).toMatchObject({ output: '{"ok":true}' });
    expect(await ended('approve', null)).toMatchObject({ output: 'The session ended without a message.' });
  });

  it('[SA39, SA73] goes on where the call that would end it fails; the failure is its result, and one that succeeds ends it', async () => {
    const { outcome, sides, shown } = await told([
      { text: 'Draft.' },
      { calls: [approve({ fail: 'Not now.' })] },
      { calls: [approve({ text: 'Now.' })] },
    ]);
    expect(sides).toEqual(['side_a', 'side_b', 'side_b']);
    expect(shown[2]?.messages.at(-1)).toEqual({ tool: 'approve', success: false });
    expect(outcome).toMatchObject({ status: 'completed', output: 'Now.' });
  });

  it.each([
    ['both succeed', {}, {}, { status: 'failed', error: { code: 'session_failed', message: 'No.' } }],
    ['the failing one fails', { fail: 'x' }, {}, { status: 'completed', output: 'Yes.' }],
    ['the other one fails', {}, { fail: 'x' }, { status: 'failed', error: { code: 'session_failed' } }],
    ['both fail', { fail: 'x' }, { fail: 'x' }, { status: 'completed', output: 'Later.' }],
  ])('[SA39, SAW43] judges each of two calls in one step by itself: %s', async (_, refused, approved, ending) => {
    const calls = [
      { name: 'approve', input: { text: 'Yes.', ...approved } },
      { name: 'refuse', input: { text: 'No.', ...refused } },
    ];
    const later = { calls: [approve({ text: 'Later.' })] };
    const { outcome } = await told([{ text: 'Draft.' }, { calls }, later]);
    expect(outcome).toMatchObject(ending);
  });

  it.each([1, 2, 3])(
    '[SA41] has as many turns as it may, %s, and completes with the last text',
    async (maxSessionTurns) => {
      const texts = ['First.', 'Second.', 'Third.'];
      const { outcome, sides } = await told(
        texts.map((text) => ({ text })),
        { maxSessionTurns },
      );
      expect(sides).toHaveLength(maxSessionTurns);
      expect(outcome).toEqual({
        status: 'completed',
        output: texts[maxSessionTurns - 1],
        completionReason: 'session_turns',
      });
    },
  );

  it('[SA41] gives the turn over by the tool for it, with what that was called with, and by the last step of the side', async () => {
    const hand = sayTool('hand_over');
    const { sides, shown } = await told(
      [
        { text: 'Thinking.', calls: [{ name: 'look' }] },
        { text: 'Here.', calls: [{ name: 'hand_over', input: { text: 'The draft.' } }] },
        { calls: [{ name: 'note' }] },
        { calls: [{ name: 'note' }] },
        { text: 'Again.', calls: [{ name: 'hand_over', input: {} }] },
        { calls: [approve({ text: 'Done.' })] },
      ],
      {
        a: { tools: [sayTool('look'), hand], stopTool: 'hand_over', stopToolResponseProperty: 'text' },
        b: { maxSteps: 2 },
      },
    );
    expect(sides).toEqual(['side_a', 'side_a', 'side_b', 'side_b', 'side_a', 'side_b']);
    expect(shown[2]?.messages).toEqual([
      { user: '[From the caller to Author]\nWrite of rain.' },
      { user: 'Thinking.' },
      { user: 'The draft.' },
    ]);
    expect(shown[4]?.messages.at(-1)).toEqual({ user: '[Editor ended its turn without words.]' });
    expect(shown[5]?.messages.at(-1)).toEqual({ user: 'Again.' });
  });

  it('[SA41] leaves the turn to a side that does not end it by a reply, and tells it so', async () => {
    const options = { a: { stopOnResponse: false, tools: [sayTool('hand_over')], stopTool: 'hand_over' } };
    const { sides, shown } = await told(
      [
        { text: 'Hm.' },
        { calls: [{ name: 'hand_over', input: { text: 'The draft.' } }] },
        { calls: [approve({ text: 'Done.' })] },
      ],
      options,
    );
    expect(sides).toEqual(['side_a', 'side_a', 'side_b']);
    expect(shown[1]?.messages.at(-1)).toEqual({
      user: 'Your turn continues. Your turn ends when you call the tool hand_over.',
    });
    expect(shown[2]?.messages).toEqual([
      { user: '[From the caller to Author]\nWrite of rain.' },
      { user: 'Hm.' },
      { user: 'The draft.' },
    ]);
  });

  it('[SA5] has the tools of the side that acts alone: one of the other is unknown', async () => {
    const { said, outcome } = await told([
      { calls: [approve({ text: 'Mine.' })] },
      { text: 'Draft.' },
      { calls: [approve({ text: 'Done.' })] },
    ]);
    expect(said['/agents/writer/one']).toContainEqual({
      tool: 'approve',
      result: { success: false, error: expect.objectContaining({ code: 'unknown_tool' }) },
    });
    expect(outcome).toMatchObject({ output: 'Done.' });
  });

  it('[SA72] runs the calls of a reply one after the other, in their order, unless the prompt says otherwise', async () => {
    const order = async (parallelToolCalls: boolean) => {
      const events: string[] = [];
      const tool = (name: string) =>
        sayTool(name, async () => {
          events.push(`${name} begins`);
          await Promise.resolve();
          events.push(`${name} ends`);
          return '';
        });
      const calls = [{ name: 'one' }, { name: 'two' }];
      const b = { tools: [tool('one'), tool('two'), sayTool('approve')], sessionStop: 'approve' };
      const limits = parallelToolCalls ? { limits: { maxConcurrentCalls: 2 } } : {};
      await told([{ text: 'Draft.' }, { calls }, { calls: [approve({ text: 'Done.' })] }], { b, ...limits });
      return events;
    };
    expect(await order(false)).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
    expect(await order(true)).toEqual(['one begins', 'two begins', 'one ends', 'two ends']);
  });
});
