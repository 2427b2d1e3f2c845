/**
 * Sending a message: seen by the next step of a working agent, the first of a new turn otherwise.
 *
 * Keeps A48, A97, DL5, CO24.
 *
 * CO24. A message to a companion that is not at work goes through its parent, which keeps it. The receipt stays at both.
 */

import type * as z from 'zod';
import type { AgentEvent } from '../../core/agent/events';
import type { NewMessage } from '../../core/agent/inbound';
import { isAtRest, waitsOf } from '../../core/agent/runs/status';
import type { AgentState, Run } from '../../core/agent/state';
import { asChild } from '../../core/tree/node';
import type { AgentRuntime } from '../../engine/agent';
import { contentGiven, type FindFile, filesIn, NO_FILES, NO_SESSION } from '../../engine/files/given-content';
import { workFilesOf } from '../../engine/files/work-files';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbCall } from '../../engine/object/object-calls';
import { keepVariables, sealVariables } from '../../engine/perform/variable-values';
import { keyOwner, receiptKey } from '../../engine/receipt-key';
import { claimRoot } from '../../engine/root/root-claims';
import { bytesOfBase64, typeProblem } from '../../protocol/content/file-bytes';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { refuse, refuseWith } from '../../protocol/errors';
import { mintId } from '../../protocol/ids';
import type { FilePart } from '../../protocol/messages';
import { sendAccepted, sendInput } from '../../protocol/wire/requests';
import { digestOf } from '../content-hash';
import { addressBelow, refuseLeaving } from '../locate';
import { checkMetadata } from '../metadata';
import { askedBy, firstAcceptance, type RequestRecord, refuseDeleted } from '../receipts';
import { againByParent, byRoute } from '../routes/by-route';
import { steered, type TreeContext } from '../verb';

type Input = z.output<typeof sendInput>;

async function contentOf({ content, attachments = [] }: Input, find: FindFile): Promise<NewMessage['content']> {
  const said = await contentGiven(content, find);
  if (attachments.length === 0) return said;
  const files = attachments.map(
    ({ mediaType, filename, base64 }): FilePart => ({
      type: 'file',
      mediaType,
      ...(filename === undefined ? {} : { filename }),
      data: base64,
    }),
  );
  return [...(typeof said === 'string' ? [{ type: 'text' as const, text: said }] : said), ...files];
}

/** Refuses a picture or PDF file that no model could take. @throws OffshootError `invalid_input` that names it */
function checkAttachments({ attachments = [] }: Input): void {
  for (const { mediaType, filename, base64 } of attachments) {
    const problem = typeProblem(mediaType, bytesOfBase64(base64));
    if (problem !== undefined)
      refuse('invalid_input', `The attachment ${filename ?? mediaType} is not accepted: ${problem}.`);
  }
}

/**
 * The content of a request, as a message of its caller.
 * @throws OffshootError `invalid_request` for metadata that is too large, `invalid_input` for a file that is broken
 */
async function saidBy(given: Input, find: FindFile): Promise<Omit<NewMessage, 'messageId'>> {
  checkMetadata(given.metadata);
  checkAttachments(given);
  return {
    role: given.role ?? 'user',
    content: await contentOf(given, find),
    from: 'caller',
    ...(given.to === undefined ? {} : { to: given.to }),
    ...(given.metadata === undefined ? {} : { metadata: given.metadata }),
  };
}

/** The files of the session of an object, which a message may name. */
function filesOf(object: ObjectRuntime): FindFile {
  const { agent } = object;
  return agent ? filesIn(workFilesOf(object, agent.state.session)) : NO_SESSION;
}

async function sendEvent(
  object: ObjectRuntime,
  given: Input,
  call: VerbCall,
): Promise<Extract<AgentEvent, { type: 'send' }>> {
  const said = await saidBy(given, filesOf(object));
  const token = object.environment.token();
  return {
    type: 'send',
    at: object.environment.now(),
    token,
    runId: mintId('run', token),
    ...askedBy(call),
    message: { messageId: mintId('message', token), ...said },
  };
}

type Accepted = z.output<typeof sendAccepted>;
type CallBefore = NonNullable<Accepted['behind']>[number];

/** The most calls before a message that its answer lists. */
const MAX_BEHIND = 20;

