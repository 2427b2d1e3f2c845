/** Clients of AG-UI with the Worker under test: the official one, which checks the order of events itself. */
import { type BaseEvent, HttpAgent } from '@ag-ui/client';
import type { Interrupt } from '@ag-ui/core';
import { address, send } from './api';

/** A client of a thread, with all events that it was given. */
export function client(thread = address().split('/')[3] ?? '', agentName = 'top') {
  const seen: BaseEvent[] = [];
  const agent = new HttpAgent({
    url: `http://localhost/agui/${agentName}`,
    threadId: thread,
    fetch: (url, init) => send(new URL(String(url)).pathname, init),
  });
  agent.subscribe({ onEvent: ({ event }) => void seen.push(event) });
  let ids = 0;
  return {
    ...{ agent, seen, thread, at: `/agents/${agentName}/${thread}` },
    types: () => seen.map(({ type }) => String(type)),
    say(content: string) {
      ids += 1;
      agent.messages = [...agent.messages, { id: `u${ids}`, role: 'user', content }];
    },
  };
}

/** The payload that approves. */
export const YES = { approved: true };
/** Answers to interrupts. */
export const resolved = (interrupts: readonly Interrupt[], payload: unknown = YES) =>
  interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const, payload }));
/** The events of a type. */
export const only = (events: readonly BaseEvent[], type: string) =>
  events.filter((event) => String(event.type) === type);
