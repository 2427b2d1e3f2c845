/**
 * What stays of a request: its receipt, by which one that is repeated gets the first acceptance again, and its entry in
 * the audit.
 *
 * Decides: what a repeated request gets, and a start that was stopped before it came.
 * Keeps A18, A19, A39, A101.
 *
 * A19. The receipt is written in the transaction of the event that it stands for.
 * A39. So is the entry of the audit: one for each request that changed something, at the object that took it.
 */

import type * as z from 'zod';
import type { ObjectRuntime } from '../engine/object/object';
import type { VerbAnswer, VerbCall } from '../engine/object/object-calls';
import { keyOwner, receiptKey } from '../engine/receipt-key';
import { IDEMPOTENCY_MS } from '../protocol/data-limits';
import { failure, OffshootError } from '../protocol/errors';
import type { Json, JsonLike, JsonObject } from '../protocol/json';
import { ANONYMOUS } from '../protocol/shown/people';
import { startAccepted } from '../protocol/wire/requests';
import { digestOf } from './content-hash';
import { addressBelow } from './locate';

/** What the audit tells of a request, beside its verb and its caller. */
export interface AuditDetail {
  /** The run that it was about. */
  readonly runId?: string | undefined;
  readonly detail?: JsonObject;
}

/**
 * What is kept of one request: its receipt and its audit entry. The writing methods are called inside the transaction of
 * the change that they stand for.
 */
export interface RequestRecord {
  /** What was answered before under this key, if anything was by now; a failure when it was to another body. */
  readonly known: VerbAnswer | undefined;
  /** Writes the receipt, where there is a key, and the entry of the audit. */
  remember(status: number, body: Json, entry?: AuditDetail): void;
  /** Writes the receipt alone: of what was accepted and changed nothing. */
  keep(status: number, body: Json): void;
  /** Writes the entry alone: of what was refused and changed something all the same. */
  note(entry?: AuditDetail): void;
}

/** Of a request that changes nothing. */
export const NO_RECORD: RequestRecord = {
  known: undefined,
  remember: () => undefined,
  keep: () => undefined,
  note: () => undefined,
};

/** Who asks, as audits and stops name them. */
export function actorOf({ caller }: Pick<VerbCall, 'caller'>): string {
  return caller === undefined || caller === '' ? ANONYMOUS : caller;
}

/** Who asks for a run, and in which trace. */
export function askedBy(call: Pick<VerbCall, 'caller' | 'traceparent'>): { actor: string; traceparent?: string } {
  const { traceparent } = call;
  return { actor: actorOf(call), ...(traceparent === undefined ? {} : { traceparent }) };
}

/** The receipt and the audit of a request at the object that takes it. */
export function requestRecordOf(object: ObjectRuntime, call: VerbCall): RequestRecord {
  const receipt = receiptOf(object, call);
  const note = (entry?: AuditDetail): void => addAudit(object, call, entry);
  return {
    get known() {
      return receipt?.known;
    },
    keep: (status, body) => receipt?.keep(status, body),
    note,
    remember(status, body, entry) {
      receipt?.keep(status, body);
      note(entry);
    },
  };
}

/**
 * What the root has answered for an agent below it: where the root acts for an agent that is at rest, the repeated request
 * may find that agent at work, which knows nothing of it.
 */
export function knownAtRoot(object: ObjectRuntime, call: VerbCall): VerbAnswer | undefined {
  if (!object.isRoot || call.path.length === 0) return undefined;
  return receiptOf(object, call)?.known;
}

function addAudit({ store, agent, environment }: ObjectRuntime, call: VerbCall, entry: AuditDetail = {}): void {
  const { runId } = entry;
  // What a root does for an agent below it is told with the address of that agent.
  const address = addressBelow(agent?.state.session.address ?? '', call.path);
  const detail: JsonObject = call.path.length === 0 ? { ...entry.detail } : { address, ...entry.detail };
  store.addAudit({
    at: environment.now(),
    actor: actorOf(call),
    action: call.verb,
    ...(runId === undefined ? {} : { runId }),
    ...(Object.keys(detail).length === 0 ? {} : { detail }),
  });
}

/** The receipt of a request that came with a key. */
function receiptOf(object: ObjectRuntime, call: VerbCall): Pick<RequestRecord, 'known' | 'keep'> | undefined {
  const { idempotencyKey, verb } = call;
  if (idempotencyKey === undefined) return undefined;
  const body = digestOf(call.input);
  // The object's own address is the same for all of its receipts.
  const key = receiptKey({ caller: keyOwner(call), below: addressBelow('', call.path), verb, idempotencyKey });
  const now = object.environment.now();
  return {
    get known() {
      return object.agent === undefined ? undefined : knownOf(object, key, body, now);
    },
    keep: (status, answer) =>
      object.store.addReceipt(key, { body, answer: { status, body: answer } }, now, IDEMPOTENCY_MS),
  };
}

