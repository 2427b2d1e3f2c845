import { expect, it } from 'vitest';
import { pastAnswers } from '../../../src/doors/chat/past';

const OPTIONS = { idOf: (turn: number) => `t.${turn}`, agent: { address: '/agents/a/b', agentType: 'a' }, filesAt: '' };
type Entries = Parameters<typeof pastAnswers>[0];

it('[CH3] a chat that is opened again has what its people said, and nothing that others or code put in beside it', () => {
  const said = (content: string, facts: object = {}) => ({
    ...{ role: 'user', from: 'caller', messageId: `m ${content}`, turn: 1, at: 0, content },
    ...facts,
  });
  const entries = [
    said('How?'),
    said('kept back', { silent: true }),
    { role: 'assistant', turn: 1, at: 0, content: [{ type: 'text', text: 'So.' }] },
    said('by its parent', { from: 'parent' }),
    said('by code', { from: 'agent' }),
    said('by the library', { from: 'offshoot' }),
    said('And then?', { turn: 2 }),
  ] as unknown as Entries;
  const shown = pastAnswers(entries, OPTIONS).map(({ role, parts }) => [
    role,
    parts.map((part) => part.text ?? part.type),
  ]);
  expect(shown).toEqual([
    ['user', ['How?']],
    ['assistant', ['step-start', 'So.']],
    ['user', ['And then?']],
  ]);
});
