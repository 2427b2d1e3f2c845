/** The keyboard of this process. */
import type { ReadStream } from 'node:tty';
import type { Keyboard } from '../io';
import { PASTE_OFF, PASTE_ON } from './keys';

/** The keyboard behind a stream; undefined where it is no terminal. */
export function keyboardOf(stdin: ReadStream, write: (text: string) => void): Keyboard | undefined {
  if (stdin.isTTY !== true) return undefined;
  return {
    listen(call) {
      stdin.setEncoding('utf8');
      stdin.setRawMode(true);
      write(PASTE_ON);
      stdin.on('data', call);
      stdin.resume();
      return () => {
        stdin.off('data', call);
        stdin.pause();
        write(PASTE_OFF);
        stdin.setRawMode(false);
      };
    },
  };
}
