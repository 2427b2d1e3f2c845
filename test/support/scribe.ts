/** An agent that changes what it is told before it keeps it. */
import { defineAgent, defineHook } from '../../src/index';
import { puppet } from './puppet';

/** Text that the hook adds to the messages of people. */
const STAMP = 'Received: ';

const stamp = defineHook({
  hook: 'before_create_message',
  id: 'stamp',
  execute: ({ message: { role, content } }) =>
    role === 'assistant' || typeof content === 'string'
      ? undefined
      : { content: [{ type: 'text', text: STAMP }, ...content], metadata: { stamped: true } },
});

export const scribe = defineAgent({
  name: 'scribe',
  systemPrompt: 'Do what you are told.',
  model: puppet,
  hooks: [stamp],
});
