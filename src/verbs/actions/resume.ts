/**
 * Going on with an interrupted run, and trying a failed one again.
 *
 * Keeps A33, A63, RS1, RS4.
 *
 * A33. What was interrupted below the root goes on through its parent, which waits for its result: only so is the result
 *      of the next run the one that the parent takes.
 */

import type * as z from 'zod';
import { keyOf } from '../../core/agent/children/child';
import type { NewMessage } from '../../core/agent/inbound';
import { statusOf } from '../../core/agent/runs/status';
import { asChild, type ChildNode, isLive, type TreeNode } from '../../core/tree/node';
import { answerOfParent, GONE } from '../../core/tree/verbs/by-parent';
import { interruptedBelow, waitsForPerson } from '../../core/tree/verbs/controls';
import { withStanding } from '../../core/tree/verbs/route';
import { contentGiven, type FindFile, filesIn, NO_FILES } from '../../engine/files/given-content';
import { workFilesOf } from '../../engine/files/work-files';
import { type Failure, failure, refuse, refuseWith } from '../../protocol/errors';
import { childRunId, mintId } from '../../protocol/ids';
import { resumeAccepted, resumeInput, sendAccepted } from '../../protocol/wire/requests';
import { askedBy, firstAcceptance } from '../receipts';
import { byRoute } from '../routes/by-route';
import { type AgentContext, type Answer, steered, type TreeContext } from '../verb';
import { decide } from './failed-child';
import { send } from './send';

type Input = z.output<typeof resumeInput>;

type Output = z.output<typeof resumeAccepted>;

/** The reply of the agent: one below the root does not know the log. */
const replied = resumeAccepted.extend({ streamUrl: resumeAccepted.shape.streamUrl.exactOptional() });

type Reply = z.output<typeof replied>;

const streamUrl = (address: string, from: number): string => `${address}/stream?from=${from}`;

const contentFor = ({ message }: Input, find: FindFile): Promise<NewMessage['content']> | undefined =>
  message === undefined ? undefined : contentGiven(message, find);

/** At the agent whose run it is. */
async function continueRun(type: 'resume' | 'retry', context: AgentContext<Input>): Promise<Answer<Reply>> {
  const { agent, object, input: given, request, call } = context;
  const { environment } = object;
  const { sessionId, address, parent } = agent.state.session;
  const content = await contentFor(given, filesIn(workFilesOf(object, agent.state.session)));
  const known = firstAcceptance(request, replied);
  if (known) return { body: known };
  if (parent && agent.state.run?.phase !== 'active')
    refuse('superseded', 'This agent has just ended. Read its status, and try again.');
  const token = environment.token();
  const message: NewMessage | undefined =
    content === undefined ? undefined : { messageId: mintId('message', token), role: 'user', content, from: 'caller' };
  const facts = { at: environment.now(), token, runId: mintId('run', token), ...askedBy(call) };
  const url = object.tree ? { streamUrl: streamUrl(address, object.tree.log.last + 1) } : {};
  let body: Reply = { sessionId, address, status: 'running', ...url };
  const applied = agent.apply({ type, ...facts, ...(message ? { message } : {}) }, () => {
    const { run } = agent.state;
    const named = message ? { messageId: message.messageId } : {};
    body = { ...body, ...(run ? { runId: run.runId } : {}), status: statusOf(agent.state), ...named };
    request.remember(202, body, { runId: run?.runId });
  });
  return applied.ok ? { body } : refuseWith(applied.refused);
}

/** How long a message waits for its agent to begin, in ms. */
const BEGIN_MS = 10_000;

/** Lets the parent go on with its child; gives back why it does not. */
async function askParent({ object, tree }: TreeContext<Input>, node: ChildNode): Promise<Failure | undefined> {
  const parent = tree.tree.parentOf(node)?.address ?? '';
  const reply = await object.send(parent, { type: 'child_resume', task: keyOf(node) });
  if (reply.answer === 'done') return undefined;
  const now = tree.tree.get(node.id);
  const said = reply.answer === 'refused' ? reply.error : GONE.resume;
  const answer = answerOfParent(tree.tree, node, { ask: 'resume', said, ...(now ? { now } : {}) });
  if (answer === true) return undefined;
  return now ? withStanding(now, answer) : answer;
}

async function resumeChild(context: TreeContext<Input>): Promise<Answer<Output>> {
  const { tree, node, input: given, request, object } = context;
  const { sessionId, address, lastChunk } = node;
  const url = streamUrl(address, tree.log.last + 1);
  const refused = await askParent(context, asChild(node));
  if (refused) refuseWith(refused);
  const sent = given.message === undefined ? {} : await sendOnceBegun(context, lastChunk, given.message);
  const now = tree.tree.get(node.id) ?? node;
  const status = statusSince(lastChunk, now);
  const body: Output = { sessionId, address, status, streamUrl: url, ...sent };
  object.store.transaction(() => request.remember(202, body));
  return { body };
}

/** How a child stands that was let go on when the log held so many chunks of it: between two runs it waits for its slot. */
function statusSince(lastChunk: number, now: TreeNode): TreeNode['status'] {
  return now.lastChunk === lastChunk && !isLive(now) ? 'queued' : now.status;
}

