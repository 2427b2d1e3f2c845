/** A message to an agent. A draft stays in this tab until it was taken. */
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { newKey } from '../data/press';
import { server } from '../data/session';
import { Trouble } from '../parts/trouble';
import { useControls } from './use-controls';

interface BoxProps {
  readonly address: string;
  readonly status: string;
}

const KEY = 'offshoot.draft:';

/** The box. */
export function MessageBox({ address, status }: BoxProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(KEY + address) ?? '');
  const { against } = useControls(address, { status });
  const disabled = against('send');
  const key = useRef(newKey());
  const isAsked = useRef(false);
  const write = (next: string) => {
    key.current = newKey();
    if (next === '') sessionStorage.removeItem(KEY + address);
    else sessionStorage.setItem(KEY + address, next);
    setText(next);
  };
  const send = useMutation({
    retry: false,
    mutationFn: () => server().send(address, { content: text }, { idempotencyKey: key.current }),
    onSuccess: () => write(''),
    onSettled: () => {
      isAsked.current = false;
    },
  });
  // A second press may come before the box is drawn as locked.
  const submit = () => {
    if (text.trim() === '' || isAsked.current || disabled !== undefined) return;
    isAsked.current = true;
    send.mutate();
  };
  return (
    <form
      className="message-box"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        rows={1}
        aria-label="Message to this agent"
        placeholder={disabled ?? 'Message…'}
        disabled={disabled !== undefined}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      <button type="submit" disabled={disabled !== undefined || text.trim() === '' || send.isPending} title={disabled}>
        Send
      </button>
      {send.error !== null && <Trouble error={send.error} />}
    </form>
  );
}
