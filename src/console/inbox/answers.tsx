/** What a person can say to a call: yes, yes to other arguments, no with a reason, or the result of a tool of theirs. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Json, Refused } from '../../client';
import { withFlags } from '../../react/schema-values';
import { type ApprovalState, useApproval } from '../../react/use-approval';
import { type Item, keep, receiptOf, receiptOfOther } from '../data/decisions';
import { useTool } from '../data/lists';
import { pressedOf } from '../data/press';
import { useForbidden } from '../data/rights';
import { onLostTry, server } from '../data/session';
import { toastLeft } from '../data/toasts';
import { Changes, changesOf } from '../parts/changes';
import { inPlainWords } from '../parts/refusals';
import { type Problems, SchemaForm } from '../parts/schema-form';
import { Unsent } from '../parts/unsent';
import { Waits } from '../parts/waits';

interface Given {
  readonly item: Item;
  readonly expired: boolean;
  readonly onDone: () => void;
}

/** The name of an answer that had none. */
const ANSWER = 'Your answer';
/** As long as a reason may be, in characters. */
const LONGEST_REASON = 1_000;

function useDecide(item: Item, onDone: () => void) {
  return useApproval(item, {
    client: server(),
    tries: onLostTry,
    onAnswered: (decision, other) =>
      keep(other === undefined ? receiptOf(item, decision) : receiptOfOther(item, other)),
    onSettled: onDone,
    onLeft: (_decision, left) => toastLeft(ANSWER, item.address, left),
  });
}

/** Why no answer can be given; undefined where one can. */
function useLocked(item: Item, expired: boolean): string | undefined {
  const forbidden = useForbidden('answer', item.address);
  return expired ? 'Expired: counted as denied.' : forbidden;
}

/** The fields that a refusal names, or before one those that are known, with what is wrong with each, in plain words. */
function problemsOf(state: ApprovalState, { invalidFields = [] }: Partial<Item> = {}): Problems {
  const known = state.status === 'open' ? invalidFields.map(({ path, message }) => [path, message] as const) : [];
  const named = state.status === 'failed' ? [...state.fields] : known;
  return new Map(named.map(([path, says]) => [path, inPlainWords(says)]));
}

/** The first field that was refused has the focus. */
function useFocusOnRefused(state: ApprovalState) {
  const error = state.status === 'failed' ? state.error : null;
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}

/** A refusal that is about what was shown: the card is loaded anew. */
function Refusal({ state }: { state: ApprovalState }) {
  const press = pressedOf(ANSWER, state);
  const { error } = press;
  if (error instanceof Refused && error.code === 'input_changed')
    return (
      <p className="warning" role="alert">
        The arguments have changed. Nothing was sent; review them again.
      </p>
    );
  if (error instanceof Refused && problemsOf(state).size > 0)
    return (
      <p className="trouble" role="alert">
        <strong>{error.title}</strong> See the error at each field. Nothing was sent; the call is still pending.
      </p>
    );
  return <Unsent press={press} />;
}

