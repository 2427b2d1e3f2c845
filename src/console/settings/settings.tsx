/** Settings: how the console looks here, and as whom it asks. The server keeps none of it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { prefer, usePreferences } from '../data/preferences';
import { server, signIn, signOut, tokenNow, useSignedOut } from '../data/session';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';

interface Choice<Value extends string> {
  readonly says: string;
  readonly about?: string;
  readonly chosen: Value;
  readonly choices: readonly (readonly [value: Value, says: string])[];
  readonly onChoose: (value: Value) => void;
}

function Choose<Value extends string>({ says, about, chosen, choices, onChoose }: Choice<Value>) {
  return (
    <fieldset className="choice">
      <legend>{says}</legend>
      {choices.map(([value, name]) => (
        <label key={value}>
          <input type="radio" name={says} checked={chosen === value} onChange={() => onChoose(value)} />
          {name}
        </label>
      ))}
      {about !== undefined && <p className="muted">{about}</p>}
    </fieldset>
  );
}

function Access() {
  const queries = useQueryClient();
  const signedOut = useSignedOut();
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => server().me({ signal }) });
  const [given, setGiven] = useState('');
  return (
    <section className="card" aria-label="Access">
      <h2>Access</h2>
      {me.data !== undefined && !signedOut && (
        <p>
          Signed in as <strong>{me.data.subject}</strong>. Permissions: {me.data.actions.join(', ') || 'none'}
          {me.data.expiresAt !== undefined && (
            <>
              , until <Time at={me.data.expiresAt} />
            </>
          )}
          .
        </p>
      )}
      {me.error !== null && <Trouble error={me.error} />}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          signIn(given);
          setGiven('');
          void queries.invalidateQueries();
        }}
      >
        <label className="grows">
          Use another token
          <input type="password" autoComplete="off" value={given} onChange={(event) => setGiven(event.target.value)} />
        </label>
        <button type="submit" disabled={given === ''}>
          Use token
        </button>
        {tokenNow() !== undefined && (
          <button
            type="button"
            onClick={() => {
              signOut();
              void queries.invalidateQueries();
            }}
          >
            Forget my token
          </button>
        )}
      </form>
      <p className="muted">The token stays in this tab until you close it, and is sent only to this server.</p>
    </section>
  );
}

/** The view. */
export function Settings() {
  const { zone, theme, density, shortcuts } = usePreferences();
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <main className="page narrow">
      <h1>Settings</h1>
      <section className="card" aria-label="This browser">
        <h2>This browser</h2>
        <Choose
          says="Times"
          chosen={zone}
          choices={[
            ['local', `This browser’s: ${local}`],
            ['utc', 'UTC'],
          ]}
          onChoose={(chosen) => prefer({ zone: chosen })}
        />
        <Choose
          says="Theme"
          chosen={theme}
          choices={[
            ['system', "The system's"],
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          onChoose={(chosen) => prefer({ theme: chosen })}
        />
        <Choose
          says="Row height"
          chosen={density}
          choices={[
            ['compact', 'Compact'],
            ['comfortable', 'Comfortable'],
          ]}
          onChoose={(chosen) => prefer({ density: chosen })}
        />
        <Choose
          says="Single-key shortcuts"
          about="Ctrl K and Esc always work. No key approves or denies a call."
          chosen={shortcuts}
          choices={[
            ['on', 'On'],
            ['off', 'Off'],
          ]}
          onChoose={(chosen) => prefer({ shortcuts: chosen })}
        />
      </section>
      <Access />
    </main>
  );
}
