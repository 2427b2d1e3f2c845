/** A page with `useChat`: over HTTP, or over a socket with a ticket. The hash of its address says which, and which agent. */
import { useChat } from '@ai-sdk/react';
import {
  type ChatTransport,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
  WebSocketChatTransport,
} from 'ai';
import { createElement as element, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

interface Field {
  value: string;
}
interface Place {
  hash: string;
}
declare const document: { createElement(name: string): object; body: { replaceChildren(child: object): void } };
declare const location: Place;
declare const fetch: (url: string, init?: object) => Promise<Response>;

const [over, address = ''] = location.hash.slice(1).split(':');
const id = address.split('/').at(-1) ?? '';

async function ticket(): Promise<Record<string, string>> {
  const body = JSON.stringify({ actions: ['read', 'write', 'answer'] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${address}/tickets`, { method: 'POST', headers, body });
  // Nobody has begun the agent yet: there is nothing that a ticket could be of.
  if (!response.ok) return {};
  const { token } = await response.json<{ token: string }>();
  return { ticket: token };
}

const transport: ChatTransport<UIMessage> =
  over === 'socket'
    ? new WebSocketChatTransport<UIMessage>({ url: `${address}/chat`, params: ticket })
    : new DefaultChatTransport<UIMessage>({ api: `${address}/chat` });

type Part = UIMessage['parts'][number];

function shown(part: Part, key: number, onApprove: (id: string) => void) {
  if (part.type === 'text') return element('p', { key }, part.text);
  if (part.type !== 'dynamic-tool') return null;
  if (part.state !== 'approval-requested') return element('small', { key }, `${part.toolName}: ${part.state}`);
  const { id: approval } = part.approval;
  return element('button', { key, type: 'button', onClick: () => onApprove(approval) }, `Approve ${part.toolName}`);
}

function Chat({ earlier }: { readonly earlier: UIMessage[] }) {
  const { messages, sendMessage, addToolApprovalResponse, status, stop } = useChat({
    ...{ id, transport, messages: earlier, resume: true },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const onApprove = (approval: string) => void addToolApprovalResponse({ id: approval, approved: true });
  const onSubmit = (event: { preventDefault(): void; currentTarget: { elements: { text: Field } } }) => {
    event.preventDefault();
    void sendMessage({ text: event.currentTarget.elements.text.value });
  };
  return element(
    'main',
    null,
    messages.map(({ id: key, role, parts }) =>
      element(
        'article',
        { key, 'aria-label': role },
        parts.map((part, index) => shown(part, index, onApprove)),
      ),
    ),
    element(
      'form',
      { onSubmit: onSubmit as never },
      element('input', { name: 'text', 'aria-label': 'Message' }),
      element('button', { type: 'submit' }, 'Send'),
    ),
    element('button', { type: 'button', onClick: () => void stop() }, 'Leave'),
    element('output', null, status),
  );
}

const { messages } = await (await fetch(`${address}/chat`)).json<{ messages: UIMessage[] }>();
const root = document.createElement('div');
document.body.replaceChildren(root);
createRoot(root as never).render(element(StrictMode, null, element(Chat, { earlier: messages })));
