/** Files that children return, and files that go to them: the model that reads of one is shown it. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { ChildOptions } from '../../../src/core/definition/children/child-options';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { defineAgent } from '../../../src/core/definition/define-agent';
import { defineTool } from '../../../src/core/definition/define-tool';
import type { CompanionMode } from '../../../src/core/definition/definition';
import { createTestRuntime, type TestRun } from '../../../src/testing';
import { call, type Reply, say } from '../../providers/replies';
import { png } from '../../providers/rules/pictures';
import { type InProcess, provider } from '../../providers/server';

const A = png(3, 2);

const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  inputSchema: z.object({}),
  async execute(_args, { files }) {
    await files.write('drawn.png', Buffer.from(A, 'base64'), { mediaType: 'image/png' });
    return 'drawn.png';
  },
});
const end = defineTool({
  name: 'end',
  description: 'Ends with what it draws.',
  inputSchema: z.object({}),
  finishWith: true,
  execute: () => ({
    type: 'content',
    value: [
      { type: 'text', text: 'It is drawn.' },
      { type: 'file', mediaType: 'image/png', filename: 'shown.png', data: A },
    ],
  }),
});

let calls = 0;
const calling = (name: string, input: object): Reply => call(`toolu_${++calls}`, name, input);

interface Trio {
  readonly parent: InProcess;
  readonly child: InProcess;
  readonly run: TestRun;
}

/** A parent and its child, each with a stand-in of its own. */
async function trio(
  parentReplies: readonly Reply[],
  childReplies: readonly Reply[],
  how: {
    readonly companion?: ChildOptions & { mode?: CompanionMode };
    readonly blocking?: ChildOptions;
    readonly limits?: object;
  },
): Promise<Trio> {
  const parent = provider('anthropic', { replies: [...parentReplies] });
  const child = provider('anthropic', { replies: [...childReplies] });
  const modelOf = ({ fetch }: InProcess) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5');
  const artist = defineAgent({
    name: 'artist',
    systemPrompt: 'Draw.',
    model: modelOf(child),
    tools: [draw, end],
    limits: { modelRetryBaseMs: 1 },
  });
  const top = defineAgent({
    name: 'top',
    systemPrompt: 'Have it drawn.',
    model: modelOf(parent),
    tools: [draw, ...(how.blocking ? [createSubAgentTool(artist, z.object({ q: z.string() }), how.blocking)] : [])],
    ...(how.companion ? { persistentAgents: [{ agent: artist, ...how.companion }] } : {}),
    limits: { modelRetryBaseMs: 1, ...how.limits },
  });
  const runtime = createTestRuntime({ agents: [top, artist] });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(top, 'Go.');
  expect(await run.result()).toMatchObject({ status: 'completed', output: 'Done.' });
  for (const { requests } of [parent, child]) expect(requests.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  return { parent, child, run };
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly data?: string };
  readonly content?: string | readonly Block[];
}

/** The pictures of a request, and its texts. */
function read({ requests }: InProcess, at = -1): { pictures: string[]; texts: string } {
  const body = requests.at(at)?.body as { messages?: readonly { content: string | readonly Block[] }[] } | undefined;
  const blocks = (body?.messages ?? []).flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const all = blocks.flatMap((one) => [one, ...(typeof one.content === 'string' ? [] : (one.content ?? []))]);
  const texts = all.flatMap(({ text, content }) => [text ?? '', typeof content === 'string' ? content : '']);
  return { pictures: all.flatMap(({ source }) => source?.data ?? []), texts: texts.join('\n') };
}

/** The parent is shown the picture once, and reads none of it as text. */
function expectShown({ parent }: Trio, name = 'drawn'): void {
  const { pictures, texts } = read(parent);
  expect(pictures).toEqual([A]);
  expect(texts).toContain(name);
  expect(texts).not.toContain(A.slice(0, 40));
}

const spawn = (more: object = {}) =>
  calling('companion__spawnAgent', { agent: 'artist', name: 'bo', initialMessage: 'Draw.', ...more });
const partsOf = (reply: Reply) => ('parts' in reply ? reply.parts : []);
const DRAWN = [calling('draw', {}), calling('__attach__', { files: ['drawn.png'] }), say('Drawn.')];
const PLACES = ['facet', 'object'] as const;

