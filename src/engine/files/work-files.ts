/**
 * The files that an agent works on: its own, or those of an agent above it, which does what it is asked (decision 40).
 *
 * Decides: how often the owner of shared files is asked again.
 * Keeps WS2, WS10, WS15, WS16.
 *
 * - What is done under a key is done once: its receipt is written in its transaction, at the owner of the files.
 * - Nothing is copied: bytes pass through as streams, a part at a time.
 */
import * as z from 'zod';
import { mayWorkOn } from '../../core/agent/children/workspace-owner';
import type { AgentState, ParentLink, RootLocation, Session, SessionWorkspace } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import type { FileBody, FileStore } from '../../core/ports/file-store';
import type { DoneFile, WorkFiles, WorkRemoveOptions, WorkWriteOptions } from '../../core/ports/work-files';
import { parseAddress } from '../../protocol/address';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { failure, failureOf, OffshootError } from '../../protocol/errors';
import type { JsonLike } from '../../protocol/json';
import { fileInfo } from '../../protocol/wire/shapes';
import { type Environment, pause } from '../environment';
import type { FilesAnswer, FilesAsk, FilesCall, FilesGave } from '../object/object-calls';
import { segmentOf } from '../tree-messages';

/** An owner that was not reached is asked again after these waits, in ms. */
const ASK_AGAIN_MS = [50, 200, 1_000];

/** An object, as far as its files go. */
interface FilesObject {
  readonly agent: { readonly state: Pick<AgentState, 'session' | 'children'> } | undefined;
  readonly store: Receipts;
  readonly environment: Environment;
  readonly ports: {
    readonly files: FileStore;
    askFiles(root: RootLocation, call: FilesCall): Promise<FilesAnswer>;
  };
}

/** As it is kept in a receipt. */
const doneFile: z.ZodType<DoneFile> = z.object({ file: fileInfo.optional() });

/** The files that the session of an object works on. */
export function workFilesOf(object: FilesObject, { workspace, ...session }: Session): WorkFiles {
  const { environment, ports } = object;
  if (workspace?.is !== 'inherited') return ownFiles(ports.files, object.store, environment);
  const asks = (call: FilesCall) => ports.askFiles(session.root, call);
  return inheritedFiles(workspace, session, asks, environment);
}

type Receipts = Pick<AgentStore, 'receipt' | 'addReceipt'>;

/** The agent's own files. */
function ownFiles(files: FileStore, receipts: Receipts, environment: Environment): WorkFiles {
  const nameOf = (key: string): string => JSON.stringify(['files', key]);
  const known = (key: string | undefined): DoneFile | undefined => {
    const receipt = key === undefined ? undefined : receipts.receipt(nameOf(key), environment.now());
    return receipt && doneFile.parse(receipt.answer.body);
  };
  const keep = (key: string | undefined, done: DoneFile): void => {
    if (key === undefined) return;
    // The same may have come twice at once: the later one is rolled back, and has the answer of the first.
    if (known(key)) throw new OffshootError('superseded', 'This was already done.');
    receipts.addReceipt(
      nameOf(key),
      { body: '', answer: { status: 200, body: asBody(done) } },
      environment.now(),
      IDEMPOTENCY_MS,
    );
  };
  async function once<Result>(key: string | undefined, was: (done: DoneFile) => Result, work: () => Promise<Result>) {
    const before = known(key);
    if (before) return was(before);
    try {
      return await work();
    } catch (error) {
      const meanwhile = known(key);
      if (meanwhile) return was(meanwhile);
      throw error;
    }
  }
  return {
    list: (options) => files.list(options),
    stat: (path) => files.stat(path),
    open: (path, range) => files.open(path, range),
    write(path, body, { key, ...options } = {}) {
      const work = () => files.write(path, body, { ...options, inTransaction: (file) => keep(key, { file }) });
      return once(key, ({ file }) => file ?? removed(path), work);
    },
    remove(path, { key, ...options } = {}) {
      const work = () => files.remove(path, { ...options, inTransaction: () => keep(key, {}) });
      return once(key, () => undefined, work);
    },
    done: async (key) => known(key),
  };
}

/** Plain data, as a store takes it. */
const asBody = ({ file }: DoneFile): JsonLike => (file === undefined ? {} : { file: { ...file } });

function removed(path: string): never {
  throw new OffshootError('file_changed', `The file ${path} was removed under this key.`);
}

