/** A companion that lives elsewhere, of the agent `writer`: it is called `judge`, and is of the kind `critic`. */

import { defineRemoteAgent } from '../../../../src/capabilities/remote/define';
import type { RemoteAgentTransport } from '../../../../src/core/definition/remote-transport';
import type { JsonObject } from '../../../../src/protocol/json';
import type { Message } from '../../../../src/protocol/messages';
import type { Tree, TreeParts } from '../../../support/harness';
import { answer } from '../../../support/trees';

export type Script = TreeParts['scripts'][string];

interface Env {
  readonly transport: RemoteAgentTransport;
}

export const JUDGE = '/agents/writer/one/sub/critic/judge';

export const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
export const spawn = (initialMessage: string, more: JsonObject = {}) =>
  companion('spawnAgent', { agent: 'critic', name: 'judge', initialMessage, ...more });
export const tell = (message: string, more: JsonObject = {}) =>
  companion('sendMessage', { name: 'judge', message, ...more });

export const kind = defineRemoteAgent({
  description: 'Judges drafts elsewhere.',
  outputSchema: answer,
  remoteAgentType: 'Critic',
  transport: (env: Env) => env.transport,
});

/** What a model was asked by others. */
export const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** The roots elsewhere. */
export const critics = (tree: Tree): string[] =>
  tree.addresses.filter((address) => address.startsWith('/agents/critic/'));
