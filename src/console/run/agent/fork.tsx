/** A copy of an agent beside it, with all of its memory or with what it knew at a checkpoint. */
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Document } from '../../../client';
import { randomHex } from '../../../client/random';
import { beginningOf } from '../../../protocol/content/cut';
import { nameOf, pathSaid } from '../../data/names';
import { pathOf } from '../../data/place';
import { usePress } from '../../data/press';
import { server } from '../../data/session';
import { toast } from '../../data/toasts';
import { Unsent } from '../../parts/unsent';
import { CopyCurl } from './copy-curl';

interface ForkProps {
  readonly address: string;
  readonly isRoot: boolean;
  readonly says: string;
  readonly checkpoint?: Document<'checkpoint'>;
  /** Why not now. */
  readonly against?: string | undefined;
}

/** A name that nobody is likely to have. */
function nameFor(address: string): string {
  return `${beginningOf(nameOf(address), 100)}-${randomHex(3)}`;
}

/** The button, and what it asks first. */
export function ForkDialog({ address, isRoot, says, checkpoint, against }: ForkProps) {
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const [message, setMessage] = useState('');
  const [resume, setResume] = useState(false);
  const [open, setOpen] = useState(false);
  const body = {
    name,
    ...(checkpoint === undefined ? {} : { checkpoint: checkpoint.checkpointId }),
    ...(isRoot ? (resume ? { resume } : {}) : { message }),
  };
  const fork = usePress({
    what: 'Copy',
    address,
    ask: (asked: typeof body, sending) => server().fork(address, asked, sending),
    keyOf: () => `${name}.${checkpoint?.checkpointId ?? 'now'}`,
    onSuccess: ({ address: copy }, _asked, isLeft) => {
      setOpen(false);
      if (isLeft)
        return toast(`${pathSaid(address)} was copied.`, { to: { says: 'Open the copy', path: pathOf(copy) } });
      toast(`This is a copy of ${pathSaid(address)}.`, { to: { says: 'Open original', path: pathOf(address) } });
      go(pathOf(copy));
    },
  });
  const where = checkpoint === undefined ? 'is now' : `was at turn ${checkpoint.turn}, step ${checkpoint.step}`;
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (next) setName(nameFor(address));
        setOpen(next);
      }}
    >
      <Dialog.Trigger disabled={against !== undefined} title={against}>
        {says}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>Copy this agent as it {where}?</Dialog.Title>
          <Dialog.Description>
            The copy has everything committed up to then. External effects of tools are not undone, and the original
            continues.
          </Dialog.Description>
          <label className="field">
            Name of the copy
            <input value={name} onChange={(event) => setName(event.target.value)} />
          </label>
          {isRoot ? (
            <label>
              <input type="checkbox" checked={resume} onChange={(event) => setResume(event.target.checked)} /> Resume
              the unfinished run in the copy
            </label>
          ) : (
            <label className="field">
              First task of the copy
              <textarea rows={3} value={message} onChange={(event) => setMessage(event.target.value)} />
            </label>
          )}
          <Unsent press={fork} />
          <div className="row">
            <CopyCurl method="POST" path={`${address}/fork`} body={body} />
            <Dialog.Close>Back</Dialog.Close>
            <button
              type="button"
              className="primary"
              disabled={name === '' || fork.isBusy || (!isRoot && message === '')}
              onClick={() => fork.press(body)}
            >
              Copy
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
