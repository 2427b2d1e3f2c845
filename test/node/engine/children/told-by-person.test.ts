/** What a person tells a child by way of its parent: once for a key and its body, whoever asks again. */
import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../../src/core/agent/events';
import { messageChild, takeBack } from '../../../../src/engine/children/take-person-message';
import { failure } from '../../../../src/protocol/errors';
import { Machine, planned } from '../../../support/machine';
import { rowsOf } from '../../../support/rows';
import { agentOf } from '../../../support/trees';
import { VirtualTime } from '../../../support/virtual-time';

const machine = new Machine();
machine.start();
machine.reply({ calls: [{ ...planned.child(), lifetime: 'named', childName: 'ada', await: 'notice' }] });
const [CHILD] = [...machine.state.children.values()];

/** A parent that has a child of that name so, and takes events or not. */
function parentOf(is: string | undefined, takes: boolean) {
  const receipts = new Map<string, { readonly body: string; readonly answer: { readonly body: object } }>();
  const events: AgentEvent[] = [];
  const children = new Map(CHILD && is ? [[1, { ...CHILD, state: { is } }]] : []);
  const agent = {
    environment: new VirtualTime().environment,
    seat: { definition: agentOf('top') },
    state: { ...machine.state, children },
    deps: {
      store: {
        receipt: (key: string) => receipts.get(key),
        addReceipt: (key: string, receipt: { body: string; answer: { body: object } }) =>
          void receipts.set(key, receipt),
        countLasting: () => ({ count: 1 }),
        ...{ named: () => undefined, nextChild: () => 2, slots: () => ({ free: [], next: 1 }) },
      },
    },
    apply: (event: AgentEvent, inTransaction: () => void) => {
      events.push(event);
      if (!takes) return { ok: false, refused: failure('terminated') };
      inTransaction();
      return { ok: true };
    },
  };
  return { agent: agent as never, events, receipts };
}

const said = { role: 'user', content: 'Hi', from: 'caller' } as const;
const by = { actor: 'ann', traceparent: 'trace' };

it('[CO24, A18] a message is taken once for its key and body, and says whether its child begins with it now', () => {
  for (const { is, takes, key, again } of rowsOf({
    is: ['working', 'interrupted', 'respawning', undefined],
    takes: [true, false],
    key: [undefined, 'k'],
    again: ['same', 'other'],
  } as const)) {
    const { agent, events, receipts } = parentOf(is, takes);
    const tell = (body: string) =>
      messageChild(agent, { type: 'tell', name: 'ada', said, by, ...(key ? { asked: { key, body } } : {}) } as never);
    const what = JSON.stringify({ is, takes, key, again });
    const first = tell('same');
    const delivery = is === 'working' ? 'started' : 'queued';
    const sent = { messageId: expect.stringMatching(/^m_/), delivery };
    const refused = { answer: 'refused', error: { code: 'terminated' } };
    expect(first, what).toMatchObject(takes ? { answer: 'done', sent } : refused);
    expect(events, what).toMatchObject([{ type: 'child_message', name: 'ada', message: said, by }]);
    expect(receipts.size, what).toBe(takes && key ? 1 : 0);
    const second = tell(again);
    const isKnown = takes && key !== undefined;
    expect(events.length, what).toBe(isKnown ? 1 : 2);
    if (!isKnown) continue;
    if (again === 'same') expect(second, what).toEqual(first);
    else expect(second, what).toMatchObject({ answer: 'refused', error: { code: 'idempotency_conflict' } });
  }
});

it('[DL10] what is taken back stays so, and what cannot be taken back is refused each time', () => {
  for (const takes of [true, false]) {
    const { agent, events } = parentOf('interrupted', takes);
    const cancel = (messageId: string) => takeBack(agent, { type: 'take_back', name: 'ada', messageId });
    const answer = takes ? { answer: 'done' } : { answer: 'refused', error: { code: 'terminated' } };
    for (const messageId of ['m_1', 'm_1', 'm_2', 'm_1']) expect(cancel(messageId)).toMatchObject(answer);
    const asked = events.map((event) => 'messageId' in event && event.messageId);
    expect(asked).toEqual(takes ? ['m_1', 'm_2'] : ['m_1', 'm_1', 'm_2', 'm_1']);
  }
});