async function sendOnceBegun(
  context: TreeContext<Input>,
  lastChunk: number,
  content: NonNullable<Input['message']>,
): Promise<{ messageId?: string }> {
  const { tree, node } = context;
  const begun = await tree.until(() => (tree.tree.get(node.id)?.lastChunk ?? 0) > lastChunk, BEGIN_MS);
  return begun ? sendTo(context, content) : {};
}

async function sendTo(
  { object, call }: TreeContext<Input>,
  content: NonNullable<Input['message']>,
): Promise<{ messageId?: string }> {
  const { path, caller } = call;
  const reply = await send.answer(object, {
    kind: 'verb',
    verb: send.name,
    path,
    input: { content },
    ...(caller === undefined ? {} : { caller }),
  });
  return reply.ok ? { messageId: sendAccepted.parse(reply.body).messageId } : {};
}

const complete = ({ tree }: TreeContext<Input>, reply: Reply): Output => ({
  streamUrl: streamUrl(reply.address, tree.log.last + 1),
  ...reply,
});

/** For an agent that waits itself for nothing but what was interrupted further below. */
async function resumeBelow(context: TreeContext<Input>): Promise<Answer<Output>> {
  const { tree, node, input: given, request, object } = context;
  const found = interruptedBelow(tree.tree, node);
  const { run } = node.kind === 'root' ? (object.agent?.state ?? {}) : {};
  if (found.length === 0) {
    const waits = waitsForPerson(tree.tree, node);
    refuseWith(
      run
        ? failure(waits.code, waits.message, false, { status: node.status, runId: run.runId })
        : withStanding(node, waits),
    );
  }
  const url = streamUrl(node.address, tree.log.last + 1);
  const refusals = await Promise.all(found.map((below) => askParent(context, below)));
  const [first] = refusals;
  if (first && refusals.every((refusal) => refusal !== undefined)) refuseWith(first);
  const sent = given.message === undefined ? {} : await sendTo(context, given.message);
  const now = tree.tree.get(node.id) ?? node;
  const { sessionId, address } = node;
  const ofRun = run ? { runId: run.runId } : {};
  const body: Output = { sessionId, address, status: now.status, streamUrl: url, ...ofRun, ...sent };
  object.store.transaction(() => request.remember(202, body, ofRun));
  return { body };
}

/** Lets a sub-agent try again that failed, through its parent, which waits for it. */
async function retryChild({ tree, node, input: given, request, object }: TreeContext<Input>): Promise<Answer<Output>> {
  const child = asChild(node);
  const { sessionId, address, lastChunk, runNumber } = child;
  const content = await contentFor(given, NO_FILES);
  const messageId = mintId('message', object.environment.token());
  const message: NewMessage | undefined =
    content === undefined ? undefined : { messageId, role: 'user', content, from: 'caller' };
  const url = streamUrl(address, tree.log.last + 1);
  const said = (await decide(object, child, 'retry', message)) ?? true;
  const answer = answerOfParent(tree.tree, child, { ask: 'retry', said });
  if (answer !== true) refuseWith(answer);
  const now = tree.tree.get(node.id) ?? node;
  const status = statusSince(lastChunk, now);
  const runId = childRunId(sessionId, runNumber + 1);
  const body: Output = { sessionId, address, status, streamUrl: url, runId, ...(message ? { messageId } : {}) };
  object.store.transaction(() => request.remember(202, body, { runId }));
  return { body };
}

/** What the two verbs have in common. */
const facts = {
  method: 'POST',
  action: 'write',
  status: 202,
  input: resumeInput,
  output: resumeAccepted,
  http: { links: ['streamUrl'] },
} as const;

/** Resumes an interrupted run. */
export const resume = steered({
  ...facts,
  name: 'resume',
  path: 'resume',
  summary: 'Resumes an interrupted run where it stopped, with the interrupted agents below it.',
  errors: [
    'invalid_input',
    'not_resumable',
    'already_running',
    'awaiting_input',
    'terminated',
    'owned_by_parent',
    'superseded',
    'idempotency_conflict',
    'unavailable',
  ],
  agent: { handle: (context) => continueRun('resume', context), complete },
  root: { throughParent: resumeChild, furtherBelow: resumeBelow },
  steer: (ways, object, call) =>
    byRoute(
      { object, call, verb: 'resume' },
      {
        agent: () => ways.agent(),
        parent: () => ways.root('throughParent'),
        record: () => ways.root('furtherBelow'),
      },
    ),
});

/** Retries a failed run. */
export const retry = steered({
  ...facts,
  name: 'retry',
  path: 'retry',
  summary: 'Retries a failed run from the failed step; recorded results are kept.',
  errors: [
    'invalid_input',
    'not_retryable',
    'already_running',
    'awaiting_input',
    'terminated',
    'owned_by_parent',
    'idempotency_conflict',
  ],
  agent: { handle: (context) => continueRun('retry', context), complete },
  root: { throughParent: retryChild },
  steer: (ways, object, call) =>
    byRoute({ object, call, verb: 'retry' }, { agent: () => ways.agent(), parent: () => ways.root('throughParent') }),
});
