/** Registry: which types of agents there are, and what they can do. */
import { Link } from 'wouter';
import { useAgents } from '../data/lists';
import { HOME } from '../data/place';
import { Trouble } from '../parts/trouble';

/** The view. */
export function Registry() {
  const agents = useAgents();
  return (
    <main className="page">
      <h1>Registry</h1>
      {agents.error !== null && <Trouble error={agents.error} />}
      {(agents.data?.items ?? []).map(({ agentType, addressClass, description, root, tools }) => (
        <section key={agentType} className="card" aria-label={agentType}>
          <h2>
            {agentType} {root && <Link href={`${HOME}?agent=${encodeURIComponent(addressClass)}`}>Ask</Link>}
          </h2>
          <p>{description}</p>
          <p className="muted">{tools.length === 0 ? 'No tools.' : tools.map(({ name }) => name).join(', ')}</p>
        </section>
      ))}
    </main>
  );
}
