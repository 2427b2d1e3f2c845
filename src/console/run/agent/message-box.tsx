/** A message to an agent. A draft stays in this tab until it was taken. */
import { useState } from 'react';
import { messagePlace } from '../../../client/message-place';
import { pathSaid } from '../../data/names';
import { pathOf } from '../../data/place';
import { usePress } from '../../data/press';
import { server } from '../../data/session';
import { toast } from '../../data/toasts';
import { Unsent } from '../../parts/unsent';
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
  const write = (next: string) => {
    if (next === '') sessionStorage.removeItem(KEY + address);
    else sessionStorage.setItem(KEY + address, next);
    setText(next);
  };
  const send = usePress({
    what: 'The message',
    address,
    ask: (content: string, sending) => server().send(address, { content }, sending),
    onSuccess: (answer, content) => {
      // What was written since is another message.
      if (sessionStorage.getItem(KEY + address) === content) write('');
      const said = [`Message sent to ${pathSaid(address)}.`, ...messagePlace(answer)];
      toast(said.join(' '), { to: { says: 'Open', path: pathOf(address) } });
    },
  });
  const submit = () => {
    if (text.trim() !== '' && disabled === undefined) send.press(text);
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
      <button type="submit" disabled={disabled !== undefined || text.trim() === '' || send.isBusy} title={disabled}>
        Send
      </button>
      <Unsent press={send} />
    </form>
  );
}