const callBefore = (address: string, { toolCallId, toolName, kind }: Omit<CallBefore, 'address'>): CallBefore => ({
  toolCallId,
  toolName,
  kind,
  address,
});

/** The calls of an agent itself that wait for a person. */
const ownCalls = (state: AgentState): readonly CallBefore[] =>
  waitsOf(state).pending.map((call) => callBefore(state.session.address, call));

/** What a message that was taken waits behind, where the agent rests, and what it has denied (AN8, AN9). */
function listedBefore(state: AgentState, before: readonly CallBefore[]): Pick<Accepted, 'behind' | 'denied'> {
  const now = ownCalls(state);
  const denied = before.filter(({ toolCallId }) => !now.some((one) => one.toolCallId === toolCallId));
  return {
    ...(isAtRest(state) ? { behind: now.slice(0, MAX_BEHIND) } : {}),
    ...(denied.length > 0 ? { denied } : {}),
  };
}

/** The answer to a trial. @throws OffshootError as the agent would refuse the message */
function triedAt(
  agent: AgentRuntime,
  event: Extract<AgentEvent, { type: 'send' }>,
  delivery: Accepted['delivery'],
): { readonly body: Accepted } {
  const refused = agent.whyNot(event);
  return refused ? refuseWith(refused) : { body: { messageId: event.message.messageId, delivery } };
}

function rememberSent(request: RequestRecord, body: Accepted): void {
  request.remember(202, body, { detail: { messageId: body.messageId } });
}

const NOT_AT_WORK = 'That run is no longer in progress. Omit `runId` to begin a turn with the message.';

/** Whether a run is the one that is meant, or one that resumed it. */
const isOf = ({ runId, lineage }: Run, meant: string): boolean => runId === meant || lineage.chainRunId === meant;

const ROOT_ALONE = 'Only a root accepts variables with a message: send it there.';

/** Under what the root remembers that a request was passed on to a parent: the answer may be lost with the process. */
function passedOn(call: VerbCall): string | undefined {
  const { path, verb, idempotencyKey } = call;
  if (idempotencyKey === undefined) return undefined;
  const below = addressBelow('', path);
  return receiptKey({ caller: keyOwner(call), below, verb: `${verb} by its parent`, idempotencyKey });
}

function wasPassedOn({ store, environment }: ObjectRuntime, call: VerbCall): boolean {
  const key = passedOn(call);
  return key !== undefined && store.receipt(key, environment.now()) !== undefined;
}

/** At the root, for a companion that is not at work: its parent tells it. */
async function throughParent({ tree, node, object, call, input: given, request }: TreeContext<Input>) {
  const { path, verb, idempotencyKey } = call;
  if (given.env !== undefined) refuse('owned_by_parent', ROOT_ALONE);
  const said = await saidBy(given, NO_FILES);
  const { store, environment } = object;
  const parent = tree.tree.parentOf(asChild(node))?.address ?? '';
  const name = node.address.slice(node.address.lastIndexOf('/') + 1);
  // The parent decides the rest at the message itself.
  if (call.isTrial)
    return { status: 202, body: { messageId: mintId('message', environment.token()), delivery: 'queued' as const } };
  const body = digestOf(call.input);
  const key = passedOn(call);
  // From here on it is asked for there alone: who asks again may find the companion at work with this very message.
  if (key)
    store.transaction(() =>
      store.addReceipt(key, { body, answer: { status: 202, body: null } }, environment.now(), IDEMPOTENCY_MS),
    );
  const asked =
    idempotencyKey === undefined
      ? {}
      : {
          asked: {
            key: receiptKey({ caller: keyOwner(call), below: addressBelow('', path), verb, idempotencyKey }),
            body,
          },
        };
  const reply = await object.send(parent, { type: 'tell', name, said, by: askedBy(call), ...asked });
  if (reply.answer === 'refused') refuseWith(reply.error);
  if (reply.answer === 'absent' || reply.sent === undefined)
    refuse('unavailable', 'The parent of this agent could not be reached. Try again.');
  const { sent } = reply;
  object.store.transaction(() => rememberSent(request, sent));
  return { status: 202, body: sent };
}