/** The files of an agent above, which is asked for each thing. */
function inheritedFiles(
  { owner }: Extract<SessionWorkspace, { is: 'inherited' }>,
  { sessionId, address }: ParentLink,
  send: (call: FilesCall) => Promise<FilesAnswer>,
  environment: Environment,
): WorkFiles {
  const path = parseAddress(owner.address).below.map(segmentOf);
  const call = { kind: 'files', path, owner: owner.sessionId, asker: { sessionId, address } } as const;
  async function asked<Op extends Ops>(ask: Ask<Op>, bytes?: ReadableStream<Uint8Array>): Promise<Given<Op>> {
    const answer = await send({ ...call, ask, ...(bytes ? { bytes } : {}) });
    if (answer.ok && isOf(answer, ask.op)) return answer;
    if (answer.ok) throw new TypeError(`The files answered ${answer.op} to ${ask.op}.`);
    const { code, message, ...options } = answer.error;
    throw new OffshootError(code, message, options);
  }
  /** Asks again where no answer came: what is harmless to repeat. */
  async function sure<Op extends Ops>(ask: Ask<Op>): Promise<Given<Op>> {
    for (const wait of ASK_AGAIN_MS) {
      try {
        return await asked(ask);
      } catch (error) {
        if (error instanceof OffshootError) throw error;
        environment.report(`The files of ${owner.address} could not be reached.`, error);
        await pause(environment, wait);
      }
    }
    return asked(ask).catch(unreached);
  }
  /** What was done under a key, where the answer was lost. */
  async function wasDone(key: string | undefined, error: unknown): Promise<DoneFile> {
    if (error instanceof OffshootError || key === undefined) return unreached(error);
    environment.report(`The files of ${owner.address} could not be reached.`, error);
    return (await sure({ op: 'done', key })).gives ?? unreached(error);
  }
  return {
    list: async (options = {}) => (await sure({ op: 'list', options })).gives,
    stat: async (of) => (await sure({ op: 'stat', path: of })).gives,
    async open(of, range = {}) {
      const { gives, bytes } = await sure({ op: 'open', path: of, range });
      return { ...gives, body: bytes };
    },
    async write(of, body, options: WorkWriteOptions = {}) {
      try {
        const ask = { op: 'write', path: of, options: written(body, options) } as const;
        return (await asked(ask, streamOf(body))).gives;
      } catch (error) {
        return (await wasDone(options.key, error)).file ?? removed(of);
      }
    },
    async remove(of, options: WorkRemoveOptions = {}) {
      try {
        await asked({ op: 'remove', path: of, options });
      } catch (error) {
        await wasDone(options.key, error);
      }
    },
    done: async (key) => (await sure({ op: 'done', key })).gives,
  };
}

type Ops = FilesAsk['op'];
type Ask<Op extends Ops> = FilesAsk & { readonly op: Op };
type Given<Op extends Ops> = Extract<FilesGave, { readonly op: Op }>;

const isOf = <Op extends Ops>(gave: FilesGave, op: Op): gave is Given<Op> => gave.op === op;

function unreached(error: unknown): never {
  if (error instanceof OffshootError) throw error;
  throw new OffshootError(
    'unavailable',
    'The agent that owns these files could not be reached. Whether a file was changed is unknown: check before you repeat it.',
    { cause: error },
  );
}

/** What a body has besides its bytes: text has a media type of its own, which its stream does not tell. */
function written(body: FileBody, options: WorkWriteOptions): WorkWriteOptions {
  return typeof body === 'string' ? { mediaType: 'text/plain; charset=utf-8', ...options } : options;
}

/** Bytes of one piece on their way to another object. */
const PIECE = 1_048_576;

/** Bytes on their way to another object: as a stream, because a message has a limit. */
function streamOf(body: FileBody): ReadableStream<Uint8Array> {
  if (body instanceof ReadableStream) return body;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  let at = 0;
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + PIECE));
      at += PIECE;
    },
  };
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}

/** Does what an agent below asks of the files of this object's agent. */
export async function answerFiles(object: FilesObject, call: FilesCall): Promise<FilesAnswer> {
  const { agent, ports } = object;
  if (agent?.state.session.sessionId !== call.owner)
    return { ok: false, error: failure('gone', 'The agent that owned these files no longer exists.') };
  if (!mayWorkOn(agent.state, call.asker))
    return {
      ok: false,
      error: failure('gone', 'The task of this agent has ended, so it may no longer use these files.'),
    };
  try {
    return { ok: true, ...(await answered(ownFiles(ports.files, object.store, object.environment), call)) };
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

async function answered(files: WorkFiles, { ask, bytes }: FilesCall): Promise<FilesGave> {
  const { op } = ask;
  switch (op) {
    case 'list':
      return { op, gives: await files.list(ask.options) };
    case 'stat':
      return { op, gives: await files.stat(ask.path) };
    case 'open': {
      const { body, ...gives } = await files.open(ask.path, ask.range);
      return { op, gives, bytes: body };
    }
    case 'write':
      return { op, gives: await files.write(ask.path, bytes ?? new Uint8Array(0), ask.options) };
    case 'remove':
      await files.remove(ask.path, ask.options);
      return { op };
    case 'done':
      return { op, gives: await files.done(ask.key) };
    case 'has':
    case 'take':
      throw new TypeError('What goes with a message is no work on files.');
  }
}
