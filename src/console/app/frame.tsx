/** The frame of every view: where one can go, how the console is connected, and what lies on top. */
import { Dialog } from '@base-ui/react/dialog';
import { useQueryClient } from '@tanstack/react-query';
import { Clock, Ellipsis, Monitor, Moon, Search, Sun } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { version } from '../../../package.json';
import { useAway } from '../data/away';
import { type Called, callPath, isCallAt } from '../data/call-key';
import { usePending } from '../data/lists';
import { AT, BASE } from '../data/place';
import { type Preferences, prefer, usePreferences } from '../data/preferences';
import { decideOffer, isAccepted, signIn, tokenNow, useOffer, useSignedOut } from '../data/session';
import { AwayBanner } from '../parts/away';
import { later } from '../parts/later';
import { Toasts } from '../parts/toasts';
import { zoneName } from '../parts/words';
import { type Acts, KEYS, listen } from './keys';
import { isAt, PLACES, type Place, View } from './views';

const { Part: Palette } = later(async () => (await import('./palette')).Palette);

type OnTop = 'palette' | 'help' | 'more';

function SignIn() {
  const queries = useQueryClient();
  const [given, setGiven] = useState('');
  const [state, setState] = useState<'open' | 'asking' | 'wrong'>(tokenNow() === undefined ? 'open' : 'wrong');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = async () => {
    setState('asking');
    if (!(await isAccepted(given))) {
      setState('wrong');
      field.current?.select();
      return;
    }
    signIn(given);
    void queries.invalidateQueries();
  };
  return (
    <form
      className="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label>
        Sign in with the server's token (OFFSHOOT_TOKEN)
        <input
          ref={field}
          type="password"
          autoComplete="off"
          aria-invalid={state === 'wrong'}
          value={given}
          onChange={(event) => setGiven(event.target.value)}
        />
      </label>
      <button type="submit" className="primary" disabled={given === '' || state === 'asking'}>
        Sign in
      </button>
      <p role="alert" className="trouble">
        {state === 'wrong' && 'Invalid token.'}
      </p>
    </form>
  );
}

/** Asks whether the token of a link takes the place of the one in use. */
function OfferedToken() {
  const queries = useQueryClient();
  const decide = (isTaken: boolean) => {
    decideOffer(isTaken);
    if (isTaken) void queries.invalidateQueries();
  };
  return (
    <div className="sign-in" role="alertdialog" aria-label="Token in this link">
      <span>This link contains a different token. Use it only if you know who sent it.</span>
      <button type="button" className="primary" onClick={() => decide(false)}>
        Keep my token
      </button>
      <button type="button" onClick={() => decide(true)}>
        Use the link's token
      </button>
    </div>
  );
}

/** How the lists stand; a run's own view says how its log does. */
function Connection() {
  const signedOut = useSignedOut();
  const away = useAway();
  const { error, isSuccess } = usePending();
  const [says, tone] = signedOut
    ? ['signed out', 'ask']
    : error !== null || away?.what === 'server'
      ? [navigator.onLine ? 'recon\u00ADnecting' : 'offline', 'ask']
      : isSuccess
        ? ['live', 'good']
        : ['opening', 'muted'];
  return (
    <span className={`connected tone-${tone}`} role="status" title={error?.message}>
      {says}
    </span>
  );
}

const THEMES = {
  system: { icon: Monitor, says: 'System', next: 'light' },
  light: { icon: Sun, says: 'Light', next: 'dark' },
  dark: { icon: Moon, says: 'Dark', next: 'system' },
} as const satisfies Readonly<Record<Preferences['theme'], unknown>>;

function Switches() {
  const { zone, theme } = usePreferences();
  const { icon: Icon, says, next } = THEMES[theme];
  const other = zone === 'utc' ? 'local' : 'utc';
  return (
    <>
      <button
        type="button"
        className="switch"
        title={`Times are in ${zoneName(zone)}. Show them in ${other === 'utc' ? 'UTC' : 'local time'}.`}
        onClick={() => prefer({ zone: other })}
      >
        <Clock size={16} aria-hidden />
        <span>{zoneName(zone)}</span>
      </button>
      <button
        type="button"
        className="switch"
        title={`${says} theme. Next: ${THEMES[next].says.toLowerCase()}.`}
        onClick={() => prefer({ theme: next })}
      >
        <Icon size={16} aria-hidden />
        <span className="wide">{says} theme</span>
      </button>
    </>
  );
}

