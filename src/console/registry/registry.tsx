/** Registry: which types, companions and agents elsewhere there are. */
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { Document, Json } from '../../client';
import { useAgents, useListedChildren } from '../data/lists';
import { pathParts } from '../data/names';
import { AT, HOME, pathOf } from '../data/place';
import { JsonView } from '../parts/json';
import { Markdown } from '../parts/markdown';
import { Settings } from '../parts/model-settings';
import { Status } from '../parts/status';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { Waits } from '../parts/waits';
import { count, modelSays, tokens } from '../parts/words';

const KINDS = [
  ['types', 'Types'],
  ['companions', 'Companions'],
  ['remote', 'Remote'],
] as const;

function Schema({ says, schema }: { says: string; schema: Json | undefined }) {
  if (schema === undefined) return null;
  return (
    <details>
      <summary>{says}</summary>
      <JsonView value={schema} />
    </details>
  );
}

const ASKS = { always: 'needs approval', sometimes: 'may need approval', never: '' } as const;
const KIND = { tool: 'tool', 'client-tool': 'client tool', 'sub-agent': 'sub-agent' } as const;

function Tool({ tool }: { tool: Document<'agent'>['tools'][number] }) {
  const { name, side, description, kind, replay, requiresApproval, inputSchema, outputSchema } = tool;
  const facts = [side ?? '', KIND[kind], ASKS[requiresApproval], replay === 'safe' ? 'replay-safe' : ''];
  return (
    <details className="tool">
      <summary>
        <strong>{name}</strong> <span className="muted">{facts.filter((fact) => fact !== '').join(', ')}</span>
      </summary>
      <Markdown text={description} />
      <Schema says="Input" schema={inputSchema} />
      <Schema says="Output" schema={outputSchema} />
    </details>
  );
}

function Type({ agent }: { agent: Document<'agent'> }) {
  const { agentType, addressClass, title, description, root, tools, model, examples } = agent;
  const { inputSchema, outputSchema, stateSchema, settings } = agent;
  const ask = `${HOME}?agent=${encodeURIComponent(addressClass)}`;
  return (
    <section className="card" aria-label={agentType}>
      <h2>
        {title ?? agentType} {title !== undefined && <code>{agentType}</code>}
      </h2>
      {description !== '' && <Markdown text={description} />}
      <p className="muted">
        {model === undefined ? 'Model unknown.' : modelSays(model)}{' '}
        {root ? <Link href={ask}>Ask</Link> : 'Sub-agent only.'}
        {root && (
          <>
            {' · '}
            <Link href={`${AT}/runs?agent=${encodeURIComponent(addressClass)}`}>Runs</Link>
          </>
        )}
      </p>
      {root && examples.length > 0 && (
        <ul className="plain">
          {examples.map((example) => (
            <li key={example}>
              <Link href={`${ask}&q=${encodeURIComponent(example)}`}>{example}</Link>
            </li>
          ))}
        </ul>
      )}
      {tools.length === 0 ? (
        <p className="muted">No tools.</p>
      ) : (
        tools.map((tool) => <Tool key={`${tool.side ?? ''} ${tool.name}`} tool={tool} />)
      )}
      {Object.keys(settings).length > 0 && (
        <details>
          <summary>Settings</summary>
          <Settings settings={settings} />
        </details>
      )}
      <Schema says="Input" schema={inputSchema} />
      <Schema says="Output" schema={outputSchema} />
      <Schema says="State" schema={stateSchema} />
    </section>
  );
}

function Types({ word }: { word: string }) {
  const agents = useAgents();
  const items = agents.data?.items;
  const fits = ({ agentType, description, tools }: Document<'agent'>) =>
    `${agentType} ${description} ${tools.map(({ name }) => name).join(' ')}`.toLowerCase().includes(word.toLowerCase());
  const shown = items?.filter(fits);
  return (
    <>
      {agents.error !== null && <Trouble error={agents.error} onRetry={() => void agents.refetch()} />}
      {items === undefined && agents.error === null && <Waits />}
      {shown?.length === 0 && <p className="muted">No matching agent types</p>}
      {shown?.map((agent) => (
        <Type key={agent.agentType} agent={agent} />
      ))}
    </>
  );
}

const STOPS = { interrupt: 'interrupt', abort: 'abort', terminate: 'terminate' } as const;

function Child({ child }: { child: Document<'listedChild'> }) {
  const { address, agentType, name, status, task, usage, stopOwed, lastActivity } = child;
  const above = pathParts(address).slice(0, -1);
  return (
    <li className="listed-child">
      <Status status={status} />
      <span className="title">
        <Link href={pathOf(address)}>
          {agentType} “{name}”
        </Link>{' '}
        <span className="muted">below {above.join(' › ')}</span>
        {stopOwed !== undefined && (
          <span className="tone-bad">
            {' '}
            pending {STOPS[stopOwed.verb]}, tried {stopOwed.attempts} {stopOwed.attempts === 1 ? 'time' : 'times'},
            again at <Time at={stopOwed.nextAt} />
          </span>
        )}
      </span>
      <span className="muted">
        task {task}, {count(tokens(usage))} tokens, used <Time at={lastActivity} />
      </span>
    </li>
  );
}

function Children({ kind, word }: { kind: 'companions' | 'remote'; word: string }) {
  const children = useListedChildren({
    ...(kind === 'companions' ? { mode: 'persistent' } : { placement: 'remote' }),
    ...(word === '' ? {} : { q: word }),
  });
  const items = children.data?.pages.flatMap((page) => page.items);
  const none = kind === 'companions' ? 'No companions' : 'No remote agents';
  return (
    <>
      {children.error !== null && <Trouble error={children.error} onRetry={() => void children.refetch()} />}
      {items === undefined && children.error === null && <Waits />}
      {items?.length === 0 && <p className="muted">{word === '' ? none : 'No results'}</p>}
      <ul>
        {items?.map((child) => (
          <Child key={child.address} child={child} />
        ))}
      </ul>
      {children.hasNextPage && (
        <button type="button" disabled={children.isFetchingNextPage} onClick={() => void children.fetchNextPage()}>
          Load more
        </button>
      )}
    </>
  );
}

/** The view. */
export function Registry() {
  const [path, go] = useLocation();
  const query = new URLSearchParams(useSearch());
  const kind = KINDS.find(([key]) => key === query.get('kind'))?.[0] ?? 'types';
  const [word, setWord] = useState(query.get('q') ?? '');
  const to = (nextKind: string, nextWord: string) => {
    const given = Object.entries({ kind: nextKind === 'types' ? '' : nextKind, q: nextWord }).filter(
      ([, v]) => v !== '',
    );
    return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
  };
  return (
    <main className="page">
      <h1>Registry</h1>
      <div className="filters">
        {KINDS.map(([key, says]) => (
          <Link
            key={key}
            href={to(key, word)}
            replace
            className="button"
            aria-current={key === kind ? 'true' : undefined}
          >
            {says}
          </Link>
        ))}
        <input
          type="search"
          aria-label="Find in the registry"
          placeholder="Find"
          value={word}
          maxLength={200}
          onChange={(event) => {
            setWord(event.target.value);
            go(to(kind, event.target.value), { replace: true });
          }}
        />
      </div>
      {kind === 'types' ? <Types word={word} /> : <Children key={kind} kind={kind} word={word} />}
    </main>
  );
}