/** Sends a message; creates the root if it is not there. */
export const send = steered({
  name: 'send',
  method: 'POST',
  path: 'messages',
  action: 'write',
  summary:
    'Sends a message. A working agent reads it before its next step; an idle root starts a turn, an idle companion its next task.',
  status: 202,
  errors: [
    'invalid_input',
    'inbox_full',
    'run_superseded',
    'payload_too_large',
    'already_running',
    'max_children',
    'too_many_roots',
    'not_a_root',
    'terminated',
    'owned_by_parent',
    'never_began',
    'idempotency_conflict',
    'no_encryption_key',
    'unavailable',
  ],
  input: sendInput,
  output: sendAccepted,
  hasTrial: true,
  agent: {
    async handle({ agent, object, call, input: given, request }) {
      await refuseDeleted(object, call);
      if (given.env !== undefined && !object.isRoot) refuse('owned_by_parent', ROOT_ALONE);
      const variables = sealVariables(object, given.env);
      const first = firstAcceptance(request, sendAccepted);
      if (first) return { body: first };
      const event = await sendEvent(object, given, call);
      // It may have been taken while its files were looked at.
      const known = firstAcceptance(request, sendAccepted);
      if (known) return { body: known };
      const { run } = agent.state;
      const working = run?.phase === 'active';
      if (given.runId !== undefined && !(working && isOf(run, given.runId))) refuse('run_superseded', NOT_AT_WORK);
      if (call.isTrial) return triedAt(agent, event, working ? 'queued' : 'started');
      const before = ownCalls(agent.state);
      let body: Accepted = {
        messageId: event.message.messageId,
        delivery: working ? 'queued' : 'started',
      };
      const applied = agent.apply(event, ({ state }) => {
        keepVariables(object, variables);
        body = { ...body, ...listedBefore(state, before) };
        rememberSent(request, body);
      });
      if (!applied.ok) refuseWith(applied.refused);
      return { body };
    },
    // The agent knows its own calls, the root those below it; a remote agent reports both.
    complete: ({ tree, node }, reply) => {
      const { behind, ...rest } = sendAccepted.parse(reply);
      if (behind === undefined) return rest;
      const below = tree.pending(node).filter((one) => one.node.id !== node.id);
      const all = [
        ...behind,
        ...below.map(({ node: { address }, item }) => callBefore(item.at?.address ?? address, item)),
      ];
      return all.length === 0 ? rest : { ...rest, behind: all.slice(0, MAX_BEHIND) };
    },
  },
  async here({ object, call, input: given, request }) {
    if (given.runId !== undefined) refuse('run_superseded', NOT_AT_WORK);
    refuseLeaving(object);
    await refuseDeleted(object, call);
    const event = await sendEvent(object, given, call);
    const custom = await object.firstState();
    if (!custom.ok) refuseWith(custom.error);
    if (call.isTrial) return { body: { messageId: event.message.messageId, delivery: 'started' as const } };
    const variables = sealVariables(object, given.env);
    const known = firstAcceptance(request, sendAccepted);
    if (known) return { body: known };
    const claim = await claimRoot(object, call);
    // Creating the session would wait for this, after the last look at the receipt.
    await object.parts.clear();
    refuseLeaving(object);
    const first = firstAcceptance(request, sendAccepted);
    if (first) return { body: first };
    // Another request may have created it in the meantime: then this message goes to the same session.
    const session = object.agent?.state.session ?? object.newRootSession({ tags: [], ...(claim ? { claim } : {}) });
    const delivery = object.agent?.state.run?.phase === 'active' ? ('queued' as const) : ('started' as const);
    const body = { messageId: event.message.messageId, delivery };
    const applied = await object.create(session, custom.json, event, () => {
      keepVariables(object, variables);
      rememberSent(request, body);
    });
    if (!applied.ok) refuseWith(applied.refused);
    return { body };
  },
  root: { throughParent },
  async steer(ways, object, call) {
    const here = call.path.length === 0;
    const creates = here && (object.agent === undefined || object.tree?.self()?.top?.removing !== undefined);
    if (creates) return ways.here();
    const routed = { object, call, verb: 'send' } as const;
    const takers = { agent: () => ways.agent(), parent: () => ways.root('throughParent') };
    return wasPassedOn(object, call) ? againByParent(routed, takers) : byRoute(routed, takers);
  },
});
