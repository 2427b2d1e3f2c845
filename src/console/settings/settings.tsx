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
          The server takes you for <strong>{me.data.subject}</strong>, who may {me.data.actions.join(', ') || 'nothing'}
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
          Another token
          <input type="password" autoComplete="off" value={given} onChange={(event) => setGiven(event.target.value)} />
        </label>
        <button type="submit" disabled={given === ''}>
          Use it
        </button>
        {tokenNow() !== undefined && (
          <button
            type="button"
            onClick={() => {
              signOut();
              void queries.invalidateQueries();
            }}
          >
            Forget mine
          </button>
        )}
      </form>
      <p className="muted">A token is kept in this tab until it is closed, and sent to this server alone.</p>
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
          says="Colours"
          chosen={theme}
          choices={[
            ['system', "The system's"],
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          onChoose={(chosen) => prefer({ theme: chosen })}
        />
        <Choose
          says="Rows"
          chosen={density}
          choices={[
            ['compact', 'Compact'],
            ['comfortable', 'Comfortable'],
          ]}
          onChoose={(chosen) => prefer({ density: chosen })}
        />
        <Choose
          says="Keys that are letters"
          about="Ctrl K and Esc are always there. No key decides anything."
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
