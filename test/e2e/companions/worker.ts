/**
 * A root that has companions in every state at once: at work, with messages on their way, idle, waiting for a person, paused,
 * ended for good, and one that itself waits for a companion of its own; then one that is copied with that, and one that is
 * kept for the run alone. Another root copies a companion that has many below it.
 */
import { z } from 'zod';
import { defineAgent, defineTool } from '../../../src/index';
import type { ScriptRequest, ScriptStep } from '../../../src/model/script';
import { routingScriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';

/** So that a kill finds something under way, in ms. */
const PACE = { delayMs: 40 };
/** How long the root waits for the one that waits for a person, in ms. */
const WAIT_MS = 400;
const systemPrompt = 'Do what you are told.';

const work = defineTool({
  name: 'work',
  description: 'Does a piece of work.',
  inputSchema: z.object({}),
  replay: 'safe',
  execute: () => 'done',
});
const announce = defineTool({
  name: 'announce',
  description: 'Announces, once a person agrees.',
  inputSchema: z.object({}),
  requireApproval: true,
  replay: 'safe',
  execute: () => 'announced',
});

const call = (tool: string, input: { [key: string]: string | number | boolean | string[] }) => ({
  name: `companion__${tool}`,
  input,
});
const spawn = (name: string, initialMessage: string, mode: 'blocking' | 'non-blocking' = 'non-blocking') =>
  call('spawnAgent', { agent: name === 'lead' ? 'lead' : 'scout', name, initialMessage, mode });
const send = (name: string, message: string, wait = false) => call('sendMessage', { name, message, wait });

const BOSS: readonly ScriptStep[] = [
  {
    calls: [
      spawn('idle', 'i1', 'blocking'),
      spawn('busy', 'b1'),
      spawn('asks', 'a1'),
      spawn('lead', 'l1'),
      spawn('paused', 'p1'),
      spawn('doomed', 'd1'),
    ],
  },
  {
    calls: [
      send('idle', 'i2'),
      send('busy', 'b2'),
      send('busy', 'b3'),
      send('asks', 'a2'),
      call('stopChild', { name: 'paused', how: 'pause' }),
      call('terminateChild', { name: 'doomed' }),
    ],
  },
  { calls: [call('waitForResult', { name: 'asks', timeout: WAIT_MS })] },
  { calls: [send('idle', 'i3', true), send('lead', 'l2'), send('paused', 'p2', true)] },
  { calls: [call('waitForResult', { names: ['idle', 'busy', 'asks', 'lead', 'paused'] })] },
  {
    calls: [
      call('forkChild', { name: 'lead', newName: 'twin', message: 'f1' }),
      call('spawnAgent', { agent: 'scout', name: 'brief', initialMessage: 'g1', mode: 'blocking', retention: 'run' }),
    ],
  },
  { text: 'Done.' },
];

/** What it was told so far, in order. */
const told = ({ prompt }: ScriptRequest): string[] =>
  prompt.flatMap((message) => {
    if (message.role !== 'user') return [];
    const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return /^[a-z][0-9]$/.test(text) ? [text] : [];
  });
const hasWorked = ({ prompt }: ScriptRequest): boolean => prompt.some(({ role }) => role === 'tool');

/** The first letter of what it was told first says what a scout is like. */
function scout(request: ScriptRequest): ScriptStep {
  const texts = told(request);
  const answer = { text: texts.join(' '), ...PACE };
  const works = { calls: [{ name: 'work', input: {} }], ...PACE };
  switch (texts[0]?.[0]) {
    case 'a':
      return hasWorked(request) ? answer : { calls: [{ name: 'announce', input: {} }], ...PACE };
    case 'b':
      // At work until it has every message, however long that takes: nothing of it begins another task.
      return texts.length < 3 ? works : answer;
    case 'd':
      return { hang: 'until-aborted' };
    case 'p':
      return texts.includes('p2') ? answer : { hang: 'until-aborted' };
    default:
      return request.step === 1 ? works : answer;
  }
}

/** What lies below the companion that is copied with many. */
const MANY = Array.from({ length: 16 }, (_, at) => `k${at + 10}`);

/** Begins a lead of many, copies it, and tells both more. */
const PATRON: readonly ScriptStep[] = [
  { calls: [call('spawnAgent', { agent: 'lead', name: 'wide', initialMessage: 'w1', mode: 'blocking' })] },
  { calls: [call('forkChild', { name: 'wide', newName: 'twin', message: 'w2', mode: 'blocking' })] },
  { calls: [send('wide', 'w3', true)] },
  { text: 'Done.' },
];

function leadOfMany(request: ScriptRequest): ScriptStep {
  const texts = told(request);
  if (request.step > 1) return { text: texts.join(' ') };
  const message = `q${texts.at(-1)?.[1]}`;
  return {
    calls: MANY.map((name) => (texts.length > 1 ? send(name, message, true) : spawn(name, message, 'blocking'))),
  };
}

function lead(request: ScriptRequest): ScriptStep {
  if (told(request)[0]?.[0] === 'w') return leadOfMany(request);
  if (request.step > 1) return { text: told(request).join(' '), ...PACE };
  return { calls: [hasWorked(request) ? send('deep', 'q2', true) : spawn('deep', 'q1', 'blocking')], ...PACE };
}

const model = routingScriptedModel(
  {
    boss: ({ step }) => ({ ...BOSS[step - 1], ...PACE }),
    patron: ({ step }) => ({ ...PATRON[step - 1] }),
    lead,
    scout,
  },
  { record: false },
);

/** One that waits for its messages takes a step for each pace of it, also while its server comes back. */
const limits = { maxSteps: 2_000 };
const scoutAgent = defineAgent({ name: 'scout', systemPrompt, model, tools: [work, announce], root: false, limits });
const leadAgent = defineAgent({
  name: 'lead',
  systemPrompt,
  model,
  root: false,
  persistentAgents: [{ agent: scoutAgent }],
});
const boss = defineAgent({
  name: 'boss',
  systemPrompt,
  model,
  persistentAgents: [{ agent: scoutAgent }, { agent: leadAgent }],
});

const patron = defineAgent({ name: 'patron', systemPrompt, model, persistentAgents: [{ agent: leadAgent }] });

export class Scout extends AgentObject.of(scoutAgent) {}
export class Lead extends AgentObject.of(leadAgent) {}
export class Boss extends AgentObject.of(boss) {}
export class Patron extends AgentObject.of(patron) {}
export { OffshootDirectory };

export default createWorker({ agents: [Boss, Patron, Lead, Scout] });
