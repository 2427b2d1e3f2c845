/** What a person can do to an agent: told by how it stands, and confirmed where it cannot be taken back. */
import { Dialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { server } from '../data/session';
import { Trouble } from '../parts/trouble';

type Verb = 'interrupt' | 'resume' | 'retry' | 'abort' | 'terminate';

const AT_WORK = new Set([
  'queued',
  'running',
  'suspended_client_tool',
  'suspended_awaiting_children',
  'suspended_step_partial',
]);

/** Why a verb is not for an agent that stands so; undefined where it is. */
function against(verb: Verb, status: string): string | undefined {
  if (verb === 'interrupt' || verb === 'abort') return AT_WORK.has(status) ? undefined : 'It is not at work.';
  if (verb === 'resume') return status === 'interrupted' ? undefined : 'It was not interrupted.';
  if (verb === 'retry') return status === 'failed' ? undefined : 'It has not failed.';
  return status === 'terminated' ? 'It has ended for good.' : undefined;
}

const SAYS: Readonly<Record<Verb, string>> = {
  interrupt: 'Interrupt',
  resume: 'Resume',
  retry: 'Retry',
  abort: 'Stop',
  terminate: 'Terminate',
};

const ENDS: Readonly<Record<'abort' | 'terminate', string>> = {
  abort: 'The run fails, and can be tried again.',
  terminate: 'The session ends for good. This cannot be taken back.',
};

interface Given {
  readonly address: string;
  readonly status: string;
  /** Agents below it that are not at an end. */
  readonly below: number;
}

function Confirmed({
  verb,
  below,
  disabled,
  onYes,
}: Pick<Given, 'below'> & { verb: 'abort' | 'terminate'; disabled: string | undefined; onYes: () => void }) {
  return (
    <Dialog.Root>
      <Dialog.Trigger disabled={disabled !== undefined} title={disabled}>
        {SAYS[verb]}…
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{SAYS[verb]} this agent?</Dialog.Title>
          <Dialog.Description>
            {ENDS[verb]}{' '}
            {below === 0
              ? 'No agent works below it.'
              : `It reaches ${below} ${below === 1 ? 'agent' : 'agents'} below it.`}
          </Dialog.Description>
          <div className="row">
            <Dialog.Close>Back</Dialog.Close>
            <Dialog.Close className="danger" onClick={onYes}>
              {SAYS[verb]}
            </Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The buttons. */
export function Controls({ address, status, below }: Given) {
  const act = useMutation({ retry: false, mutationFn: (verb: Verb) => server()[verb](address) });
  const plain: Verb[] = status === 'interrupted' ? ['resume'] : status === 'failed' ? ['retry'] : ['interrupt'];
  return (
    <div className="controls">
      {plain.map((verb) => (
        <button
          key={verb}
          type="button"
          disabled={act.isPending || against(verb, status) !== undefined}
          title={against(verb, status)}
          onClick={() => act.mutate(verb)}
        >
          {SAYS[verb]}
        </button>
      ))}
      <Confirmed verb="abort" below={below} disabled={against('abort', status)} onYes={() => act.mutate('abort')} />
      <Confirmed
        verb="terminate"
        below={below}
        disabled={against('terminate', status)}
        onYes={() => act.mutate('terminate')}
      />
      {act.error !== null && <Trouble error={act.error} />}
    </div>
  );
}

/** A message to an agent. A draft stays until it was taken. */
export function MessageBox({ address, disabled }: { address: string; disabled: string | undefined }) {
  const [text, setText] = useState('');
  const send = useMutation({
    retry: false,
    mutationFn: () => server().send(address, { content: text }),
    onSuccess: () => setText(''),
  });
  return (
    <form
      className="message-box"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '' && !send.isPending) send.mutate();
      }}
    >
      <input
        aria-label="Message to this agent"
        placeholder={disabled ?? 'Message…'}
        disabled={disabled !== undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" disabled={disabled !== undefined || text.trim() === '' || send.isPending}>
        Send
      </button>
      {send.error !== null && <Trouble error={send.error} />}
    </form>
  );
}