/**
 * The body of the first acceptance, if the request was accepted by now. A handler that awaits something before its
 * transaction asks this again right before it, without an await in between: the same request may have come twice at once.
 * @throws OffshootError `idempotency_conflict` when the key was used for another body
 */
export function firstAcceptance<Body>({ known }: RequestRecord, schema: z.ZodType<Body>): Body | undefined {
  if (known?.ok === false) throw new OffshootError(known.error.code, known.error.message);
  return known && schema.parse(known.body);
}

/**
 * Refuses a request that has begun something at a root of this name which was deleted since: what a client repeats must
 * not begin a second time. Asks the directory, where nothing here is older than what that remembers.
 * @throws OffshootError `gone`, `unavailable` where the directory does not answer
 */
export async function refuseDeleted(object: ObjectRuntime, call: VerbCall): Promise<void> {
  const { idempotencyKey, verb, path } = call;
  const { topLevel, directory } = object.ports;
  if (idempotencyKey === undefined || topLevel === undefined || !object.isRoot || path.length > 0) return;
  const created = object.agent?.state.session.createdAt;
  if (created !== undefined && created <= object.environment.now() - IDEMPOTENCY_MS) return;
  let wasDeleted: boolean;
  try {
    const key = receiptKey({ caller: keyOwner(call), below: '', verb, idempotencyKey });
    wasDeleted = (await directory?.()?.wasDeleted(topLevel.name, key)) ?? false;
  } catch (error) {
    object.environment.report('The directory could not be asked about a deletion.', error);
    throw new OffshootError(
      'unavailable',
      'It is currently unknown whether this key was used before. Try again with the same key.',
    );
  }
  if (wasDeleted)
    throw new OffshootError(
      'gone',
      'The agent that this key started was deleted. Use a new key to start again at this address.',
    );
}

/** What stands for the body of a start that was stopped before it came; no digest is such. */
const STOPPED = 'stopped';

const startKey = ({ caller = '' }: VerbCall, idempotencyKey: string): string =>
  receiptKey({ caller, below: '', verb: 'start', idempotencyKey });

/** What is known of the caller's start under a key: the run that it began, or that it was stopped before it came. */
export function startUnder(
  object: ObjectRuntime,
  call: VerbCall,
  key: string,
): { readonly runId?: string } | undefined {
  const receipt = object.store.receipt(startKey(call, key), object.environment.now());
  if (receipt === undefined) return undefined;
  if (receipt.body === STOPPED) return {};
  const { runId } = startAccepted.parse(receipt.answer.body);
  return { runId };
}

/** The time for which the start of a run is known by its body, in ms: a run that works longer is not found by it. */
const SAME_MS = 30 * IDEMPOTENCY_MS;

const sameKey = (body: JsonLike): string =>
  receiptKey({ caller: '', below: '', verb: 'start same', idempotencyKey: digestOf(body) });

/** The acceptance of the start, by any caller, that had this body last. */
export function startWith(
  { store, environment }: ObjectRuntime,
  body: JsonLike,
): z.output<typeof startAccepted> | undefined {
  const receipt = store.receipt(sameKey(body), environment.now());
  return receipt && startAccepted.parse(receipt.answer.body);
}

/** Keeps an acceptance by the body of its start. */
export function keepStartWith({ store, environment }: ObjectRuntime, body: JsonLike, answer: JsonObject): void {
  store.addReceipt(sameKey(body), { body: '', answer: { status: 202, body: answer } }, environment.now(), SAME_MS);
}

/** From this transaction on the caller's start under that key is refused: it was stopped before it came (A101). */
export function refuseStart(object: ObjectRuntime, call: VerbCall, key: string): void {
  const receipt = { body: STOPPED, answer: { status: 409, body: null } };
  object.store.addReceipt(startKey(call, key), receipt, object.environment.now(), IDEMPOTENCY_MS);
}

function knownOf(object: ObjectRuntime, key: string, body: string, now: number): VerbAnswer | undefined {
  const receipt = object.store.receipt(key, now);
  if (receipt === undefined) return undefined;
  if (receipt.body !== body) {
    const why =
      receipt.body === STOPPED
        ? 'This start was cancelled before it arrived, and begins nothing. To start anyway, use a new key.'
        : 'This Idempotency-Key was used for another request. Use a new key for each request.';
    return { ok: false, error: failure('idempotency_conflict', why) };
  }
  const { status, body: answer } = receipt.answer;
  return { ok: true, status, body: answer };
}
