import { expect, it } from 'vitest';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { additionsOf, itemsOf } from '../../../src/react/transcript-items';
import { newLog } from '../../support/log';
import { present } from '../../support/present';

it('[RH7] the message of a turn stands before its first run alone, and what came with a resume is asked too', () => {
  const log = newLog();
  const root = log.root('top', 'a').run('r_1').step(1).interrupted();
  root.resumed('r_2').interrupted().resumed('r_3');
  const entries = [{ role: 'user', turn: 1, content: 'How?', at: 0 }] as const;
  const items = () => {
    const agent = present(reduceAll(log.entries).agents[0]);
    return itemsOf(agent, additionsOf(agent, entries as never, false), undefined);
  };
  const asked = () => items().flatMap((item) => (item.kind === 'asked' ? [[item.runId, item.text]] : []));
  expect(asked()).toEqual([['r_1', 'How?']]);
  root.emit({
    type: 'message_delivered',
    messageId: 'm_2',
    from: 'caller',
    role: 'user',
    text: 'On.',
    attachments: [],
  });
  expect(asked()).toEqual([
    ['r_1', 'How?'],
    ['r_3', 'On.'],
  ]);
  root.emit({ type: 'message_delivered', messageId: 'm_3', from: 'child', role: 'user', text: 'Done.' });
  expect(items().flatMap((item) => (item.kind === 'message' ? [[item.runId, item.message.text]] : []))).toEqual([
    ['r_3', 'Done.'],
  ]);
});
