/**
 * A chat's transport that asks by the client of its page.
 *
 * RH13. A completed answer is made again at a copy of the agent, where the chat continues: the agent keeps its own.
 */
import { DefaultChatTransport, type UIMessage } from 'ai';
import type { Client } from '../client/client';
import { Refused } from '../client/errors';
import { beginningOf } from '../protocol/content/cut';

/** The last part of an address. */
export const nameAt = (address: string): string => address.slice(address.lastIndexOf('/') + 1);

/** Characters of a name that its copies keep. */
const KEPT_NAME = 100;
/** Pages of the log that are looked through for the step before an answer. */
const MAX_PAGES = 20;

/** An address beside that of a root, which nobody has. */
function addressBeside(address: string): string {
  const kept = beginningOf(nameAt(address).replace(/-again-[0-9a-f]{8}$/, ''), KEPT_NAME);
  const [token = ''] = crypto.randomUUID().split('-');
  return `${address.slice(0, address.lastIndexOf('/') + 1)}${kept}-again-${token}`;
}

/** The last step of an agent before a sequence: undefined for none, null where the log does not say. */
async function stepBefore(client: Client, address: string, sequence: number): Promise<string | undefined | null> {
  let before: number | undefined = sequence;
  for (let page = 0; page < MAX_PAGES && before !== undefined && before > 1; page += 1) {
    const found = await client.chunks(address, { types: ['step_committed'], before, limit: 500 });
    const step = found.items.findLast(({ chunk }) => chunk.address === address)?.chunk;
    if (step?.type === 'step_committed') return step.checkpointId;
    if (found.previous === undefined) return found.first > 1 ? null : undefined;
    before = found.previous;
  }
  return before === undefined || before <= 1 ? undefined : null;
}

/** A copy of a root without its last answer; undefined where that is not completed, or cannot be copied so. */
async function copyBefore(client: Client, address: string, answerId: string | undefined): Promise<string | undefined> {
  if (!/^\/agents\/[^/]+\/[^/]+$/.test(address)) return undefined;
  const { status, sessionId, run } = await client.status(address);
  if (status !== 'completed' || run?.chainStartSequence === undefined) return undefined;
  if (answerId !== undefined && answerId !== `${sessionId}.${run.chainTurn}`) return undefined;
  const checkpoint = await stepBefore(client, address, run.chainStartSequence);
  if (checkpoint === null) return undefined;
  const copy = addressBeside(address);
  // Before the first step there is nothing to copy: the message begins the agent.
  return checkpoint === undefined ? copy : (await client.fork(address, { name: nameAt(copy), checkpoint })).address;
}

const isGone = (error: unknown): boolean => error instanceof Refused && error.code === 'not_found';

/** Options of the transport. */
export interface AgentTransportOptions {
  /**
   * Lets `regenerate()` repeat a completed last answer in a copy of the root. The function gets the copy's address
   * before the new answer arrives. The chat continues in the copy, so store the address and open it next time. Without
   * it, such a request is refused.
   */
  readonly onFork?: ((address: string) => void) | undefined;
}

/** The transport of the chat at an address. */
export function agentTransport<Message extends UIMessage = UIMessage>(
  client: Client,
  address: string,
  { onFork }: AgentTransportOptions = {},
): DefaultChatTransport<Message> {
  let at = address;
  const idFor = (id: string): string => (at === address ? id : nameAt(at));
  return new DefaultChatTransport<Message>({
    api: `${address}/chat`,
    fetch: (path, init) => client.fetch(String(path), init),
    async prepareSendMessagesRequest({ id, messages, trigger, messageId, body }) {
      const answerId = messageId === messages.at(-1)?.id ? undefined : messageId;
      const copy =
        trigger === 'regenerate-message' && onFork
          ? await copyBefore(client, at, answerId).catch((error: unknown) => {
              if (!isGone(error)) throw error;
            })
          : undefined;
      if (copy !== undefined) {
        at = copy;
        onFork?.(copy);
      }
      const asked = copy === undefined ? { trigger, messageId } : { trigger: 'submit-message' };
      return { api: `${at}/chat`, body: { ...body, id: idFor(id), messages, ...asked } };
    },
    prepareReconnectToStreamRequest: ({ id }) => ({
      api: `${at}/chat/${encodeURIComponent(idFor(id))}/stream`,
    }),
  });
}
