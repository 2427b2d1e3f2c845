/**
 * Signed tokens for a part of a tree, and tickets for sockets: made, listed and taken back at the root, which alone keeps
 * what is known of them. Their text is given once and kept nowhere.
 *
 * Decides: how many tokens a root gives, who may make one, and how long a ticket counts.
 *
 * TK6. Who makes one must have every right that it gives, and it ends with the token that it was made by.
 * TK7. A root has given at most 1,000 that may still count, of which each holder has a share (X34).
 */
import * as z from 'zod';
import { secretsOf } from '../access/auth';
import { type Claims, signed } from '../access/signed';
import type { GivenToken } from '../core/ports/tree-store';
import { mayHold } from '../core/tree/root-claims';
import type { ObjectRuntime } from '../engine/object/object';
import { isWithin } from '../protocol/address';
import { PAGE_LIMITS } from '../protocol/data-limits';
import { refuse } from '../protocol/errors';
import type { JsonLike } from '../protocol/json';
import { listedToken } from '../protocol/wire/readings';
import { ticketInput, tokenGiven, tokenInput } from '../protocol/wire/requests';
import * as shape from '../protocol/wire/shapes';
import { digestOf } from './content-hash';
import { actorOf } from './receipts';
import { holderOf } from './token-use';
import { fromTree, type TreeContext } from './verb';

/** So many of one root may count at once. */
export const MAX_TOKENS = 1_000;
/** So many are known of one root, those included that were taken back: they stay known until their time is up. */
const MAX_KNOWN = 10_000;
/** A ticket opens a socket within 60 s of being made, in ms. */
const TICKET_MS = 60_000;
/** The right of a socket that a ticket opened ends after a day at the latest, in ms. */
const TICKET_RIGHT_MS = 86_400_000;

type Made = Pick<GivenToken, 'actions' | 'toolCallId' | 'label' | 'ticket'>;
type Given = z.output<typeof tokenGiven>;

/** The same for a request that is repeated with its key: the text is made anew from what is kept, and is the same. */
function idOf({ object, tree, node, call }: TreeContext<unknown>): string {
  const { caller = '', verb, idempotencyKey } = call;
  if (idempotencyKey === undefined) return `t_${object.environment.token()}`;
  return `t_${digestOf([tree.self()?.sessionId ?? '', caller, node.address, verb, idempotencyKey]).slice(0, 22)}`;
}

/** The text of a token, from what is kept of it. A ticket opens a socket for a shorter time than that one's right lasts. */
async function textOf({ object }: TreeContext<unknown>, token: GivenToken): Promise<Given> {
  const { id, address, actions, toolCallId, createdAt, endsAt, ticket } = token;
  const expiresAt = ticket === undefined ? endsAt : Math.min(endsAt, createdAt + TICKET_MS);
  const claims: Claims = {
    ...{ id, at: address, may: [...actions], exp: expiresAt },
    ...(toolCallId === undefined ? {} : { call: toolCallId }),
    ...(ticket === undefined ? {} : { until: endsAt }),
  };
  const text = await signed(claims, secretsOf(object.environment.bindings).signingKey);
  return { token: text, id, expiresAt };
}

/** True for a token that may still count. A ticket that opened no socket in time never will; an open socket is counted as a socket. */
function counts({ revokedAt, endsAt, ticket, createdAt }: GivenToken, now: number): boolean {
  if (revokedAt !== undefined || ticket === 'opened') return false;
  return ticket === undefined ? endsAt > now : createdAt + TICKET_MS > now;
}

/** True once nobody has to know a token: its text is refused by its own time. A ticket that opened a socket goes with it. */
const isOver = (token: GivenToken, now: number): boolean =>
  token.endsAt <= now || (token.ticket === 'new' && !counts(token, now));

/** Keeps what is known of a token, and gives its text: the row is there before anybody has the text. */
async function give(context: TreeContext<JsonLike>, made: Made, ms: number): Promise<Given> {
  const { object, tree, node, call, request, input } = context;
  const { store } = tree.deps;
  const now = object.environment.now();
  const id = idOf(context);
  const asked = digestOf(input);
  const known = store.token(id);
  if (known !== undefined && known.asked !== asked) refuse('idempotency_conflict');
  if (known !== undefined) return textOf(context, known);
  const given: GivenToken = {
    ...made,
    ...{ id, asked, address: node.address, createdAt: now, createdBy: actorOf(call) },
    holder: holderOf(object, { caller: actorOf(call), token: call.token }),
    ...(call.token ? { madeBy: call.token.id } : {}),
    endsAt: Math.min(now + ms, call.token?.endsAt ?? Number.POSITIVE_INFINITY),
  };
  const text = await textOf(context, given);
  object.store.transaction(() => {
    const all = store.tokens();
    store.dropTokens(all.filter((one) => isOver(one, now)).map((one) => one.id));
    const kept = all.filter((one) => !isOver(one, now));
    const holders = kept.filter((one) => counts(one, now)).map((one) => one.holder);
    if (kept.length >= MAX_KNOWN || !mayHold(MAX_TOKENS, holders, given.holder))
      refuse(
        'too_many_tokens',
        `You hold ${holders.filter((one) => one === given.holder).length} of the ${MAX_TOKENS} tokens of this root, and none is free for you. Revoke unused ones.`,
      );
    store.putToken(given);
    request.note({ detail: { token: id, actions: [...made.actions], ...pick(made.toolCallId) } });
  });
  return text;
}

