/** Home: ask, and see what waits and what ran last. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useAgents, usePending, useRoots, useWelcome } from '../data/lists';
import { AT, BASE, pathOf } from '../data/place';
import { server } from '../data/session';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { RootRows } from '../runs/runs';

/** Of a question, the part that names its run, in characters. */
const NAME_PART = 200;

const EXAMPLES = [
  'What survives a crash in the middle of a step?',
  'How does an approval reach an agent three levels down?',
  'How do budgets stop a tree?',
];

/** A name for a new root: what the question says, and six hex digits. */
function newName(question: string): string {
  const slug = question
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/gu, '');
  const tail = Array.from(crypto.getRandomValues(new Uint8Array(3)), (byte) => byte.toString(16).padStart(2, '0'));
  return [slug || 'run', tail.join('')].join('-');
}

function useAsk() {
  const [, go] = useLocation();
  return useMutation({
    retry: false,
    mutationFn: async ({ agentClass, question }: { agentClass: string; question: string }) => {
      const address = `/agents/${agentClass}/${newName(question)}`;
      await server().start(address, {
        message: question,
        displayName: question.replaceAll(/\s+/gu, ' ').trim().slice(0, NAME_PART),
      });
      return address;
    },
    onSuccess: (address) => go(pathOf(address)),
  });
}

function AskBox() {
  const agents = useAgents();
  const welcome = useWelcome(BASE);
  const given = new URLSearchParams(location.search);
  const [question, setQuestion] = useState(given.get('q') ?? '');
  const [chosen, setChosen] = useState(given.get('agent') ?? '');
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const ask = useAsk();
  const roots = (agents.data?.items ?? []).filter(({ root }) => root);
  const agentClass = roots.find((each) => each.addressClass === chosen)?.addressClass ?? roots[0]?.addressClass ?? '';
  const send = () => {
    if (question.trim() !== '' && agentClass !== '' && !ask.isPending) ask.mutate({ agentClass, question });
  };
  const offline = welcome.data?.model?.toLowerCase().includes('offline') === true;
  return (
    <form
      className="ask-box"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="ask-line">
        <label>
          <span className="unseen">Agent</span>
          <select value={agentClass} onChange={(event) => setChosen(event.target.value)}>
            {roots.map(({ addressClass, agentType }) => (
              <option key={addressClass} value={addressClass}>
                {agentType}
              </option>
            ))}
          </select>
        </label>
        <span className="muted">
          {offline ? 'Offline model: rules, no key; answers less. Use a real one' : (welcome.data?.model ?? '')}
        </span>
      </div>
      <textarea
        ref={box}
        rows={4}
        aria-label="Your question"
        placeholder="Ask the agents a question"
        value={question}
        onChange={(event) => setQuestion(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
        }}
      />
      <div className="ask-line">
        <span className="muted">Agents search, quotations are checked, you approve.</span>
        <button
          type="submit"
          className="primary"
          disabled={question.trim() === '' || agentClass === '' || ask.isPending}
        >
          {ask.isPending ? 'Asking…' : 'Ask'} <kbd>Ctrl Enter</kbd>
        </button>
      </div>
      {ask.error !== null && <Trouble error={ask.error} />}
      <div className="examples">
        Try:
        {EXAMPLES.map((each) => (
          <button
            key={each}
            type="button"
            className="pill"
            onClick={() => {
              setQuestion(each);
              box.current?.focus();
            }}
          >
            {each}
          </button>
        ))}
      </div>
    </form>
  );
}

/** The view. */
export function Home() {
  const pending = usePending();
  const roots = useRoots();
  const calls = pending.data ?? [];
  const [first] = calls;
  const items = roots.data?.items ?? [];
  return (
    <main className="page narrow">
      <h1>Ask the agents</h1>
      {first !== undefined && (
        <a className="card ask needs" href={`${AT}/inbox/${encodeURIComponent(first.toolCallId)}`}>
          <strong>
            {calls.length} {calls.length === 1 ? 'needs' : 'need'} you:
          </strong>{' '}
          {first.toolName}, {first.agentType}, asked <Time at={first.requestedAt} /> <span>Review</span>
        </a>
      )}
      <AskBox />
      {items.length > 0 && (
        <section aria-label="Recent runs">
          <h2>Recent</h2>
          <RootRows roots={items.slice(0, 50)} />
        </section>
      )}
    </main>
  );
}
