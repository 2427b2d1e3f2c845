/** Which view a path names. Those that are seldom the first one are loaded when they are opened. */
import {
  BookOpen,
  Boxes,
  House,
  Inbox as InboxIcon,
  List,
  type LucideIcon,
  Settings2,
  TriangleAlert,
} from 'lucide-react';
import { Link } from 'wouter';
import { AT, BASE, HAS_DOCS, HOME } from '../data/place';
import { Home } from '../home/home';
import { Inbox } from '../inbox/inbox';
import { later } from '../parts/later';
import { Waits } from '../parts/waits';
import { Run } from '../run/run';
import { Runs } from '../runs/runs';

const { Part: Docs } = later(async () => (await import('../docs/docs')).Docs, <Waits />);
const { Part: Errors } = later(async () => (await import('../errors/errors')).Errors, <Waits />);
const { Part: FilesView } = later(async () => (await import('../files/files')).FilesView, <Waits />);
const { Part: Registry } = later(async () => (await import('../registry/registry')).Registry, <Waits />);
const { Part: Settings } = later(async () => (await import('../settings/settings')).Settings, <Waits />);

/** A view as it can be gone to. */
export interface Place {
  readonly says: string;
  readonly path: string;
  readonly icon: LucideIcon;
  /** The letter after `g` that opens it. */
  readonly key: string;
  /** Whether a narrow page has it in its bar, and not behind More. */
  readonly first: boolean;
}

/** The views, in the order of the bar. */
export const PLACES: readonly Place[] = [
  { says: 'Home', path: HOME, icon: House, key: 'h', first: true },
  { says: 'Runs', path: `${AT}/runs`, icon: List, key: 'r', first: true },
  { says: 'Inbox', path: `${AT}/inbox`, icon: InboxIcon, key: 'i', first: true },
  { says: 'Errors', path: `${AT}/errors`, icon: TriangleAlert, key: 'e', first: false },
  { says: 'Registry', path: `${AT}/registry`, icon: Boxes, key: 'c', first: false },
  { says: 'Settings', path: `${AT}/settings`, icon: Settings2, key: 's', first: false },
  ...(HAS_DOCS ? [{ says: 'Docs', path: `${AT}/docs`, icon: BookOpen, key: 'd', first: false }] : []),
];

/** Whether a view's place, or one below it, is shown. */
export const isAt = (place: Place, path: string): boolean =>
  path === place.path || (place.path !== HOME && path.startsWith(`${place.path}/`));

/** A part of a path; one that is no text stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** An agent; its files, and one of them. */
const AGENT = /^(\/agents\/[^/]+\/[^/]+(?:\/sub\/[^/]+\/[^/]+)*)(\/files(?:\/(.*))?)?$/u;

function NoSuchPage() {
  return (
    <main className="page">
      <h1>Page not found</h1>
      <p>The console has no page at this address.</p>
      <p>
        <Link href={HOME}>Home</Link>
      </p>
    </main>
  );
}

/** The view of a path. */
export function View({ path }: { path: string }) {
  if (path === HOME || path === BASE || path === AT) return <Home />;
  const own = path.slice(AT.length);
  const [, address, files, file] = AGENT.exec(own) ?? [];
  if (address !== undefined && files !== undefined)
    return <FilesView address={address} selected={file && decoded(file)} />;
  if (address !== undefined) return <Run address={address} />;
  if (own === '/runs') return <Runs />;
  if (own === '/errors') return <Errors />;
  if (own === '/registry') return <Registry />;
  if (own === '/settings') return <Settings />;
  if (own === '/inbox') return <Inbox selected={undefined} />;
  if (own.startsWith('/inbox/')) return <Inbox selected={decoded(own.slice('/inbox/'.length))} />;
  if (HAS_DOCS && /^\/docs(?:\/|$)/u.test(own)) return <Docs path={decoded(own.slice('/docs/'.length))} />;
  return <NoSuchPage />;
}
