import { useChat } from '@ai-sdk/react';
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { createClient } from 'offshoot/client';
import { OffshootProvider } from 'offshoot/react';
import { useAgentChat } from 'offshoot/react/chat';
import { createRoot } from 'react-dom/client';

const client = createClient({ baseUrl: '' });
// The page's URL names the chat, so that it can be opened again.
location.hash ||= crypto.randomUUID();
const address = `/agents/support/${location.hash.slice(1)}`;

async function earlierMessages(): Promise<UIMessage[]> {
  const response = await client.fetch(`${address}/chat`);
  return response.ok ? (await response.json()).messages : [];
}

type Props = { part: UIMessage['parts'][number]; onAnswer: (id: string, approved: boolean) => void };

function PartView({ part, onAnswer }: Props) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type !== 'dynamic-tool') return null;
  if (part.state !== 'approval-requested')
    return (
      <small>
        {part.toolName}: {part.state}
      </small>
    );
  const { id } = part.approval;
  return (
    <fieldset>
      <legend>May the agent call {part.toolName}?</legend>
      <pre>{JSON.stringify(part.input, null, 2)}</pre>
      <button type="button" onClick={() => onAnswer(id, true)}>
        Approve
      </button>
      <button type="button" onClick={() => onAnswer(id, false)}>
        Deny
      </button>
    </fieldset>
  );
}

function Chat({ messages: earlier }: { messages: UIMessage[] }) {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    ...useAgentChat(address),
    messages: earlier,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const onAnswer = (id: string, approved: boolean) => void addToolApprovalResponse({ id, approved });
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <article key={id} aria-label={role}>
          {parts.map((part, index) => (
            <PartView key={index} part={part} onAnswer={onAnswer} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form action={(data) => void sendMessage({ text: String(data.get('text')) })}>
        <input name="text" required aria-label="Message" disabled={status === 'submitted' || status === 'streaming'} />
        <button type="submit">Send</button>
      </form>
    </main>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <OffshootProvider client={client}>
    <Chat messages={await earlierMessages()} />
  </OffshootProvider>,
);