describe('a picture that a child returns with its answer', () => {
  it.each(PLACES)('[M92] is shown behind the result of a call that waited: sub-agent in a %s', async (placement) => {
    const blocking = { returnsFiles: true, placement };
    expectShown(await trio([calling('subagent__artist', { q: 'x' }), say('Done.')], DRAWN, { blocking }));
  });

  it.each(PLACES)('[M92] is shown by a companion in a %s that is waited for', async (placement) => {
    const companion = { returnsFiles: true, placement, mode: 'blocking' as const };
    expectShown(await trio([spawn(), say('Done.')], DRAWN, { companion }));
  });

  it('[M92] is shown by a companion that is waited for later, and once its message is answered', async () => {
    const companion = { returnsFiles: true, mode: 'non-blocking' as const };
    const wait = calling('companion__waitForResult', { name: 'bo' });
    const told = await trio([spawn(), wait, say('Done.')], DRAWN, { companion });
    expectShown(told);
    const send = calling('companion__sendMessage', { name: 'bo', message: 'Again.', wait: true });
    const again = await trio([spawn(), wait, send, say('Done.')], [...DRAWN, ...DRAWN.slice(1)], { companion });
    expect(read(again.parent).pictures).toEqual([A, A]);
  });

  it('[M92] is shown by the message about a task that nobody waited for', async () => {
    const companion = { returnsFiles: true, mode: 'non-blocking' as const, onIdle: 'wake' as const };
    const told = await trio([spawn(), say('Done.'), say('Done.')], DRAWN, { companion });
    await vi.waitFor(() => expect(told.parent.requests).toHaveLength(3));
    expectShown(told);
    expect(JSON.stringify(told.run.messages())).not.toContain(A);
  });
});

describe('a picture within the answer of a child', () => {
  const ends = [calling('end', {})];

  it.each(PLACES)('[M93] is shown as the result of a sub-agent in a %s', async (placement) => {
    const told = await trio([calling('subagent__artist', { q: 'x' }), say('Done.')], ends, { blocking: { placement } });
    expectShown(told, 'It is drawn.');
  });

  it('[M93] is shown by a companion that is waited for', async () => {
    const companion = { mode: 'blocking' as const };
    expectShown(await trio([spawn(), say('Done.')], ends, { companion }), 'It is drawn.');
  });

  it('[M93] is shown by the message about a task that nobody waited for', async () => {
    const companion = { mode: 'non-blocking' as const, onIdle: 'wake' as const };
    const told = await trio([spawn(), say('Done.'), say('Done.')], ends, { companion });
    await vi.waitFor(() => expect(told.parent.requests).toHaveLength(3));
    expectShown(told, 'It is drawn.');
  });
});

describe('a picture that goes to a child', () => {
  it.each(PLACES)('[M92] is shown to a companion in a %s', async (placement) => {
    const companion = { placement, mode: 'blocking' as const };
    const parent = [calling('draw', {}), spawn({ files: ['drawn.png'] }), say('Done.')];
    const { child } = await trio(parent, [say('Seen.')], { companion });
    expect(read(child).pictures).toEqual([A]);
    expect(read(child).texts).toContain('attachments/drawn-');
  });

  it('[M92] is shown with the next task of one that has ended, after the first', async () => {
    const companion = { mode: 'blocking' as const };
    const next = calling('companion__sendMessage', {
      name: 'bo',
      message: 'And this.',
      files: ['drawn.png'],
      wait: true,
    });
    const parent = [calling('draw', {}), spawn({ files: ['drawn.png'] }), next, say('Done.')];
    const { child } = await trio(parent, [say('Seen.'), say('Seen.')], { companion });
    expect(read(child).pictures).toEqual([A, A]);
    expect(read(child, 0).pictures).toEqual([A]);
  });

  it('[M92] is shown to one that waited in the queue', async () => {
    const companion = { mode: 'non-blocking' as const };
    const parent = [
      calling('draw', {}),
      { parts: [...partsOf(spawn({ files: ['drawn.png'] })), ...partsOf(spawn({ name: 'cy', files: ['drawn.png'] }))] },
      calling('companion__waitForResult', { names: ['bo', 'cy'] }),
      say('Done.'),
    ];
    const { child } = await trio(parent, [say('Seen.'), say('Seen.')], {
      companion,
      limits: { maxConcurrentChildren: 1 },
    });
    expect([read(child, 0).pictures, read(child, 1).pictures]).toEqual([[A], [A]]);
  });
});
