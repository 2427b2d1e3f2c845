/** Calls and their results in a request. */
import { expect, it } from 'vitest';
import type { Message } from '../../../../src/protocol/messages';
import { ALL_MODELS, call, promptOf, reply, result, user } from './asked';

it.each(ALL_MODELS)(
  '[M68] what results say is in a request to %s once each, whether or not they have a call',
  (model) => {
    const asks = reply(call('c_1'), call('c_2'));
    const histories: { readonly [what: string]: readonly Message[] } = {
      'each with its call': [user(), asks, result('c_1', 'One.'), result('c_2', 'Two.')],
      'a second one of a call': [user(), asks, result('c_1', 'One.'), result('c_2', 'Two.'), result('c_1', 'Three.')],
      'the same once more': [user(), asks, result('c_1', 'One.'), result('c_1', 'One.'), result('c_2', 'Two.')],
      'one without a call': [user(), asks, result('c_1', 'One.'), result('c_2', 'Two.'), result('c_9', 'Three.')],
      'one before its call': [user(), result('c_1', 'One.'), asks, result('c_2', 'Two.')],
    };
    for (const [what, messages] of Object.entries(histories)) {
      const text = JSON.stringify(promptOf(messages, model));
      for (const said of ['One.', 'Two.', 'Three.']) {
        const expected = JSON.stringify(messages).split(said).length;
        expect(text.split(said).length, `${what}: ${said}`).toBe(expected);
      }
    }
  },
);
