/**
 * The table of verbs. Routes, socket calls and `/openapi.json` are made from it.
 *
 * Keeps A27.
 */

import type { ObjectRuntime } from '../engine/object/object';
import type { VerbAnswer, VerbCall } from '../engine/object/object-calls';
import { newerCall } from '../protocol/errors';
import { cancelMessage } from './actions/cancel-message';
import { fork } from './actions/fork';
import { remove } from './actions/remove';
import { resume, retry } from './actions/resume';
import { send } from './actions/send';
import { start } from './actions/start';
import { abort, interrupt, terminate } from './actions/stop';
import { submit } from './actions/submit';
import { files, readFile, removeFile, writeFile } from './files';
import { calls, logs } from './ledger';
import { audit, checkpoints } from './reads/audit-and-steps';
import { children } from './reads/children';
import { chunks } from './reads/chunks';
import { documents, removeDocument, shareDocument, unshareDocument } from './reads/documents';
import { messages } from './reads/messages';
import { limits, runs, state, status, usage } from './reads/overview';
import { pending } from './reads/pending';
import { schedules, stream, tree } from './reads/tree';
import { refusedByToken } from './token-use';
import { createTicket, createToken, revokeToken, tokens } from './tokens';
import { giveVariables, variables } from './variables';
import type { Verb } from './verb';
import type { VerbName } from './verb-types';

/** Every verb, by its name. */
export const VERB = {
  start,
  send,
  interrupt,
  abort,
  terminate,
  resume,
  retry,
  fork,
  pending,
  submit,
  status,
  tree,
  runs,
  calls,
  logs,
  state,
  limits,
  audit,
  checkpoints,
  messages,
  cancelMessage,
  chunks,
  stream,
  variables,
  giveVariables,
  children,
  usage,
  schedules,
  files,
  readFile,
  writeFile,
  removeFile,
  documents,
  removeDocument,
  shareDocument,
  unshareDocument,
  createToken,
  tokens,
  revokeToken,
  createTicket,
  remove,
} as const satisfies { readonly [Name in VerbName]: Verb<Name> };

/** All of them, in that order. */
export const VERBS: readonly Verb<VerbName>[] = Object.values(VERB);

const BY_NAME: ReadonlyMap<string, Verb> = new Map<string, Verb>(Object.entries(VERB));

/** The verb of that name. */
export function verbNamed(name: string): Verb | undefined {
  return BY_NAME.get(name);
}

/** Answers a call at an object: there, or further down. */
export async function answerVerb(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer> {
  const verb = verbNamed(call.verb);
  if (verb === undefined) return { ok: false, error: newerCall(`the verb "${call.verb}"`).failure };
  const refused = refusedByToken(object, call);
  return refused ? { ok: false, error: refused } : verb.answer(object, call);
}
