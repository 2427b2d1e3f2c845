/** Go to anything: a view, a run by its name, an agent to ask, a setting. It goes and switches, and decides nothing. */
import { Dialog } from '@base-ui/react/dialog';
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { beginningOf } from '../../protocol/content/cut';
import { useAgents, useRoots } from '../data/lists';
import { HOME, pathOf } from '../data/place';
import { prefer } from '../data/preferences';
import { PLACES } from './views';

/** As many are offered at once. */
const MOST = 12;

interface Offer {
  readonly key: string;
  readonly says: string;
  readonly kind: string;
  readonly act: () => void;
}

function useOffers(word: string): Offer[] {
  const [, go] = useLocation();
  const roots = useRoots(word === '' ? {} : { q: beginningOf(word, 200) });
  const agents = useAgents();
  const to = (path: string) => () => go(path);
  return [
    ...PLACES.map(({ says, path }) => ({ key: path, says, kind: 'view', act: to(path) })),
    ...(agents.data?.items ?? [])
      .filter(({ root }) => root)
      .map(({ agentType, addressClass }) => ({
        key: `ask ${addressClass}`,
        says: `Ask ${agentType}`,
        kind: 'agent',
        act: to(`${HOME}?agent=${encodeURIComponent(addressClass)}`),
      })),
    { key: 'light', says: 'Light theme', kind: 'setting', act: () => prefer({ theme: 'light' }) },
    { key: 'dark', says: 'Dark theme', kind: 'setting', act: () => prefer({ theme: 'dark' }) },
    { key: 'utc', says: 'Times in UTC', kind: 'setting', act: () => prefer({ zone: 'utc' }) },
    { key: 'local', says: 'Times in local time', kind: 'setting', act: () => prefer({ zone: 'local' }) },
    ...(roots.data?.pages.flatMap((page) => page.items) ?? []).map(({ address, title, name }) => ({
      key: address,
      says: title ?? name,
      // Two may be of the same question.
      kind: (title ?? name) === name ? 'run' : `run ${name}`,
      act: to(pathOf(address)),
    })),
  ];
}

/** The layer. It is there for as long as it is open. */
export function Palette({ onClose }: { onClose: () => void }) {
  const list = useId();
  const [word, setWord] = useState('');
  const [at, setAt] = useState(0);
  const words = word.toLowerCase().split(/\s+/u);
  const offers = useOffers(word)
    .filter(({ says, kind }) => words.every((each) => `${says} ${kind}`.toLowerCase().includes(each)))
    .slice(0, MOST);
  const chosen = Math.min(at, offers.length - 1);
  const take = (offer: Offer | undefined) => {
    if (offer === undefined) return;
    onClose();
    offer.act();
  };
  const by = (step: number) => setAt((chosen + step + offers.length) % Math.max(1, offers.length));
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette">
          <Dialog.Title className="unseen">Go to</Dialog.Title>
          <input
            type="text"
            role="combobox"
            aria-label="Go to"
            aria-expanded
            aria-controls={list}
            aria-activedescendant={offers.length === 0 ? undefined : `${list}-${chosen}`}
            placeholder="Go to a view, a run, an agent"
            value={word}
            onChange={(event) => {
              setWord(event.target.value);
              setAt(0);
            }}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') by(1);
              else if (event.key === 'ArrowUp') by(-1);
              else if (event.key === 'Enter') take(offers[chosen]);
              else return;
              event.preventDefault();
            }}
          />
          <div id={list} role="listbox" aria-label="Destinations">
            {offers.map((offer, index) => (
              <button
                type="button"
                tabIndex={-1}
                key={offer.key}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === chosen}
                onPointerMove={() => setAt(index)}
                onClick={() => take(offer)}
              >
                <span>{offer.says}</span>
                <span className="muted">{offer.kind}</span>
              </button>
            ))}
          </div>
          {offers.length === 0 && <p className="muted">No results</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
