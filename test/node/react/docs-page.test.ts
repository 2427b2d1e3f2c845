/** The complete page of the docs, drawn. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, type ReactElement } from 'react';
import { create, type ReactTestInstance } from 'react-test-renderer';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { newLog } from '../../support/log';
import { programsOf } from '../../support/pages';
import { present } from '../../support/present';
import { asEvents, PuppetLog } from '../../support/puppet-log';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const folder = mkdtempSync(join(root, '.offshoot-types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The paragraphs of the page `docs/guides/react.md` for a client that reads a log and the messages of its transcript. */
async function paragraphs(entries: readonly SequencedChunk[], messages: readonly unknown[]) {
  const { text } = present(programsOf('docs', readFileSync(join(root, 'docs/guides/react.md'), 'utf8'))[0]);
  const path = join(folder, `page${entries.length}.tsx`);
  writeFileSync(path, `import * as React from 'react';\n${text}`);
  const log = new PuppetLog();
  const client = {
    follow: log.follow,
    messages: async () => ({ items: messages }),
    pending: async () => ({ items: [] }),
  };
  vi.doMock('../../../src/client', async (original) => ({ ...(await original<object>()), createClient: () => client }));
  onTestFinished(() => vi.doUnmock('../../../src/client'));
  const { app }: { app: ReactElement } = await import(path);
  let screen: ReturnType<typeof create> | undefined;
  await act(async () => {
    screen = create(app);
  });
  onTestFinished(() => act(() => screen?.unmount()));
  const shown = () =>
    present(screen)
      .root.findAllByType('p')
      .map((one: ReactTestInstance) => one.children.join(''));
  await act(() => vi.waitFor(() => expect(log.open).not.toEqual([])));
  await act(async () => log.tell(...asEvents(entries)));
  await act(() => vi.waitFor(() => expect(shown().join()).toContain('Six weeks.')));
  return shown();
}

const said = (messageId: string, from: string, text: string) => ({
  ...{ type: 'message_delivered' as const, messageId, from, role: 'user' as const, text },
});

it('[RH18] the page of the docs shows what a person sent, and the replies, also of both what the log no longer has', async () => {
  const log = newLog();
  const run = log
    .root('planner', 'one')
    .run('r_0')
    .step(1)
    .emit(said('m_1', 'caller', 'How long do bees live?'));
  run.text('Six weeks.').emit(said('m_2', 'offshoot', 'A notice.'));
  const whole = await paragraphs(log.entries, []);
  expect(whole.slice(0, -1)).toEqual(['How long do bees live?', 'Six weeks.']);
  const at = 0;
  const older = await paragraphs(log.entries.slice(3), [
    { role: 'user', from: 'caller', messageId: 'm_0', content: 'What are bees?', at },
    { role: 'user', from: 'child', messageId: 'm_5', content: 'A report.', at },
    { role: 'assistant', content: [{ type: 'text', text: 'Insects.' }, { type: 'tool-call' }], at },
  ]);
  expect(older.slice(0, -1)).toEqual(['What are bees?', 'Insects.', 'Six weeks.']);
});
