/** A run's log, read by the console's worker from a real server. */
import { afterEach, expect, it } from 'vitest';
import { Reading } from '../../../src/console/data/reading';
import type { Connection } from '../../../src/console/data/run-messages';
import { type FakeServer, fakeServer } from '../../support/fake-server';
import { deskLog } from '../../support/log';
import { deskRun } from '../cli/surroundings';

const ADDRESS = '/agents/coordinator/cedar-3f9k';
const servers: FakeServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Reads until the server refuses; a person presses "Try now" at each wait. */
async function read(server: FakeServer, token: string | undefined, look: (seen: Connection) => void) {
  const seen: string[] = [];
  const ways = new Set<string>();
  const agents = new Set<string>();
  const reading = new Reading(server.url, ADDRESS, token, () => {
    const { connection, over, outline } = reading.changes(0).message;
    ways.add(over);
    for (const { agentId } of outline.rows) agents.add(agentId);
    if (seen.at(-1) !== connection.kind) seen.push(connection.kind);
    look(connection);
    if (connection.kind === 'reconnecting') queueMicrotask(() => reading.tryNow());
  });
  await reading.follow();
  return { seen, ways: [...ways], agents: [...agents], end: reading.changes(0).message.connection };
}

it('[CN20] a log without a socket comes by server-sent events, and a page hears that it is live and signed out', async () => {
  const server = await fakeServer(deskRun());
  servers.push(server);
  server.know(ADDRESS);
  const { seen, ways, agents, end } = await read(server, 'old', ({ kind }) => {
    if (kind !== 'live') return;
    server.behaviour.token = 'new';
    server.becomes('completed', 'A report.');
  });
  expect({ seen, ways, end }).toEqual({
    seen: ['reconnecting', 'replaying', 'live', 'signed out'],
    ways: ['socket', 'sse'],
    end: { kind: 'signed out' },
  });
  expect(agents).toEqual([...new Set(deskLog().entries.map(({ chunk }) => chunk.agentId))]);
});

it('[CN20] a page hears of a refusal, with its code', async () => {
  const server = await fakeServer(deskRun());
  servers.push(server);
  const { seen, end } = await read(server, undefined, () => undefined);
  expect(seen).toEqual(['refused']);
  expect(end).toMatchObject({ kind: 'refused', status: 404, code: 'not_found' });
});
