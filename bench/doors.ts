/** Many agents that stream at once, as three readers get them: our own stream, a chat of AI SDK UI, and AG-UI. */
import { Translation } from '../src/doors/agui/translate';
import { ChatResponse } from '../src/doors/chat/response';
import type { UiChunk } from '../src/doors/chat/ui';
import { readLog } from '../src/doors/read-log';
import type { Chunk, ChunkBody, SequencedChunk } from '../src/protocol/chunks';
import { SseParser } from '../src/protocol/wire/sse';

const ADDRESS = '/agents/lead/bench';
const DELTA = ' a few words of it';
/** Chunks come one ms after the other. */
const EACH_MS = 1;
/** Bytes of a piece of the stream: about 20 chunks, as a busy server sends them. */
const PIECE_BYTES = 4_096;

/** A reader's share of the log: bytes, and the time for all of it from the log to what the reader has. */
interface Share {
  readonly bytes: number;
  readonly ms: number;
}

/** A log, and its readers. `chatWithout`: without the snapshots of agents below. */
export interface Measured {
  readonly chunks: number;
  readonly own: Share;
  readonly agui: Share;
  readonly chat: Share;
  readonly chatWithout: Share;
}

/** A log of so many pieces of text: of children that write at once, or, without children, of the agent itself. */
function logOf(children: number, pieces: number): SequencedChunk[] {
  const log: SequencedChunk[] = [];
  const emit = (agent: number, body: ChunkBody): void => {
    const own = agent === 0 ? ADDRESS : `${ADDRESS}/sub/helper/${agent}~1`;
    const base = { agentId: `s_${agent}`, agentType: agent === 0 ? 'lead' : 'helper', address: own };
    const chunk: Chunk = { ...base, runId: `r_${agent}`, step: 1, attempt: 1, timestamp: log.length, ...body };
    log.push({ sequence: log.length + 1, chunk });
  };
  const begin = (agent: number): void => {
    emit(agent, { type: 'run_started', turn: 1, chainTurn: 1 });
    emit(agent, { type: 'step_started' });
  };
  begin(0);
  for (let child = 1; child <= children; child += 1) {
    const callId = `c_${child}`;
    emit(0, { type: 'tool_start', toolCallId: callId, toolName: 'subagent__helper', arguments: {} });
    emit(0, {
      ...{ type: 'subagent_start', subAgentType: 'helper', subSessionId: `s_${child}`, callId, childId: child },
      ...{ subAddress: `${ADDRESS}/sub/helper/${child}~1`, mode: 'ephemeral', placement: 'facet' },
      ...{ generation: 1, task: 1 },
    });
    begin(child);
  }
  for (let piece = 0; piece < pieces; piece += 1)
    emit(children === 0 ? 0 : 1 + (piece % children), { type: 'text_delta', part: 0, delta: DELTA });
  return log;
}

const encoder = new TextEncoder();

/** The log as our own stream writes it. */
function* ownBytes(log: readonly SequencedChunk[]): Generator<Uint8Array, void, void> {
  let text = 'event: up-to-date\ndata: {}\n\n';
  for (const { sequence, chunk } of log) {
    text += `id: ${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`;
    if (text.length < PIECE_BYTES) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

/** A reader of events: reads what it is sent, and counts the bytes. */
class Reader {
  readonly #parser = new SseParser();
  bytes = 0;

  take(piece: Uint8Array): void {
    this.bytes += piece.byteLength;
    for (const { data } of this.#parser.push(piece)) JSON.parse(data);
  }
}

/** Gives each chunk of the log to a door, which answers with the chunks of its protocol, and reads what it sends. */
async function throughDoor(
  log: readonly SequencedChunk[],
  made: (entry: SequencedChunk) => readonly object[],
): Promise<number> {
  const pieces = ownBytes(log);
  const bytes = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const reader = new Reader();
  for await (const event of readLog(bytes)) {
    if (event.kind !== 'chunk') continue;
    const text = made(event)
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join('');
    if (text !== '') reader.take(encoder.encode(text));
  }
  return reader.bytes;
}

const isSnapshot = (chunk: UiChunk): boolean => chunk.type === 'tool-output-available' && chunk.preliminary === true;

/** A chat that has read all that was there before; `eachMs` after each other come the chunks. */
function chatOf(eachMs: number): (entry: SequencedChunk) => readonly object[] {
  const response = new ChatResponse(ADDRESS, '', { kind: 'start' });
  response.push({ kind: 'up-to-date' }, 0);
  return ({ sequence, chunk }) => response.push({ kind: 'chunk', sequence, chunk }, sequence * eachMs);
}

/** The same where no time passes, so that no agent is shown a second time. */
function chatWithout(): (entry: SequencedChunk) => readonly object[] {
  const made = chatOf(0);
  return (entry) => made(entry).filter((chunk) => !isSnapshot(chunk as UiChunk));
}

function agui(): (entry: SequencedChunk) => readonly object[] {
  const translation = new Translation(ADDRESS, { root: 0, below: 0, state: 0 });
  return ({ sequence, chunk }) => translation.push(sequence, chunk);
}

async function timed(work: () => number | Promise<number>): Promise<Share> {
  const before = process.cpuUsage();
  const bytes = await work();
  const { user, system } = process.cpuUsage(before);
  return { bytes, ms: (user + system) / 1_000 };
}

/** Measures each reader once. */
export async function measured(children: number, pieces: number): Promise<Measured> {
  const log = logOf(children, pieces);
  return {
    chunks: log.length,
    own: await timed(() => {
      const reader = new Reader();
      for (const piece of ownBytes(log)) reader.take(piece);
      return reader.bytes;
    }),
    agui: await timed(() => throughDoor(log, agui())),
    chat: await timed(() => throughDoor(log, chatOf(EACH_MS))),
    chatWithout: await timed(() => throughDoor(log, chatWithout())),
  };
}
