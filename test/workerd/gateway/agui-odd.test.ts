/** The door of AG-UI with people and networks that do things in odd orders, by the official client. */
import { describe, expect, it } from 'vitest';
import { client, only, resolved } from '../../support/agui-client';
import { get, post } from '../../support/api';
import { calls, openGate, told } from '../../support/puppet';
import { noted } from '../../support/told';
import { publishes, stands } from '../standing';

const asksBelow = told(calls('leaf', [publishes('x'), { text: 'l' }]), { text: 'Done.' });

/** A client that shows what another one shows. */
function beside(one: ReturnType<typeof client>) {
  const other = client(one.thread);
  other.agent.messages = structuredClone(one.agent.messages);
  other.agent.pendingInterrupts = structuredClone(one.agent.pendingInterrupts);
  return other;
}

const outcomes = ({ seen }: ReturnType<typeof client>) =>
  only(seen, 'RUN_FINISHED').map(({ outcome }) => (outcome as { type?: string } | undefined)?.type);

describe('two clients of a thread', () => {
  it('[AU2] [AU7] answer one interrupt at once with yes and no: one counts, and both hear the end', async () => {
    const one = client();
    one.say(asksBelow);
    await one.agent.runAgent();
    const other = beside(one);
    const [first, second] = await Promise.all([
      one.agent.runAgent({ resume: resolved(one.agent.pendingInterrupts) }),
      other.agent.runAgent({ resume: resolved(other.agent.pendingInterrupts, false) }),
    ]);
    expect([first.result, second.result]).toEqual(['Done.', 'Done.']);
    const answered = [...one.seen, ...other.seen].filter(({ name }) => name === 'offshoot.answer_refused');
    expect(answered).toEqual([]);
    expect((await get(`${one.at}/sub/leaf/1~1/calls`)).body.items).toHaveLength(1);
  });

  it('[AU7] [AU8] of which one answers what the other has answered long ago hear the same end', async () => {
    const one = client();
    one.say(asksBelow);
    await one.agent.runAgent();
    const other = beside(one);
    await one.agent.runAgent({ resume: resolved(one.agent.pendingInterrupts) });
    expect((await other.agent.runAgent({ resume: resolved(other.agent.pendingInterrupts, false) })).result).toBe(
      'Done.',
    );
    expect(other.agent.messages.filter(({ content }) => content === 'Done.')).toHaveLength(1);
  });
});

describe('a person who changes their mind', () => {
  it('[AU7] [AU9] stops during an interrupt: the late answer changes nothing, and the next message goes on', async () => {
    const one = client();
    one.say(asksBelow);
    await one.agent.runAgent();
    await post('/agui/top/stop', { threadId: one.thread });
    await stands(one.at, 'interrupted');
    const late = await one.agent
      .runAgent({ resume: resolved(one.agent.pendingInterrupts) })
      .catch((error: Error) => error);
    if (!(late instanceof Error)) expect(outcomes(one).at(-1)).toBe('cancelled');
    await stands(one.at, 'interrupted');
    one.agent.pendingInterrupts = [];
    one.say(told({ text: 'Something else.' }));
    await one.agent.runAgent();
    // The run resumes with the message, and asks once more.
    expect(one.agent.pendingInterrupts).toHaveLength(1);
    await one.agent.runAgent({ resume: resolved(one.agent.pendingInterrupts) });
    expect(outcomes(one).at(-1)).toBe('success');
  });

  it('[AU8] sends a message while a question waits: it is kept, the question stays, and both count', async () => {
    const one = client();
    one.say(asksBelow);
    await one.agent.runAgent();
    const [asked] = one.agent.pendingInterrupts;
    one.agent.pendingInterrupts = [];
    one.say('And this.');
    await one.agent.runAgent();
    expect(one.agent.pendingInterrupts.map(({ id }) => id)).toEqual([asked?.id]);
    expect((await one.agent.runAgent({ resume: resolved(one.agent.pendingInterrupts) })).result).toBe('Done.');
    const { body } = await get(`${one.at}/messages`);
    expect(body.items.filter(({ role }) => role === 'user')).toHaveLength(2);
  });
});

