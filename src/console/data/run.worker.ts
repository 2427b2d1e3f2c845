/** Reads one run's log over a socket and reduces it, away from the page, which gets what changed 20 times a second at most. */
import { type AgentView, createClient, emptyView, Refused, reduce, type TreeView, viewFrom } from '../../client';
import { rowOf } from './outline';
import type { Connection, FromWorker, ToWorker } from './run-messages';

/** Between two patches, in ms. */
const PATCH_MS = 50;

let view: TreeView = emptyView;
let told = new Map<string, AgentView>();
let shown: AgentView | undefined;
let selected = '';
let connection: Connection = { kind: 'opening' };
let edge: number | undefined;
let anew = true;
let planned = false;

function patch(): void {
  planned = false;
  const changed = view.agents.filter((agent) => told.get(agent.agentId) !== agent);
  told = new Map(view.agents.map((agent) => [agent.agentId, agent]));
  const detail = view.agents.findLast(({ address }) => address === selected);
  const message: FromWorker = {
    ...{ connection, sequence: view.lastSequence, anew, rows: changed.map(rowOf) },
    ...(edge === undefined ? {} : { edge }),
    ...(detail === undefined || detail === shown ? {} : { detail }),
  };
  shown = detail;
  anew = false;
  postMessage(message);
}

function plan(): void {
  if (planned) return;
  planned = true;
  setTimeout(patch, PATCH_MS);
}

async function read(server: string, address: string, token: string | undefined): Promise<void> {
  const client = createClient({ baseUrl: server, ...(token === undefined ? {} : { token }) });
  const options = { over: 'socket', stay: true, giveUpMs: Number.POSITIVE_INFINITY } as const;
  for await (const event of client.follow(address, options)) {
    if (event.type === 'chunk') view = reduce(view, event.entry, 'filtered').view;
    else if (event.type === 'reset') {
      view = viewFrom(event.from);
      edge = event.from;
      told = new Map();
      anew = true;
    } else if (event.type === 'up-to-date') connection = { kind: 'live' };
    else if (event.type === 'connection')
      connection =
        event.problem === undefined ? { kind: 'replaying' } : { kind: 'reconnecting', problem: event.problem };
    plan();
  }
}

function failed(error: unknown): void {
  const known = error instanceof Refused ? error : { status: 0, code: 'unreadable', title: String(error) };
  const { status, code, title } = known;
  connection = status === 401 ? { kind: 'signed out' } : { kind: 'refused', status, code, title };
  plan();
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'open') read(data.server, data.address, data.token).catch(failed);
  else {
    selected = data.address;
    shown = undefined;
    plan();
  }
});
