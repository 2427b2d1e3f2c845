/** What starts lead to: cases that hold of a Worker and of a test runtime alike. */

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../../src/protocol/json';
import { openGate, puppet } from './puppet';
import { told } from './told';

const systemPrompt = 'Do what you are told.';

/** Its hooks fail for one question. */
export const formOptions = {
  name: 'form',
  systemPrompt,
  model: puppet,
  hooks: {
    onAgentStart: ({ input }: { input?: unknown }, { caller }: { caller?: string | undefined }) => {
      if (isObject(input) && input.q === 'boom') throw new Error(`${String(caller)} asks for a boom.`);
    },
  },
  inputSchema: z.object({ q: z.string().min(1), n: z.number().default(3) }),
  stateSchema: z.object({ q: z.string().default(''), seen: z.number().default(0) }),
  outputSchema: z.object({ answer: z.string() }),
};

/** Starts wait for the run before them. */
export const lineOptions = {
  name: 'line',
  systemPrompt,
  model: puppet,
  onConcurrentStart: 'queue',
  limits: { maxQueuedStarts: 2 },
} as const;

/** A newer start takes the place of the run before it. */
export const eagerOptions = {
  name: 'eager',
  systemPrompt,
  model: puppet,
  onConcurrentStart: 'interrupt_previous',
} as const;

/** A start as a case has it. */
export interface CaseStart {
  readonly message?: string;
  readonly input?: Json;
  readonly state?: Json;
  readonly files?: readonly { readonly path: string; readonly mediaType?: string; readonly content: string }[];
  readonly displayName?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Json;
}

/** A root that a case is tried at. */
export interface StartedRoot {
  /** Starts it, and gives what was answered: an acceptance, or a problem with its `code`. */
  start(
    body: CaseStart,
    key?: string,
  ): Promise<{ readonly code?: string; readonly runId?: string; readonly status?: string }>;
  /** The status document, once nothing works or waits to begin any more. */
  rested(): Promise<object>;
  state(): Promise<Json>;
  files(): Promise<readonly object[]>;
  /** The texts of the messages that came from outside. */
  said(): Promise<Json[]>;
}