describe('a network that comes and goes', () => {
  it('[AU6] [AU9] is lost three times in one run: each time all is there once, and the end comes', async () => {
    const gate = crypto.randomUUID();
    const one = client();
    one.say(told(noted('a'), calls('leaf', [{ text: 'The leaf says this.' }, { text: 'l' }]), { gate, text: 'End.' }));
    for (let times = 0; times < 3; times += 1) {
      const left = new Promise<void>((resolve) => {
        const { unsubscribe } = one.agent.subscribe({
          onEvent: ({ event }) => {
            if (String(event.type) !== 'SUBAGENT_FINISHED') return;
            unsubscribe();
            resolve();
          },
        });
      });
      const running = one.agent.runAgent().catch(() => undefined);
      await left;
      one.agent.abortRun();
      await running;
    }
    openGate(gate);
    expect((await one.agent.runAgent()).result).toBe('End.');
    const texts = one.agent.messages.flatMap(({ role, content }) => (role === 'assistant' && content ? [content] : []));
    expect(texts.toSorted()).toEqual(['End.', 'The leaf says this.']);
    const ids = one.agent.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a message that is sent again', () => {
  const again = (one: ReturnType<typeof client>, text: string, context: string) => {
    one.agent.messages = [{ id: 'u1', role: 'user', content: text }];
    return one.agent.runAgent({ context: [{ description: 'Now', value: context }] });
  };

  it('[AU2, AU16] is known by what the person sent: a hook and another context change nothing, other words are refused', async () => {
    const one = client(undefined, 'scribe');
    expect((await again(one, told({ text: 'Heard.' }), 'noon')).result).toBe('Heard.');
    expect((await again(client(one.thread, 'scribe'), told({ text: 'Heard.' }), 'one')).result).toBe('Heard.');
    await expect(again(client(one.thread, 'scribe'), told({ text: 'Else.' }), 'noon')).rejects.toThrow(
      /409|Idempotency/,
    );
    expect((await get(`${one.at}/runs`)).body.items).toHaveLength(1);
  });

  it('[AU2, AU18] counts once, whoever sends it again; other words are refused', async () => {
    const one = client();
    const script = told({ text: 'Heard.' });
    await again(one, script, 'x');
    const made = await post(`${one.at}/tokens`, { actions: ['read', 'write'], ttlSeconds: 3_600 });
    const another = () => {
      const given = client(one.thread);
      given.agent.headers = { authorization: `Bearer ${made.body.token}` };
      return given;
    };
    expect((await again(another(), script, 'y')).result).toBe('Heard.');
    await expect(again(another(), told({ text: 'Else.' }), 'x')).rejects.toThrow(/409|u1/);
    expect((await get(`${one.at}/runs`)).body.items).toHaveLength(1);
  });

  it('[AU2, AU18] counts once where two people send it at the same instant', async () => {
    const one = client();
    await again(one, told({ text: 'First.' }), 'x');
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const made = await post(`${one.at}/tokens`, { actions: ['read', 'write'], ttlSeconds: 3_600 });
        const given = client(one.thread);
        given.agent.headers = { authorization: `Bearer ${made.body.token}` };
        given.agent.messages = [{ id: 'same', role: 'user', content: told({ text: 'Once.' }) }];
        return given;
      }),
    );
    // Another context is in what each of them sends.
    const results = await Promise.all(
      clients.map(({ agent }, at) => agent.runAgent({ context: [{ description: 'Now', value: `${at}` }] })),
    );
    expect(results.map(({ result }) => result)).toEqual(['Once.', 'Once.']);
    expect((await get(`${one.at}/runs`)).body.items).toHaveLength(2);
  });

  it('[AU2, AU16] is known behind any number of events', async () => {
    const one = client();
    const script = told({ calls: [{ name: 'recite', input: { count: 5_100 } }] }, { text: 'Done.' });
    expect((await again(one, script, 'x')).result).toBe('Done.');
    expect((await again(client(one.thread), script, 'x')).result).toBe('Done.');
    expect((await get(`${one.at}/runs`)).body.items).toHaveLength(1);
  });
});
