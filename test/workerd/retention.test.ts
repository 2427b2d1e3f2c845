/** Companions that are kept with a run, ended by a person while they rest, or let read each other, as facets. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import { address, get, post, send } from '../support/api';
import { asks, type PuppetStep, told } from '../support/puppet';
import { noted } from '../support/told';
import { items } from './standing';

const asked = (tool: string, input: JsonObject): PuppetStep => asks([`companion__${tool}`, input]);

async function turn(at: string, ...steps: PuppetStep[]): Promise<void> {
  const { body } = await post(`${at}/start`, { message: told(...steps), wait: true });
  expect(body).toMatchObject({ status: 'completed' });
}

const inputs = (...texts: string[]): string[] => texts.map((text) => JSON.stringify({ text }));
const notes = async (of: string) => (await items(`${of}/calls`)).map(({ input }) => JSON.stringify(input));
const spawn = (name: string, text: string, more: JsonObject = {}): PuppetStep =>
  asked('spawnAgent', { agent: 'leaf', name, initialMessage: told(noted(text)), ...more });

it('[CR1, CR2, CR4] a companion of one run is gone with its store after that, and its name begins afresh', async () => {
  const at = address('tiny');
  const [ada, ben] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/ben`];
  await turn(at, spawn('ada', 'first', { retention: 'run' }), spawn('ben', 'first'));
  await vi.waitFor(async () => expect((await get(`${ada}/status`)).status).toBe(404), { interval: 5 });
  expect((await items(`${at}/children`)).map(({ name }) => name)).toEqual(['ben']);
  expect(await notes(ben)).toEqual(inputs('first'));

  await abortAllDurableObjects();
  await turn(at, spawn('ben', 'second'), spawn('ada', 'second'));
  expect([await notes(ada), await notes(ben)]).toEqual([inputs('second'), inputs('first', 'second')]);
  // One that stays now, and one whose next turn takes it along.
  await turn(at, spawn('ada', 'third', { retention: 'run' }));
  await vi.waitFor(async () => expect((await get(`${ada}/status`)).status).toBe(404), { interval: 5 });
});

it('[CO30] a companion that a person ends for good while it rests, or deletes, is known to be so', async () => {
  const at = address('tiny');
  const [ada, ben] = [`${at}/sub/leaf/ada`, `${at}/sub/leaf/ben`];
  await turn(at, spawn('ada', 'first'), spawn('ben', 'first'));
  for (const status of [202, 200]) expect((await post(`${ada}/terminate`, {})).status).toBe(status);
  expect((await send(ben, { method: 'DELETE' })).status).toBe(204);
  const message = told(noted('second'));
  await turn(
    at,
    asked('listChildren', {}),
    asked('sendMessage', { name: 'ada', message }),
    asked('sendMessage', { name: 'ben', message }),
    spawn('ada', 'third'),
  );
  const results = (await items(`${at}/calls`)).map((call) => JSON.stringify({ ...call, input: null })).slice(2);
  expect(results[0]).toContain('"status":"terminated"');
  expect(results[0]).not.toContain('"ben"');
  expect(results[1]).toContain('"code":"terminated"');
  expect(results[2]).toContain('"code":"not_found"');
  expect(results[3]).toContain('"status":"completed"');
  expect(await notes(ada)).toEqual(inputs('third'));
  const { body } = await get(`${at}/messages`);
  const texts = JSON.stringify(body).match(/The sub-agent \w+ was [^":]+/g);
  expect(texts).toEqual([
    'The sub-agent ada was terminated while it was idle',
    'The sub-agent ben was deleted while it was idle',
  ]);
});

it('[RG2, RG3] a companion reads another one and its parent while its task lets it', async () => {
  const at = address('courier');
  const ada = `${at}/sub/bearer/ada`;
  const bearer = (name: string, text: PuppetStep[], more: JsonObject = {}): PuppetStep =>
    asked('spawnAgent', { agent: 'bearer', name, initialMessage: told(...text), ...more });
  const reads = (what: string, more: JsonObject = {}): PuppetStep => asks(['__read__', { what, ...more }]);
  await turn(at, bearer('ben', [asks(['workspace_write_file', { path: 'a.md', content: 'Bees.' }])]));
  const all = [reads('file', { of: 'ben', path: 'a.md' }), reads('messages', { of: 'ben' }), reads('files')];
  await turn(at, bearer('ada', all, { reads: ['ben'], readsMe: true }), bearer('ada', [reads('files', { of: 'ben' })]));
  const found = (await items(`${ada}/calls`)).map((call) => JSON.stringify({ ...call, input: null }));
  expect(found).toHaveLength(4);
  expect(found[0]).toContain('"text":"Bees."');
  expect(found[1]).toContain('workspace_write_file');
  expect(found[2]).toContain('"items":[]');
  expect(found[3]).toContain('"forbidden"');
});
