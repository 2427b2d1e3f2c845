/**
 * Trees whose runs are recorded: together their logs have every type of chunk. Each is a real run of the engine, under
 * virtual time; `OFFSHOOT_RECORD=again` keeps the logs anew.
 */
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ModelDelta, ModelPort, ModelReply, ModelRequest } from '../../src/core/definition/model-port';
import type { SequencedChunk } from '../../src/protocol/chunks';
import type { JsonObject } from '../../src/protocol/json';
import { NO_USAGE } from '../../src/protocol/usage';
import { SqlTreeStore } from '../../src/store/tree-store';
import { askSurely } from './asks';
import type { Tree, TreeParts } from './harness';
import { companion, questions } from './levels';
import { yes } from './people';
import { present } from './present';
import { agentOf, question } from './trees';

/** A run to record, at the root's address. */
export interface RecordedTree {
  readonly name: string;
  parts(tree: Tree): TreeParts;
  /** Lets it happen; the address whose log is kept. */
  play(tree: Tree): Promise<string>;
}

/** The log of the root at an address. */
export function logAt(tree: Tree, address: string): SequencedChunk[] {
  const rows = new SqlTreeStore(present(tree.world.storage(address))).read(1, 100_000, Number.MAX_SAFE_INTEGER);
  return rows.flatMap(({ first, chunks }) => chunks.map((chunk, index) => ({ sequence: first + index, chunk })));
}

const BYTES = btoa('a,b\n1,2\n');
const SOURCE = { type: 'source', id: 'src-1', sourceType: 'url', url: 'https://a.test/', title: 'A' } as const;
const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5, modelCalls: 1 };

/** A reply with everything that a model may send. */
const RICH: { readonly deltas: readonly ModelDelta[]; readonly reply: ModelReply } = {
  deltas: [
    { type: 'thinking', part: 0, delta: 'Let me ' },
    { type: 'thinking', part: 0, delta: 'think.' },
    { type: 'text', part: 1, delta: 'I look ' },
    { type: 'text', part: 1, delta: 'it up.' },
    { type: 'provider_call', part: 2, id: 'p_1', toolName: 'search', input: { q: 'a' } },
    { type: 'provider_result', part: 3, id: 'p_1', toolName: 'search', result: ['a'], success: true },
    { type: 'source', part: 4, source: SOURCE },
    { type: 'tool_arg_start', index: 0, toolName: 'note' },
    { type: 'tool_arg_delta', index: 0, delta: '{"text":' },
    { type: 'tool_arg_delta', index: 0, delta: '"x"}' },
  ],
  reply: {
    content: [
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'I look it up.' },
      { type: 'provider-call', by: 'test.search', providerId: 'p_1', toolName: 'search', input: { q: 'a' } },
      { type: 'provider-result', by: 'test.search', providerId: 'p_1', toolName: 'search', result: ['a'] },
      SOURCE,
      { type: 'made-file', mediaType: 'text/csv', data: BYTES },
      { type: 'tool-call', providerId: 'call_0', toolName: 'note', input: { text: 'x' } },
    ],
    finishReason: 'tool-calls',
    usage,
    model: 'test/rich',
  },
};

/** Long enough for pieces of a reply to be in the log, in ms. */
const WRITTEN_MS = 2_000;

/** A model whose first attempt of the first step never ends after half a sentence; what follows is rich, then as told. */
function richModel(next: ModelPort): ModelPort {
  return {
    async call(request: ModelRequest, options) {
      if (request.agentType !== 'top' || request.step !== 1 || !isFirstTurn(request))
        return next.call(request, options);
      if (request.attempt === 1) {
        options.onDelta({ type: 'text', part: 0, delta: 'Half a' });
        return new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(new Error('aborted'))));
      }
      for (const delta of RICH.deltas) options.onDelta(delta);
      return RICH.reply;
    },
  };
}

const isFirstTurn = ({ messages }: ModelRequest): boolean =>
  messages.filter(({ role }) => role === 'user').length === 1;

const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  inputSchema: z.object({ text: z.string() }),
  replay: 'safe',
  execute: ({ text }, context) => {
    context.emit(`noting ${text}`);
    context.emitCustom('noted', { text });
    context.updateState(() => ({ noted: text }));
    return { noted: text };
  },
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: ({ euros }) => ({ paid: euros }),
});
const pick = defineTool({
  name: 'pick',
  description: 'A person picks one.',
  inputSchema: z.object({ of: z.array(z.string()) }),
  execute: 'client',
});

const said = (address: string, content: string) => ({ verb: 'send', address, input: { content }, key: content });

