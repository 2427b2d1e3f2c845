/** Home: ask, and see what waits, what failed, what runs and what ran last. */
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Document } from '../../client';
import { beginningOf } from '../../protocol/content/cut';
import { callKey, callPath } from '../data/call-key';
import { causeKey, useAgents, useFailures, usePending, useRoots, type Waiting } from '../data/lists';
import { pathSaid } from '../data/names';
import { AT, pathOf } from '../data/place';
import { usePress } from '../data/press';
import { useForbidden } from '../data/rights';
import { server } from '../data/session';
import { toast } from '../data/toasts';
import { leftOf, useNow } from '../inbox/expiry';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { Unsent } from '../parts/unsent';
import { Unanswered, Waits } from '../parts/waits';
import { bytes, escaped, modelSays } from '../parts/words';
import { fetchRun } from '../run/run';
import { RootRows } from '../runs/rows';
import { type Upload, uploadsOf } from './attach';

/** Of a question, the part that names its run, in characters. */
const NAME_PART = 200;
/** From so many runs on the box is one line. */
const MANY = 6;
/** Calls that stand here before the inbox is named for the rest. */
const SOME = 5;
/** How far back failures are counted, in ms. */
const DAY_MS = 86_400_000;
/** Runs that are listed as under way. */
const MOST_RUNNING = 20;

/** A name for a new root: what the question says, and six hex digits of the key of its start. */
function newName(question: string, key: string): string {
  const slug = question
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/gu, '');
  return `${slug || 'run'}-${key.slice(0, 6)}`;
}

/** Why nothing can be asked while no agent is known. */
const NO_AGENT = 'The list of agents has not loaded yet.';

interface Question {
  readonly agentClass: string;
  readonly question: string;
  readonly files: readonly Attachment[];
}

/** A file, with what tells it from another one. */
interface Attachment {
  readonly file: File;
  readonly is: string;
}

/** `written`: what the box has now. */
function useAsk(written: string) {
  const [, go] = useLocation();
  return usePress({
    what: 'The question',
    ask: async ({ agentClass, question, files }: Question, sending) => {
      const address = `/agents/${agentClass}/${newName(question, sending.idempotencyKey)}`;
      const uploads: readonly Upload[] = await uploadsOf(files.map(({ file }) => file));
      const body = {
        message: question,
        displayName: beginningOf(question.replaceAll(/\s+/gu, ' ').trim(), NAME_PART),
        ...(uploads.length === 0 ? {} : { files: [...uploads] }),
      };
      await server().start(address, body, sending);
      return address;
    },
    onSuccess: (address, { question }, isLeft) => {
      const path = pathOf(address);
      // Who has gone elsewhere, or writes the next one, stays there.
      if (isLeft || written !== question) toast('Question sent.', { to: { says: 'Open', path } });
      else go(path);
    },
  });
}

