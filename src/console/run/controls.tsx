/** What a person can do to an agent: what is legal is said by the agent, and what cannot be taken back is confirmed. */
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { HOME, nameOf } from '../data/place';
import { usePress } from '../data/press';
import { server } from '../data/session';
import { Popover } from '../parts/popover';
import { Trouble } from '../parts/trouble';
import { CopyCurl } from './copy-curl';
import { ForkDialog } from './fork';
import { type ControlVerb, useControls } from './use-controls';

type Plain = 'interrupt' | 'resume' | 'retry';
type Ending = 'abort' | 'terminate' | 'remove';
type Verb = Plain | Ending;

const SAYS: Readonly<Record<Verb, string>> = {
  interrupt: 'Interrupt',
  resume: 'Resume',
  retry: 'Retry',
  abort: 'Stop',
  terminate: 'Terminate',
  remove: 'Delete',
};

const ENDS: Readonly<Record<Ending, string>> = {
  abort: 'The run fails, and can be tried again.',
  terminate: 'The session ends for good. This cannot be taken back.',
  remove: 'It is removed with its memory, its files and everything below it. This cannot be taken back.',
};

const pathOfVerb = (address: string, verb: Verb): string => (verb === 'remove' ? address : `${address}/${verb}`);

interface EndingProps {
  readonly verb: Ending;
  readonly address: string;
  /** Agents below it that are not at an end. */
  readonly below: number;
  readonly against: string | undefined;
  readonly onYes: () => void;
}

const reaches = (below: number): string =>
  below === 0 ? 'No agent works below it.' : `It reaches ${below} ${below === 1 ? 'agent' : 'agents'} below it.`;

function EndingDialog({ verb, address, below, against, onYes }: EndingProps) {
  const [typed, setTyped] = useState('');
  const name = nameOf(address);
  const isSure = verb !== 'remove' || typed === name;
  return (
    <Dialog.Root onOpenChange={() => setTyped('')}>
      <Dialog.Trigger disabled={against !== undefined} title={against}>
        {SAYS[verb]}…
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{SAYS[verb]} this agent?</Dialog.Title>
          <Dialog.Description>
            {ENDS[verb]} {reaches(below)}
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
  readonly below: number;
}

/** The buttons. */
export function Controls({ address, isRoot, status, below }: ControlsProps) {
  const [, go] = useLocation();
  const { against, again } = useControls(address, { status });
  const act = usePress({
    ask: async (verb: Verb, idempotencyKey) => {
      if (verb === 'remove') await server().remove(address, { idempotencyKey });
      else await server()[verb](address, {}, { idempotencyKey });
      return verb;
    },
    onSuccess: (verb) => {
      if (verb === 'remove') go(HOME);
    },
    onSettled: again,
  });
  const plain: Plain[] = status === 'interrupted' ? ['resume'] : status === 'failed' ? ['retry'] : ['interrupt'];
  const why = (verb: ControlVerb) => (act.isPending ? 'The last request is not answered yet.' : against(verb));
  const ending = (verb: Ending) => (
    <EndingDialog {...{ verb, address, below }} against={why(verb)} onYes={() => act.press(verb)} />
  );
  return (
    <div className="controls" role="group" aria-label="What can be done">
      {plain.map((verb) => (
        <button
          key={verb}
          type="button"
          disabled={why(verb) !== undefined}
          title={why(verb)}
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
          {plain.map((verb) => (
            <CopyCurl key={verb} method="POST" path={pathOfVerb(address, verb)} />
          ))}
        </div>
      </Popover>
      {act.variables === 'interrupt' && act.isSuccess && status === 'interrupted' && (
        <span role="status" className="muted">
          Interrupted: Resume goes on with it.
        </span>
      )}
      {act.error !== null && <Trouble error={act.error} />}
    </div>
  );
}