const pick = (toolCallId: string | undefined) => (toolCallId === undefined ? {} : { toolCallId });

/** The call that a token is for must wait for a person there. */
function checkCall({ tree, node }: TreeContext<unknown>, toolCallId: string): void {
  if (tree.ownerOf(toolCallId, node.address) === undefined)
    refuse('unknown_tool_call', `No pending call at or below ${node.address} has the id "${toolCallId}".`);
}

/** Makes a token. */
export const createToken = fromTree({
  name: 'createToken',
  method: 'POST',
  path: 'tokens',
  action: 'share',
  also: (address, input) => tokenInput.parse(input).actions.map((action) => ({ address, action })),
  summary:
    'Creates a signed token for the agent and all below it, with permissions that the caller has; with `toolCallId`, for that call only.',
  status: 201,
  errors: ['signing_not_configured', 'too_many_tokens', 'unknown_tool_call', 'idempotency_conflict'],
  input: tokenInput,
  output: tokenGiven,
  async handle(context) {
    const { actions, ttlSeconds, toolCallId, label } = context.input;
    if (toolCallId !== undefined) checkCall(context, toolCallId);
    const made = { actions: [...new Set(actions)], ...pick(toolCallId), ...(label === undefined ? {} : { label }) };
    return { body: await give(context, made, ttlSeconds * 1_000) };
  },
});

/** Makes a ticket. */
export const createTicket = fromTree({
  name: 'createTicket',
  method: 'POST',
  path: 'tickets',
  action: 'read',
  also: (address, input) => (ticketInput.parse(input).actions ?? []).map((action) => ({ address, action })),
  summary:
    'Creates a ticket that opens one socket at the agent within 60 s. Send it as the URL parameter `ticket`, or next to `offshoot` in the protocols. It has the `read` permission, or those `actions` that the caller also has.',
  status: 201,
  errors: ['signing_not_configured', 'too_many_tokens', 'idempotency_conflict'],
  input: ticketInput,
  output: tokenGiven,
  async handle(context) {
    const actions = [...new Set(['read' as const, ...(context.input.actions ?? [])])];
    return { body: await give(context, { actions, ticket: 'new' }, TICKET_RIGHT_MS) };
  },
});

function shown({
  endsAt,
  ticket,
  madeBy: _madeBy,
  asked: _asked,
  holder: _holder,
  actions,
  ...facts
}: GivenToken): z.output<typeof listedToken> {
  return { ...facts, actions: [...actions], expiresAt: endsAt, ticket: ticket !== undefined };
}

/** Those of an agent and below it that are known. */
function below({ tree }: ObjectRuntime, address: string): GivenToken[] {
  return (tree?.deps.store.tokens() ?? []).filter((token) => isWithin(token.address, address));
}

/** Which there are. */
export const tokens = fromTree({
  name: 'tokens',
  method: 'GET',
  path: 'tokens',
  action: 'share',
  summary: 'The tokens and tickets for the agent and all below it, by id; never their text.',
  status: 200,
  errors: [],
  input: shape.pageInput,
  output: shape.pageOf(listedToken),
  handle({ object, node, input: { cursor = '', limit = PAGE_LIMITS.size } }) {
    const rest = below(object, node.address).filter(({ id }) => id > cursor);
    const items = rest.slice(0, limit).map(shown);
    const last = items.at(-1);
    return { body: rest.length > items.length && last ? { items, cursor: last.id } : { items } };
  },
});

/** Takes one back. */
export const revokeToken = fromTree({
  name: 'revokeToken',
  method: 'DELETE',
  path: 'tokens/{path}',
  action: 'share',
  summary: 'Revokes a token by its id, together with the tokens made with it, and closes the sockets that it opened.',
  status: 204,
  errors: ['not_found'],
  input: z.strictObject({ path: z.string().min(1).max(64) }),
  output: shape.nothing,
  handle({ object, tree, node, request, input: { path: id } }) {
    const token = below(object, node.address).find((one) => one.id === id);
    if (token === undefined) refuse('not_found', `There is no token "${id}" for ${node.address}.`);
    const { store } = tree.deps;
    object.store.transaction(() => {
      store.putToken({ ...token, revokedAt: token.revokedAt ?? object.environment.now() });
      request.remember(204, {}, { detail: { token: id } });
    });
    object.ports.revoked?.();
    return { body: {} };
  },
});
