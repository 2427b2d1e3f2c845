import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { itemsOf, olderOf, searchedOf, type TranscriptMessage } from '../../../src/react/transcript-items';
import { SCENARIOS } from '../../support/crashes';
import { withTree } from '../../support/harness';
import { newLog } from '../../support/log';
import { present } from '../../support/present';

describe.each(SCENARIOS)('$name', ({ make }) => {
  it('[RH18] has each message of a caller and of the parent as asked, in order, at every agent', async () => {
    await withTree(make, {}, async (tree) => {
      await tree.run();
      for (const agent of reduceAll(tree.log).agents) {
        const asked = itemsOf(agent, [], undefined).flatMap((item) => (item.kind === 'asked' ? [item.text] : []));
        const said = tree.store(agent.address).messages({ after: 0 });
        const theirs = said.filter(({ from, silent }) => !silent && (from === 'caller' || from === 'parent'));
        expect(theirs.length).toBeGreaterThan(0);
        expect(asked).toEqual(theirs.map(({ content }) => content));
      }
    });
  });
});

it('[RH18] of a cut log shows what a caller said as asked, and nobody else', () => {
  const log = newLog();
  const root = log.root('top', 'a').run('r_1').step(1);
  root.emit({
    type: 'message_delivered',
    messageId: 'm_2',
    from: 'caller',
    role: 'user',
    text: 'On.',
    attachments: [],
  });
  const agent = present(reduceAll(log.entries).agents[0]);
  const entry = (from: string, more: object = {}) => ({ role: 'user', from, content: `${from} said`, at: 0, ...more });
  const entries = [
    entry('caller'),
    entry('child'),
    entry('parent', { silent: true }),
    entry('caller', { messageId: 'm_2' }),
    entry('caller', { at: Number.MAX_SAFE_INTEGER }),
  ] as unknown as TranscriptMessage[];
  const items = itemsOf(agent, olderOf(agent, entries), 'Older events were removed.');
  expect(items.map((item) => (item.kind === 'asked' ? item.text : item.kind))).toEqual([
    ...['caller said', 'older', 'edge', 'On.', 'step'],
  ]);
});

it('[RH18] of a reply that the log lost are its texts and thinking items; a call has none of its own', () => {
  const content = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Insects.' },
    { type: 'tool-call', toolCallId: 'c_1', toolName: 'find', args: {} },
    { type: 'file', path: 'a.png' },
  ];
  const older = [{ role: 'assistant', content, at: 0 }] as unknown as TranscriptMessage[];
  const log = newLog();
  log.root('top', 'a').run('r_1').step(1);
  const agent = present(reduceAll(log.entries).agents[0]);
  const items = itemsOf(agent, older, undefined);
  expect(items.slice(0, 3)).toMatchObject([
    { kind: 'thinking', text: 'Hm.', open: false },
    { kind: 'text', text: 'Insects.', open: false },
    { kind: 'older', entry: { content: [{ type: 'file', path: 'a.png' }] } },
  ]);
  expect(items.slice(3).map(({ kind }) => kind)).not.toContain('older');
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
});

it('[RH18] what came with a resume is asked too, and what a child said is a message', () => {
  const log = newLog();
  const root = log.root('top', 'a').run('r_1').step(1).interrupted();
  root.resumed('r_2').interrupted().resumed('r_3');
  const items = () => itemsOf(present(reduceAll(log.entries).agents[0]), [], undefined);
  const asked = () => items().flatMap((item) => (item.kind === 'asked' ? [[item.runId, item.text]] : []));
  root.emit({
    type: 'message_delivered',
    messageId: 'm_2',
    from: 'caller',
    role: 'user',
    text: 'On.',
    attachments: [],
  });
  expect(asked()).toEqual([['r_3', 'On.']]);
  root.emit({ type: 'message_delivered', messageId: 'm_3', from: 'child', role: 'user', text: 'Done.' });
  expect(items().flatMap((item) => (item.kind === 'message' ? [[item.runId, item.message.text]] : []))).toEqual([
    ['r_3', 'Done.'],
  ]);
});

