/** The frame of every view, and which view a path names. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Boxes, House, Inbox as InboxIcon, List, type LucideIcon } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { usePending } from '../data/lists';
import { AT, BASE, HOME } from '../data/place';
import { isSignedOut, onSession, signIn } from '../data/session';
import { Home } from '../home/home';
import { Inbox } from '../inbox/inbox';
import { Registry } from '../registry/registry';
import { Run } from '../run/run';
import { Runs } from '../runs/runs';

const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 0, retry: 1 } } });

const NAV: readonly { readonly says: string; readonly path: string; readonly icon: LucideIcon }[] = [
  { says: 'Home', path: HOME, icon: House },
  { says: 'Runs', path: `${AT}/runs`, icon: List },
  { says: 'Inbox', path: `${AT}/inbox`, icon: InboxIcon },
  { says: 'Registry', path: `${AT}/registry`, icon: Boxes },
];

/** A part of a path; one that is no text stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function View({ path }: { path: string }) {
  if (path === HOME || path === BASE || path === AT) return <Home />;
  const own = path.slice(AT.length);
  if (own.startsWith('/agents/')) return <Run address={own} />;
  if (own === '/runs') return <Runs />;
  if (own === '/registry') return <Registry />;
  if (own === '/inbox') return <Inbox selected={undefined} />;
  if (own.startsWith('/inbox/')) return <Inbox selected={decoded(own.slice('/inbox/'.length))} />;
  return (
    <main className="page">
      <h1>There is no such page</h1>
      <p>
        <Link href={HOME}>Home</Link>
      </p>
    </main>
  );
}

function SignIn() {
  const [given, setGiven] = useState('');
  return (
    <form
      className="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        signIn(given);
        void queries.invalidateQueries();
      }}
    >
      <label>
        You are signed out. The server's token
        <input type="password" autoComplete="off" value={given} onChange={(event) => setGiven(event.target.value)} />
      </label>
      <button type="submit" className="primary" disabled={given === ''}>
        Sign in
      </button>
    </form>
  );
}

function Frame() {
  const [path] = useLocation();
  const pending = usePending();
  const signedOut = useSyncExternalStore(onSession, isSignedOut);
  const waiting = pending.data?.length ?? 0;
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Offshoot` : 'Offshoot';
  }, [waiting]);
  return (
    <div className="frame">
      <nav aria-label="Views">
        {NAV.map(({ says, path: to, icon: Icon }) => (
          <Link key={to} href={to} aria-current={path === to ? 'page' : undefined}>
            <Icon size={16} aria-hidden />
            <span>{says}</span>
            {says === 'Inbox' && waiting > 0 && <b className="badge tone-ask">{waiting}</b>}
          </Link>
        ))}
        <span className="zone muted">{Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
      </nav>
      <div className="view">
        {signedOut && <SignIn />}
        <View path={path} />
      </div>
    </div>
  );
}

/** The console. */
export function App() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Frame />
      </QueryClientProvider>
    </CSPProvider>
  );
}