/** Everything but the ends of runs that do not complete, and copies. */
const whole: RecordedTree = {
  name: 'whole',
  parts(tree) {
    const worker = agentOf('worker', { tools: [note, pay, pick] });
    const helper = agentOf('helper', { tools: [note, pick] });
    const top = agentOf('top', {
      tools: [note, pay, pick, createSubAgentTool(worker, question)],
      persistentAgents: [{ agent: helper }],
      outputSchema: z.object({ paid: z.number() }),
      context: { maxTokens: 6_000 },
      hooks: {
        onStepStart: ({ step }) => {
          if (step === 2) throw new Error('The hook fails.');
        },
      },
    });
    return {
      agents: [top, worker, helper],
      scripts: {
        top: ({ step, messages }) => {
          const turn = messages.filter(({ role }) => role === 'user').length;
          if (turn > 3) return { finish: { paid: turn }, text: 'x '.repeat(1_000) };
          if (step === 2)
            return { text: 'I ask.', calls: [{ name: 'subagent__worker', input: { q: 'a' } }, { name: 'nobody' }] };
          if (step === 3)
            return { calls: [companion('spawnAgent', { agent: 'helper', name: 'ada', initialMessage: 'Hello.' })] };
          // The second message comes while the companion waits for a person.
          if (step === 4) return { calls: [companion('sendMessage', { name: 'ada', message: 'And?' })] };
          if (step === 5) return { calls: [companion('sendMessage', { name: 'ada', message: 'Well?', wait: true })] };
          return { finish: { paid: 20 } };
        },
        worker: [
          { thinking: 'Hm.', text: 'I pay.', calls: [{ name: 'pay', input: { euros: 20 } }] },
          { calls: [{ name: 'pick', input: { of: ['a'] } }, { name: 'nobody' }] },
          { calls: [{ name: 'note', input: { text: 'l' } }] },
          { text: 'Paid.' },
        ],
        helper: ({ step, messages }) =>
          questions(messages).length > 1 && step === 1
            ? { calls: [{ name: 'pick', input: { of: ['h'] } }] }
            : { text: 'Here.' },
      },
      models: () => richModel({ call: (request, options) => tree.port.call(request, options) }),
    };
  },
  async play(tree) {
    await tree.start('Go.');
    await tree.time.pass(WRITTEN_MS);
    tree.crash();
    await tree.time.until(() => tree.pending.length > 0);
    await askSurely(tree, said(tree.address, 'Never mind.'));
    const [first] = tree.log.flatMap(({ chunk }) => (chunk.type === 'message_queued' ? [chunk.messageId] : []));
    await askSurely(tree, { verb: 'cancelMessage', address: tree.address, input: { path: present(first) }, key: 'c' });
    await askSurely(tree, said(tree.address, 'And this.'));
    while (!tree.ended) {
      await tree.time.until(() => tree.ended || tree.pending.length > 0);
      const [item] = tree.pending;
      if (item) await tree.soon(tree.answer(item, yes(item)));
    }
    await tree.finish();
    for (let turn = 2; turn <= 4; turn += 1) await tree.run(`Turn ${turn}. ${'word '.repeat(3_000)}`);
    return tree.address;
  },
};

/** A root that does one thing, and comes to its end by what is played. */
const ending = (name: string, answer: object, play: (tree: Tree) => Promise<string>): RecordedTree => ({
  name,
  parts: () => ({
    agents: [agentOf('top', { tools: [note] })],
    scripts: { top: [{ text: 'I note.', calls: [{ name: 'note', input: { text: 'x' } }] }, answer] },
  }),
  async play(tree) {
    await tree.start('Go.');
    return play(tree);
  },
});

const isAt = (tree: Tree, step: number): boolean =>
  tree.log.some(({ chunk }) => chunk.type === 'step_started' && chunk.step === step);

const stopped = (name: string, verb: 'interrupt' | 'terminate') =>
  ending(name, { text: 'Half', hang: true }, async (tree) => {
    await tree.time.until(() => isAt(tree, 2));
    tree.stop(verb);
    return (await tree.finish()).address;
  });

/** It is interrupted in its second step, and resumed. */
const resumed: RecordedTree = {
  name: 'resumed',
  parts() {
    let isResumed = false;
    return {
      agents: [agentOf('top', { tools: [note] })],
      scripts: {
        top: ({ step }) => {
          if (step === 1) return { text: 'I note.', calls: [{ name: 'note', input: { text: 'x' } }] };
          if (isResumed) return { text: 'Done.' };
          isResumed = true;
          return { text: 'Half', hang: true };
        },
      },
    };
  },
  async play(tree) {
    await tree.start('Go.');
    await tree.time.until(() => isAt(tree, 2));
    tree.stop('interrupt');
    await tree.finish();
    await tree.resume();
    await tree.finish();
    return tree.address;
  },
};

const COPY: JsonObject = { name: 'two' };

/** All of them. */
export const RECORDED_TREES: readonly RecordedTree[] = [
  whole,
  ending('failed', { fail: { code: 'model_refused' } }, async (tree) => (await tree.finish()).address),
  stopped('interrupted', 'interrupt'),
  resumed,
  stopped('terminated', 'terminate'),
  ending('copied', { text: 'Done.' }, async (tree) => {
    await tree.finish();
    await askSurely(tree, { verb: 'fork', address: tree.address, input: COPY, key: 'copy' });
    const copy = tree.address.replace(/one$/, 'two');
    await tree.rest();
    return copy;
  }),
];