function Button({ why, primary = false, onPress, children }: ButtonProps) {
  return (
    <button
      type="button"
      className={primary ? 'primary' : undefined}
      disabled={why !== undefined}
      title={why}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

interface ButtonProps {
  /** Why it cannot be pressed now. */
  readonly why: string | undefined;
  readonly primary?: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

/** Denying, with a reason that the agent reads. */
export function Deny({
  why,
  onDeny,
  onBack,
}: {
  why: string | undefined;
  onDeny: (reason: string) => void;
  onBack: () => void;
}) {
  const [reason, setReason] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <footer>
      <label>
        Reason (the agent reads this)
        <input
          ref={field}
          value={reason}
          maxLength={LONGEST_REASON}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <div className="together">
        <Button why={undefined} onPress={onBack}>
          Back
        </Button>
        <Button why={why} onPress={() => onDeny(reason)}>
          Deny
        </Button>
      </div>
    </footer>
  );
}

/** What is said where no button can be pressed. */
export function Why({ says }: { says: string | undefined }) {
  return says === undefined ? null : <p className="why muted">{says}</p>;
}

/** Yes, no, or yes to what the form has. */
export function Approval({ item, unlocked, expired, onDone }: Given & { unlocked: boolean }) {
  const answer = useDecide(item, onDone);
  const { inputSchema } = useTool(item);
  const [doing, setDoing] = useState<'deny' | 'edit'>();
  const [edited, setEdited] = useState<Json>(item.input);
  const form = useFocusOnRefused(answer.state);
  const locked = useLocked(item, expired);
  const busy = answer.isBusy ? 'Sending…' : undefined;
  const unread = unlocked ? undefined : 'Scroll to the end of the arguments first.';
  const misfit = item.invalidFields === undefined ? undefined : 'Edit the arguments first.';
  const back = () => setDoing(undefined);
  if (doing === 'deny')
    return (
      <>
        <Refusal state={answer.state} />
        <Deny why={locked ?? busy} onDeny={(reason) => answer.deny(reason)} onBack={back} />
      </>
    );
  if (doing === 'edit') {
    const input = withFlags(inputSchema, edited);
    const same = changesOf(item.input, input).length === 0 ? 'No changes yet.' : undefined;
    return (
      <div ref={form} className="edits">
        <SchemaForm
          schema={inputSchema}
          value={edited}
          problems={problemsOf(answer.state, item)}
          onChange={setEdited}
        />
        <h4>New arguments</h4>
        <Changes was={item.input} is={input} />
        <Refusal state={answer.state} />
        <Why says={locked} />
        <footer>
          <Button why={undefined} onPress={back}>
            Back
          </Button>
          <Button why={locked ?? busy ?? unread ?? same} primary onPress={() => answer.approve(input)}>
            Approve with changes
          </Button>
        </footer>
      </div>
    );
  }
  return (
    <>
      <Refusal state={answer.state} />
      <Why says={locked} />
      <footer>
        <Button why={locked ?? busy} onPress={() => setDoing('deny')}>
          Deny…
        </Button>
        <Button why={locked ?? busy} onPress={() => setDoing('edit')}>
          Edit…
        </Button>
        <Button why={locked ?? busy ?? unread ?? misfit} primary onPress={() => answer.approve()}>
          Approve
        </Button>
      </footer>
    </>
  );
}

/** The result of a tool that runs at a client: by its schema, or an error. */
export function ClientResult({ item, expired, onDone }: Given) {
  const answer = useDecide(item, onDone);
  const { outputSchema, loading } = useTool(item);
  const [result, setResult] = useState<Json>({});
  const [failing, setFailing] = useState(false);
  const [error, setError] = useState('');
  const form = useFocusOnRefused(answer.state);
  const locked = useLocked(item, expired);
  const busy = answer.isBusy ? 'Sending…' : undefined;
  return (
    <div ref={form} className="edits">
      {failing ? (
        <label className="field">
          What went wrong (the agent reads this)
          <input value={error} maxLength={LONGEST_REASON} onChange={(event) => setError(event.target.value)} />
        </label>
      ) : (
        <>
          <h4>Result</h4>
          {/* No form takes the place of another one in which somebody writes. */}
          {loading ? (
            <Waits rows={1} />
          ) : (
            <SchemaForm schema={outputSchema} value={result} problems={problemsOf(answer.state)} onChange={setResult} />
          )}
        </>
      )}
      <Refusal state={answer.state} />
      <Why says={locked} />
      <footer>
        <Button why={locked ?? busy} onPress={() => setFailing(!failing)}>
          {failing ? 'Send a result' : 'Report an error…'}
        </Button>
        <Button
          why={locked ?? busy ?? (failing && error.trim() === '' ? 'Describe the error.' : undefined)}
          primary
          onPress={() => (failing ? answer.fail(error) : answer.respond(withFlags(outputSchema, result)))}
        >
          {failing ? 'Send the error' : 'Send result'}
        </Button>
      </footer>
    </div>
  );
}
