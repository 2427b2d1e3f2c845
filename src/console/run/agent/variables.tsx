/**
 * Sub-agents of an agent that have not begun because nobody has given the variables that they must have: a form for
 * each. What is typed is kept for as long as the run is looked at, in memory alone: a secret is in no storage.
 */
import { useEffect, useId, useState } from 'react';
import { Link } from 'wouter';
import type { Document } from '../../../client';
import { pathOf } from '../../data/place';
import { usePress } from '../../data/press';
import { useForbidden } from '../../data/rights';
import { server } from '../../data/session';
import { Time } from '../../parts/time';
import { Unsent } from '../../parts/unsent';
import { escaped } from '../../parts/words';
import { useControls } from './use-controls';

type Request = NonNullable<Document<'status'>['variableRequests']>[number];
type Variable = Request['variables'][number];
type Given = Readonly<Record<string, string>>;

/** What was typed and not given yet: by the address of the agent, then by the id of its request. */
export type Typed = Map<string, ReadonlyMap<string, Given>>;

/** Keeps what was typed for some requests of an agent alone: a secret does not outlive what asks for it. */
function keepFor(typed: Typed, address: string, isOpen: (requestId: string) => boolean): void {
  typed.set(address, new Map([...(typed.get(address) ?? [])].filter(([id]) => isOpen(id))));
}

interface FieldProps {
  readonly variable: Variable;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ variable, value, onChange }: FieldProps) {
  const id = useId();
  const { name, type, description, declaredBy, missing } = variable;
  return (
    <div className="field">
      <span className="field-label">
        <label htmlFor={id}>{name}</label>
        {!missing && <span className="muted"> optional</span>}
        {description !== undefined && <span className="muted"> {escaped(description)}</span>}
      </span>
      <input
        id={id}
        type={type === 'secret' ? 'password' : 'text'}
        autoComplete={type === 'secret' ? 'new-password' : 'off'}
        required={missing}
        aria-describedby={`${id}-who`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <span id={`${id}-who`} className="muted">
        requested by {declaredBy.join(', ')}
      </span>
    </div>
  );
}

interface FormProps {
  readonly address: string;
  readonly request: Request;
  readonly typed: Typed;
  readonly onBegun: (address: string) => void;
}

function Form({ address, request, typed, onBegun }: FormProps) {
  const { requestId, agentType, requestedAt, expiresAt, variables } = request;
  const [given, setGiven] = useState<Given>(() => typed.get(address)?.get(requestId) ?? {});
  const type = (name: string, value: string) => {
    const before = typed.get(address);
    const next = { ...before?.get(requestId), [name]: value };
    typed.set(address, new Map([...(before ?? []), [requestId, next]]));
    setGiven(next);
  };
  const forbidden = useForbidden('write', address);
  const give = usePress({
    what: 'The form',
    address,
    ask: (env: Given, sending) => server().giveVariables(address, requestId, { env }, sending),
    onSuccess: (taken) => {
      keepFor(typed, address, (id) => id !== requestId);
      onBegun(taken.address);
    },
  });
  const lacks = variables.filter(({ name, missing }) => missing && (given[name] ?? '') === '');
  const against =
    forbidden ?? (lacks.length > 0 ? `Still missing: ${lacks.map(({ name }) => name).join(', ')}.` : undefined);
  return (
    <form
      className="card ask"
      aria-label={`Variables for ${agentType}`}
      onSubmit={(event) => {
        event.preventDefault();
        const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
        if (against === undefined) give.press(env);
      }}
    >
      <h3>
        {agentType} <span className="badge tone-ask">VARIABLES</span>
      </h3>
      <p className="muted">
        It starts once all required values are set. Requested <Time at={requestedAt} />, expires <Time at={expiresAt} />
        .
      </p>
      {variables.map((variable) => (
        <Field
          key={variable.name}
          variable={variable}
          value={given[variable.name] ?? ''}
          onChange={(value) => type(variable.name, value)}
        />
      ))}
      <button type="submit" disabled={against !== undefined || give.isBusy} title={against}>
        Set and start
      </button>
      {against !== undefined && <span className="muted why-not">{against}</span>}
      <Unsent press={give} />
    </form>
  );
}

interface VariablesProps {
  readonly address: string;
  readonly status: string;
  readonly typed: Typed;
  /** Whether another tab is read now: what was begun here goes on. */
  readonly isAside: boolean;
  readonly onShow: () => void;
}

/** The forms; nothing where no sub-agent waits. */
export function Variables({ address, status, typed, isAside, onShow }: VariablesProps) {
  const { waiting: said, again } = useControls(address, { status });
  const [begun, setBegun] = useState<string>();
  const waiting = said ?? [];
  const many = waiting.length;
  useEffect(() => {
    if (said !== undefined) keepFor(typed, address, (id) => said.some(({ requestId }) => requestId === id));
  }, [typed, address, said]);
  return (
    <>
      {isAside && many > 0 && (
        <p className="pending-line">
          <button type="button" onClick={onShow}>
            {many === 1 ? '1 sub-agent waits' : `${many} sub-agents wait`} for variables
          </button>
        </p>
      )}
      <div className="pending-cards" hidden={isAside || (many === 0 && begun === undefined)}>
        {begun !== undefined && (
          <p role="status" className="muted">
            Started: <Link href={pathOf(begun)}>{begun}</Link>
          </p>
        )}
        {waiting.map((request) => (
          <Form
            key={request.requestId}
            {...{ address, request, typed }}
            onBegun={(at) => {
              setBegun(at);
              again();
            }}
          />
        ))}
      </div>
    </>
  );
}