/** A part of a step: whether its messages come before its start, how many there are, and whether a crash comes between. */
const steps = fc.array(fc.record({ first: fc.boolean(), told: fc.nat({ max: 2 }), crashed: fc.boolean() }), {
  ...{ minLength: 1, maxLength: 4 },
});

it('[RH18] whichever steps a view has lost, what is left stands in the order of the whole log', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 3 }), fc.infiniteStream(fc.boolean()), (runs, losses) => {
      const log = newLog();
      const root = log.root('top', 'a');
      let count = 0;
      const tell = (from: string) => {
        const messageId = `m_${++count}`;
        root.emit({ type: 'message_delivered', messageId, from, role: 'user', text: messageId });
      };
      const resumes = (run: number) => run > 0 && runs[run]?.[0]?.crashed === true;
      let before = 0;
      for (const [run, all] of runs.entries()) {
        if (resumes(run)) root.resumed(`r_${run}`);
        else root.run(`r_${run}`);
        before = resumes(run) ? before : 0;
        if (all.length % 2 === 0) root.emit({ type: 'run_recovered', reason: 'crash', step: 0 });
        for (const [at, { first, told, crashed }] of all.entries()) {
          const step = before + at + 1;
          if (first && told > 0)
            root.emit({
              type: 'message_delivered',
              messageId: `m_${++count}`,
              from: 'child',
              role: 'user',
              text: 'First.',
              step,
            });
          root.step(step);
          for (let one = first ? 1 : 0; one < told; one += 1) tell('caller');
          if (crashed) root.emit({ type: 'run_recovered', reason: 'crash' });
          root.text('Said.').tool(`c_${run}_${step}`, 'find', {}).commit();
        }
        before += all.length;
        if (resumes(run + 1)) root.interrupted();
        else root.completed('Done.');
      }
      const agent = present(reduceAll(log.entries).agents[0]);
      const whole = itemsOf(agent, [], undefined).map(({ id }) => id);
      const cut = agent.runs.map((run) => ({ ...run, steps: run.steps.filter(() => losses.next().value) }));
      const left = itemsOf({ ...agent, runs: cut }, [], undefined).map(({ id }) => id);
      expect(left).toEqual(whole.filter((id) => left.includes(id)));
      // Messages and recoveries are not of a step.
      const stay = whole.filter((id) => /^message|recovered|end$/u.test(id));
      expect(left).toEqual(expect.arrayContaining(stay));
    }),
  );
});

it('[CN58] a search finds what each item shows, and a call without its result too', () => {
  const log = newLog();
  const root = log.root('top', 'a').run('r_1', 'Ask.').step(1).text('Said.').commit();
  root.tool('c_1', 'find', { q: 'moths' }).step(2).discard('Cut off.').text('Again.').commit();
  const agent = () => present(reduceAll(log.entries).agents[0]);
  const older = [{ role: 'tool', toolName: 'look', content: 'Seen.', result: { n: 7 }, at: 0 }];
  const found = (text: string) =>
    itemsOf(agent(), older as unknown as TranscriptMessage[], 'Older events were removed.').flatMap((item) =>
      searchedOf(item).includes(text) ? [item.kind] : [],
    );
  const kinds = [
    'Older events',
    'look Seen. {"n":7}',
    'step 1',
    'Said.',
    'find {"q":"moths"}',
    'Cut off.',
    'undefined',
  ];
  expect(kinds.map(found)).toEqual([['edge'], ['older'], ['step'], ['text'], ['call'], ['discarded'], []]);
  root.toolEnd('c_1', { moths: 3 });
  expect(found('{"moths":3}')).toEqual(['call']);
  root.completed('All of it.');
  expect(found('All of it.')).toEqual(['end']);
});