function Attached({ files, onChange }: { files: readonly File[]; onChange: (files: readonly File[]) => void }) {
  return (
    <>
      <label className="attach">
        + files
        <input
          type="file"
          multiple
          className="unseen"
          aria-label="Attached files"
          onChange={(event) => {
            onChange([...files, ...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
      </label>
      {files.map((file, at) => (
        <span key={`${at}:${file.name}`} className="attached">
          {file.name} <span className="muted">{bytes(file.size)}</span>
          <button
            type="button"
            className="linkish"
            aria-label={`Remove ${file.name}`}
            onClick={() => onChange(files.filter((each) => each !== file))}
          >
            ×
          </button>
        </span>
      ))}
    </>
  );
}

function Model({ agent }: { agent: Document<'agent'> | undefined }) {
  if (agent?.model === undefined) return <span />;
  return <span className="muted">{modelSays(agent.model)}</span>;
}

interface Chosen {
  readonly agents: readonly Document<'agent'>[];
  readonly agent: Document<'agent'> | undefined;
  readonly onChoose: (addressClass: string) => void;
}

function Agent({ agents, agent, onChoose }: Chosen) {
  return (
    <div className="ask-line">
      <label>
        <span className="unseen">Agent</span>
        <select value={agent?.addressClass ?? ''} onChange={(event) => onChoose(event.target.value)}>
          {agents.map(({ addressClass, agentType }) => (
            <option key={addressClass} value={addressClass}>
              {agentType}
            </option>
          ))}
        </select>
      </label>
      <Model agent={agent} />
    </div>
  );
}

function Examples({ texts, onTake }: { texts: readonly string[]; onTake: (text: string) => void }) {
  if (texts.length === 0) return null;
  return (
    <div className="examples">
      Try:
      {texts.map((each) => (
        <button key={each} type="button" className="pill" onClick={() => onTake(each)}>
          {each}
        </button>
      ))}
    </div>
  );
}

/** Whether so many runs are there that the box is one line, as it was seen last. */
const KEPT = 'offshoot.many';

/**
 * Settled once: what others start meanwhile moves nothing under who writes. Until a server has said what ran, the box
 * has the height that it had in this tab.
 */
function useMany(ran: number | undefined): boolean {
  const [many] = useState(() => (ran === undefined ? sessionStorage.getItem(KEPT) === 'yes' : ran >= MANY));
  useEffect(() => {
    if (ran !== undefined) sessionStorage.setItem(KEPT, ran >= MANY ? 'yes' : 'no');
  }, [ran]);
  return many;
}

/** `ran`: how many runs there are, once that is known. */
function AskBox({ ran }: { ran: number | undefined }) {
  const many = useMany(ran);
  const listed = useAgents();
  const forbidden = useForbidden('write');
  const given = new URLSearchParams(location.search);
  const [question, setQuestion] = useState(given.get('q') ?? '');
  const [chosen, setChosen] = useState(given.get('agent') ?? '');
  const [files, setFiles] = useState<readonly File[]>([]);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const ask = useAsk(question);
  const agents = (listed.data?.items ?? []).filter(({ root }) => root);
  const agent = agents.find((each) => each.addressClass === chosen) ?? agents[0];
  const agentClass = agent?.addressClass ?? '';
  const why =
    forbidden ?? (agent === undefined ? NO_AGENT : question.trim() === '' ? 'Enter a question first.' : undefined);
  // Who is quicker than the list of agents is not asked to press again.
  const [early, setEarly] = useState(false);
  const send = () => {
    setEarly(agent === undefined && !listed.isError && question.trim() !== '');
    if (why !== undefined) return;
    fetchRun();
    const attached = files.map((file) => ({ file, is: `${file.name} ${file.size} ${file.lastModified}` }));
    ask.press({ agentClass, question, files: attached });
  };
  useEffect(() => {
    if (early && agent !== undefined) send();
  });
  return (
    <form
      className="ask-box"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Agent agents={agents} agent={agent} onChoose={setChosen} />
      {listed.data === undefined && (
        <Unanswered what="the list of agents" error={listed.error} onRetry={() => void listed.refetch()} />
      )}
      {listed.isSuccess && agents.length === 0 && (
        <p role="status">This server has no agent that can be started directly.</p>
      )}
      <textarea
        ref={box}
        rows={many ? 1 : 4}
        aria-label="Your question"
        placeholder="Ask the agents a question"
        value={question}
        onChange={(event) => {
          setQuestion(event.target.value);
          setEarly(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
        }}
      />
      <div className="ask-line">
        <span className="row">
          <Attached files={files} onChange={setFiles} />
        </span>
        <button type="submit" className="primary" disabled={why !== undefined || ask.isBusy} title={why}>
          {ask.isBusy || early ? 'Asking…' : 'Ask'} <kbd className="untouched">Ctrl Enter</kbd>
        </button>
      </div>
      {forbidden !== undefined && <p className="muted">{forbidden}</p>}
      <Unsent press={ask} />
      <Examples
        texts={many ? [] : (agent?.examples ?? [])}
        onTake={(text) => {
          setQuestion(text);
          box.current?.focus();
        }}
      />
    </form>
  );
}

function NeedsYou({ calls }: { calls: readonly Waiting[] }) {
  const now = useNow();
  if (calls.length === 0) return null;
  return (
    <section aria-label="Needs your answer" className="group">
      <h2>
        {calls.length} {calls.length === 1 ? 'needs' : 'need'} your answer
      </h2>
      {calls.slice(0, SOME).map(({ toolCallId, toolName, address, requestedAt, expiresAt, preview = '' }) => (
        <Link
          key={callKey({ toolCallId, address })}
          className="card ask needs"
          href={callPath({ toolCallId, address })}
        >
          <strong>{toolName}</strong>
          <span className="asks">{escaped(preview)}</span>
          <span className="muted">
            {pathSaid(address)}, asked <Time at={requestedAt} />
            {expiresAt !== undefined && `, ${leftOf(expiresAt, now)} left`}
          </span>
          <span className="does">Review</span>
        </Link>
      ))}
      {calls.length > SOME && <Link href={`${AT}/inbox`}>{calls.length - SOME} more in the inbox</Link>}
    </section>
  );
}

function Failed() {
  const [since] = useState(() => Date.now() - DAY_MS);
  const failures = useFailures({ since });
  const causes = failures.data?.pages[0]?.causes ?? [];
  if (causes.length === 0) return null;
  return (
    <section aria-label="Failed in the last 24 hours" className="group">
      <h2>Failed in the last 24 hours</h2>
      <ul className="causes">
        {causes.map((cause) => (
          <li key={causeKey(cause)}>
            <Link href={`${AT}/errors?${new URLSearchParams({ cause: causeKey(cause) })}`}>
              <b className="tone-bad">{cause.count}</b> <span>{cause.title ?? cause.code}</span>
              <span className="muted">
                {cause.agentType}, last <Time at={cause.lastAt} />
              </span>
              {cause.pattern !== '' && <span className="pattern">{cause.pattern}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The view. */
export function Home() {
  const pending = usePending();
  const running = useRoots({ status: 'queued,running' });
  const recent = useRoots({});
  const items = recent.data?.pages.flatMap((page) => page.items);
  const under = running.data?.pages[0]?.items.slice(0, MOST_RUNNING) ?? [];
  return (
    <main className="page narrow">
      <h1>Ask the agents</h1>
      <AskBox ran={items?.length} />
      {items === undefined ? (
        <>
          {recent.error === null && <Waits />}
          <Unanswered what="the recent runs" error={recent.error} onRetry={() => void recent.refetch()} />
        </>
      ) : (
        recent.error !== null && <Trouble error={recent.error} onRetry={() => void recent.refetch()} />
      )}
      <NeedsYou calls={pending.data ?? []} />
      <Failed />
      {under.length > 0 && (
        <section aria-label="Running" className="group">
          <h2>Running</h2>
          <RootRows roots={under} />
        </section>
      )}
      {items !== undefined && items.length > 0 && (
        <section aria-label="Recent runs" className="group">
          <h2>Recent</h2>
          <RootRows roots={items} onEnd={recent.hasNextPage ? () => void recent.fetchNextPage() : undefined} />
        </section>
      )}
    </main>
  );
}