function To({ place, path, waiting, onGo }: { place: Place; path: string; waiting: number; onGo?: () => void }) {
  const { says, icon: Icon } = place;
  const counts = says === 'Inbox' && waiting > 0;
  return (
    <Link
      href={place.path}
      title={says}
      className={place.first ? undefined : 'second'}
      aria-current={isAt(place, path) ? 'page' : undefined}
      onClick={onGo}
    >
      <Icon size={16} aria-hidden />
      <span>{says}</span>
      {counts && (
        <b className="badge tone-ask">
          {waiting}
          <span className="unseen"> pending calls</span>
        </b>
      )}
    </Link>
  );
}

/** What lies on top of the view. */
function Layers({ open, path, onClose }: { open: OnTop | undefined; path: string; onClose: () => void }) {
  return (
    <>
      <Dialog.Root open={open === 'help' || open === 'more'} onOpenChange={(isOpen) => !isOpen && onClose()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="backdrop" />
          <Dialog.Popup className="dialog">
            <Dialog.Title>{open === 'more' ? 'More' : 'Keys'}</Dialog.Title>
            {open === 'more' ? (
              <div className="more">
                {PLACES.filter(({ first }) => !first).map((place) => (
                  <To key={place.path} place={place} path={path} waiting={0} onGo={onClose} />
                ))}
                <Switches />
              </div>
            ) : (
              <dl className="keys">
                {KEYS.map(({ keys, does }) => (
                  <div key={keys}>
                    <dt>
                      <kbd>{keys}</kbd>
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            )}
            <div className="row">
              <Dialog.Close>Close</Dialog.Close>
            </div>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      {open === 'palette' && <Palette onClose={onClose} />}
    </>
  );
}

/** The path of the call after or before the one that is shown, of those that wait. */
function stepped(calls: readonly Called[], place: string, by: 1 | -1): string | undefined {
  const shown = calls.findIndex((call) => isCallAt(call, place));
  const next = shown < 0 ? calls[0] : calls[shown + by];
  return next && callPath(next);
}

/** Keys, for as long as the frame is there, with what they act on as it is then. */
function useKeys(path: string, calls: readonly Called[], onTop: (open: OnTop) => void): void {
  const [, go] = useLocation();
  const search = useSearch();
  const acts: Acts = {
    go,
    step: (by) => {
      // A run steps through its own.
      if (path.startsWith(`${AT}/agents/`)) return;
      const next = stepped(calls, `${path}?${search}`, by);
      if (next !== undefined) go(next);
    },
    find: () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
    palette: () => onTop('palette'),
    help: () => onTop('help'),
  };
  const now = useRef(acts);
  now.current = acts;
  // Once: a listener that is replaced between the letters of a sequence would not know the first.
  useEffect(() => listen(() => now.current), []);
}

/** The frame, with the view that the path names. */
export function Frame() {
  const [path] = useLocation();
  const pending = usePending();
  const signedOut = useSignedOut();
  const isOffered = useOffer();
  const away = useAway();
  const queries = useQueryClient();
  const [open, setOpen] = useState<OnTop>();
  const waiting = pending.data?.length ?? 0;
  useKeys(path, pending.data ?? [], setOpen);
  const here = PLACES.find((place) => isAt(place, path));
  useEffect(() => {
    const name = here === undefined ? 'Offshoot' : `${here.says} - Offshoot`;
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [waiting, here]);
  return (
    <div className={away === undefined ? 'frame' : 'frame away'}>
      <nav aria-label="Views">
        <p className="brand wide">
          <strong>Offshoot</strong> <span className="muted">{location.host}</span>
        </p>
        {PLACES.map((place) => (
          <To key={place.path} place={place} path={path} waiting={waiting} />
        ))}
        <button type="button" className="switch go" title="Go to anything (Ctrl K)" onClick={() => setOpen('palette')}>
          <Search size={16} aria-hidden />
          <span className="wide">Go to</span> <kbd className="wide">Ctrl K</kbd>
        </button>
        <button type="button" className="switch to-more" onClick={() => setOpen('more')}>
          <Ellipsis size={16} aria-hidden />
          <span>More</span>
        </button>
        <div className="stands">
          <Switches />
          <Connection />
          <p className="about wide muted">
            Offshoot {version}, <a href={`${BASE}/openapi.json`}>API</a>
          </p>
        </div>
      </nav>
      <div className="view">
        {isOffered && <OfferedToken />}
        {signedOut && <SignIn />}
        <AwayBanner onTry={() => void queries.refetchQueries({ type: 'active' })} />
        <div className="signed-in" hidden={signedOut}>
          <View path={path} />
        </div>
        <Toasts />
      </div>
      <Layers open={open} path={path} onClose={() => setOpen(undefined)} />
    </div>
  );
}