interface StartCase {
  readonly title: string;
  readonly agent: 'form' | 'line' | 'eager';
  /** Given one after the other; `afterwards` opens the gate first, and awaits the end of what runs. */
  readonly starts: readonly { readonly body: CaseStart; readonly key?: string; readonly afterwards?: true }[];
  /** How each start is answered: its status or its code; `same as` one before it by number from 1. */
  readonly answers: readonly string[];
  readonly status?: JsonObject;
  readonly state?: Json;
  readonly files?: readonly JsonObject[];
  readonly said?: readonly Json[];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const answers = told({ finish: { answer: 'yes' } });
const GATE = 'starts';
const waits = told({ gate: GATE, text: 'let go' });

/** The cases. */
export const START_CASES: readonly StartCase[] = [
  {
    title: 'an input is checked, is the first message as JSON, and the state where it fits',
    agent: 'form',
    starts: [{ body: { input: { q: 'why' }, message: answers } }],
    answers: ['running'],
    status: { status: 'completed', run: { output: { answer: 'yes' }, turn: 1 } },
    state: { q: 'why', seen: 0 },
    said: ['{"q":"why","n":3}', answers],
  },
  {
    title: 'a state is checked by its schema and goes before the input',
    agent: 'form',
    starts: [{ body: { input: { q: 'why' }, message: answers, state: { seen: 4 } } }],
    answers: ['running'],
    state: { q: '', seen: 4 },
  },
  {
    title: 'without an input the state is the defaults of its schema',
    agent: 'form',
    starts: [{ body: { message: answers } }],
    answers: ['running'],
    state: { q: '', seen: 0 },
    said: [answers],
  },
  {
    title: 'what does not fit, and what is too large, is refused and begins nothing',
    agent: 'form',
    starts: [
      { body: { input: { q: '' } } },
      { body: { message: answers, state: { seen: 'many' } } },
      { body: {} },
      { body: { message: '' } },
      { body: { message: answers, metadata: 'm'.repeat(16_384) } },
      { body: { message: answers, files: [{ path: '../a', content: 'x' }] } },
      { body: { message: answers, tags: [''] } },
      { body: { message: answers } },
    ],
    answers: [
      ...['invalid_input', 'invalid_input', 'invalid_request', 'invalid_request', 'payload_too_large'],
      ...['invalid_request', 'invalid_request', 'running'],
    ],
    status: { status: 'completed', run: { turn: 1 } },
    said: [answers],
  },
  {
    title: 'files, tags, metadata and a name come with it, and a later start has others',
    agent: 'line',
    starts: [
      {
        body: {
          message: 'Go',
          files: [
            { path: 'in/a.md', mediaType: 'text/markdown', content: '# A' },
            { path: 'b', content: 'b' },
          ],
          displayName: 'First',
          tags: ['one', 'two'],
          metadata: { by: { id: 7 } },
        },
      },
      { body: { message: 'Again', displayName: 'Second', tags: [] }, afterwards: true },
    ],
    answers: ['running', 'running'],
    status: { status: 'completed', displayName: 'Second', tags: [], metadata: { by: { id: 7 } }, run: { turn: 2 } },
    files: [
      { path: 'b', mediaType: 'application/octet-stream', size: 1, etag: sha256('b') },
      { path: 'in/a.md', mediaType: 'text/markdown', size: 3, etag: sha256('# A') },
    ],
    said: ['Go', 'Again'],
  },
  {
    title: 'a second start is refused while the first one works',
    agent: 'form',
    starts: [{ body: { message: told({ gate: GATE, finish: { answer: 'late' } }) } }, { body: { message: answers } }],
    answers: ['running', 'already_running'],
    status: { status: 'completed', run: { output: { answer: 'late' }, turn: 1 } },
  },
  {
    title: 'further starts wait in a line, as many as its limit says',
    agent: 'line',
    starts: [
      ...[{ body: { message: waits } }, { body: { message: 'two' } }],
      ...[{ body: { message: 'three' } }, { body: { message: 'four' } }],
    ],
    answers: ['running', 'queued', 'queued', 'too_many_starts'],
    status: { status: 'completed', run: { turn: 3 } },
    said: [waits, 'two', 'three'],
  },
  {
    title: 'a newer start takes the place of an older one',
    agent: 'eager',
    starts: [{ body: { message: waits } }, { body: { message: told({ text: 'newer' }) } }],
    answers: ['running', 'running'],
    status: { status: 'completed', run: { turn: 2, output: 'newer' } },
  },
  {
    title: 'one that is repeated under its key is the same one; another body under it is refused',
    agent: 'line',
    starts: [
      { body: { message: waits }, key: 'k' },
      { body: { message: waits }, key: 'k' },
      { body: { message: 'other' }, key: 'k' },
      { body: { message: waits }, key: 'k', afterwards: true },
    ],
    answers: ['running', 'same as 1', 'idempotency_conflict', 'same as 1'],
    status: { status: 'completed', run: { turn: 1, output: 'let go' } },
    said: [waits],
  },
];

/** Tries a case at a new root. */
export async function tryStarts({ starts, ...is }: StartCase, root: StartedRoot, gate: string): Promise<void> {
  const given: Awaited<ReturnType<StartedRoot['start']>>[] = [];
  const own = (body: CaseStart): CaseStart =>
    body.message === undefined ? body : { ...body, message: body.message.replaceAll(`"${GATE}"`, `"${gate}"`) };
  for (const { body, key, afterwards } of starts) {
    if (afterwards) {
      openGate(gate);
      await root.rested();
    }
    given.push(await root.start(own(body), key));
  }
  const shown = given.map(({ code, runId, status }, index) => {
    const same = given.findIndex((one) => runId !== undefined && one.runId === runId);
    return String(code ?? (same < index ? `same as ${same + 1}` : status));
  });
  expect(shown).toEqual(is.answers);
  openGate(gate);
  const rested = await root.rested();
  expect(rested).toMatchObject(is.status ?? {});
  if (is.state !== undefined) expect(await root.state()).toEqual(is.state);
  if (is.files !== undefined) expect(await root.files()).toMatchObject(is.files);
  if (is.said !== undefined)
    expect(await root.said()).toEqual(is.said.map((text) => own({ message: String(text) }).message));
}
