/** What a person can do to an agent: what is legal is said by the agent, and what cannot be taken back is confirmed. */
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { nameOf, pathSaid } from '../../data/names';
import { AT, HOME, pathOf } from '../../data/place';
import { usePress } from '../../data/press';
import { server } from '../../data/session';
import { type Ending, reachSays } from '../../data/shown/reach';
import { toast } from '../../data/toasts';
import type { Row } from '../../data/tree/outline';
import { Popover } from '../../parts/popover';
import { Unsent } from '../../parts/unsent';
import { CopyCurl } from './copy-curl';
import { ForkDialog } from './fork';
import { type ControlVerb, useControls } from './use-controls';

type Plain = 'interrupt' | 'resume' | 'retry';
type Verb = Plain | Ending;

const SAYS: Readonly<Record<Verb, string>> = {
  interrupt: 'Interrupt',
  resume: 'Resume',
  retry: 'Retry',
  abort: 'Abort',
  terminate: 'Terminate',
  remove: 'Delete',
};

/** What each does, and by it what they differ in. */
const DOES: Readonly<Record<Verb, string>> = {
  interrupt: 'Pauses the run and its sub-agents. Resume continues it.',
  resume: 'Continues the interrupted run.',
  retry: 'Retries the failed run; committed results are kept.',
  abort: 'Fails the run and its sub-agents. Retry continues it.',
  terminate: 'Permanently ends the agent and its sub-agents. Their work stays readable.',
  remove: 'Deletes the agent with its conversation, files and sub-agents.',
};

/** What nothing brings back. */
const FOR_GOOD: ReadonlySet<Verb> = new Set(['terminate', 'remove']);

/** What was asked for, once it was accepted. */
const DONE: Readonly<Record<Verb, string>> = {
  interrupt: 'is being interrupted',
  resume: 'is resuming',
  retry: 'is being retried',
  abort: 'is being aborted',
  terminate: 'is being terminated',
  remove: 'is deleted',
};

const pathOfVerb = (address: string, verb: Verb): string => (verb === 'remove' ? address : `${address}/${verb}`);

interface EndingProps {
  readonly verb: Ending;
  readonly address: string;
  /** The agents below it. */
  readonly below: readonly Row[];
  readonly against: string | undefined;
  readonly onYes: () => void;
}

function EndingDialog({ verb, address, below, against, onYes }: EndingProps) {
  const [typed, setTyped] = useState('');
  const name = nameOf(address);
  const isSure = verb !== 'remove' || typed === name;
  return (
    <Dialog.Root onOpenChange={() => setTyped('')}>
      <Dialog.Trigger disabled={against !== undefined} title={against ?? DOES[verb]}>
        {SAYS[verb]}…
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{SAYS[verb]} this agent?</Dialog.Title>
          <Dialog.Description>
            {DOES[verb]} {FOR_GOOD.has(verb) && 'This cannot be undone. '}
            {reachSays(verb, below)}
          </Dialog.Description>
          {verb === 'remove' && (
            <label className="field">
              <span>
                Type <strong>{name}</strong> to delete it
              </span>
              <input autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
            </label>
          )}
          <div className="row">
            <CopyCurl method={verb === 'remove' ? 'DELETE' : 'POST'} path={pathOfVerb(address, verb)} />
            <Dialog.Close>Back</Dialog.Close>
            <Dialog.Close className="danger" disabled={!isSure} onClick={onYes}>
              {SAYS[verb]}
            </Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ControlsProps {
  readonly address: string;
  readonly isRoot: boolean;
  readonly status: string;
  readonly below: readonly Row[];
}

/** The buttons. */
export function Controls({ address, isRoot, status, below }: ControlsProps) {
  const [, go] = useLocation();
  const { against, again } = useControls(address, { status });
  const act = usePress({
    what: (verb: Verb) => SAYS[verb],
    address,
    ask: async (verb: Verb, sending) => {
      if (verb === 'remove') await server().remove(address, sending);
      else await server()[verb](address, {}, sending);
      return verb;
    },
    onSuccess: (verb, _asked, isLeft) => {
      const isGone = verb === 'remove';
      const to = isGone ? { says: 'All runs', path: `${AT}/runs` } : { says: 'Open', path: pathOf(address) };
      toast(`${pathSaid(address)} ${DONE[verb]}.`, { to });
      if (isGone && !isLeft) go(HOME);
    },
    onSettled: again,
  });
  const plain: Plain[] = status === 'interrupted' ? ['resume'] : status === 'failed' ? ['retry'] : ['interrupt'];
  const why = (verb: ControlVerb) => (act.isBusy ? 'The previous request is still pending.' : against(verb));
  const [first] = plain;
  const unusable = first === undefined || act.isPending ? undefined : against(first);
  const ending = (verb: Ending) => (
    <EndingDialog {...{ verb, address, below }} against={why(verb)} onYes={() => act.press(verb)} />
  );
  return (
    <div className="controls" role="group" aria-label="Actions">
      {plain.map((verb) => (
        <button
          key={verb}
          type="button"
          disabled={why(verb) !== undefined}
          title={why(verb) ?? DOES[verb]}
          onClick={() => act.press(verb)}
        >
          {SAYS[verb]}
        </button>
      ))}
      {ending('abort')}
      {ending('terminate')}
      <Popover className="node-more" says="More">
        <div className="more-list">
          <ForkDialog {...{ address, isRoot }} says="Copy…" against={why('fork')} />
          {ending('remove')}
          <dl className="meanings">
            {[...plain, 'abort' as const, 'terminate' as const].map((verb) => (
              <div key={verb}>
                <dt>{SAYS[verb]}</dt>
                <dd>{DOES[verb]}</dd>
              </div>
            ))}
          </dl>
          {plain.map((verb) => (
            <CopyCurl key={verb} method="POST" path={pathOfVerb(address, verb)} />
          ))}
        </div>
      </Popover>
      {act.asked === 'interrupt' && act.isSuccess && status === 'interrupted' && (
        <span role="status" className="muted">
          Interrupted. Resume to continue.
        </span>
      )}
      {unusable !== undefined && <span className="muted why-not">{unusable}</span>}
      <Unsent press={act} />
    </div>
  );
}
